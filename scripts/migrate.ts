// npm run migrate: brings the database of DATABASE_DIRECT_URL up to date.

import { ConfigError, readConfig } from "../config/config.ts";
import { ForeignSchemaError, migrateDatabase } from "../db/migrate.ts";

try {
  const { databaseDirectUrl } = readConfig();
  await migrateDatabase(databaseDirectUrl);
  console.log("The database is up to date.");
} catch (error) {
  const isForPeople = error instanceof ConfigError || error instanceof ForeignSchemaError;
  console.error(isForPeople ? error.message : error);
  process.exitCode = 1;
}
