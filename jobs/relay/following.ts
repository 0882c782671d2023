import type { Address, Hex, TransactionReceipt } from "viem";
import { gasBounds } from "../../trade/relay/gas.ts";
import type { RelayRow } from "../../trade/relay/queue.ts";
import { type Attempts, aboutOf, costOf, type RelayParts, readTransaction } from "./attempts.ts";
import { createBatches } from "./batch.ts";
import { isBatch } from "./batch-book.ts";
import type { Attempt, Relay, Waiting } from "./book.ts";
import type { Head } from "./node.ts";

/** What is on its way after a look at it. */
export type Followed = {
  /** relays that are not at their end */
  open: number;
  /** those of them that are in no block */
  unmined: number;
  /** the most wei that the unmined ones may still take from the wallet */
  committed: bigint;
  /** the account's next nonces that are none of ours, while later ones are: the first, and the one behind the last */
  gap: { from: number; until: number } | null;
  waiting: Waiting | null;
};

/** How many blocks back mined relays are looked at again, and how many of them at most. */
const lookBack = 1000n;
const mostAgain = 500;

/** What contracts and tokens say where somebody else came first, or time passed. */
const overtaken =
  /^(WrongStatus|TooEarly|TooLate|SignatureExpired|ERC3009UsedAuthorization|InvalidNonce)\(|authorization is used/i;
/** The most gas of a call that was refused for that, before it came to any wallet's code. */
const gasOfOvertaken = 150_000;
/** What the escrow says after a wallet's code ran, and only where it is so. */
const late = /^Too(Early|Late)\(/;
/** What it says of the record of a delivery whose number somebody else's record of the same has. */
const unsigned = /^InvalidSignature\(/;
const recordIntent = /^(0x[0-9a-f]{64}):recordDelivery:(\d+)$/;

/** Follows a chain's signed relays until they are mined deep enough, whichever of their transactions it is. */
export function createFollowing(parts: RelayParts, attempts: Attempts) {
  const { account, chain, book, node, log } = parts;
  const own = account.address.toLowerCase();
  // What this process remembers of relays; a new process starts without and only asks the node more often.
  const minedIn = new Map<string, bigint>();
  const nextSince = new Map<string, bigint>();
  const overtakenSince = new Map<string, number>();

  const batches = createBatches(parts, attempts, isSignersDoing);

  return { follow, findMined, reopenLost, batches };

  /** Brings signed relays to their end where the chain knows it, and sees to the others. */
  async function follow(head: Head): Promise<Followed> {
    const followed: Followed = { open: 0, unmined: 0, committed: 0n, gap: null, waiting: null };
    const nonces = new Map<Address, number>();
    let lowest = Number.POSITIVE_INFINITY;
    for (const row of await book.readSigned()) {
      const deepEnough = (block: bigint) => head.number - block + 1n >= BigInt(chain.confirmations);
      const known = minedIn.get(row.id);
      if (known !== undefined && !deepEnough(known)) {
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
   * Which of a relay's transactions is in a block. One that was mined and did nothing counts where the chain has it now in
   * another block, in which it did something.
   *
   * @param next the sender's next nonce, when it is known: what lies at it or after it cannot be in a block
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
   * Takes up again what was mined in a block that has left the chain since, deeper than the chain's confirmations: its
   * transaction may be mined anew, and keeps its nonce until then. Most leave no fact by which it would be noticed.
   *
   * @param orderId looks at this order's alone
   * @returns how many there were
   */
  async function reopenLost(head: Head, orderId?: string): Promise<number> {
    if (orderId === undefined) await book.endHalves();
    const rows = await book.readMined(head.number - lookBack, mostAgain, orderId);
    let reopened = 0;
    for (const [blockNumber, inBlock] of Map.groupBy(rows, ({ minedBlock }) => minedBlock as bigint)) {
      const hash = await node.readBlockHash(blockNumber);
      // A node without the block lags behind, or the chain has yet to grow past it: neither says that it left.
      if (hash === null) continue;
      const isLost = (row: RelayRow) => row.minedBlockHash !== hash;
      for (const row of inBlock.filter(isLost)) {
        if (!(await book.reopen(row))) continue;
        reopened += 1;
        log?.warn(
          { relay_id: row.id, intent: row.intent, block_hash: row.minedBlockHash },
          "relay's block left",
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
    const failed = receipt.status !== "success";
    const { gas, ...fees } = readTransaction(attempt);
    const error = failed ? await node.reasonOfRevert(row, { fees, gas }, receipt) : null;
    const blamed =
      error !== null && (await isSignersDoing(row, error, { ...receipt, gasUsed: Number(receipt.gasUsed) }));
    await book.finish(row, attempt, receipt, error, blamed);
    forget(row);
    const about = { relay_id: row.id, intent: row.intent, transaction: attempt.transactionHash };
    if (error === null) return log?.info(about, "relay mined");
    const gas_used = receipt.gasUsed.toString();
    const alert = blamed ? { alert: "relay_reverted", signer: row.signer, account_id: row.accountId } : {};
    log?.error({ ...about, ...alert, gas_used, reason: error }, "relay reverted");
  }

  /**
   * Whether a revert is to be laid at the signer's door: not where somebody else came first, or time passed, and not
   * where its signature is a key's, which costs what it costs. A payer can take its money away meanwhile, key or not.
   *
   * The words of a revert may be those of the signer's own contract: what burnt gas did not fail for them.
   */
  async function isSignersDoing(
    row: Relay,
    reason: string,
    { gasUsed, blockNumber }: { gasUsed: number; blockNumber: bigint },
  ): Promise<boolean> {
    const { signer, forFunded, gasBound } = row;
    if (!signer) return false;
    const hasCode = await node.hasCode(signer);
    // Its factory refuses a wallet that stands: somebody else had it made.
    if (gasBound === gasBounds.deployment) return !hasCode;
    if (!hasCode) return !forFunded && !overtaken.test(reason);
    if (overtaken.test(reason)) {
      const isEscrows = row.to.toLowerCase() === chain.escrow_contract.toLowerCase();
      return gasUsed > gasOfOvertaken && !(isEscrows && late.test(reason));
    }
    return !(unsigned.test(reason) && (await wasRecorded(row, blockNumber)));
  }

  /** Whether a delivery that was to be recorded was, by the end of a block. */
  async function wasRecorded({ intent }: Relay, blockNumber: bigint): Promise<boolean> {
    const [, escrowId, number] = recordIntent.exec(intent) ?? [];
    if (!escrowId) return false;
    return (await node.readDeliveryCount(escrowId as Hex, blockNumber)) >= Number(number);
  }

  /** A relay that the chain does not have: its transaction is seen to, or given up for one at a new nonce. */
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
    return attempts.push(row, head, nextSince.get(row.id) ?? null);
  }

  /** The nonce is used, and by none of the relay's own transactions: once that is sure, the relay is queued again. */
  async function leaveNonce(row: Relay, head: Head): Promise<void> {
    // Another node of the same provider may not show yet what this one counts.
    const since = overtakenSince.get(row.id) ?? Date.now();
    overtakenSince.set(row.id, since);
    if (Date.now() - since < 10 * chain.polling_interval) return;
    // A block that may still be replaced may take the other transaction back, and then ours could be mined after all.
    const depth = BigInt(chain.confirmations - 1);
    const deep = head.number > depth ? head.number - depth : 0n;
    if ((await node.readNonce(row.sender as Address, deep)) <= (row.nonce as number)) return;
    if (await findMined(row)) return;
    log?.warn(aboutOf(row), "another transaction used the nonce; the relay is signed anew");
    await book.requeue(row);
    forget(row);
  }

  function forget({ id }: Relay): void {
    attempts.forget(id);
    for (const memory of [minedIn, nextSince, overtakenSince]) memory.delete(id);
  }
}
