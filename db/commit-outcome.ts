import { AsyncLocalStorage } from "node:async_hooks";

/** Thrown when the answer to a commit is lost, and the server does not know the outcome. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";

  constructor(cause: unknown) {
    super("The database does not report whether the transaction was committed.", { cause });
  }
}

/** Thrown when the connection of a transaction was lost, and PostgreSQL rolled the transaction back. */
export class RolledBackError extends Error {
  override name = "RolledBackError";

  constructor(cause: unknown) {
    super("The connection to the database was lost, and the transaction was rolled back.", { cause });
  }
}

/** Ends the work of a request that has its answer already. */
export class OverdueError extends Error {
  override name = "OverdueError";

  constructor() {
    super("The request was answered already, so its work ends.");
  }
}

/** Whether a request has committed a transaction, and whether it was answered before its work ended. */
export type Writes = { hasCommitted: boolean; isOver: () => boolean };

const watching = new AsyncLocalStorage<Writes>();

/** Does the work of a request, and notes in `writes` when a transaction of this work is committed. */
export function watchWrites<T>(writes: Writes, work: () => Promise<T>): Promise<T> {
  return watching.run(writes, work);
}

/** Notes a committed transaction. */
export function noteWrite(): void {
  const writes = watching.getStore();
  if (writes) writes.hasCommitted = true;
}

/** @throws OverdueError if the request that this work is for was answered already */
export function requireTime(): void {
  if (watching.getStore()?.isOver()) throw new OverdueError();
}

/**
 * Codes of the network and of PostgreSQL for a connection that could not be made.
 * A server that takes no writes answers 25006 in recovery, and 53100 with a full disk.
 */
const unmade = /^(ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENOTFOUND|CONNECT_TIMEOUT|25006|53[13]00|57P03)$/;
/** Codes of a connection that was lost while it was used. */
const cut = /^(ECONNRESET|EPIPE|ETIMEDOUT|CONNECTION_(CLOSED|DESTROYED|ENDED)|08...|57P0[12])$/;

/** Whether no connection to a primary could be made, so that the statement changed nothing. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return unmade.test(codeOf(error)) || /^timeout exceeded when trying to connect/.test(error.message);
}

/** Whether a connection was lost or silent while it was used: the statement may have run. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    cut.test(codeOf(error)) ||
    /^Connection terminated|is not queryable$|^Query read timeout$/.test(error.message)
  );
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
