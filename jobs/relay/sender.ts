import { setTimeout as sleep } from "node:timers/promises";
import type { SQL } from "drizzle-orm";
import type { Logger } from "pino";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { gasBounds } from "../../trade/relay/gas.ts";
import { createAlarm } from "./alarm.ts";
import { aboutOf, createAttempts, type RelayParts } from "./attempts.ts";
import { type BatchCall, hasRun } from "./batch.ts";
import { isBatch } from "./batch-book.ts";
import { createRelayBook, type Relay, type Waiting } from "./book.ts";
import { chooseFees, type Fees } from "./fees.ts";
import { createFollowing, type Followed } from "./following.ts";
import { createRelayNode, type Head } from "./node.ts";
import { chooseNonce, createGapFiller, isFiller, mostUnmined } from "./nonces.ts";
import { createPurses } from "./purses.ts";
import { createRefusals } from "./refusals.ts";

export type Sender = {
  /** Whether this chain has anything queued or on its way. */
  hasWork(): Promise<boolean>;
  /**
   * Sends what is queued and follows it to its end. One caller at a time does so, or they get in each other's way.
   *
   * @param under.signal ends it early; whoever drains next takes up where it stopped
   * @param under.fence a condition of all that it writes of relays: it fails once another drains
   */
  drain(under?: { signal?: AbortSignal; fence?: SQL }): Promise<"done" | "blocked">;
  /** Writes down what the wallet holds and what gas costs, and takes up again what a reorganisation took back. */
  look(): Promise<void>;
};

const gasOf = (calls: BatchCall[]) => calls.reduce((sum, { gas }) => sum + gas, 0n);

/** How often the wallet is looked at while something is on its way, in milliseconds. */
const lookEvery = 10_000;
/** The longest rest of a relay that the node cannot run, in milliseconds. */
const longestRest = 300_000;
/** How long a relay may wait to be sent, in milliseconds: nobody expects a call of two days ago. */
const longestWait = 2 * 86_400_000;
/** What the cheapest of transactions takes. */
const leastGas = 21_000n;

const refusedAfterRevert =
  "A call that this wallet signed was mined and did nothing, at the service's cost: its others are not relayed for an hour.";

/**
 * Sends the relays of one chain from one account. Of each intent at most one transaction can be mined: each is stored
 * before it is sent, after a crash the stored one is sent again, one that is stuck is replaced at its own nonce, and an
 * intent gets a new nonce only when its own is used up by a transaction that is none of its.
 */
export function createSender(db: Database, chain: Chain, account: PrivateKeyAccount, log?: Logger): Sender {
  const book = createRelayBook(db, chain.chain_id);
  const node = createRelayNode(chain);
  const alarm = createAlarm(log, { address: account.address, chain_id: chain.chain_id });
  const parts: RelayParts = { account, chain, book, node, alarm, log };
  const attempts = createAttempts(parts);
  const { follow, findMined, reopenLost, batches } = createFollowing(parts, attempts);
  const fillGap = createGapFiller(db, parts, attempts);
  const refuse = createRefusals(parts, reopenLost);
  const openPurses = createPurses(db, parts);
  const rests = new Map<string, { count: number; until: number; soon: boolean }>();
  /** what the wallet could not pay for in this drain: the gas that it would have to, and the order it is for */
  const dear = new Map<string, { gas: bigint; orderId: string | null }>();
  let lookedAt = 0;

  return { hasWork: book.hasOpen, drain, look };

  async function look(): Promise<void> {
    const [head, balance] = await Promise.all([node.readHead(), node.readBalance(account.address)]);
    await book.see({ address: account.address, balance, gasPrice: head.baseFee + head.tip });
    if (balance < chain.relayer_low_balance) alarm.low(balance, chain.relayer_low_balance);
    await reopenLost(head);
    if (!(await book.hasOpen())) await book.wait(null);
  }

  async function drain({ signal, fence }: { signal?: AbortSignal; fence?: SQL } = {}) {
    book.fenceBy(fence);
    try {
      return await drainFenced(signal);
    } finally {
      book.fenceBy(undefined);
    }
  }

  async function drainFenced(signal?: AbortSignal): Promise<"done" | "blocked"> {
    for (const [id, { until }] of rests) if (until < Date.now() - longestRest) rests.delete(id);
    dear.clear();
    let written: Waiting | null | undefined;
    for (;;) {
      if (signal?.aborted) return "blocked";
      if (Date.now() - lookedAt >= lookEvery) {
        await look();
        lookedAt = Date.now();
      }
      const head = await node.readHead();
      const followed = await follow(head);
      await fillGap(followed.gap, head);
      const { sent, postponed, hasMore, waiting } = await sendQueued(head, followed);
      const reason = followed.waiting ?? waiting;
      if (reason !== written) await book.wait(reason);
      written = reason;
      if (followed.open + sent + postponed === 0 && !hasMore)
        return waiting || rests.size > 0 ? "blocked" : "done";
      await sleep(chain.polling_interval, undefined, { signal }).catch(() => {});
    }
  }

  /** `hasMore`: others may wait behind those that were tried. */
  type Sent = { sent: number; postponed: number; hasMore: boolean; waiting: Waiting | null };

  /** Sends what waits. What cannot be sent now does not hold up what comes after it, and gets no nonce. */
  async function sendQueued(head: Head, { unmined, committed }: Followed): Promise<Sent> {
    const counts: Sent = { sent: 0, postponed: 0, hasMore: false, waiting: null };
    if (unmined >= mostUnmined) return counts;
    const fees = chooseFees(head, chain.max_fee_per_gas);
    const restful = [...rests].filter(([, { until }]) => until > Date.now());
    const resting = restful.map(([id]) => id);
    counts.postponed = restful.filter(([, { soon }]) => soon).length;
    if (!fees) {
      if ((await book.readQueued(1, resting)).length === 0) return counts;
      alarm.price(head, chain.max_fee_per_gas);
      return { ...counts, waiting: "gas_price" };
    }
    const balance = await node.readBalance(account.address);
    let left = balance - committed;
    const payable = () => (left > 0n ? left / fees.maxFeePerGas : 0n);
    const tooDear = [...dear].filter(([, { gas }]) => gas > payable()).map(([id]) => id);
    if (tooDear.length > 0) counts.waiting = "balance";
    let room = mostUnmined - unmined;
    const mostTogether = await batches.readMost();
    const limit = Math.max(room, mostTogether);
    const rows = await book.readQueued(limit, [...resting, ...tooDear]);
    counts.hasMore = rows.length === limit;
    let group: BatchCall[] = [];
    const tried = await Promise.all(rows.map((row) => tryOut(row, fees, payable())));
    const takeMoney = await openPurses(rows);
    for (const [index, row] of rows.entries()) {
      const { estimate, most, hasCode } = tried[index] as (typeof tried)[number];
      if (await isSettled(row)) continue;
      if ((hasCode && (await book.signerHasSigned(row))) || !(await takeMoney(row))) {
        // Until it is known what became of the wallet's last call, it gets no other to burn; nor more to pay than it holds.
        rest(row, () => 5 * chain.polling_interval, true);
        counts.postponed += 1;
        continue;
      }
      if ("broken" in estimate) {
        const times = rest(row, (count) => Math.min(1000 * 2 ** count, longestRest));
        log?.warn({ ...aboutOf(row), err: estimate.broken, times }, "the node cannot run a relay");
        continue;
      }
      const isShort = most < BigInt(row.gasBound);
      if ("refused" in estimate && !isShort && !waitsForDear(row)) {
        const pause = await refuse(row, estimate.refused, head);
        if (pause === null) {
          rests.delete(row.id);
          continue;
        }
        rest(row, () => pause, true);
        counts.postponed += 1;
        continue;
      }
      if (!("gas" in estimate) || estimate.gas > payable()) {
        const gas = "gas" in estimate ? estimate.gas : BigInt(row.gasBound);
        dear.set(row.id, { gas, orderId: row.orderId });
        alarm.empty(balance, gas * fees.maxFeePerGas + balance - left);
        counts.waiting = "balance";
        counts.postponed += 1;
        continue;
      }
      const call = { row, gas: estimate.gas };
      // What a wallet's code burns of its call's gas is easier to see where that is sent alone.
      if (mostTogether === 1 || hasCode || !batches.canJoin(row)) {
        await sendAlone(call);
        continue;
      }
      if (gasOf([...group, call]) > BigInt(gasBounds.batch)) await sendGroup();
      group.push(call);
      left -= priceOf([call]);
      if (group.length === mostTogether) await sendGroup();
    }
    await sendGroup();
    return counts;

    async function sendAlone({ row, gas }: BatchCall): Promise<void> {
      if (room === 0) {
        counts.hasMore = true;
        return;
      }
      const nonce = await chooseNonce(parts);
      const stored = await attempts.send(row, { nonce, gas, fees: fees as Fees, head });
      if (stored) noteSent(stored, [row], gas);
    }

    /** Sends what was gathered in one transaction, or each alone where that cannot be. */
    async function sendGroup(): Promise<void> {
      const calls = group;
      group = [];
      left += priceOf(calls);
      if (calls.length > 1 && room > 0) {
        const sending = { nonce: await chooseNonce(parts), fees: fees as Fees, head };
        const sent = await batches.send(calls, sending, payable());
        if (sent === "taken") {
          counts.hasMore = true;
          return;
        }
        if (sent !== "alone")
          return noteSent(
            sent.batch,
            calls.map(({ row }) => row),
            sent.gas,
          );
      }
      for (const call of calls) await sendAlone(call);
    }

    function priceOf(calls: BatchCall[]): bigint {
      return gasOf(calls) * (fees as Fees).maxFeePerGas;
    }

    function noteSent(stored: Relay, calls: Relay[], gas: bigint): void {
      for (const { id } of calls) {
        rests.delete(id);
        dear.delete(id);
      }
      left -= gas * (fees as Fees).maxFeePerGas;
      room -= 1;
      counts.sent += calls.length;
      log?.info({ ...aboutOf(stored), calls: calls.length }, "relay sent");
    }
  }

  /** Tries a relay as it would be sent, with no more gas than the wallet can pay for. */
  async function tryOut(row: Relay, fees: Fees, payable: bigint) {
    const bound = BigInt(row.gasBound);
    const most = payable < bound ? payable : bound;
    const [estimate, hasCode] = await Promise.all([
      most < leastGas
        ? { unpayable: true as const }
        : node.estimate(account.address, row, { fees, gas: most }),
      row.signer ? node.hasCode(row.signer) : false,
    ]);
    return { estimate, most, hasCode };
  }

  /** Whether another call of the order, which may have to come first, waits for the wallet to be funded. */
  function waitsForDear({ id, orderId }: Relay): boolean {
    return orderId !== null && [...dear].some(([other, of]) => other !== id && of.orderId === orderId);
  }

  /** Whether a queued relay is not to be sent after all. */
  async function isSettled(row: Relay): Promise<boolean> {
    // An older release, to which it was a relay like any other, queued it.
    if (isBatch(row)) {
      await book.requeue(row);
      return true;
    }
    if (isFiller(row)) {
      await book.refuse(row, "the nonce was used otherwise");
      return true;
    }
    // It was queued again as another had used its nonce; that one's block is gone, and ours was mined in its place.
    const mined = await findMined(row);
    if (mined) {
      await book.adopt(row, mined.attempt);
      return true;
    }
    const batch = row.batchId === null ? null : await book.readBatch(row.batchId);
    const minedBatch = batch && (await findMined(batch));
    if (batch && minedBatch && hasRun(minedBatch.receipt)) {
      await book.adopt(batch, minedBatch.attempt);
      return true;
    }
    const stale = Date.now() - row.queuedAt.getTime() > longestWait;
    // What no party's code is asked for costs what it costs: money at a deposit address is not held up for its payer's wallet.
    const resting = stale || row.signer === null ? null : await book.readRest(row);
    if (!stale && resting === null) return false;
    const reason = stale ? "It could not be sent within two days: ask for it again." : refusedAfterRevert;
    await book.refuse(row, reason);
    log?.warn({ ...aboutOf(row), reason }, "relay not sent");
    return true;
  }

  /**
   * Leaves a relay alone for some milliseconds, by how often it was. Returns how often.
   *
   * @param soon it is tried again in this drain
   */
  function rest({ id }: Relay, pause: (count: number) => number, soon = false): number {
    const count = (rests.get(id)?.count ?? 0) + 1;
    rests.set(id, { count, until: Date.now() + pause(count), soon });
    return count;
  }
}
