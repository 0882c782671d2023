import type { Hash, PublicClient, ReplacementReason } from "viem";
import { WalletProblem } from "./problems.ts";

/** How often in a row a node has to know nothing of a transaction for it to count as dropped. */
const absences = 5;

/**
 * Waits until a transaction is in a block.
 *
 * @param onReplaced is told the hash of a transaction with which the wallet raised the gas of this one
 * @returns the hash of the one that was mined
 * @throws WalletProblem where it reverted, was cancelled, replaced by something else, or dropped, or no node answers
 */
export async function followTransaction(
  node: PublicClient,
  hash: Hash,
  onReplaced: (hash: Hash) => void,
): Promise<Hash> {
  const ended = new AbortController();
  let replaced: ReplacementReason | null = null;
  let current = hash;
  const mined = node.waitForTransactionReceipt({
    hash,
    timeout: 0,
    onReplaced: ({ reason, transaction }) => {
      replaced = reason;
      current = transaction.hash;
      onReplaced(current);
    },
  });
  try {
    const receipt = await Promise.race([mined, watchForDrop(node, () => current, ended.signal)]);
    if (replaced === "cancelled") throw new WalletProblem("cancelled");
    if (replaced === "replaced") throw new WalletProblem("replaced");
    if (receipt.status !== "success") throw new WalletProblem("reverted");
    return receipt.transactionHash;
  } finally {
    ended.abort();
    mined.catch(() => {});
  }
}

/** Throws once the node neither has the transaction nor a receipt of it, or does not answer for long. */
async function watchForDrop(node: PublicClient, hash: () => Hash, signal: AbortSignal): Promise<never> {
  for (let missing = 0, silent = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, node.pollingInterval));
    if (signal.aborted) return await new Promise<never>(() => {});
    try {
      await node.getTransaction({ hash: hash() });
      missing = 0;
      silent = 0;
    } catch (error) {
      if ((error as Error).name === "TransactionNotFoundError") missing++;
      else silent++;
    }
    if (missing >= absences) throw new WalletProblem("dropped");
    if (silent >= absences) throw new WalletProblem("node_dead");
  }
}
