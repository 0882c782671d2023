import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../config.ts";
import type { Database } from "../db/client.ts";
import { createAlarm } from "./alarm.ts";
import { chooseFees } from "./fees.ts";
import { createGapFiller, isFiller } from "./nonce-gap.ts";
import { aboutOf, createAttempts, type RelayParts } from "./relay-attempts.ts";
import { createRelayBook, type Relay, type Waiting } from "./relay-book.ts";
import { createFollowing, type Followed } from "./relay-following.ts";
import { createRelayNode, type Head } from "./relay-node.ts";

export type Sender = {
  /** Whether this chain has anything queued or on its way. */
  hasWork(): Promise<boolean>;
  /**
   * Sends what is queued and follows it to its end. One caller at a time does so, or they get in each other's way.
   *
   * @param signal ends it early; whoever drains next takes up where it stopped
   */
  drain(signal?: AbortSignal): Promise<"done" | "blocked">;
  /** Writes down what the wallet holds and what gas costs, and takes up again what a reorganisation took back. */
  look(): Promise<void>;
};

/** Transactions on their way at once; nodes drop more of one account. */
const mostUnmined = 16;
/** How often the contract must refuse an intent before it has failed: a node may lag behind the one asked before. */
const refusalsToFail = 3;
/** How often the wallet is looked at while something is on its way, in milliseconds. */
const lookEvery = 10_000;
/** The longest rest of a relay that the node cannot run, in milliseconds. */
const longestRest = 300_000;

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
  const { follow, findMined, reopenLost } = createFollowing(parts, attempts);
  const fillGap = createGapFiller(db, parts, attempts);
  const rests = new Map<string, { count: number; until: number }>();
  let lookedAt = 0;

  return { hasWork: book.hasOpen, drain, look };

  async function look(): Promise<void> {
    const [head, balance] = await Promise.all([node.readHead(), node.readBalance(account.address)]);
    await book.see({ address: account.address, balance, gasPrice: head.baseFee + head.tip });
    if (balance < chain.relayer_low_balance) alarm.low(balance, chain.relayer_low_balance);
    await reopenLost(head);
    if (!(await book.hasOpen())) await book.wait(null);
  }

  async function drain(signal?: AbortSignal): Promise<"done" | "blocked"> {
    for (const [id, { until }] of rests) if (until < Date.now() - longestRest) rests.delete(id);
    let said: Waiting | null | undefined;
    for (;;) {
      if (signal?.aborted) return "blocked";
      if (Date.now() - lookedAt >= lookEvery) {
        await look();
        lookedAt = Date.now();
      }
      const head = await node.readHead();
      const followed = await follow(head);
      await fillGap(followed.gap, head);
      const { sent, postponed, waiting } = await sendQueued(head, followed);
      const reason = followed.waiting ?? waiting;
      if (reason !== said) await book.wait(reason);
      said = reason;
      if (followed.open + sent + postponed === 0) return waiting || rests.size > 0 ? "blocked" : "done";
      await sleep(chain.polling_interval, undefined, { signal }).catch(() => {});
    }
  }

  type Sent = { sent: number; postponed: number; waiting: Waiting | null };

  /** Sends what waits, the longest waiting first. What cannot be sent now does not hold up what comes after it. */
  async function sendQueued(head: Head, { unmined, committed }: Followed): Promise<Sent> {
    const counts: Sent = { sent: 0, postponed: 0, waiting: null };
    if (unmined >= mostUnmined) return counts;
    const resting = [...rests].filter(([, { until }]) => until > Date.now()).map(([id]) => id);
    const rows = await book.readQueued(mostUnmined - unmined, resting);
    if (rows.length === 0) return counts;
    const fees = chooseFees(head, chain.max_fee_per_gas);
    if (!fees) {
      alarm.price(head, chain.max_fee_per_gas);
      return { ...counts, waiting: "gas_price" };
    }
    const [balance, estimates] = await Promise.all([
      node.readBalance(account.address),
      Promise.all(rows.map((row) => node.estimate(account.address, row))),
    ]);
    let left = balance - committed;
    for (const [index, row] of rows.entries()) {
      const estimate = estimates[index];
      if (!estimate || (await isSettled(row))) continue;
      if ("refused" in estimate) {
        if (await refuse(row, estimate.refused)) counts.postponed += 1;
        continue;
      }
      if ("broken" in estimate) {
        const times = rest(row, (count) => Math.min(1000 * 2 ** count, longestRest));
        log?.warn({ ...aboutOf(row), err: estimate.broken, times }, "the node cannot run a relay");
        continue;
      }
      const cost = "gas" in estimate ? estimate.gas * fees.maxFeePerGas : null;
      if (!("gas" in estimate) || cost === null || cost > left) {
        alarm.empty(balance, cost === null ? null : cost + balance - left);
        return { ...counts, waiting: "balance" };
      }
      const nonce = await chooseNonce();
      const stored = await attempts.send(row, { nonce, gas: estimate.gas, fees, head });
      if (!stored) continue;
      rests.delete(row.id);
      left -= cost;
      counts.sent += 1;
      log?.info(aboutOf(stored), "relay sent");
    }
    return counts;
  }

  /** Whether a queued relay needs no sending after all. */
  async function isSettled(row: Relay): Promise<boolean> {
    if (isFiller(row)) {
      await book.refuse(row, "the nonce was used otherwise");
      return true;
    }
    // It was queued again as another had used its nonce; that one's block is gone, and ours was mined in its place.
    const mined = await findMined(row);
    if (mined) await book.adopt(row, mined.attempt);
    return mined !== null;
  }

  /**
   * The contract says no. It may say yes in a moment: to another node, or after an earlier relay of the order.
   *
   * @returns whether the relay is tried again
   */
  async function refuse(row: Relay, reason: string): Promise<boolean> {
    const times = rest(row, () => chain.polling_interval / 2);
    if (times < refusalsToFail || (await book.orderHasSigned(row))) return true;
    await book.refuse(row, reason);
    rests.delete(row.id);
    log?.error({ ...aboutOf(row), reason }, "relay refused by the contract");
    return false;
  }

  async function chooseNonce(): Promise<number> {
    const pending = await node.readNonce(account.address, "pending");
    return Math.max(pending, (await book.readHighestNonce(account.address)) + 1);
  }

  /** Leaves a relay alone for some milliseconds, by how often it was. Returns how often. */
  function rest({ id }: Relay, pause: (count: number) => number): number {
    const count = (rests.get(id)?.count ?? 0) + 1;
    rests.set(id, { count, until: Date.now() + pause(count) });
    return count;
  }
}
