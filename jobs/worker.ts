import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { Logger as QueueLogger, type Runner, run } from "graphile-worker";
import pg from "pg";
import { type Logger, pino } from "pino";
import { z } from "zod";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { liveChannel } from "../db/chain.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { deliveryChannel } from "../db/events.ts";
import { isMigrated } from "../db/migrate.ts";
import { createSignerReader, readSigner, type Signer } from "../signer.ts";
import { createDeliverer, requireWebhookKey } from "./deliver.ts";
import { type DepositRound, sweepDeposits } from "./deposits.ts";
import { settleDue } from "./due.ts";
import { expireOrders } from "./expire.ts";
import { keepListening } from "./listen.ts";
import { createWaker, repeat, type Waker } from "./loop.ts";
import { followPayments } from "./payments.ts";
import { publishReceiptStatus } from "./receipt-status.ts";
import { recoverDeliveries } from "./recover.ts";
import { createRelayer, type Relayer } from "./relay.ts";
import { followReorganisations } from "./reorganisations.ts";
import { removeOld } from "./retention.ts";
import { settle } from "./settle.ts";
import { publishKeys } from "./signing-key.ts";

/** Milliseconds between two looks at the index when nothing wakes the settler. */
const settlePause = 1000;
/** Milliseconds between two looks at everything the index has, not its newest blocks only. */
const settleAllEvery = 60_000;
/** How far before the last round's newest block a round looks again. */
const settleOverlap = 128n;
const reorganisationPause = 2000;
const reorganisationDepth = 1000n;
const reorganisationAllEvery = 3_600_000;
/** Milliseconds between two looks at payments on their way. */
const paymentPause = 500;
/** Milliseconds between two looks at the deposit addresses of orders, by how likely money is to come there. */
const sweepEvery: Record<DepositRound, number> = { fresh: 2000, open: 60_000, ended: 600_000 };
/** Milliseconds between two looks for orders whose funding deadline is over. */
const expirePause = 5000;
/** Milliseconds between two looks for what time has opened to anyone. */
const duePause = 60_000;
/** Milliseconds between two looks at the key file, and at whether the list of revoked receipts is to be signed anew. */
const keyPause = 5000;
/** Milliseconds between two looks for recoveries that nobody works at. */
const recoverPause = 2000;
/** Milliseconds until a relay whose worker died is taken up by another. */
const relayPause = 5000;

/** Runs all jobs until the signal. Returns when everything is under way; `ended` settles when all of it has stopped. */
export async function startWorker(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so there is no chain to work for: run \`npm run deploy\` first.`,
    );
  }
  const signer = readSigner(config);
  const db = openDatabase(config.databaseUrl);
  try {
    await waitForDatabase(db, log, signal);
    if (!(await isMigrated(db))) {
      throw new ConfigError("The database is not up to date with this program: run `npm run migrate` first.");
    }
    await requireWebhookKey(db, config);
    await publishKeys(db, signer);
    await db.transaction((tx) => publishReceiptStatus(tx, signer));
  } catch (error) {
    await db.$client.end();
    throw error;
  }

  const relayer = config.relayerPrivateKey
    ? createRelayer(
        db,
        { chains: config.chains, relayerPrivateKey: config.relayerPrivateKey },
        { log, signal },
      )
    : null;
  if (!relayer) {
    log.warn("RELAYER_PRIVATE_KEY is not set: this worker relays nothing, and parties send their own calls.");
  }
  const waker = createWaker();
  const deliverer = createDeliverer(db, config, { log, signal });
  const recoveryWaker = createWaker();
  const wakeDelivery = () => {
    deliverer.wake();
    recoveryWaker.wake();
  };
  const parts = [
    keepListening(config, { [liveChannel]: waker.wake, [deliveryChannel]: wakeDelivery }, { log, signal }),
    deliverer.run(),
    repeat("recoveries", () => recoverDeliveries(db, signal), {
      pause: recoverPause,
      signal,
      log,
      waker: recoveryWaker,
    }),
    keepSettling(db, config, signer, log, signal, waker),
    keepFollowingReorganisations(db, config, signer, log, signal),
    keepKeysCurrent(db, config, signer, log, signal),
    keepIndexed("expiry", () => expireOrders(db, config, { log }), expirePause),
  ];
  if (relayer) {
    for (const chain of config.chains) {
      const name = `relay of chain ${chain.chain_id}`;
      parts.push(repeat(name, () => relayer.relay(chain.chain_id), { pause: relayPause, signal, log }));
    }
    parts.push(
      keepIndexed("payments", () => followPayments(db, config, { log }), paymentPause),
      keepSweepingDeposits(db, config, log, signal),
    );
    if (config.settleWhenDue) parts.push(keepIndexed("due", () => settleDue(db, config, { log }), duePause));
  }
  const queueStarted = Promise.withResolvers<void>();
  parts.push(keepQueueRunning(db, config, relayer, log, signal, queueStarted.resolve));
  await queueStarted.promise;
  log.info(
    { chains: config.chains.map((chain) => chain.chain_id), relayer: relayer?.address },
    "worker ready",
  );
  return {
    ended: Promise.allSettled(parts).then(() => db.$client.end()),
  };

  /** Runs rounds that work from the index. */
  function keepIndexed(name: string, round: () => Promise<unknown>, pause: number): Promise<void> {
    return repeat(name, skipWithoutIndex(round), { pause, signal, log });
  }
}

async function keepSettling(
  db: Database,
  config: Config,
  signer: Signer,
  log: Logger,
  signal: AbortSignal,
  waker: Waker,
) {
  const failures = new Map<string, { attempts: number; until: number }>();
  let from: Map<number, bigint> | undefined;
  let lookedAtAll = 0;
  let waiting = false;
  await repeat(
    "settle",
    async () => {
      const all = !from || Date.now() - lookedAtAll >= settleAllEvery;
      const startedAt = Date.now();
      try {
        const { confirmed } = await settle(db, config, signer, {
          log,
          failures,
          from: all ? undefined : from,
        });
        from = new Map([...confirmed].map(([chainId, block]) => [chainId, block - settleOverlap]));
        waiting = false;
      } catch (error) {
        from = undefined;
        if (!isWithoutIndex(error)) throw error;
        if (!waiting) log.info("The index is not there yet; the settler waits for `npm run indexer`.");
        waiting = true;
        return;
      }
      if (all) lookedAtAll = startedAt;
    },
    { pause: settlePause, signal, log, waker },
  );
}

async function keepFollowingReorganisations(
  db: Database,
  config: Config,
  signer: Signer,
  log: Logger,
  signal: AbortSignal,
) {
  const missing = new Map<string, number>();
  let lookedAtAll = 0;
  await repeat(
    "reorganisations",
    skipWithoutIndex(async () => {
      const all = Date.now() - lookedAtAll >= reorganisationAllEvery;
      const startedAt = Date.now();
      const depth = all ? undefined : reorganisationDepth;
      await followReorganisations(db, config, signer, { log, missing, depth });
      if (all && missing.size === 0) lookedAtAll = startedAt;
    }),
    { pause: reorganisationPause, signal, log },
  );
}

/**
 * Takes up changed keys, published before they sign anything: whoever holds `signer` signs with them from then on. A file
 * that cannot be used changes nothing; what was read before goes on.
 */
async function keepKeysCurrent(
  db: Database,
  config: Config,
  signer: Signer,
  log: Logger,
  signal: AbortSignal,
) {
  const read = createSignerReader(config);
  let refused = "";
  await repeat(
    "signing keys",
    async () => {
      try {
        const found = read();
        if (!found) throw new ConfigError(`The signing key at ${config.signingKeyFile} is gone.`);
        const head = found.log.at(-1);
        if (head?.proof.proofValue !== signer.log.at(-1)?.proof.proofValue) {
          await publishKeys(db, found);
          Object.assign(signer, found);
          log.info(
            { keys: found.keys.map(({ kid }) => kid), entry: head?.seq },
            "changed signing keys taken up",
          );
        }
        refused = "";
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (error.message !== refused) {
          log.error(
            { alert: "signing_keys_unusable", reason: error.message },
            "the signing keys changed and cannot be used; the worker goes on with those it has",
          );
        }
        refused = error.message;
      }
      await db.transaction((tx) => publishReceiptStatus(tx, signer));
    },
    { pause: keyPause, signal, log },
  );
}

/** Each round by itself, so that a long one does not hold up the others. */
async function keepSweepingDeposits(db: Database, config: Config, log: Logger, signal: AbortSignal) {
  const rounds = (["fresh", "open", "ended"] as const).map((round) => {
    let lookedAt = 0;
    const sweep = skipWithoutIndex(async () => {
      if (Date.now() - lookedAt < sweepEvery[round]) return;
      await sweepDeposits(db, config, round, { log });
      lookedAt = Date.now();
    });
    return repeat(`${round} deposits`, sweep, { pause: sweepEvery.fresh, signal, log });
  });
  await Promise.all(rounds);
}

/** A round that has nothing to do before the indexer was started on this database. */
function skipWithoutIndex(round: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    try {
      await round();
    } catch (error) {
      if (!isWithoutIndex(error)) throw error;
    }
  };
}

/** Runs the job queue, and starts it again should it end by itself. */
async function keepQueueRunning(
  db: Database,
  config: Config,
  relayer: Relayer | null,
  log: Logger,
  signal: AbortSignal,
  started: () => void,
) {
  const relayPayload = z.object({ chain_id: z.int() });
  await repeat(
    "job queue",
    async () => {
      const runner = await run({
        connectionString: config.databaseUrl,
        concurrency: 4,
        noHandleSignals: true,
        logger: queueLogger(log),
        taskList: {
          remove_old: async () => {
            log.info(await removeOld(db, signal), "old webhook deliveries and events removed");
          },
          ...(relayer
            ? {
                relay: async (payload) => relayer.relay(relayPayload.parse(payload).chain_id),
                relayer_heartbeat: () => relayer.beat(),
              }
            : {}),
        },
        crontab: [
          "23 * * * * remove_old ?max=1",
          ...(relayer ? ["* * * * * relayer_heartbeat ?max=1"] : []),
        ].join("\n"),
      });
      // The first heartbeat is not to wait for the minute.
      if (relayer)
        await runner.addJob("relayer_heartbeat", {}, { jobKey: "relayer_heartbeat", maxAttempts: 1 });
      started();
      await untilEnded(runner, signal);
      if (!signal.aborted) throw new Error("The job queue ended by itself.");
    },
    { pause: 0, signal, log },
  );
}

async function untilEnded(runner: Runner, signal: AbortSignal): Promise<void> {
  const stop = () => void runner.stop().catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await runner.promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function waitForDatabase(db: Database, log: Logger, signal: AbortSignal): Promise<void> {
  const reached = new AbortController();
  await repeat(
    "database",
    async () => {
      await db.execute(sql`select 1`);
      reached.abort();
    },
    { pause: 0, signal: AbortSignal.any([signal, reached.signal]), log },
  );
}

/** The indexer's schema or its views are not there: it was never started on this database. */
function isWithoutIndex(error: unknown): boolean {
  const cause = error instanceof pg.DatabaseError ? error : (error as Error | undefined)?.cause;
  return cause instanceof pg.DatabaseError && ["42P01", "3F000"].includes(cause.code ?? "");
}

/** The queue's own log is for its developers; its troubles are ours. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message, meta) => {
    const fields = { ...meta, part: "job queue" };
    if (level === "error") log.error(fields, message);
    else if (level === "warning") log.warn(fields, message);
    else log.debug(fields, message);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());
  try {
    const config = readConfig();
    const log = pino({ level: config.logLevel, base: { process: "worker" } });
    process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
    const { ended } = await startWorker(config, log, stop.signal);
    // Whoever started us with a channel learns that we are ready, whatever the log's level.
    process.send?.("ready");
    await ended;
    log.info("worker stopped");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
