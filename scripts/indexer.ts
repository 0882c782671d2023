// npm run indexer: Ponder, which follows the contracts' events. --reindex first drops what was indexed. docs/operations.md
// has when to do what.

import { serveMetrics, textPage } from "../api/metrics/port.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { serveHeads } from "../indexer/heads.ts";
import { IndexerLeaseError, takeIndexerLease } from "../indexer/lease.ts";
import { deploymentSchema, loadPonder, ponderCommand } from "../indexer/ponder.ts";
import { holdPonderServer, ponderPages } from "../indexer/ponder-server.ts";
import { dropIndex, retireIndex, watchForRebuild } from "../indexer/reindex.ts";
import { createLog } from "../log.ts";

/** The exit code by which Ponder says that another try may do. */
const retryable = 75;
/** Where the metrics are served unless told. */
const usualPort = 42_070;

/** The operator's numbers, by parts of the API that are loaded when they are first asked for. */
function numbersOf(config: Config): () => Promise<string> {
  let loaded: Promise<() => Promise<string>> | undefined;
  const load = async () => {
    const { createContext } = await import("../api/context.ts");
    const { writeMetrics } = await import("../api/metrics/metrics.ts");
    const context = createContext(config);
    return () => writeMetrics(context);
  };
  return async () => {
    loaded ??= load();
    return (await loaded)();
  };
}

/** Starts this program again in its own place, where Node can; else it ends, and whoever started it starts it again. */
function beginAnew(): void {
  const { execPath, execArgv, argv } = process;
  const given = argv.slice(1).filter((argument) => argument !== "--reindex");
  process.execve?.(execPath, [execPath, ...execArgv, ...given]);
  process.exit(retryable);
}

try {
  const config = readConfig();
  const command = ponderCommand(config);
  // Before Ponder's server is held: from then on every server that is made is taken for that one.
  const log = createLog(config, "indexer");
  await serveHeads(config.chains, log);
  const answer = holdPonderServer();
  const { host, port = usualPort } = config.metrics;
  if (port !== 0) {
    const pages = Object.fromEntries(ponderPages.map((path) => [path, answer]));
    await serveMetrics({ host, port }, { ...pages, "/metrics/earnest": textPage(numbersOf(config)) });
  }
  if (process.argv.includes("--reindex")) {
    const dropped = await dropIndex(config.databaseDirectUrl);
    console.log(`Dropped ${dropped.join(", ")}; the chains are read anew.`);
  }
  const { databaseDirectUrl: databaseUrl } = config;
  const schema = deploymentSchema(config);
  // First of all: one that waits for another then has little left to do.
  const startPonder = await loadPonder(command);
  const { signal, db } = await takeIndexerLease(databaseUrl, { schema, log });
  const leave = () => {
    console.error(
      "Another indexer has taken the place of this one, which hung or could not reach the database.",
    );
    process.exit(retryable);
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  const retired = await retireIndex(databaseUrl, schema);
  if (retired === "retired") log.warn("the index was not what the chain says: the chains are read anew");
  if (retired === "shared")
    log.warn("the index is not what the chain says, and an indexer of another version runs: stop that one");
  else watchForRebuild({ databaseUrl, db }, schema, beginAnew);
  await startPonder();
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof IndexerLeaseError)) throw error;
  console.error(error.message);
  process.exit(error instanceof ConfigError ? 1 : retryable);
}
