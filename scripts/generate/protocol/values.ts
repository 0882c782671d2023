/** Values and their texts by RFC 8785, for the cases in which languages differ. */
export const canonicalValues: unknown[] = [
  null,
  [],
  {},
  "",
  { b: 1, a: 2, aa: 3, A: 4, "": 5 },
  // By UTF-16 units the euro sign comes before the emoji, and the emoji before the ligature.
  {
    "\u20ac": "euro",
    "\ufb33": "dalet",
    "\u{1f600}": "smile",
    "\r": "return",
    "1": "one",
    "\u0080": "control",
  },
  '"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é\u{1f600}',
  [0, -0, 1, -1, 1.5, 100, 1e21, 1e20, 1e-6, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308],
  [0.1, 0.30000000000000004, 4.5, 2e-3, 333333333.3333333, 9007199254740991, -9007199254740991, 1e23],
  [true, false, null, [[{ nested: [{}] }]]],
];

/** Decimal texts, each with the decimals of its token. */
export const amounts = [
  ["12.50", 6],
  ["0", 6],
  ["0.000001", 6],
  ["0.0000010", 6],
  ["0.0000001", 6],
  ["340282366920938463463.374607431768211455", 18],
  ["1", 0],
  ["1.0", 0],
  ["1.5", 0],
  ["-1", 6],
  ["+1", 6],
  ["01", 6],
  ["1.", 6],
  [".5", 6],
  ["1e3", 6],
  ["1,000", 6],
  [" 1", 6],
  ["1\n", 6],
  ["", 6],
  ["\u0661", 6],
  ["NaN", 6],
] as const;
