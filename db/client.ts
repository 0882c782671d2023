import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { parseJson } from "../protocol/json/parse.ts";
import { type Column, type SQL, sql } from "./drizzle.ts";

// Callers choose the names of the members of stored JSON, such as `__proto__`.
pg.types.setTypeParser(pg.types.builtins.JSON, parseJson);
pg.types.setTypeParser(pg.types.builtins.JSONB, parseJson);

/** Seconds after which PostgreSQL cancels a statement. A request has a waiting client; a job may read a whole table. */
export const statementSeconds = { request: 15, job: 120, migration: 0 };

/**
 * Seconds without an answer after which the server counts as lost, because a lost machine closes no connection. Every
 * statement ends sooner, even behind another statement of its connection. Undefined means never.
 */
const answerBound = (statementSeconds: number) => (statementSeconds ? 2 * statementSeconds + 5 : undefined);

type OpenOptions = {
  max?: number;
  /** seconds after which PostgreSQL cancels a statement; 0 means never, which migrations need */
  statementSeconds?: number;
  /** seconds after which a silent connection counts as lost; by default 30 to connect, then `answerBound` */
  answerSeconds?: number;
  applicationName?: string;
  /** whether PostgreSQL keeps prepared statements by name; a transaction pooler may not support that */
  keepsStatements?: boolean;
};

/** A pool on PostgreSQL. `inTransaction` begins transactions on it. */
export type Database = Drizzle & { $client: pg.Pool };
/** One connection of the pool, within a transaction. */
export type Transaction = Drizzle & { $client: pg.PoolClient };
type Drizzle = Omit<NodePgDatabase, "transaction"> & { keepsStatements: boolean };

/**
 * Opens a pool on PostgreSQL. The caller ends it with `db.$client.end()`.
 *
 * The loss of a connection fails the queries on this connection. The pool replaces the connection.
 */
export function openDatabase(url: string, options: OpenOptions = {}): Database {
  const { keepsStatements = true } = options;
  const seconds = options.statementSeconds ?? statementSeconds.job;
  const answerSeconds = options.answerSeconds ?? answerBound(seconds);
  const settings = {
    max: options.max ?? 10,
    application_name: options.applicationName ?? "earnest",
    statement_timeout: 1000 * seconds,
  };
  const pool = new pg.Pool({
    ...settings,
    connectionString: url,
    connectionTimeoutMillis: 1000 * (options.answerSeconds ?? 30),
    query_timeout: answerSeconds && 1000 * answerSeconds,
  });
  // An error event without a listener ends the process. The query on the lost connection fails as well.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return Object.assign(drizzle(pool), { keepsStatements });
}

/**
 * Prepares a statement once for each connection, so that drizzle builds and PostgreSQL parses it once.
 *
 * @param name unique in the whole program
 * @param build builds the statement, with its values by `sql.placeholder`
 */
export function prepareOnce<Statement>(
  name: string,
  build: (db: Database | Transaction) => { prepare(name: string): Statement },
) {
  const built = new WeakMap<object, Statement>();
  return (db: Database | Transaction): Statement => {
    const statement = built.get(db) ?? build(db).prepare(preparedName(db, name));
    built.set(db, statement);
    return statement;
  };
}

/**
 * Placeholders for the values of a prepared insert, each under the name of its column. Null stays null: a column encodes
 * the value of its plain placeholder, and not every column can encode null.
 */
export function placeholdersOf<Columns extends Record<string, Column>>(columns: Columns) {
  const placeholders = Object.entries(columns).map(([name, column]) => {
    const encoder = {
      mapToDriverValue: (value: unknown) => (value === null ? null : column.mapToDriverValue(value)),
    };
    return [name, sql`${sql.param<unknown, unknown>(sql.placeholder(name), encoder)}`];
  });
  return Object.fromEntries(placeholders) as { [Name in keyof Columns]: SQL };
}

/** The name for drizzle's `prepare`: an empty one, which PostgreSQL does not keep, where names are not supported. */
export function preparedName({ keepsStatements }: Database | Transaction, name: string): string {
  return keepsStatements ? name : "";
}
