import type { SQL } from "drizzle-orm";
import { drizzle, type NodePgDatabase, NodePgSession, NodePgTransaction } from "drizzle-orm/node-postgres";
import { PgDialect, type PgTransactionConfig } from "drizzle-orm/pg-core";
import pg from "pg";
import { beginWriting, commit, watchConfirmations, watchStatements } from "./outcome.ts";
import { Ending, end, together, undone, writeTogether } from "./pipeline.ts";
import { collectWakes, sendWakes } from "./wakes.ts";

// As later versions of drizzle-orm do it; the one that Ponder pins lets a quote end the name (GHSA-gpj5-g38j-94v9).
PgDialect.prototype.escapeName = (name) => `"${name.replaceAll('"', '""')}"`;

/**
 * After how many seconds a statement is cancelled. A request's client has long gone by then; a job may look through all
 * there is, once in a while.
 */
export const statementSeconds = { request: 15, job: 120, migration: 0 };

type OpenOptions = {
  max?: number;
  statementSeconds?: number;
  answerSeconds?: number;
  applicationName?: string;
  prepared?: boolean;
};

/**
 * Opens a pool on PostgreSQL. The caller ends it with `db.$client.end()`.
 *
 * A connection that is cut fails the queries that were on it and is replaced; it never ends the process.
 *
 * @param options.statementSeconds after how long PostgreSQL cancels a statement; 0 for never, as migrations need it
 * @param options.prepared whether statements are named and kept on a connection; they are unless told
 * @param options.answerSeconds after how long a connection that does not answer is given up; never unless told
 */
export function openDatabase(url: string, options: OpenOptions = {}) {
  const { prepared = true } = options;
  const settings = {
    ...(prepared ? {} : { Client: NamelessClient }),
    max: options.max ?? 10,
    application_name: options.applicationName ?? "earnest",
    statement_timeout: 1000 * (options.statementSeconds ?? statementSeconds.job),
    pipeline: true,
  };
  const { answerSeconds } = options;
  const pool = new pg.Pool({
    ...settings,
    connectionString: url,
    connectionTimeoutMillis: 1000 * (answerSeconds ?? 30),
    query_timeout: answerSeconds && 1000 * answerSeconds,
  });
  // Without listeners the loss of a connection would be an uncaught error. Whoever was using it is told by its query.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("connect", watchConfirmations);
  pool.on("connect", writeTogether);
  watchStatements(pool);
  const db = drizzle(pool);
  // One for as long as a connection lives: what was prepared on it is found again.
  const sessions = new WeakMap<pg.PoolClient, Session>();
  // Drizzle's own does not give the connection back when not even the beginning succeeds, nor tell what became of a
  // commit whose answer is lost.
  const transact = async <Found, Result>(
    read: (tx: Transaction) => Promise<Found>,
    work: (tx: Transaction, found: Found) => Promise<Result | Ending<Result>>,
    { isolationLevel, accessMode }: PgTransactionConfig = {},
  ): Promise<Result> => {
    const connection = await pool.connect();
    let given = false;
    const give = (error?: Error) => {
      if (!given) connection.release(error);
      given = true;
    };
    const undo = async (error: unknown): Promise<never> => {
      await connection.query("rollback").catch(give);
      throw error;
    };
    try {
      const session = sessions.get(connection) ?? new NodePgSession(connection, dialect, undefined);
      sessions.set(connection, session);
      const modes = `${isolationLevel ? ` isolation level ${isolationLevel}` : ""} ${accessMode ?? ""}`;
      const begin =
        accessMode === "read only"
          ? connection.query(`begin${modes}`).then(() => null)
          : beginWriting(connection, modes);
      const wakes = collectWakes(session);
      const tx: Transaction = new NodePgTransaction(dialect, session, undefined);
      const [ticket, found] = await together(begin, read(tx)).catch(undo);
      const done = await work(tx, found).catch(undo);
      const commits = async () => {
        if (ticket) return commit(pool, connection, ticket, give);
        return (await connection.query("commit")).command === "COMMIT";
      };
      const isEnding = done instanceof Ending;
      const result = isEnding ? await end(connection, done, commits, undo) : done;
      // So PostgreSQL answers where a statement had failed and the work went on all the same.
      if (!isEnding && !(await commits())) throw new Error(undone);
      give();
      sendWakes(pool, wakes);
      return result;
    } finally {
      give();
    }
  };
  db.transaction = (work, settings) => transact(async () => {}, work, settings);
  return Object.assign(db, {
    /**
     * A transaction whose first statements go with its beginning, in one round trip.
     *
     * @param read only reads and locks: if the beginning fails, its statements run without a transaction
     * @param work what the transaction does then, with what was found; its last statements go with the commit by `endWith`
     */
    transactionFrom: <Found, Result>(
      read: (tx: Transaction) => Promise<Found>,
      work: (tx: Transaction, found: Found) => Promise<Result | Ending<Result>>,
    ) => transact(read, work),
  });
}

/** For a pooler by transactions that keeps no statements: what is named on one connection is unknown on the next. */
class NamelessClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const send = this.query.bind(this) as (...given: unknown[]) => unknown;
    const query = (statement: unknown, ...rest: unknown[]) => send(withoutName(statement), ...rest);
    this.query = query as typeof this.query;
  }
}

function withoutName(statement: unknown): unknown {
  const isNamed = typeof statement === "object" && statement !== null && "name" in statement;
  return isNamed ? { ...statement, name: undefined } : statement;
}

const dialect = new PgDialect();
type Session = NodePgSession<Record<string, never>, Record<string, never>>;

export type Database = ReturnType<typeof openDatabase>;
export type Transaction = Parameters<Parameters<NodePgDatabase["transaction"]>[0]>[0];

/**
 * For the few statements that most requests wait for: built once for each connection, and there parsed and planned by
 * the server once, instead of each time. Their values come by `sql.placeholder`.
 *
 * @param build makes the statement with `.prepare(name)`; the name is its own in the whole program
 */
export function prepareOnce<Statement>(build: (db: Database | Transaction) => Statement) {
  const built = new WeakMap<object, Statement>();
  return (db: Database | Transaction): Statement => {
    const { session } = db._;
    const statement = built.get(session) ?? build(db);
    built.set(session, statement);
    return statement;
  };
}

/**
 * A statement that is written by hand, built once for each connection, and planned each time by how much there is then: a
 * plan from when a queue was empty would read all of it once it is long.
 *
 * @param write writes it, for rows of this shape, with its values by `sql.placeholder`
 * @param name has it planned once, as `prepareOnce` does: where an index finds the rows, however many there are
 */
export function buildOnce<Row extends pg.QueryResultRow>(write: () => SQL, name?: string) {
  return prepareOnce((db) =>
    db._.session.prepareQuery<{ execute: pg.QueryResult<Row>; all: unknown; values: unknown }>(
      dialect.sqlToQuery(write()),
      undefined,
      name,
      false,
    ),
  );
}
