import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";

/** A URL that this process alone probes, until its lease is over. */
export type ProbeClaim = { id: string; url: string; host: string };

/** What a probe found. */
export type Finding = {
  id: string;
  lease: string;
  checkedAt: Date;
  ok: boolean;
  reachable: boolean;
  statusCode: number | null;
  latencyMs: number | null;
  tlsValid: boolean | null;
  bodyIsJson: boolean | null;
};

/** Seconds after its turn when a probe is left out. */
const mostLate = 60;

/**
 * The next turn of a target, a minute from now at the soonest. Each has its own place within the interval, so that all
 * of them are spread over it, whatever came between.
 */
const nextTurn = (intervalSeconds: number) => {
  const interval = sql`${intervalSeconds}::float8`;
  const soonest = sql`(extract(epoch from now())::float8 + least(60, ${interval} / 4))`;
  return sql`to_timestamp((floor(${soonest} / ${interval} - phase) + 1 + phase) * ${interval})`;
};

/** Whether any target is due. */
export const hasDueProbe: SQL = sql`(select min(next_probe_at) from earnest.probe_target) <= now()`;

/**
 * Claims targets that are due, of each host no more than it has room for. The lease is a time before which they are
 * not due again: when whoever holds it dies, others take them up then.
 *
 * What is long overdue, as after an outage, is left out until its next turn instead of being probed all at once.
 */
export async function claimProbes(
  db: Database,
  options: {
    slots: number;
    /** probes at once of one host, and how many each of those has now that has any */
    mostOfHost: number;
    busy: ReadonlyMap<string, number>;
    lease: string;
    leaseMs: number;
    intervalSeconds: number;
  },
): Promise<ProbeClaim[]> {
  const { slots, mostOfHost, busy, lease, leaseMs, intervalSeconds } = options;
  await db.execute(sql`
    update earnest.probe_target set next_probe_at = ${nextTurn(intervalSeconds)}, lease_owner = null
    where id in (
      select id from earnest.probe_target
      where next_probe_at < now() - make_interval(secs => ${mostLate}) and last_checked_at is not null
      for update skip locked)`);
  if (slots <= 0) return [];
  const full = [...busy].filter(([, count]) => count >= mostOfHost).map(([host]) => host);
  const { rows } = await db.execute<ProbeClaim>(sql`
    with due as (
      select id, host, next_probe_at from earnest.probe_target
      where next_probe_at <= now() and host <> all(${sql.param(full)}::text[])
      order by next_probe_at limit ${4 * slots}
      for update skip locked),
    ranked as (
      select id, next_probe_at, row_number() over (partition by host order by next_probe_at)
        + coalesce((${JSON.stringify(Object.fromEntries(busy))}::jsonb ->> host)::int, 0) as place
      from due)
    update earnest.probe_target target
    set lease_owner = ${lease}, next_probe_at = now() + make_interval(secs => ${leaseMs / 1000})
    from (select id from ranked where place <= ${mostOfHost} order by next_probe_at limit ${slots}) as picked
    where target.id = picked.id
    returning target.id, target.url, target.host`);
  return rows;
}

/**
 * Writes down what probes found, all of it or nothing. What is no longer this lease's is left to whoever has it now,
 * and what is no longer probed is dropped.
 */
export async function recordFindings(
  db: Database,
  findings: readonly Finding[],
  { intervalSeconds }: { intervalSeconds: number },
): Promise<void> {
  if (findings.length === 0) return;
  await db.execute(sql`
    with found as (
      select * from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as found(
        id text, lease text, "checkedAt" timestamptz, ok boolean, reachable boolean, "statusCode" int,
        "latencyMs" int, "tlsValid" boolean, "bodyIsJson" boolean)),
    recorded as (
      update earnest.probe_target target
      set
        next_probe_at = ${nextTurn(intervalSeconds)},
        lease_owner = null,
        last_checked_at = "checkedAt",
        last_ok_at = case when found.ok then "checkedAt" else last_ok_at end,
        reachable = found.reachable,
        status_code = "statusCode",
        latency_ms = "latencyMs",
        tls_valid = "tlsValid",
        body_is_json = "bodyIsJson",
        consecutive_failures = case when found.ok then 0 else consecutive_failures + 1 end,
        checks_7d = 1 + week.checks,
        ok_7d = found.ok::int + week.ok
      from found
      cross join lateral (
        select coalesce(sum(checks), 0)::int as checks, coalesce(sum(ok), 0)::int as ok
        from earnest.probe_tally
        where target_id = found.id and hour > "checkedAt" - interval '7 days') as week
      where target.id = found.id and target.lease_owner = found.lease
      returning target.id, "checkedAt", found.ok),
    tallied as (
      insert into earnest.probe_tally as tally (target_id, hour, checks, ok)
      select id, date_trunc('hour', "checkedAt", 'UTC'), 1, ok::int from recorded
      on conflict (target_id, hour) do update
      set checks = tally.checks + excluded.checks, ok = tally.ok + excluded.ok)
    delete from earnest.probe_tally old using recorded
    where old.target_id = recorded.id and old.hour <= "checkedAt" - interval '7 days'`);
}

/** Gives claims back whose probes were not begun or broken off. */
export async function returnProbes(db: Database, lease: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`
    update earnest.probe_target set lease_owner = null, next_probe_at = now()
    where id = any(${sql.param([...ids])}::text[]) and lease_owner = ${lease}`);
}
