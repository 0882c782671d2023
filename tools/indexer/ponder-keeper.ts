import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../../config/config.ts";
import { type Database, openDatabase, statementSeconds } from "../../db/client.ts";
import { isMigrated } from "../../db/migrate.ts";
import { deploymentSchema } from "./deployment-schema.ts";
import { ponderCommand, startPonder } from "./ponder.ts";
import { createIndexerSight, createProgressWatch } from "./progress.ts";
import { chooseSchema, dropUnusedSchemas, isRebuildRequested } from "./reindex.ts";

type Keeping = { log: Logger; signal: AbortSignal };

/** The exit code by which Ponder says that another try may do. */
export const retryable = 75;
/** Milliseconds between two looks at the index. */
const lookEvery = 2000;
/** Seconds that the database may take to answer one. */
const lookPatience = 5;
/** Looks after which schemas that nobody reads are dropped. */
const dropEvery = 5;
/** Milliseconds until a new index is asked for again, where another indexer ran. */
const askAgain = 60_000;

/**
 * Runs Ponder until it ends or is told to. It is started anew where it stands still, or is to begin a new index.
 *
 * @param signal has it end in order
 * @returns the exit code
 */
export async function keepPonder(config: Config, { log, signal }: Keeping): Promise<number> {
  const open = (seconds?: number) =>
    openDatabase(config.databaseDirectUrl, {
      max: 1,
      applicationName: "earnest_indexer",
      statementSeconds: statementSeconds.migration,
      answerSeconds: seconds,
    });
  // Dropping a schema takes as long as it takes; a look that is not answered is an answer.
  const on = { db: open(), looks: open(lookPatience) };
  try {
    await requireMigrated(on.db);
    for (;;) {
      const code = await runPonder(config, on, { log, signal });
      if (code !== null) return code;
    }
  } finally {
    await Promise.all([on.db.$client.end(), on.looks.$client.end()]);
  }
}

/** @returns the exit code; null where Ponder was stopped to be started anew */
async function runPonder(
  config: Config,
  { db, looks }: { db: Database; looks: Database },
  { log, signal }: Keeping,
): Promise<number | null> {
  const deployment = deploymentSchema(config);
  const { schema, isNew, isWaiting } = await chooseSchema(db, deployment);
  if (isNew) log.warn({ schema }, "the index was not what the chain says: the chains are read anew");
  if (isWaiting) log.warn({ schema }, "the index is not what the chain says, and another indexer runs");
  const ponder = await startPonder(ponderCommand(config, schema));
  const over = new AbortController();
  void ponder.exited.then(() => over.abort());
  const why = await watch(AbortSignal.any([signal, over.signal]));
  if (why) log.error({ schema }, why);
  const code = over.signal.aborted ? await ponder.exited : await ponder.stop();
  return why ? null : (code ?? retryable);

  /** Returns why Ponder is to be stopped; null where it ended, or is told to end. */
  async function watch(until: AbortSignal): Promise<string | null> {
    const see = createIndexerSight(config, looks, schema);
    const isStill = createProgressWatch();
    const asksFrom = performance.now() + (isWaiting ? askAgain : 0);
    for (let times = 1; ; times += 1) {
      await sleep(lookEvery, undefined, { signal: until }).catch(() => {});
      if (until.aborted) return null;
      if (isStill(await see()) && !until.aborted) return "Ponder stands still, and is started anew";
      const isRequested = await isRebuildRequested(looks, schema).catch(() => false);
      if (isRequested && performance.now() > asksFrom) return "the index lacks events, and is made anew";
      // A later round retries a failure.
      if (times % dropEvery === 0) await dropUnusedSchemas(db, deployment, schema).catch(() => {});
    }
  }
}

async function requireMigrated(db: Database): Promise<void> {
  if (await isMigrated(db)) return;
  throw new ConfigError("The database schema does not match this program: run `npm run migrate` first.");
}
