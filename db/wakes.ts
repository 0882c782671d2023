import type pg from "pg";
import type { Database } from "./client.ts";
import { deliveryChannel, eventChannel } from "./events.ts";

/** What waits to be told: accounts that have new events, and whether there are deliveries. */
type Untold = { accounts: Set<string>; deliveries: boolean; telling: boolean };

const untold = new WeakMap<pg.Pool, Untold>();

/**
 * Wakes whoever follows these accounts' feeds, and the deliverer, after a commit that told nobody. What comes while one
 * telling is under way is told together by the next. PostgreSQL lets commits that notify take turns, each with its write
 * to the disk; these write nothing.
 *
 * Wake-ups are no truth: what a process took with it when it died is found by the looks that listeners take anyhow.
 */
export function wakeAfterCommit(
  { $client: pool }: Pick<Database, "$client">,
  { accounts, deliveries }: { accounts: readonly string[]; deliveries: boolean },
): void {
  const waiting = untold.get(pool) ?? { accounts: new Set(), deliveries: false, telling: false };
  untold.set(pool, waiting);
  for (const account of accounts) waiting.accounts.add(account);
  waiting.deliveries ||= deliveries;
  if (!waiting.telling) void tell(pool, waiting);
}

async function tell(pool: pg.Pool, waiting: Untold): Promise<void> {
  waiting.telling = true;
  while (waiting.accounts.size > 0 || waiting.deliveries) {
    const values = [[...waiting.accounts], waiting.deliveries];
    waiting.accounts.clear();
    waiting.deliveries = false;
    await pool.query({ name: "wake", text: wakeStatement, values }).catch(() => {});
  }
  waiting.telling = false;
}

const wakeStatement = `
  select pg_notify('${eventChannel}', account) from unnest($1::text[]) as account
  union all select pg_notify('${deliveryChannel}', '') where $2::boolean`;
