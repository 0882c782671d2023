import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { queueRelay } from "../../trade/relay/relay-queue.ts";
import { chooseFees, replacedAfterBlocks } from "./fees.ts";
import type { Followed } from "./relay-confirmations.ts";
import type { Head } from "./relay-node.ts";
import type { Relay } from "./relay-row.ts";
import type { RelayParts, Transactions } from "./transactions.ts";

/** The most transactions in flight. Nodes drop more of one account. */
export const mostUnmined = 16;

const fillerPrefix = "nonce:";

/** Whether a relay only fills its nonce. It is of no use at another nonce. */
export function isFiller({ key }: { key: string }): boolean {
  return key.startsWith(fillerPrefix);
}

/**
 * Chooses the nonce of a new transaction: after ours, and after transactions of other programs with our key. A node may
 * report only a few of the latter.
 */
export async function chooseNonce({ account: { address }, node, relays }: RelayParts): Promise<number> {
  const [pending, latest, highest] = await Promise.all([
    node.readNonce(address, "pending"),
    node.readNonce(address, "latest"),
    relays.readHighestNonce(address),
  ]);
  return Math.max(Math.min(pending, latest + mostUnmined), highest + 1);
}

/**
 * Fills gaps before our own nonces. Another program's transaction with our key leaves a gap if the nodes drop it. All
 * transactions after the gap would wait for ever.
 */
export function createGapFiller(db: Database, parts: RelayParts, transactions: Transactions) {
  const { account, chain, node, log } = parts;
  let seen: { nonce: number; since: bigint } | null = null;

  /** Sends an empty transfer to ourselves at each nonce that was missing for a while. Each transfer is a relay. */
  return async function fill(gap: Followed["gap"], head: Head): Promise<void> {
    if (gap === null || seen?.nonce !== gap.from || seen.since > head.number)
      seen = gap === null ? null : { nonce: gap.from, since: head.number };
    if (gap === null || seen === null || head.number - seen.since < replacedAfterBlocks) return;
    const fees = chooseFees(head, chain.max_fee_per_gas);
    const call = { to: account.address, data: "0x" } as const;
    if (!fees) return;
    const gasBound = gasBounds.transfer;
    const estimate = await node.estimate(account.address, call, { fees, gas: BigInt(gasBound) });
    if (!("gas" in estimate)) return;
    for (let nonce = gap.from; nonce < Math.min(gap.until, gap.from + mostUnmined); nonce += 1) {
      const key = `${fillerPrefix}${chain.chain_id}:${account.address}:${nonce}`;
      const queued = await inTransaction(db, (tx) =>
        queueRelay(tx, { key, chainId: chain.chain_id, orderId: null, gasBound, ...call }),
      );
      if (queued.status !== "queued") return;
      const row: Relay = { ...queued, attempts: [] };
      const sent = await transactions.send(row, { nonce, gas: estimate.gas, fees, head });
      if (sent) log?.warn({ relay_id: sent.id, nonce }, "a missing nonce before ours is filled");
    }
    seen = null;
  };
}
