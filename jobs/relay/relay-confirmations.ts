import type { Address, TransactionReceipt } from "viem";
import { confirmedBlock, isConfirmed } from "../../protocol/facts/confirmations.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { createAccountExecutions } from "./account-executions.ts";
import { isBatch } from "./batch-rows.ts";
import { createBatches } from "./batches.ts";
import { blockOf, executionGasOf } from "./data-fees.ts";
import type { Head } from "./relay-node.ts";
import type { Attempt, Relay } from "./relay-row.ts";
import type { Waiting } from "./relayer-wallet.ts";
import { createSignerFaultCheck } from "./signer-fault.ts";
import { costOf, logFieldsOf, type RelayParts, readTransaction, type Transactions } from "./transactions.ts";

/** The signed relays of a chain. */
export type Followed = {
  /** relays that have not ended */
  open: number;
  /** open relays that are in no block */
  unmined: number;
  /** the most wei that unmined relays can still cost */
  committed: bigint;
  /** missing nonces before ours: the first, and the one after the last */
  gap: { from: number; until: number } | null;
  waiting: Waiting | null;
};

/** The most blocks, and relays, that are checked for reorganisations. */
const checkedBlocks = 1000n;
const mostRechecked = 500;

/** Follows a chain's signed relays until one transaction of each has the chain's confirmations. */
export function createRelayConfirmations(parts: RelayParts, transactions: Transactions) {
  const { account, chain, relays, node, log } = parts;
  const own = account.address.toLowerCase();
  // A new process starts with empty maps, which costs only more requests to the node.
  const minedIn = new Map<string, bigint>();
  const nextSince = new Map<string, bigint>();
  const overtakenSince = new Map<string, number>();

  const isSignersFault = createSignerFaultCheck(parts);
  const batches = createBatches(parts, transactions, isSignersFault);
  const findOvertaking = createAccountExecutions(parts);

  return { follow, findMined, reopenLost, findOvertaking, batches };

  /** Ends the signed relays that are confirmed, and replaces or broadcasts the others. */
  async function follow(head: Head): Promise<Followed> {
    const followed: Followed = { open: 0, unmined: 0, committed: 0n, gap: null, waiting: null };
    const nonces = new Map<Address, number>();
    let lowest = Number.POSITIVE_INFINITY;
    for (const row of await relays.readSigned()) {
      const deepEnough = (block: bigint) => isConfirmed(block, head.number, chain);
      const minedBlock = minedIn.get(row.id);
      if (minedBlock !== undefined && !deepEnough(minedBlock)) {
        followed.open += 1;
        continue;
      }
      const sender = row.sender as Address;
      const next = nonces.get(sender) ?? (await node.readNonce(sender, "latest"));
      nonces.set(sender, next);
      const mined = await findMined(row, next);
      if (mined && deepEnough(mined.receipt.blockNumber)) {
        await finish(row, mined);
        continue;
      }
      followed.open += 1;
      if (mined) {
        minedIn.set(row.id, mined.receipt.blockNumber);
        continue;
      }
      minedIn.delete(row.id);
      followed.unmined += 1;
      if (sender === own) {
        followed.committed += costOf(row);
        lowest = Math.min(lowest, row.nonce as number);
      }
      followed.waiting = (await pursue(row, next, head)) ?? followed.waiting;
    }
    const next = nonces.get(own as Address);
    if (next !== undefined && lowest !== Number.POSITIVE_INFINITY && next < lowest)
      followed.gap = { from: next, until: lowest };
    return followed;
  }

  /**
   * Finds the mined transaction of a relay. A transaction that reverted earlier counts only if it succeeds now, in
   * another block.
   *
   * @param next the sender's next nonce, if known: a transaction at it or after it is in no block
   */
  async function findMined(
    row: Relay,
    next = Number.POSITIVE_INFINITY,
  ): Promise<{ attempt: Attempt; receipt: TransactionReceipt } | null> {
    for (const attempt of row.attempts.toReversed()) {
      if (attempt.sender === row.sender && attempt.nonce >= next) continue;
      const receipt = await node.readReceipt(attempt.transactionHash);
      if (receipt && !(attempt.reverted && receipt.status !== "success")) return { attempt, receipt };
    }
    return null;
  }

  /**
   * Reopens relays whose block left the chain after their confirmations. Their transactions keep their nonces and can
   * be mined again. The job that records events would not notice most of them, since few relays leave a fact.
   *
   * @param orderId checks the relays of this order alone
   * @returns the number of reopened relays
   */
  async function reopenLost(head: Head, orderId?: string): Promise<number> {
    const rows = await relays.readMined(head.number - checkedBlocks, mostRechecked, orderId);
    let reopened = 0;
    for (const [blockNumber, inBlock] of Map.groupBy(rows, ({ minedBlock }) => minedBlock as bigint)) {
      const hash = await node.readBlockHash(blockNumber);
      // A node without the block lags behind, which does not prove a reorganisation.
      if (hash === null) continue;
      const isLost = (row: RelayRow) => row.minedBlockHash !== hash;
      for (const row of inBlock.filter(isLost)) {
        if (!(await relays.reopen(row))) continue;
        reopened += 1;
        log?.warn(
          { relay_id: row.id, relay_key: row.key, block_hash: row.minedBlockHash },
          "a relay's block left the chain",
        );
      }
    }
    return reopened;
  }

  async function finish(
    row: Relay,
    { attempt, receipt }: { attempt: Attempt; receipt: TransactionReceipt },
  ): Promise<void> {
    if (isBatch(row)) {
      await batches.finish(row, attempt, receipt);
      return forget(row);
    }
    const overtaking = receipt.status === "success" ? null : await findOvertaking(row, receipt.blockNumber);
    if (overtaking) {
      // The transfer happened. A block that leaves the chain reopens the relay by its own transaction.
      const { transactionHash } = overtaking;
      await relays.finish(row, { ...attempt, transactionHash }, blockOf(receipt, chain), null, false);
      log?.info(
        { ...logFieldsOf(row), transaction: transactionHash },
        "another transaction made the calls of a relay",
      );
      return forget(row);
    }
    const error = receipt.status === "success" ? null : await readError(row, attempt, receipt);
    const reverted = { gasUsed: Number(executionGasOf(receipt)), blockNumber: receipt.blockNumber };
    const blamesSigner = error !== null && (await isSignersFault(row, error, reverted));
    await relays.finish(row, attempt, blockOf(receipt, chain), error, blamesSigner);
    forget(row);
    const about = { relay_id: row.id, relay_key: row.key, transaction: attempt.transactionHash };
    if (error === null) return log?.info(about, "relay mined");
    const gas_used = receipt.gasUsed.toString();
    const alert = blamesSigner
      ? { alert: "relay_reverted", signer: row.signer, account_id: row.accountId }
      : {};
    log?.error({ ...about, ...alert, gas_used, reason: error }, "relay reverted");
  }

  async function readError(row: Relay, attempt: Attempt, receipt: TransactionReceipt): Promise<string> {
    const { gas, ...fees } = readTransaction(attempt);
    const reason = await node.readRevertReason(row, { fees, gas }, receipt);
    return reason ?? "the transaction was mined and reverted";
  }

  /** Replaces or broadcasts the transaction of an unmined relay, or queues the relay again if its nonce is used. */
  async function pursue(row: Relay, next: number, head: Head): Promise<Waiting | null> {
    if (next > (row.nonce as number)) {
      nextSince.delete(row.id);
      await leaveNonce(row, head);
      return null;
    }
    overtakenSince.delete(row.id);
    const since = nextSince.get(row.id);
    if (next === row.nonce && (since === undefined || since > head.number))
      nextSince.set(row.id, head.number);
    return transactions.push(row, head, nextSince.get(row.id) ?? null);
  }

  /** Queues a relay again once the transaction of another relay has certainly used its nonce. */
  async function leaveNonce(row: Relay, head: Head): Promise<void> {
    // Nodes of one provider may differ for a moment.
    const since = overtakenSince.get(row.id) ?? Date.now();
    overtakenSince.set(row.id, since);
    if (Date.now() - since < 10 * chain.polling_interval) return;
    // A reorganisation can drop the other transaction, and then ours can still be mined.
    const newest = confirmedBlock(head.number, chain);
    const deep = newest > 0n ? newest : 0n;
    if ((await node.readNonce(row.sender as Address, deep)) <= (row.nonce as number)) return;
    if (await findMined(row)) return;
    log?.warn(logFieldsOf(row), "another transaction used the nonce: the relay is signed again");
    await relays.requeue(row);
    forget(row);
  }

  function forget({ id }: Relay): void {
    transactions.forget(id);
    for (const map of [minedIn, nextSince, overtakenSince]) map.delete(id);
  }
}
