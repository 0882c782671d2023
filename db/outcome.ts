import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Milliseconds for which the server is asked what became of a transaction. */
const patience = 5000;

/** PostgreSQL's code for one of several that waited for each other, and was ended. */
const deadlock = "40P01";

/** Thrown where a write was sent, its answer is lost, and the server does not say whether it was made. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super("The database does not say whether a write was made.", { cause });
  }
}

const watching = new AsyncLocalStorage<Writes>();

/** What one piece of work has written so far. */
export type Writes = { made: boolean };

/** Does some work, and notes in `writes` once any of what it writes to the database is made. */
export function watchWrites<T>(writes: Writes, work: () => Promise<T>): Promise<T> {
  return watching.run(writes, work);
}

function note(): void {
  const writes = watching.getStore();
  if (writes) writes.made = true;
}

/** By what the server tells a transaction's end later: its number, and since when the server has not crashed. */
type Ticket = { id: string; life: string | null };

/** The server forgets numbers in a crash and may give them out again; with them it forgets these statistics. */
const life = "pg_stat_get_bgwriter_stat_reset_time()::text as life";

/** Begins a transaction that writes, in one round trip. */
export async function beginWriting(connection: pg.PoolClient, settings: string): Promise<Ticket> {
  const answers = await connection.query(
    `begin${settings}; select pg_current_xact_id()::text as id, ${life}`,
  );
  const [, { rows }] = answers as unknown as [unknown, pg.QueryResult<Ticket>];
  return rows[0] as Ticket;
}

/** Connections on which a wait for the standby was ended, with PostgreSQL's warning: a commit is perhaps on it alone. */
const warnings = new WeakMap<pg.PoolClient, unknown>();

/**
 * Listens to a connection for that warning. PostgreSQL answers such a write as made, though the death of the server would
 * undo it.
 */
export function watchConfirmations(connection: pg.PoolClient): void {
  connection.on("notice", (notice) => {
    // Its text is in the language of the server.
    if (notice.routine === "SyncRepWaitForLSN") warnings.set(connection, notice);
  });
}

/** @throws OutcomeUnknownError where PostgreSQL warned of what it just answered */
function expectConfirmed(connection: pg.PoolClient): void {
  const warning = warnings.get(connection);
  warnings.delete(connection);
  if (warning) throw new OutcomeUnknownError(warning);
}

/** Its end waits as every commit does: once it is answered, the standby also has all that was committed before. */
const confirm = "pg_logical_emit_message(true, 'earnest', '')";

/**
 * Commits. Where the answer is lost, or the wait for the standby is cancelled, the server is asked on another connection.
 *
 * @param giveUp gives the lost connection back first: others that are lost with it may have all that the pool has
 * @returns false where the transaction had failed, and was rolled back instead
 * @throws OutcomeUnknownError where it does not say; any other error where nothing was written
 */
export async function commit(
  pool: pg.Pool,
  connection: pg.PoolClient,
  ticket: Ticket,
  giveUp: (error: Error) => void,
): Promise<boolean> {
  try {
    const { command } = await connection.query("commit");
    expectConfirmed(connection);
    if (command === "ROLLBACK") return false;
  } catch (error) {
    giveUp(error as Error);
    await lookUp(pool, ticket, error);
  }
  note();
  return true;
}

async function lookUp(pool: pg.Pool, ticket: Ticket, cause: unknown): Promise<void> {
  const ask = () =>
    pool
      .query<{ status: string | null; life: string | null }>(
        `select pg_xact_status($1::text::xid8) as status, ${life}, ${confirm}`,
        [ticket.id],
      )
      .then(({ rows }) => rows[0])
      .catch(() => undefined);
  const deadline = Date.now() + patience;
  for (; Date.now() < deadline; await sleep(50)) {
    const found = await Promise.race([ask(), sleep(deadline - Date.now(), undefined, { ref: false })]);
    if (!found || found.status === "in progress") continue;
    if (found.life !== ticket.life || found.status === null) break;
    if (found.status === "aborted") throw cause;
    return;
  }
  throw new OutcomeUnknownError(cause);
}

/**
 * Tells of the statements that run without a transaction which of them write, and whether those were made.
 *
 * @throws OutcomeUnknownError where the connection was lost after a write was sent, or the wait for the standby cancelled
 */
export function watchStatements(pool: pg.Pool): void {
  const ask = async (statement: string | pg.QueryConfig, values?: unknown[]) => {
    const connection = await pool.connect();
    let broken: Error | undefined;
    try {
      const answer = await connection.query(statement as pg.QueryConfig, values);
      expectConfirmed(connection);
      if (isWrite(statement)) note();
      return answer;
    } catch (error) {
      broken = error as Error;
      throw isWrite(statement) && !isRefusal(error) ? new OutcomeUnknownError(error) : error;
    } finally {
      connection.release(broken);
    }
  };
  const connectAndQuery: typeof ask = (statement, values) =>
    ask(statement, values).catch((error) => {
      // An indexer that begins replaces its views one by one; a read of several may have to give way, and is made again.
      if (isWrite(statement) || (error as { code?: unknown }).code !== deadlock) throw error;
      return ask(statement, values);
    });
  pool.query = connectAndQuery as pg.Pool["query"];
}

/**
 * Sends one statement that can be made once only, as what it writes has a key of its own. Where its answer is lost, it is
 * sent again on another connection, and then its key says whether it was made.
 *
 * @param pool where it is sent to
 * @param send a statement that waits for one with its key that is still at work
 * @param isMade looks for its key
 * @returns the answer, or that what it writes is there
 * @throws OutcomeUnknownError where that is not known
 */
export async function sendUntilKnown<T>(
  pool: pg.Pool,
  send: () => Promise<T>,
  isMade: () => Promise<boolean>,
): Promise<T | "made"> {
  let lost: OutcomeUnknownError;
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    lost = error;
  }
  const again = async () => {
    let settled = true;
    await send().catch((error) => {
      settled = isRefusal(error);
    });
    const made = await isMade();
    if (made) await pool.query(`select ${confirm}`);
    return made || settled ? { made } : undefined;
  };
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    const late = sleep(deadline - Date.now(), undefined, { ref: false });
    const known = await Promise.race([again().catch(() => undefined), late]);
    if (known?.made) return "made";
    if (known) break;
  }
  throw lost;
}

/** Of named statements, which are as many as the program has: each is looked through once. */
const writing = new Map<string, boolean>();

function isWrite(statement: string | pg.QueryConfig): boolean {
  const { text, name = "" } = typeof statement === "string" ? { text: statement } : statement;
  const known = writing.get(name);
  if (known !== undefined) return known;
  const writes = /\b(insert|update|delete)\b/i.test(text);
  if (name) writing.set(name, writes);
  return writes;
}

/** The server's own word that a statement failed, and with it all that it did; not that it ends the connection. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? "");
}
