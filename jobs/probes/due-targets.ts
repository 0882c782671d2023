import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { selectIsParty } from "../../trade/fair-shares/funded-party.ts";
import { createDueLeases } from "../due-leases.ts";
import { type Due, selectShareKeys } from "../fair-batch.ts";

/** A URL to probe. `until` is the time before which no other task probes it, and identifies this probe. */
export type LeasedTarget = { id: string; url: string; until: string };

export const targetLeases = createDueLeases<LeasedTarget>({
  table: sql`earnest.probe_target`,
  dueAt: sql`next_probe_at`,
  isActive: sql`true`,
  columns: sql`url`,
});

/** The result of a probe. */
export type ProbeResult = {
  id: string;
  until: string;
  checkedAt: Date;
  ok: boolean;
  reachable: boolean;
  statusCode: number | null;
  latencyMs: number | null;
  tlsValid: boolean | null;
  bodyIsJson: boolean | null;
};

/** Seconds of delay after which a probe is skipped. */
const mostLate = 60;
/** Targets read at once. */
const most = 1024;

/**
 * Returns a target's next turn, a minute from now at the soonest. Each target has a fixed phase within the interval,
 * which spreads all targets over it.
 */
const nextTurn = (intervalSeconds: number) => {
  const interval = sql`${intervalSeconds}::float8`;
  const soonest = sql`(extract(epoch from now())::float8 + least(60, ${interval} / 4))`;
  return sql`to_timestamp((floor(${soonest} / ${interval} - phase) + 1 + phase) * ${interval})`;
};

/** Skips probes that are long overdue, as after an outage, instead of running all of them at once. */
export async function postponeLate(db: Database, intervalSeconds: number): Promise<void> {
  await db.execute(sql`
    update earnest.probe_target set next_probe_at = ${nextTurn(intervalSeconds)}
    where id in (
      select id from earnest.probe_target
      where next_probe_at < now() - make_interval(secs => ${mostLate}) and last_checked_at is not null
      for update skip locked)`);
}

/** Finds due targets, each with its host and its share keys, without those that have a full key. */
export async function findDue(db: Database, full: readonly (readonly string[])[]): Promise<Due[]> {
  const [hosts = [], ...shared] = full;
  const kind = { id: sql`id`, network: sql`network`, isParty: sql`for_party` };
  const { rows } = await db.execute<Due>(sql`
    select id, array[host] || ${selectShareKeys(kind)} as keys from earnest.probe_target
    where next_probe_at <= now() and host <> all(${sql.param([...hosts])}::text[])
      and not (${selectShareKeys(kind)} && ${sql.param(shared.flat())}::text[])
    order by next_probe_at limit ${most}`);
  return rows;
}

/**
 * Records results of probes in one transaction. A target that another task has leased meanwhile, or that is removed,
 * stays unchanged.
 */
export async function recordResults(
  db: Database,
  results: readonly ProbeResult[],
  { intervalSeconds }: { intervalSeconds: number },
): Promise<void> {
  if (results.length === 0) return;
  await db.execute(sql`
    with found as (
      select * from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as found(
        id text, until timestamptz, "checkedAt" timestamptz, ok boolean, reachable boolean, "statusCode" int,
        "latencyMs" int, "tlsValid" boolean, "bodyIsJson" boolean)),
    recorded as (
      update earnest.probe_target target
      set
        next_probe_at = ${nextTurn(intervalSeconds)},
        last_checked_at = "checkedAt",
        last_ok_at = case when found.ok then "checkedAt" else last_ok_at end,
        reachable = found.reachable,
        status_code = "statusCode",
        latency_ms = "latencyMs",
        tls_valid = "tlsValid",
        body_is_json = "bodyIsJson",
        consecutive_failures = case when found.ok then 0 else consecutive_failures + 1 end,
        for_party = exists (
          select from earnest.agent_probe probed
          join earnest.agent on agent.id = probed.agent_id
          where probed.target_id = target.id and ${selectIsParty(sql`agent.account_id`)}),
        checks_7d = 1 + week.checks,
        ok_7d = found.ok::int + week.ok
      from found
      cross join lateral (
        select coalesce(sum(checks), 0)::int as checks, coalesce(sum(ok), 0)::int as ok
        from earnest.probe_tally
        where target_id = found.id and hour > "checkedAt" - interval '7 days') as week
      where target.id = found.id and target.next_probe_at = found.until
      returning target.id, "checkedAt", found.ok),
    tallied as (
      insert into earnest.probe_tally as tally (target_id, hour, checks, ok)
      select id, date_trunc('hour', "checkedAt", 'UTC'), 1, ok::int from recorded
      on conflict (target_id, hour) do update
      set checks = tally.checks + excluded.checks, ok = tally.ok + excluded.ok)
    delete from earnest.probe_tally old using recorded
    where old.target_id = recorded.id and old.hour <= "checkedAt" - interval '7 days'`);
}
