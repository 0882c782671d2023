import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { accountSettlement } from "../../db/schema.ts";

/** Whether an order of an account was ever funded, as a value of a statement: that takes money, which no made-up account has. */
export function selectIsParty(accountId: SQL): SQL<boolean> {
  return sql<boolean>`exists (select from ${accountSettlement} as settled where settled.account_id = ${accountId})`;
}

/** The same, of one account; nobody's while the database is out. */
export async function isParty(db: Database | Transaction, accountId: string): Promise<boolean> {
  const { rows } = await db
    .execute<{ is_party: boolean }>(sql`select ${selectIsParty(sql`${accountId}`)} as is_party`)
    .catch(() => ({ rows: [] }));
  return rows[0]?.is_party ?? false;
}
