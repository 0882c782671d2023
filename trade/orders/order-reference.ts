import { randomBytes } from "node:crypto";

/** Crockford's base 32, without the letters I, L, O and U, which people mistake for others. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes a random reference of an order for people, such as `E-7K3M9Q`. The caller checks that no order has it. */
export function createOrderReference(): string {
  return `E-${Array.from(randomBytes(6), (byte) => alphabet[byte % 32]).join("")}`;
}
