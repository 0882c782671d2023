import type { Database, Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { account, accountSettlement } from "../../db/schema.ts";

/** Selects whether an account is a party of a funded order. Funding costs money, so a free account does not qualify. */
export function selectIsParty(accountId: SQL): SQL<boolean> {
  return sql<boolean>`exists (select from ${accountSettlement} as settled where settled.account_id = ${accountId})`;
}

/** Reads the facts by which shares count an account. Without a database, an account counts as unproven, without a network. */
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

/** Whether an account is a party of a funded order. */
export async function isParty(db: Database | Transaction, accountId: string): Promise<boolean> {
  return (await lookUpAccount(db, accountId)).isParty;
}
