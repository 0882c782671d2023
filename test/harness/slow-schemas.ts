const levels = 40;
const steps = Array.from({ length: levels }, (_, at) => {
  const next = { $ref: `#/$defs/level${at + 1}` };
  return [`level${at}`, { allOf: [next, next] }];
});
const $defs = Object.fromEntries([...steps, [`level${levels}`, { required: ["y"] }]]);

/**
 * `allOf` of two references at each level: 2^40 steps for any payload at all. The service refuses the
 * schema.
 */
export const doubling = { $ref: "#/$defs/level0", $defs };

/**
 * The same for payloads with an `x` only: the service accepts the schema, and a check takes all its time.
 */
export const slow = { properties: { x: { $ref: "#/$defs/level0" } }, $defs };
