import { sql } from "drizzle-orm";
import type { Database, Transaction } from "./client.ts";

/**
 * Notifies the listeners of a channel: after the commit, and not at all after a rollback. Listeners also look by
 * themselves, since PostgreSQL keeps no notification for a listener that is away.
 */
export async function wake(db: Database | Transaction, channel: string, told = ""): Promise<void> {
  await db.execute(sql`select pg_notify(${channel}, ${told})`);
}
