import type { Duplex } from "node:stream";
import pg from "pg";
import postgres from "postgres";

/**
 * Opens a client of the package `postgres` with one connection. The caller ends it with `sql.end()`.
 *
 * `pg` parses the address, because `postgres` reads no socket and no TLS file from it.
 *
 * @param options.socket makes the connection; `postgres` makes it by default
 */
export function openPostgres(
  databaseUrl: string,
  { applicationName, socket }: { applicationName?: string; socket?: () => Duplex } = {},
): postgres.Sql {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: databaseUrl });
  return postgres({
    host,
    port,
    user,
    password,
    database,
    ssl,
    max: 1,
    // The types of arrays would cost a query for each connection.
    fetch_types: false,
    ...(applicationName ? { connection: { application_name: applicationName } } : {}),
    onnotice: () => {},
    // The documentation of `postgres` has this option, its types lack it.
    ...(socket ? { socket } : {}),
  });
}
