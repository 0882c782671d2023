import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import type { SQL } from "../../db/drizzle.ts";
import { type BatchCall, gasOf } from "./batches.ts";
import { isDataTooExpensive } from "./data-fees.ts";
import { chooseFees, type Fees } from "./fees.ts";
import { chooseNonce, createGapFiller, mostUnmined } from "./nonces.ts";
import { createObsoleteCheck } from "./obsolete-relays.ts";
import { createPayerBalances } from "./payer-balances.ts";
import { createRefusals } from "./refused-relays.ts";
import { createRelayConfirmations, type Followed } from "./relay-confirmations.ts";
import { createRelayNode, type Head } from "./relay-node.ts";
import type { Relay } from "./relay-row.ts";
import { createRelayStore } from "./relay-store.ts";
import { createWallet, type Waiting } from "./relayer-wallet.ts";
import { createTransactions, logFieldsOf, type RelayParts } from "./transactions.ts";

export type Sender = {
  /** Whether this chain has queued or signed relays. */
  hasWork(): Promise<boolean>;
  /**
   * Sends the queued relays and follows them to their end. Only the holder of the chain's lease drains.
   *
   * @param under.signal ends the drain early; the next one continues
   * @param under.fence the condition of every change of a relay: this process still holds the lease
   */
  drain(under?: { signal?: AbortSignal; fence?: SQL }): Promise<"done" | "blocked">;
  /** Stores the wallet's balance and the gas price, and reopens relays that a reorganisation dropped. */
  check(): Promise<void>;
};

/** Milliseconds between two reads of the wallet's balance in a drain. */
const checkEvery = 10_000;
/** The longest pause of a relay that the node cannot run, in milliseconds. */
const longestPause = 300_000;
/** The gas of the cheapest transaction. */
const leastGas = 21_000n;

/**
 * Sends the relays of one chain from one account. At most one transaction of a relay can be mined. Each transaction
 * is stored before it is sent, and sent again after a crash. A stuck transaction is replaced at its own nonce. A relay
 * gets a new nonce only if the transaction of another relay used its nonce.
 */
export function createSender(db: Database, chain: Chain, account: PrivateKeyAccount, log?: Logger): Sender {
  const relays = createRelayStore(db, chain.chain_id);
  const node = createRelayNode(chain);
  const wallet = createWallet(db, log, { address: account.address, chainId: chain.chain_id });
  const parts: RelayParts = { account, chain, relays, node, wallet, log };
  const transactions = createTransactions(parts);
  const confirmations = createRelayConfirmations(parts, transactions);
  const { follow, reopenLost, findOvertaking, batches } = confirmations;
  const isSettled = createObsoleteCheck(parts, confirmations);
  const fillGap = createGapFiller(db, parts, transactions);
  const refuse = createRefusals(db, parts, reopenLost, findOvertaking);
  const readPayers = createPayerBalances(db, parts);
  const pauses = new Map<string, { count: number; until: number; retriesSoon: boolean }>();
  /** the relays that the wallet could not pay for in this drain: their gas, data fee and order */
  const unaffordable = new Map<string, { gas: bigint; dataWei: bigint; orderId: string | null }>();
  /** wei */
  let highestDataFee = 0n;
  let checkedAt = 0;
  let fencedBy: SQL | undefined;

  return { hasWork: relays.hasOpen, drain, check };

  async function check(): Promise<void> {
    const [head, balance] = await Promise.all([node.readHead(), node.readBalance(account.address)]);
    await wallet.storeBalance({ balance, gasPrice: head.baseFee + head.tip });
    if (balance < chain.relayer_low_balance) wallet.alertLow(balance, chain.relayer_low_balance);
    await reopenLost(head);
    if (!(await relays.hasOpen())) await wallet.storeWaiting(null, fencedBy);
  }

  async function drain({ signal, fence }: { signal?: AbortSignal; fence?: SQL } = {}) {
    fencedBy = fence;
    relays.fenceBy(fence);
    try {
      return await drainFenced(signal);
    } finally {
      fencedBy = undefined;
      relays.fenceBy(undefined);
    }
  }

  async function drainFenced(signal?: AbortSignal): Promise<"done" | "blocked"> {
    for (const [id, { until }] of pauses) if (until < Date.now() - longestPause) pauses.delete(id);
    unaffordable.clear();
    let written: Waiting | null | undefined;
    for (;;) {
      if (signal?.aborted) return "blocked";
      if (Date.now() - checkedAt >= checkEvery) {
        await check();
        checkedAt = Date.now();
      }
      const head = await node.readHead();
      const followed = await follow(head);
      await fillGap(followed.gap, head);
      const { sent, postponed, hasMore, waiting } = await sendQueued(head, followed);
      const reason = followed.waiting ?? waiting;
      if (reason !== written) await wallet.storeWaiting(reason, fencedBy);
      written = reason;
      if (followed.open + sent + postponed === 0 && !hasMore)
        return waiting || pauses.size > 0 ? "blocked" : "done";
      await sleep(chain.polling_interval, undefined, { signal }).catch(() => {});
    }
  }

  /** `hasMore`: more relays may be queued than were simulated. */
  type Sent = { sent: number; postponed: number; hasMore: boolean; waiting: Waiting | null };

  /** Sends the queued relays. A relay that cannot be sent now gets no nonce, so it does not hold up the others. */
  async function sendQueued(head: Head, { unmined, committed }: Followed): Promise<Sent> {
    const counts: Sent = { sent: 0, postponed: 0, hasMore: false, waiting: null };
    if (unmined >= mostUnmined) return counts;
    const fees = chooseFees(head, chain.max_fee_per_gas);
    const pausing = [...pauses].filter(([, { until }]) => until > Date.now());
    const pausingIds = pausing.map(([id]) => id);
    counts.postponed = pausing.filter(([, { retriesSoon }]) => retriesSoon).length;
    if (!fees) {
      if ((await relays.readQueued(1, pausingIds)).length === 0) return counts;
      wallet.alertPrice(head, chain.max_fee_per_gas);
      return { ...counts, waiting: "gas_price" };
    }
    const balance = await node.readBalance(account.address);
    // The data fees of unmined transactions are not known any more. None is above the highest one that was seen.
    let left = balance - committed - BigInt(unmined) * highestDataFee;
    const payable = (dataWei = 0n) => (left > dataWei ? (left - dataWei) / fees.maxFeePerGas : 0n);
    const skipped = [...unaffordable]
      .filter(([, { gas, dataWei }]) => gas > payable(dataWei))
      .map(([id]) => id);
    if (skipped.length > 0) counts.waiting = "balance";
    let room = mostUnmined - unmined;
    const mostTogether = await batches.readMost();
    const limit = Math.max(room, mostTogether);
    const rows = await relays.readQueued(limit, [...pausingIds, ...skipped]);
    counts.hasMore = rows.length === limit;
    let group: BatchCall[] = [];
    const simulations = await Promise.all(rows.map((row) => simulate(row, fees, payable)));
    const reserve = await readPayers(rows);
    for (const [index, row] of rows.entries()) {
      const { estimate, isShort, hasCode, dataFee } = simulations[index] as (typeof simulations)[number];
      if (await isSettled(row)) continue;
      if ((hasCode && (await relays.signerHasSigned(row))) || !(await reserve(row))) {
        // A contract wallet has one call in flight at a time, and a payer pays no more than it holds.
        pauseRelay(row, () => 5 * chain.polling_interval, true);
        counts.postponed += 1;
        continue;
      }
      if ("broken" in estimate) {
        const times = pauseRelay(row, (count) => Math.min(1000 * 2 ** count, longestPause));
        log?.warn({ ...logFieldsOf(row), err: estimate.broken, times }, "the node cannot run a relay");
        continue;
      }
      if ("refused" in estimate && !isShort && !waitsForUnaffordable(row)) {
        const pause = await refuse(row, estimate.refused, head);
        if (pause === null) {
          pauses.delete(row.id);
          continue;
        }
        pauseRelay(row, () => pause, true);
        counts.postponed += 1;
        continue;
      }
      const bound = BigInt(row.gasBound);
      if (
        "gas" in estimate &&
        isDataTooExpensive(
          { gas: estimate.gas, bound, dataFee },
          { price: head.baseFee + head.tip, ceiling: chain.max_fee_per_gas },
        )
      ) {
        wallet.alertDataFee(dataFee.wei + dataFee.gas * head.baseFee, bound * chain.max_fee_per_gas);
        counts.waiting = "gas_price";
        // Calls with less data behind it do not wait.
        pauseRelay(row, (count) => Math.min(1000 * 2 ** count, longestPause));
        continue;
      }
      if (!("gas" in estimate) || estimate.gas > payable(dataFee.wei)) {
        const gas = "gas" in estimate ? estimate.gas : bound;
        unaffordable.set(row.id, { gas, dataWei: dataFee.wei, orderId: row.orderId });
        wallet.alertEmpty(balance, gas * fees.maxFeePerGas + dataFee.wei + balance - left);
        counts.waiting = "balance";
        counts.postponed += 1;
        continue;
      }
      highestDataFee = dataFee.wei > highestDataFee ? dataFee.wei : highestDataFee;
      const call = { row, gas: estimate.gas, dataWei: dataFee.wei };
      if (mostTogether === 1 || !batches.canJoin(row, hasCode)) {
        await sendAlone(call);
        continue;
      }
      if (!batches.hasRoom(group, call)) await sendGroup();
      group.push(call);
      left -= priceOf([call]);
      if (group.length === mostTogether) await sendGroup();
    }
    await sendGroup();
    return counts;

    async function sendAlone(call: BatchCall): Promise<void> {
      const { row, gas } = call;
      if (room === 0) {
        counts.hasMore = true;
        return;
      }
      const nonce = await chooseNonce(parts);
      const stored = await transactions.send(row, { nonce, gas, fees: fees as Fees, head });
      if (stored) recordSent(stored, [call]);
    }

    /** Sends the gathered calls in one transaction. */
    async function sendGroup(): Promise<void> {
      const calls = group;
      group = [];
      left += priceOf(calls);
      if (calls.length < 2 || room === 0) {
        for (const call of calls) await sendAlone(call);
        return;
      }
      const nonce = await chooseNonce(parts);
      const batch = await batches.send(calls, { nonce, fees: fees as Fees, head });
      if (batch) recordSent(batch, calls);
      else counts.hasMore = true;
    }

    function priceOf(calls: BatchCall[]): bigint {
      const dataWei = calls.reduce((sum, call) => sum + call.dataWei, 0n);
      return gasOf(calls) * (fees as Fees).maxFeePerGas + dataWei;
    }

    function recordSent(stored: Relay, calls: BatchCall[]): void {
      for (const { row } of calls) {
        pauses.delete(row.id);
        unaffordable.delete(row.id);
      }
      left -= priceOf(calls);
      room -= 1;
      counts.sent += calls.length;
      log?.info({ ...logFieldsOf(stored), calls: calls.length }, "relay sent");
    }
  }

  /** Simulates a relay as it would be sent, with no more gas than the wallet can pay for. */
  async function simulate(row: Relay, fees: Fees, payable: (dataWei: bigint) => bigint) {
    const dataFee = await node.readDataFee(row, fees);
    const bound = BigInt(row.gasBound) + dataFee.gas;
    const affordable = payable(dataFee.wei);
    const isShort = affordable < bound;
    const most = isShort ? affordable : bound;
    const [estimate, hasCode] = await Promise.all([
      most < leastGas
        ? { unpayable: true as const }
        : node.estimate(account.address, row, { fees, gas: most }),
      row.signer ? node.hasCode(row.signer) : false,
    ]);
    return { estimate, isShort, hasCode, dataFee };
  }

  /** Whether another call of the order, which may have to come first, waits for the wallet's balance. */
  function waitsForUnaffordable({ id, orderId }: Relay): boolean {
    return (
      orderId !== null && [...unaffordable].some(([other, of]) => other !== id && of.orderId === orderId)
    );
  }

  /**
   * Pauses a relay for some milliseconds, by the number of its pauses. Returns that number.
   *
   * @param retriesSoon the relay is simulated again in this drain
   */
  function pauseRelay({ id }: Relay, pause: (count: number) => number, retriesSoon = false): number {
    const count = (pauses.get(id)?.count ?? 0) + 1;
    pauses.set(id, { count, until: Date.now() + pause(count), retriesSoon });
    return count;
  }
}
