import type { Transaction } from "./client.ts";
import { type SQL, type SQLWrapper, sql } from "./drizzle.ts";
import { organisationMember } from "./schema.ts";

/** Whether two accounts are one party: they are the same, or a person may act for both. */
export async function areOneParty(tx: Transaction, one: string, other: string): Promise<boolean> {
  const { rows } = await tx.execute<{ is_one_party: boolean }>(
    sql`select ${isOneParty(one, other)} as is_one_party`,
  );
  return rows[0]?.is_one_party ?? false;
}

/** Returns a condition that two accounts are one party. */
export function isOneParty(one: string | SQLWrapper, other: string | SQLWrapper): SQL {
  return sql`exists (${peopleOf(one)} intersect ${peopleOf(other)})`;
}

/** Selects the accounts of the people who may act for an account: its own, and its members'. */
function peopleOf(accountId: string | SQLWrapper) {
  return sql`(
    select ${accountId}::text as person
    union all select member_account_id from ${organisationMember} where account_id = ${accountId})`;
}
