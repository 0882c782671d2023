import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";

/** A domain that this process alone looks at, until its lease is over. */
export type DomainClaim = { id: string; agentId: string; domain: string; proof: string };

/** Looks at once at what is registered as one, and of what one account claimed, by all workers together. */
const mostOfSite = 2;
const mostOfAccount = 4;
/** Seconds after which those that found no room are looked at instead. */
const postponed = 10;

/** Whether a look at any domain is due. */
export const hasDueDomain: SQL = sql`(
  select min(next_check_at) from earnest.agent_domain
  where status in ('pending', 'verified') and agent_id is not null) <= now()`;

/**
 * Claims domains that are due, of each site and account no more than they have room for. The others go behind what is due
 * meanwhile, so that nobody's many hold up everybody. The lease is a time before which they are not due again.
 */
export async function claimDomains(
  db: Database,
  { slots, lease, leaseMs }: { slots: number; lease: string; leaseMs: number },
): Promise<DomainClaim[]> {
  if (slots <= 0) return [];
  const busy = (column: string) => sql`(
    select count(*) from earnest.agent_domain as busy
    where busy.lease_owner is not null and busy.next_check_at > now() and ${sql.raw(`busy.${column} = due.${column}`)})`;
  const { rows } = await db.execute<DomainClaim & { isPicked: boolean }>(sql`
    with due as materialized (
      select id, site, account_id, next_check_at from earnest.agent_domain
      where status in ('pending', 'verified') and agent_id is not null and next_check_at <= now()
      order by next_check_at limit ${4 * slots}
      for update skip locked),
    ranked as (
      select id, next_check_at,
        row_number() over (partition by site order by next_check_at) + ${busy("site")} as at_site,
        row_number() over (partition by account_id order by next_check_at) + ${busy("account_id")} as at_account
      from due),
    picked as materialized (
      select id from ranked where at_site <= ${mostOfSite} and at_account <= ${mostOfAccount}
      order by next_check_at limit ${slots})
    update earnest.agent_domain as claimed
    set lease_owner = case when picked.id is null then null else ${lease} end,
      next_check_at = now() + make_interval(secs => case when picked.id is null then ${postponed}::float8 else ${leaseMs / 1000}::float8 end)
    from due left join picked on picked.id = due.id
    where claimed.id = due.id
    returning claimed.id, claimed.agent_id as "agentId", claimed.domain, claimed.proof, picked.id is not null as "isPicked"`);
  return rows.filter(({ isPicked }) => isPicked);
}

/** Gives claims back that were not looked at. */
export async function returnDomain(db: Database, lease: string, id: string): Promise<void> {
  await db.execute(sql`
    update earnest.agent_domain set lease_owner = null, next_check_at = now()
    where id = ${id} and lease_owner = ${lease}`);
}
