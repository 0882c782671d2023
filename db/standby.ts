import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * How far a server has come, as `<timeline>-<log sequence number>`: what was committed before is in every server that is
 * of this timeline and has replayed so far. After a promotion the numbers go on from before, under another timeline.
 */
export type Position = string;

/** What a primary answers with its position; null in the column's place costs nothing. */
export const positionNow = `
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int || '-' || pg_current_wal_insert_lsn()`;

/** Milliseconds for which a standby that is a little behind is asked again, and between two questions. */
const patience = 20;
const pause = 3;
/** Milliseconds within which a standby tells its position and connections are made; for which one that does not is left alone. */
const silence = 500;
const rest = 1000;
/** Milliseconds after which a standby tells its position again though it has come far enough. */
const toldFor = 1000;

/** Where one request reads. */
type Reading = {
  wanted: Place;
  /** milliseconds for which it waits for the standby */
  patience: number;
  /** until it writes, has read from the primary, or ends */
  fromStandby: boolean;
};
type Place = { timeline: number; lsn: bigint };

const reading = new AsyncLocalStorage<Reading>();

/**
 * Does the reading of one request: single statements that only read may be answered by the standby, if it has all up to
 * this position. From the first that is not, all go to the primary, so that nothing is read that is older.
 *
 * @param options.waits whether a standby that is a little behind is waited for
 */
export async function readWithin<T>(
  position: Position,
  options: { waits: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const wanted = parsePosition(position);
  if (!wanted) return work();
  const scope = { wanted, patience: options.waits ? patience : 0, fromStandby: true };
  try {
    return await reading.run(scope, work);
  } finally {
    // What was begun meanwhile, as a stream, lives on.
    scope.fromStandby = false;
  }
}

/** Has what follows in this request read from the primary. */
export function leaveStandby(): void {
  const scope = reading.getStore();
  if (scope) scope.fromStandby = false;
}

/**
 * The later of what the primary said and what a caller names; null where it names what the primary cannot have said so.
 */
export function laterOf(told: Position, named: string | undefined): Position | null {
  if (named === undefined) return told;
  const [ours, theirs] = [parsePosition(told), parsePosition(named)];
  if (!ours || !theirs || theirs.timeline > ours.timeline) return null;
  // Of a timeline that is over: what there is of it, the primary has.
  return theirs.timeline < ours.timeline || theirs.lsn <= ours.lsn ? told : named;
}

function parsePosition(position: string): Place | null {
  const [, timeline, high = "", low = ""] =
    /^(\d{1,9})-([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/.exec(position) ?? [];
  if (timeline === undefined) return null;
  return { timeline: Number(timeline), lsn: (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) };
}

/**
 * Has a pool's single statements answered by a standby where a request reads within `readWithin`. Whatever the standby
 * cannot answer, for whatever reason, the primary is asked.
 */
export function readFromStandby(pool: pg.Pool, standbyUrl: string, settings: pg.PoolConfig): void {
  const standby = new pg.Pool({
    ...settings,
    connectionString: standbyUrl,
    connectionTimeoutMillis: silence,
  });
  standby.on("error", () => {});
  standby.on("connect", (client) => client.on("error", () => {}));
  const told = new WeakMap<pg.PoolClient, Place & { at: number }>();
  let restsUntil = 0;

  const askPrimary = pool.query.bind(pool) as unknown as (...given: unknown[]) => Promise<pg.QueryResult>;
  const connectToPrimary = pool.connect.bind(pool) as unknown as (...given: unknown[]) => unknown;
  const query = async (statement: string | pg.QueryConfig, values?: unknown[]) => {
    const scope = reading.getStore();
    if (scope?.fromStandby) {
      const answer = onlyReads(statement) ? await askStandby(scope, statement, values) : null;
      if (answer) return answer;
      scope.fromStandby = false;
    }
    return askPrimary(statement, values);
  };
  pool.query = query as pg.Pool["query"];
  // A transaction.
  const connect = (...given: unknown[]) => {
    leaveStandby();
    return connectToPrimary(...given);
  };
  pool.connect = connect as pg.Pool["connect"];
  const endPrimary = pool.end.bind(pool);
  pool.end = (async () => {
    await Promise.all([endPrimary(), standby.end()]);
  }) as pg.Pool["end"];

  /** The standby's answer; null where it has none. */
  async function askStandby(scope: Reading, statement: string | pg.QueryConfig, values?: unknown[]) {
    if (performance.now() < restsUntil) return null;
    const connection = await standby.connect().catch(() => null);
    if (!connection) return restFor();
    let lost: Error | undefined;
    try {
      const isThere = await hasReached(connection, scope);
      return isThere ? await connection.query(statement as pg.QueryConfig, values) : null;
    } catch (error) {
      // A statement that took too long would take as long again.
      if (error instanceof pg.DatabaseError && error.code === "57014") throw error;
      if (isLost(error)) {
        lost = error as Error;
        restFor();
      }
      return null;
    } finally {
      connection.release(lost);
    }
  }

  function restFor(): null {
    restsUntil = performance.now() + rest;
    return null;
  }

  async function hasReached(
    connection: pg.PoolClient,
    { wanted, patience: most }: Reading,
  ): Promise<boolean> {
    const begin = performance.now();
    for (;;) {
      const now = performance.now();
      const known = told.get(connection);
      if (known && known.timeline !== wanted.timeline && now - known.at < toldFor) return false;
      if (known && known.lsn >= wanted.lsn && now - known.at < toldFor) return true;
      if (known && known.at >= begin) {
        if (now - begin >= most) return false;
        await sleep(pause);
      }
      const place = await askPosition(connection);
      if (!place) return false;
      told.set(connection, { ...place, at: performance.now() });
    }
  }
}

/** How far a standby has replayed, or a server that is none has written. */
async function askPosition(connection: pg.PoolClient): Promise<Place | null> {
  const question = { text: standbyPosition, query_timeout: silence };
  const { rows } = await connection.query<{ position: string | null }>(question);
  return parsePosition(rows[0]?.position ?? "");
}

/** A standby's timeline is told by its control file, a moment after it follows a new one: never before. */
const standbyPosition = `
  select case when pg_is_in_recovery()
    then greatest((pg_control_checkpoint()).timeline_id, (pg_control_recovery()).min_recovery_end_timeline)
      || '-' || pg_last_wal_replay_lsn()
    else ${positionNow} end as position`;

/** Whether the connection is of no more use: all errors but those of a server that goes on. */
function isLost(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P|53)/.test(error.code ?? "");
}

const changes =
  /\b(insert|update|delete|share|nextval|setval|pg_notify|set_config|pg_current_xact_id|pg_advisory\w*|earnest\.rate_limit)\b/i;

/** Whether a statement may be sent to a server that nothing can be written to. */
function onlyReads(statement: string | pg.QueryConfig): boolean {
  const text = typeof statement === "string" ? statement : statement.text;
  return /^\s*(select|with|\()/i.test(text) && !changes.test(text);
}
