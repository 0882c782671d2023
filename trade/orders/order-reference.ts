import { randomBytes } from "node:crypto";

/** Crockford's base 32, which omits I, L, O and U because people misread them. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Creates a random order reference, such as `E-7K3M9Q`. The caller ensures that it is unique. */
export function createOrderReference(): string {
  return `E-${Array.from(randomBytes(6), (byte) => alphabet[byte % 32]).join("")}`;
}
