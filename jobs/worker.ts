import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { liveChannel } from "../db/chain.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { deliveryChannel } from "../db/events.ts";
import { isMigrated } from "../db/migrate.ts";
import { createLog } from "../log.ts";
import { readSigner } from "../signer.ts";
import { announceRequests } from "./announce.ts";
import { createDeliverer, requireWebhookKey } from "./deliver.ts";
import { keepSweepingDeposits } from "./deposits.ts";
import { settleDue } from "./due.ts";
import { expireOrders } from "./expire.ts";
import { followFeedback, newFeedbackProgress } from "./feedback.ts";
import { recheckIdentities } from "./identities.ts";
import { watchIndex } from "./index-watch.ts";
import { keepListening } from "./listen.ts";
import { createWaker, repeat, skipWithoutIndex } from "./loop.ts";
import { followPayments } from "./payments.ts";
import { createProber } from "./probe.ts";
import { keepQueueRunning } from "./queue.ts";
import { publishReceiptStatus } from "./receipt-status.ts";
import { reconcile } from "./reconcile.ts";
import { recoverDeliveries } from "./recover.ts";
import { createRelayer } from "./relay.ts";
import { keepFollowingReorganisations } from "./reorganisations.ts";
import { keepSettling } from "./settle.ts";
import { keepKeysCurrent, publishKeys } from "./signing-key.ts";
import { renewSubscriptions } from "./subscriptions.ts";

/** Milliseconds between two looks at payments on their way. */
const paymentPause = 500;
/** Milliseconds between two looks for on-chain identities that are to be looked at again. */
const identityPause = 3000;
/** Milliseconds between two looks for feedback that was given on the chain. */
const feedbackPause = 1000;
/** Milliseconds between two looks for orders whose funding deadline is over. */
const expirePause = 5000;
/** Milliseconds between two looks for what time has opened to anyone. */
const duePause = 60_000;
/** Milliseconds between two looks at whether the index follows the chain. */
const watchPause = 5000;
/** Milliseconds between two comparisons of a page of orders. */
const reconcilePause = 30_000;
/** Milliseconds between two looks for recoveries that nobody works at. */
const recoverPause = 2000;
/** Milliseconds between two looks for subscriptions whose period has begun. */
const renewPause = 5000;
/** Milliseconds between two looks for open requests that nobody was told of. */
const announcePause = 2000;
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
  const watching = { log, said: new Map<string, number>() };
  const reconciling = { log, said: new Map<string, number>() };
  const feedbackProgress = newFeedbackProgress();
  const parts = [
    keepListening(config, { [liveChannel]: waker.wake, [deliveryChannel]: wakeDelivery }, { log, signal }),
    deliverer.run(),
    createProber(db, config, { log, signal }).run(),
    repeat("recoveries", () => recoverDeliveries(db, signal), {
      pause: recoverPause,
      signal,
      log,
      waker: recoveryWaker,
    }),
    repeat("open requests", () => announceRequests(db, { log, signal }), {
      pause: announcePause,
      signal,
      log,
    }),
    repeat("subscriptions", () => renewSubscriptions(db, config, { log, signal }), {
      pause: renewPause,
      signal,
      log,
    }),
    keepSettling(db, config, signer, log, signal, waker),
    keepFollowingReorganisations(db, config, signer, log, signal),
    keepKeysCurrent(db, config, signer, log, signal),
    keepIndexed("identities", () => recheckIdentities(db, config, { log }), identityPause),
    keepIndexed("feedback", () => followFeedback(db, config, feedbackProgress, { log }), feedbackPause),
    keepIndexed("expiry", () => expireOrders(db, config, { log }), expirePause),
    keepIndexed("index watch", () => watchIndex(db, config, watching), watchPause),
    keepIndexed("reconciliation", () => reconcile(db, config, reconciling), reconcilePause),
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());
  try {
    const config = readConfig();
    const log = createLog(config, "worker");
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
