const levels = 40;
const steps = Array.from({ length: levels }, (_, at) => {
  const next = { $ref: `#/$defs/level${at + 1}` };
  return [`level${at}`, { allOf: [next, next] }];
});
const $defs = Object.fromEntries([...steps, [`level${levels}`, { required: ["y"] }]]);

/** `allOf` of two references at each level: 2^40 steps for any payload at all. It is refused when it is written. */
export const doubling = { $ref: "#/$defs/level0", $defs };

/** The same for payloads with an `x` alone: it passes when it is written, and takes all the time that a check has. */
export const slow = { properties: { x: { $ref: "#/$defs/level0" } }, $defs };
