import { chooseFees, type Fees, type GasPrice } from "./fees.ts";

/** Blocks after which a transaction that offers less than the head takes is raised. */
const blocksUnderpriced = 2n;
/** Blocks after which the next transaction of an account is raised though it offers enough: its tip may be too small. */
export const blocksStuck = 10n;

/**
 * What a transaction that is not mined is replaced by at its nonce, if it is: where it offers too little for the head, or its
 * account's next one has waited long.
 *
 * @param age blocks since it was signed
 * @param waited blocks since its nonce is the account's next; null while others come first
 * @returns the fees of its successor; `fine` where it is left to wait; `gas_price` where only a price over the ceiling would do
 */
export function findRaise(
  standing: Fees,
  head: GasPrice,
  { age, waited, ceiling }: { age: bigint; waited: bigint | null; ceiling: bigint },
): Fees | "fine" | "gas_price" {
  const underpriced = isUnderpriced(standing, head) && age >= blocksUnderpriced;
  const stuck = waited !== null && age >= blocksStuck && waited >= blocksStuck;
  if (!underpriced && !stuck) return "fine";
  // One that offers as much as it may, and enough, waits for its block.
  return raiseFees(standing, head, ceiling) ?? (underpriced ? "gas_price" : "fine");
}

/**
 * What a transaction offers that is to replace another at the same nonce: both fees higher by an eighth at least, where
 * nodes ask for a tenth, and no less than a new one would.
 *
 * @returns null where that goes over the ceiling
 */
export function raiseFees(standing: Fees, price: GasPrice, ceiling: bigint): Fees | null {
  const fresh = chooseFees(price, ceiling);
  if (!fresh) return null;
  const maxFeePerGas = most(raise(standing.maxFeePerGas), fresh.maxFeePerGas);
  if (maxFeePerGas > ceiling) return null;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: most(raise(standing.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas),
  };
}

/** Whether the head takes more than a transaction offers, its tip included. */
export function isUnderpriced(fees: Fees, { baseFee }: GasPrice): boolean {
  return fees.maxFeePerGas < baseFee + fees.maxPriorityFeePerGas;
}

function raise(fee: bigint): bigint {
  // Rounded up, and more than nothing even for a tip of nothing.
  return fee + (fee + 7n) / 8n + (fee === 0n ? 1n : 0n);
}

const most = (a: bigint, b: bigint) => (a > b ? a : b);
