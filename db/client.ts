import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";

/**
 * Opens a pool on PostgreSQL. The caller ends it with `db.$client.end()`.
 *
 * A connection that is cut fails the queries that were on it and is replaced; it never ends the process.
 */
export function openDatabase(url: string, options: { max?: number } = {}) {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: "earnest",
    connectionTimeoutMillis: 30_000,
  });
  // Without listeners the loss of a connection would be an uncaught error. Whoever was using it is told by its query.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = drizzle(pool);
  // One for as long as a connection lives: what was prepared on it is found again.
  const connections = new WeakMap<pg.PoolClient, NodePgDatabase>();
  // Drizzle's own does not give the connection back when not even the transaction's beginning succeeds.
  db.transaction = async (work, settings) => {
    const connection = await pool.connect();
    try {
      const onConnection = connections.get(connection) ?? drizzle(connection);
      connections.set(connection, onConnection);
      return await onConnection.transaction(work, settings);
    } finally {
      connection.release();
    }
  };
  return db;
}

export type Database = ReturnType<typeof openDatabase>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

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
