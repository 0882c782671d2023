import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../../config/config.ts";
import { type Database, openDatabase, statementSeconds } from "../../db/client.ts";
import { isMigrated } from "../../db/migrate.ts";
import { deploymentSchema } from "./deployment-schema.ts";
import { ponderCommand, startPonder } from "./ponder.ts";
import { createProgressSampler } from "./progress.ts";
import { chooseSchema, dropUnusedSchemas, isRebuildRequested } from "./reindex.ts";
import { createStallDetector } from "./stall.ts";
import { takeTurn } from "./turn.ts";

type Options = { log: Logger; signal: AbortSignal };

/** Ponder's exit code for an error that a retry may solve. */
export const retryableExitCode = 75;
/** Milliseconds between two samples of the progress. */
const sampleEvery = 2000;
/** Seconds to wait for the database's answer to a sample. */
const sampleTimeout = 5;
/** The number of samples between two removals of unused schemas. */
const dropEvery = 5;
/** Milliseconds before a requested new index is tried again, if another indexer ran at the start. */
const retryRebuildAfter = 60_000;

/**
 * Runs Ponder until Ponder ends or the signal stops it. Waits first while another indexer of this deployment runs. Restarts
 * Ponder if it makes no progress, if a new index is requested, or after another indexer could have taken its place.
 *
 * @param signal stops Ponder in order
 * @returns the exit code
 */
export async function keepPonder(config: Config, { log, signal }: Options): Promise<number> {
  const open = (seconds?: number) =>
    openDatabase(config.databaseDirectUrl, {
      max: 1,
      applicationName: "earnest_indexer",
      statementSeconds: statementSeconds.migration,
      answerSeconds: seconds,
    });
  // Dropping a schema has no time limit. A sample has one: a missing answer is a result too.
  const connections = { db: open(), samples: open(sampleTimeout) };
  try {
    await requireMigrated(connections.db);
    for (;;) {
      const turn = await takeTurn(config.databaseDirectUrl, deploymentSchema(config), { log, signal });
      if (!turn) return 0;
      try {
        const code = await runPonder(config, connections, { log, signal, lost: turn.lost });
        if (code !== null) return code;
      } finally {
        await turn.end();
      }
    }
  } finally {
    await Promise.all([connections.db.$client.end(), connections.samples.$client.end()]);
  }
}

/** @returns the exit code; null if Ponder was stopped for a restart */
async function runPonder(
  config: Config,
  { db, samples }: { db: Database; samples: Database },
  { log, signal, lost }: Options & { lost: AbortSignal },
): Promise<number | null> {
  const deployment = deploymentSchema(config);
  const { schema, isNew, isWaiting } = await chooseSchema(db, deployment);
  if (isNew) log.warn({ schema }, "the index differs from the chain: the chains are indexed again");
  if (isWaiting)
    log.warn({ schema }, "the index differs from the chain, and waits for another indexer to end");
  const ponder = await startPonder(ponderCommand(config, schema));
  const ended = new AbortController();
  void ponder.exited.then(() => ended.abort());
  const reason = await watch(AbortSignal.any([signal, lost, ended.signal]));
  if (reason) log.error({ schema }, reason);
  const code = ended.signal.aborted ? await ponder.exited : await ponder.stop();
  return reason ? null : (code ?? retryableExitCode);

  /** Returns the reason for a restart of Ponder; null if Ponder ended or the signal stops it. */
  async function watch(until: AbortSignal): Promise<string | null> {
    const takeSample = createProgressSampler(config, samples, schema);
    const isStalled = createStallDetector();
    const rebuildsFrom = performance.now() + (isWaiting ? retryRebuildAfter : 0);
    for (let round = 1; ; round += 1) {
      await sleep(sampleEvery, undefined, { signal: until }).catch(() => {});
      if (until.aborted) return lostReason();
      if (isStalled(await takeSample()) && !until.aborted) return "Ponder makes no progress: it is restarted";
      const isRequested = await isRebuildRequested(samples, schema).catch(() => false);
      if (isRequested && performance.now() > rebuildsFrom)
        return "the index lacks events: the chains are indexed again";
      // A later round retries a failure.
      if (round % dropEvery === 0) await dropUnusedSchemas(db, deployment, schema).catch(() => {});
    }
  }

  function lostReason(): string | null {
    return lost.aborted && !signal.aborted && !ended.signal.aborted
      ? "the database connection that keeps other indexers away has ended: Ponder is restarted"
      : null;
  }
}

async function requireMigrated(db: Database): Promise<void> {
  if (await isMigrated(db)) return;
  throw new ConfigError("The database schema does not match this program: run `npm run migrate` first.");
}
