import { eq, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { accountSettlement } from "../../db/schema.ts";

/** Whether an order of this account's was ever funded: that takes money, which no made-up account has. */
export async function isParty(db: Database, accountId: string): Promise<boolean> {
  const rows = await db
    .select({ one: sql`1` })
    .from(accountSettlement)
    .where(eq(accountSettlement.accountId, accountId))
    .limit(1)
    .catch(() => []);
  return rows.length > 0;
}
