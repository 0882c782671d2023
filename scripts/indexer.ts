// npm run indexer: Ponder, which follows the contracts' events, with the API in the same process. npm run api is this with
// --serve: the API alone. --reindex first drops what was indexed. docs/operations.md has when to do what.

import { checkWebFiles } from "../build/output.ts";
import { ConfigError, readConfig } from "../config.ts";
import { serveHeads } from "../indexer/heads.ts";
import { IndexerLockError, takeIndexerLock } from "../indexer/lock.ts";
import { divideMetrics } from "../indexer/metrics-port.ts";
import { deploymentSchema, ponderCommand, runPonder } from "../indexer/ponder.ts";
import { checkPortFree } from "../indexer/port.ts";
import { dropIndex } from "../indexer/reindex.ts";
import { createLog } from "../log.ts";

/** The exit code by which Ponder says that another try may do. */
const retryable = 75;

try {
  const config = readConfig();
  checkWebFiles();
  const serve = process.argv.includes("--serve");
  const command = ponderCommand(config, { serve });
  await checkPortFree(config.port);
  // Before the metrics are divided: from then on every server that is made is taken for Ponder's.
  if (!serve) await serveHeads(config.chains, createLog(config, "indexer"));
  await divideMetrics(config, { serve });
  if (process.argv.includes("--reindex")) {
    const dropped = await dropIndex(config.databaseUrl);
    console.log(`Dropped ${dropped.join(", ")}; the chains are read anew.`);
  }
  if (!serve) {
    await takeIndexerLock({ databaseUrl: config.databaseUrl, schema: deploymentSchema(config) }, () => {
      console.error("Another indexer has taken the schema while the database was out of reach.");
      process.exit(retryable);
    });
  }
  await runPonder(command);
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof IndexerLockError)) throw error;
  console.error(error.message);
  process.exit(error instanceof ConfigError ? 1 : retryable);
}
