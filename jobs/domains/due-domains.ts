import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { selectIsParty } from "../../trade/totals/party.ts";
import { type Due, selectShareKeys } from "../fair-batch.ts";

/** A domain to check. `until` is the time before which no other task checks it, and identifies this check. */
export type LeasedDomain = { id: string; agentId: string; domain: string; proof: string; until: string };

/** Seconds of a domain's lease: longer than the longest check. */
const takenFor = 30;
/** Domains read at once. */
const most = 256;

const isChecked = sql`status in ('pending', 'verified') and agent_id is not null`;

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

export async function takeDomains(db: Database, ids: readonly string[]): Promise<LeasedDomain[]> {
  const { rows } = await db.execute<LeasedDomain>(sql`
    update earnest.agent_domain set next_check_at = now() + make_interval(secs => ${takenFor})
    where id = any(${sql.param([...ids])}::text[]) and ${isChecked} and next_check_at <= now()
    returning id, agent_id as "agentId", domain, proof, next_check_at::text as until`);
  return rows;
}

/** Ends the lease of a domain that was not checked. */
export async function returnDomain(db: Database, { id, until }: LeasedDomain): Promise<void> {
  await db.execute(sql`
    update earnest.agent_domain set next_check_at = now()
    where id = ${id} and next_check_at = ${until}::timestamptz`);
}

/** Returns the seconds until a domain is due; null if none is within a minute. */
export async function secondsToNext(db: Database): Promise<number | null> {
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from min(next_check_at) - now())::float8 as seconds from earnest.agent_domain
    where ${isChecked} and next_check_at < now() + interval '1 minute'`);
  return rows[0]?.seconds ?? null;
}
