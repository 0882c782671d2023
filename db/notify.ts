import type { Database, Transaction } from "./client.ts";
import { sql } from "./drizzle.ts";

/**
 * Notifies the listeners of a channel after the commit. Listeners also poll, because PostgreSQL keeps no notification for
 * an absent listener.
 */
export async function wakeListeners(db: Database | Transaction, channel: string, text = ""): Promise<void> {
  await db.execute(sql`select pg_notify(${channel}, ${text})`);
}
