/** Wei of one unit of gas that a transaction offers (EIP-1559). */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Wei of one unit of gas that a chain takes at its head: the block's own fee, and what miners are tipped. */
export type GasPrice = { baseFee: bigint; tip: bigint };

/** Blocks after which a transaction that offers less than the head takes is raised. */
export const blocksUnderpriced = 2n;
/** Blocks after which the next transaction of an account is raised though it offers enough: its tip may be too small. */
export const blocksStuck = 10n;

/**
 * What a new transaction offers: enough for a base fee that doubles, of which only the block's own is paid.
 *
 * @param ceiling the most that a unit of gas may cost
 * @returns null while the chain takes more than the ceiling
 */
export function chooseFees(price: GasPrice, ceiling: bigint): Fees | null {
  if (price.baseFee + price.tip > ceiling) return null;
  return {
    maxFeePerGas: least(2n * price.baseFee + price.tip, ceiling),
    maxPriorityFeePerGas: price.tip,
  };
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

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);
