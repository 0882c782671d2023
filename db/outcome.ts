import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Milliseconds for which the server is asked for the outcome of a transaction. */
const patience = 5000;

/** The commit of a transaction was sent, its answer is lost, and the server does not tell the outcome. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super("The database does not tell whether a transaction was committed.", { cause });
  }
}

/** The connection of a transaction was lost, and PostgreSQL rolled the transaction back. */
export class RolledBackError extends Error {
  override name = "RolledBackError";

  constructor(cause: unknown) {
    super("The database was lost, and a transaction was rolled back.", { cause });
  }
}

/** Whether a request has committed a transaction. */
export type Writes = { made: boolean };

const watching = new AsyncLocalStorage<Writes>();

/** Does the work of a request, and notes in `writes` when a transaction of this work is committed. */
export function watchWrites<T>(writes: Writes, work: () => Promise<T>): Promise<T> {
  return watching.run(writes, work);
}

/** Notes a committed transaction. */
export function noteWrite(): void {
  const writes = watching.getStore();
  if (writes) writes.made = true;
}

/** What identifies a transaction after its end. */
export type Ticket = { id: string; life: string | null };

/** After a crash, the server may give a number of a lost transaction to another. A crash also resets these statistics. */
const life = "pg_stat_get_bgwriter_stat_reset_time()::text as life";

/** Selects the ticket of the present transaction. */
export const selectTicket = `select pg_current_xact_id()::text as id, ${life}`;

/** The commit of this message waits for the synchronous standby. When it returns, the standby has all earlier commits. */
const confirm = "pg_logical_emit_message(true, 'earnest', '')";

/**
 * Asks the server for the outcome of a transaction whose commit has no answer.
 *
 * @throws OutcomeUnknownError if the server does not tell; RolledBackError
 */
export async function requireCommitted(pool: pg.Pool, ticket: Ticket, cause: unknown): Promise<void> {
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
    if (found.status === "aborted") throw new RolledBackError(cause);
    return;
  }
  throw new OutcomeUnknownError(cause);
}

/** Codes of the network and of PostgreSQL for a connection that could not be made. */
const unmade = /^(ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENOTFOUND|CONNECT_TIMEOUT|53300|57P03)$/;
/** Codes of a connection that was lost while it was used. */
const cut = /^(ECONNRESET|EPIPE|ETIMEDOUT|CONNECTION_(CLOSED|DESTROYED|ENDED)|08...|57P0[12])$/;

/** Whether no connection could be made: the statement was not sent. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return unmade.test(codeOf(error)) || /^timeout exceeded when trying to connect/.test(error.message);
}

/** Whether a connection was lost while it was used: the statement may have run. */
export function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return cut.test(codeOf(error)) || /^Connection terminated|is not queryable$/.test(error.message);
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
