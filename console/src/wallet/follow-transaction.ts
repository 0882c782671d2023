import type { Hash, PublicClient, ReplacementReason } from "viem";
import { WalletProblem } from "../problems/problem.ts";

/** The consecutive polls without the transaction, or without an answer, after which waiting ends. */
const maxMisses = 5;

/**
 * Waits until a transaction is in a block.
 *
 * @param onReplaced gets the hash of a transaction that replaced this one at a higher gas price
 * @returns the hash of the mined transaction
 * @throws WalletProblem if it reverted, was cancelled, replaced or dropped, or if the node does not answer
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

/** Throws once the node has lost the transaction, or has not answered for several polls. */
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
    if (missing >= maxMisses) throw new WalletProblem("dropped");
    if (silent >= maxMisses) throw new WalletProblem("node_dead");
  }
}
