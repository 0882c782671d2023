import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Database, Transaction } from "./client.ts";

/** Wake-ups that have not been sent yet, each once: a channel of PostgreSQL, and the text that it is told. */
export type Wakes = Map<string, { channel: string; told: string }>;

/** By the session of the transaction whose commit they wait for. */
const uncommitted = new WeakMap<object, Wakes>();
/** By the pool that sends them. */
const unsent = new WeakMap<pg.Pool, { wakes: Wakes; sending: boolean }>();

/**
 * Wakes who listens on a channel: after the commit, where that is a transaction, and not at all where it is rolled back.
 *
 * PostgreSQL lets commits that notify take turns, each with its write to the disk. So a transaction that writes never
 * notifies; what is sent here writes nothing.
 *
 * Wake-ups are no truth: what a process took with it when it died is found by the looks that listeners take anyhow.
 */
export function wake(db: Database | Transaction, channel: string, told = ""): void {
  const wakes = "$client" in db ? new Map() : uncommitted.get(db._.session);
  if (!wakes) throw new Error("This transaction was not begun by the pool's own `transaction`.");
  wakes.set(`${channel} ${told}`, { channel, told });
  if ("$client" in db) sendWakes(db.$client, wakes);
}

/** Begins to collect what is to be woken after the commit of a transaction of this session. */
export function collectWakes(session: object): Wakes {
  const wakes: Wakes = new Map();
  uncommitted.set(session, wakes);
  return wakes;
}

/** Milliseconds between the statements that send: what comes meanwhile goes together. The first of a while goes at once. */
const pace = 4;

/** Sends wake-ups, and with the next statement all that come within its pace. Nobody waits for it. */
export function sendWakes(pool: pg.Pool, wakes: Wakes): void {
  if (wakes.size === 0) return;
  const waiting = unsent.get(pool) ?? { wakes: new Map(), sending: false };
  unsent.set(pool, waiting);
  for (const [key, one] of wakes) waiting.wakes.set(key, one);
  if (!waiting.sending) void send(pool, waiting);
}

async function send(pool: pg.Pool, waiting: { wakes: Wakes; sending: boolean }): Promise<void> {
  waiting.sending = true;
  // What the same commit wakes besides goes along.
  await null;
  while (waiting.wakes.size > 0) {
    const each = [...waiting.wakes.values()];
    waiting.wakes.clear();
    const values = [each.map(({ channel }) => channel), each.map(({ told }) => told)];
    await pool.query({ name: "wake", text: statement, values }).catch(() => {});
    await sleep(pace);
  }
  waiting.sending = false;
}

const statement =
  "select pg_notify(channel, told) from unnest($1::text[], $2::text[]) as wake (channel, told)";
