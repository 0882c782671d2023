import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Database, Transaction } from "./client.ts";
import {
  isConnectionLost,
  isUnreachable,
  noteWrite,
  OutcomeUnknownError,
  RolledBackError,
  requireTime,
} from "./commit-outcome.ts";

/** Milliseconds of attempts to read the outcome of a transaction. */
const outcomeTimeoutMs = 5000;

type Mode = "" | "isolation level repeatable read" | "isolation level repeatable read read only";

/** A client of the pool with its drizzle wrapper, and with PostgreSQL's warning that the standby did not confirm a commit. */
type Connection = { client: pg.PoolClient; tx: Transaction; warning: unknown };

/** Identifies a transaction after its end. */
type Ticket = { id: string; life: string | null };

/** After a crash, the server may reuse the number of a lost transaction. A crash also resets these statistics. */
const life = "pg_stat_get_bgwriter_stat_reset_time()::text as life";

/** The commit of this message waits for the synchronous standby. When it returns, the standby has all earlier commits. */
const confirm = "pg_logical_emit_message(true, 'earnest', '')";

/** Kept for the life of a client, so that `prepareOnce` finds the statements that are prepared on its connection. */
const connections = new WeakMap<pg.PoolClient, Connection>();

/**
 * Runs work in a transaction, and commits it unless the work throws. Within a transaction, the work joins this
 * transaction.
 *
 * Drizzle's own `transaction` does not report the outcome of a commit that has no answer. If the transaction cannot
 * begin, it does not return the connection to the pool.
 *
 * @throws OutcomeUnknownError; RolledBackError if the connection was lost and nothing was written; OverdueError
 */
export async function inTransaction<Result>(
  db: Database | Transaction,
  work: (tx: Transaction) => Promise<Result>,
  mode: Mode = "",
): Promise<Result> {
  if (isWithin(db)) return work(db);
  requireTime();
  const connection = await connect(db).catch(throwLost);
  const { client } = connection;
  let ticket: Ticket;
  let result: Result;
  try {
    ticket = await begin(client, mode);
    result = await work(connection.tx);
    requireTime();
  } catch (error) {
    // PostgreSQL rolls back the transaction of a lost connection. A silent connection would not answer a rollback either.
    client.release(isConnectionLost(error) ? true : await rollback(client));
    return throwLost(error);
  }
  const doubt = await commit(connection);
  // Released first: many connections may be lost at once, and the query for the outcome needs a free connection.
  client.release(doubt instanceof Error ? doubt : undefined);
  if (doubt) await requireCommitted(db, ticket, doubt);
  noteWrite();
  return result;
}

function isWithin(db: Database | Transaction): db is Transaction {
  return !(db.$client instanceof pg.Pool);
}

async function connect({ $client: pool, keepsStatements }: Database): Promise<Connection> {
  const client = await pool.connect();
  const known = connections.get(client);
  if (known) return known;
  const tx = Object.assign(drizzle(client), { keepsStatements });
  const connection: Connection = { client, tx, warning: undefined };
  // PostgreSQL answers a commit as made if the wait for the standby is cancelled, though a failover would undo the commit.
  client.on("notice", (notice) => {
    if (notice.routine === "SyncRepWaitForLSN") connection.warning = notice;
  });
  connections.set(client, connection);
  return connection;
}

async function begin(client: pg.PoolClient, mode: Mode): Promise<Ticket> {
  // Two statements without values go in one round trip, with an answer for each.
  const answers = await client.query(`begin ${mode}; select pg_current_xact_id()::text as id, ${life}`);
  const [, { rows }] = answers as unknown as [unknown, pg.QueryResult<Ticket>];
  return rows[0] as Ticket;
}

/** @returns the reason if the connection is unusable */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
  } catch (error) {
    return error as Error;
  }
}

/** @returns the reason if the outcome of the commit is unknown */
async function commit(connection: Connection): Promise<unknown> {
  const { client } = connection;
  connection.warning = undefined;
  try {
    const { command } = await client.query("commit");
    if (command === "COMMIT") return connection.warning;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isConnectionLost(error)) return error;
    client.release();
    throw error;
  }
  client.release();
  throw new Error("A statement of the transaction failed, and PostgreSQL rolled the transaction back.");
}

/**
 * Reads the outcome of a transaction whose commit has no answer from the server.
 *
 * @throws OutcomeUnknownError if the server does not know; RolledBackError
 */
async function requireCommitted(db: Database, ticket: Ticket, cause: unknown): Promise<void> {
  const deadline = Date.now() + outcomeTimeoutMs;
  for (; Date.now() < deadline; await sleep(50)) {
    const late = sleep(deadline - Date.now(), undefined, { ref: false });
    const outcome = await Promise.race([readOutcome(db, ticket).catch(() => undefined), late]);
    if (!outcome || outcome.status === "in progress") continue;
    if (outcome.life !== ticket.life || outcome.status === null) break;
    if (outcome.status === "aborted") throw new RolledBackError(cause);
    return;
  }
  throw new OutcomeUnknownError(cause);
}

async function readOutcome(db: Database, { id }: Ticket) {
  const connection = await connect(db);
  const { client } = connection;
  connection.warning = undefined;
  try {
    const { rows } = await client.query<{ status: string | null; life: string | null }>(
      `select pg_xact_status($1::text::xid8) as status, ${life}, ${confirm}`,
      [id],
    );
    return connection.warning ? undefined : rows[0];
  } finally {
    client.release();
  }
}

function throwLost(error: unknown): never {
  throw isConnectionLost(error) || isUnreachable(error) ? new RolledBackError(error) : error;
}
