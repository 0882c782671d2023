import type { Database, Transaction } from "./client.ts";
import { ne, sql } from "./drizzle.ts";
import { webhookEndpoint } from "./schema.ts";

/** Whether an endpoint exists whose secret is derived from the webhook key. */
export async function hasEndpoints(db: Database | Transaction): Promise<boolean> {
  const rows = await db
    .select({ one: sql`1` })
    .from(webhookEndpoint)
    .where(ne(webhookEndpoint.status, "revoked"))
    .limit(1);
  return rows.length > 0;
}
