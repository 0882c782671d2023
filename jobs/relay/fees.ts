/** Wei of one unit of gas that a transaction offers (EIP-1559). */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Wei of one unit of gas that a chain takes at its head: the block's own fee, and what miners are tipped. */
export type GasPrice = { baseFee: bigint; tip: bigint };

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

const least = (a: bigint, b: bigint) => (a < b ? a : b);
