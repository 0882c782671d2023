/**
 * Tells whether a number is a multiple of another by their decimal digits in JSON. For example, 19.99 is a multiple of
 * 0.01. Their floating-point quotient is not a whole number.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** `digits` times ten to the power of `exponent`. */
type Decimal = { digits: bigint; exponent: number };

/** The shortest decimal that is read as this number. */
function decimalOf(value: number): Decimal {
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const fraction = digits.split(".")[1] ?? "";
  return { digits: BigInt(digits.replace(".", "")), exponent: Number(exponent) - fraction.length };
}
