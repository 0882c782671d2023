import { ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "./client.ts";
import { webhookEndpoint } from "./schema.ts";

/** Whether there is any endpoint whose secret the webhook key has to give. */
export async function hasEndpoints(db: Database | Transaction): Promise<boolean> {
  const found = await db
    .select({ one: sql`1` })
    .from(webhookEndpoint)
    .where(ne(webhookEndpoint.status, "revoked"))
    .limit(1);
  return found.length > 0;
}
