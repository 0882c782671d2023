/** Wei of one unit of gas that a transaction offers (EIP-1559). */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Wei of one unit of gas that a chain charges at its head: the base fee and the tip. */
export type GasPrice = { baseFee: bigint; tip: bigint };

/** Blocks after which a transaction below the head's price is replaced. */
const blocksUnderpriced = 2n;
/**
 * Blocks after which the account's next transaction is replaced although it offers enough: its tip may be too small.
 */
export const replacedAfterBlocks = 10n;

/**
 * Chooses the fees of a new transaction. They cover a doubled base fee, and the block charges only its own base fee.
 *
 * @param ceiling the most wei for a unit of gas
 * @returns null while the chain charges more than the ceiling
 */
export function chooseFees(price: GasPrice, ceiling: bigint): Fees | null {
  if (price.baseFee + price.tip > ceiling) return null;
  return {
    maxFeePerGas: least(2n * price.baseFee + price.tip, ceiling),
    maxPriorityFeePerGas: price.tip,
  };
}

/**
 * Decides whether an unmined transaction is replaced at its nonce: it offers too little for the head, or it is the
 * account's next transaction and has waited long.
 *
 * @param age blocks since it was signed
 * @param waited blocks since its nonce is the account's next; null while others come first
 * @returns the fees of the replacement; `fine` if the transaction waits on; `gas_price` if only a price over the
 * ceiling would do
 */
export function findRaise(
  current: Fees,
  head: GasPrice,
  { age, waited, ceiling }: { age: bigint; waited: bigint | null; ceiling: bigint },
): Fees | "fine" | "gas_price" {
  const underpriced = isUnderpriced(current, head) && age >= blocksUnderpriced;
  const stuck = waited !== null && age >= replacedAfterBlocks && waited >= replacedAfterBlocks;
  if (!underpriced && !stuck) return "fine";
  // A transaction that offers the ceiling, and enough for the head, waits for its block.
  return raiseFees(current, head, ceiling) ?? (underpriced ? "gas_price" : "fine");
}

/**
 * Raises the fees for a replacement at the same nonce. Both fees rise by at least an eighth, where nodes require a
 * tenth, and reach those of a new transaction.
 */
export function raiseFees(current: Fees, price: GasPrice, ceiling: bigint): Fees | null {
  const fresh = chooseFees(price, ceiling);
  if (!fresh) return null;
  const maxFeePerGas = most(raise(current.maxFeePerGas), fresh.maxFeePerGas);
  if (maxFeePerGas > ceiling) return null;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: most(raise(current.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas),
  };
}

/** Whether the head charges more than a transaction offers, including its tip. */
export function isUnderpriced(fees: Fees, { baseFee }: GasPrice): boolean {
  return fees.maxFeePerGas < baseFee + fees.maxPriorityFeePerGas;
}

function raise(fee: bigint): bigint {
  // Rounds up, and raises even a tip of zero.
  return fee + (fee + 7n) / 8n + (fee === 0n ? 1n : 0n);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);
