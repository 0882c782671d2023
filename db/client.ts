import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema.ts";

/** Opens a pool on PostgreSQL. The caller ends it with `db.$client.end()`. */
export function openDatabase(url: string, options: { max?: number } = {}) {
  const client = postgres(url, {
    max: options.max ?? 10,
    onnotice: () => {},
    connection: { application_name: "earnest" },
  });
  return drizzle(client, { schema });
}

export type Database = ReturnType<typeof openDatabase>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
