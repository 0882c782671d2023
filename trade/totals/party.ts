import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { account, accountSettlement } from "../../db/schema.ts";

/** Whether an order of an account was ever funded, as a value of a statement. Funding takes money, so free accounts fail it. */
export function selectIsParty(accountId: SQL): SQL<boolean> {
  return sql<boolean>`exists (select from ${accountSettlement} as settled where settled.account_id = ${accountId})`;
}

/** The facts that shares count an account by. An account counts as a stranger without a network while the database is out. */
export async function lookUpAccount(
  db: Database | Transaction,
  accountId: string,
): Promise<{ isParty: boolean; network: string | null }> {
  const { rows } = await db
    .execute<{ isParty: boolean; network: string | null }>(sql`
      select ${selectIsParty(sql`account.id`)} as "isParty", network from ${account} where account.id = ${accountId}`)
    .catch(() => ({ rows: [] }));
  return rows[0] ?? { isParty: false, network: null };
}

/** Whether an order of one account was ever funded. */
export async function isParty(db: Database | Transaction, accountId: string): Promise<boolean> {
  return (await lookUpAccount(db, accountId)).isParty;
}
