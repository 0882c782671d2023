import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { selectIsParty } from "../../trade/fair-shares/funded-party.ts";
import { createDueLeases } from "../due-leases.ts";
import { type Due, selectShareKeys } from "../fair-batch.ts";

/** A domain to check. `until` is the time before which no other task checks it, and identifies this check. */
export type LeasedDomain = { id: string; agentId: string; domain: string; proof: string; until: string };

/** Domains read at once. */
const most = 256;

const isChecked = sql`status in ('pending', 'verified') and agent_id is not null`;

export const domainLeases = createDueLeases<LeasedDomain>({
  table: sql`earnest.agent_domain`,
  dueAt: sql`next_check_at`,
  isActive: isChecked,
  columns: sql`agent_id as "agentId", domain, proof`,
});

/** Finds due domains, each with its site, its account and its share keys, without those that have a full key. */
export async function findDue(db: Database, full: readonly (readonly string[])[]): Promise<Due[]> {
  const [sites = [], accounts = [], ...shared] = full;
  const kind = {
    id: sql`claimed.id`,
    network: sql`account.network`,
    isParty: selectIsParty(sql`claimed.account_id`),
  };
  const { rows } = await db.execute<Due>(sql`
    select claimed.id, array[site, account_id] || ${selectShareKeys(kind)} as keys
    from earnest.agent_domain as claimed join earnest.account on account.id = claimed.account_id
    where ${isChecked} and next_check_at <= now()
      and site <> all(${sql.param([...sites])}::text[]) and account_id <> all(${sql.param([...accounts])}::text[])
      and not (${selectShareKeys(kind)} && ${sql.param(shared.flat())}::text[])
    order by next_check_at limit ${most}`);
  return rows;
}
