// npm run migrate: brings the database of DATABASE_URL up to date.

import { ConfigError, readConfig } from "../config.ts";
import { migrateDatabase } from "../db/migrate.ts";

try {
  const { databaseUrl } = readConfig();
  await migrateDatabase(databaseUrl);
  console.log("The database is up to date.");
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
