/**
 * The number of records of parts, and of payments of parts, that become facts of an order. Both cost a party gas only.
 * `src/escrow.ts` has the same number.
 */
export const keptParts = 80;
