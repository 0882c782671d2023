import { drizzle } from "drizzle-orm/node-postgres";
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
  // Drizzle's own does not give the connection back when not even the transaction's beginning succeeds.
  db.transaction = async (work, settings) => {
    const connection = await pool.connect();
    try {
      return await drizzle(connection).transaction(work, settings);
    } finally {
      connection.release();
    }
  };
  return db;
}

export type Database = ReturnType<typeof openDatabase>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
