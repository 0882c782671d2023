import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { type ReceiptSigner, readReceiptSigner } from "../config/keys/signing-key.ts";
import { createLog } from "../config/log.ts";
import { startTracing, stopTracing } from "../config/tracing.ts";
import { deliveryChannel } from "../db/account-events.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { sql } from "../db/drizzle.ts";
import { executionChannel } from "../db/execution-queue.ts";
import { logChannel } from "../db/log-queue.ts";
import { isMigrated } from "../db/migrate.ts";
import { inTransaction } from "../db/transaction.ts";
import { type Checker, createChecker } from "../untrusted/schemas/checker.ts";
import { createEventRounds } from "./chain/record-events.ts";
import { findWalletAges } from "./chain/wallet-age.ts";
import { clientOf } from "./chain-client.ts";
import { listChainJobs } from "./chain-jobs.ts";
import { createDomainChecker } from "./domains/domain-checker.ts";
import { createExecutor } from "./executions/execute.ts";
import { hasDueExecution } from "./executions/execution-leases.ts";
import { createFileRemovalRounds } from "./file-removal.ts";
import { type Job, runJobs } from "./job.ts";
import { createPause, repeatRounds } from "./loop.ts";
import { createMailer } from "./mail/send.ts";
import { hasDueFigures, updateFigures } from "./market/market-figures.ts";
import { createDataExporter } from "./privacy/data-exports.ts";
import { createEraser } from "./privacy/erasures.ts";
import { createProber } from "./probes/probe.ts";
import { assignTargets } from "./probes/probe-targets.ts";
import { createKeyPublication, publishKeys } from "./receipts/key-publication.ts";
import { createStatementRounds, hasUnsignedRecord } from "./receipts/record-statements.ts";
import { publishReceiptStatus } from "./receipts/status-list.ts";
import { createRelayer, type Relayer } from "./relay/relayer.ts";
import { computeRecords, hasDueRecord, markOutdatedRecords } from "./reputation/agent-records.ts";
import { announceRequests, hasUnannounced } from "./requests/announce.ts";
import { removeOldRows } from "./retention.ts";
import { renewSubscriptions } from "./subscriptions/renew.ts";
import { runTasks, type Tasks } from "./tasks.ts";
import { createAnchoring } from "./tlog/anchor.ts";
import { createLogJobs } from "./tlog/log-jobs.ts";
import { type LogSettings, readLogSettings } from "./tlog/log-settings.ts";
import { createDeliverer, requireWebhookKey } from "./webhooks/deliver.ts";
import { hasDueDelivery, usualPace } from "./webhooks/delivery-rate.ts";
import { hasRecovery, recoverDeliveries } from "./webhooks/recover.ts";

/**
 * Starts all jobs, which run until the signal. Returns when they run; `ended` settles when all of them have stopped.
 */
export async function startWorker(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so the worker has no chain: run \`npm run deploy\` first.`,
    );
  }
  const signer = readReceiptSigner(config);
  const db = openDatabase(config.databaseUrl, { keepsStatements: config.keepsStatements });
  let logSettings: LogSettings | null;
  try {
    await waitForDatabase(db, log, signal);
    if (!(await isMigrated(db))) {
      throw new ConfigError("The database schema does not match this program: run `npm run migrate` first.");
    }
    await requireWebhookKey(db, config);
    logSettings = await readLogSettings(db, config);
    await publishKeys(db, signer);
    await inTransaction(db, (tx) => publishReceiptStatus(tx, signer));
    await markOutdatedRecords(db);
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
    log.warn("RELAYER_PRIVATE_KEY is not set: this worker relays no calls, and parties send their own.");
  }
  if (!logSettings) {
    log.warn(
      { file: config.logKeyFile },
      "There is no log key: this worker adds nothing to the log of receipts. Create one with `npm run keys -- create-log`.",
    );
  }
  const checker = createChecker(log);
  const jobs = listJobs({ db, config, signer, logSettings, relayer, checker, log, signal });
  const running = { db, databaseUrl: config.databaseDirectUrl, log, signal };
  const ended = Promise.all([
    runJobs(
      jobs.filter(({ needsRelayer }) => relayer || !needsRelayer),
      running,
    ),
    runTasks(listTasks({ db, config, signer, checker, log }), running),
  ]);
  log.info(
    { chains: config.chains.map((chain) => chain.chain_id), relayer: relayer?.address },
    "worker ready",
  );
  return {
    ended: ended.then(async () => {
      await checker.close();
      await db.$client.end();
    }),
  };
}

type Parts = {
  db: Database;
  config: Config;
  signer: ReceiptSigner;
  logSettings: LogSettings | null;
  relayer: Relayer | null;
  checker: Checker;
  log: Logger;
  signal: AbortSignal;
};

/** Lists all jobs of a worker. Periods are in milliseconds. */
export function listJobs({ db, config, signer, logSettings, relayer, checker, log, signal }: Parts): Job[] {
  const options = { log, signal };
  const deliverer = createDeliverer(db, config, {
    ...options,
    pace: { ...usualPace, ...config.webhookPace },
  });
  const chains = new Map(config.chains.map((chain) => [chain.chain_id, { chain, client: clientOf(chain) }]));
  const context = { config, db, log, checker, chain: (id: number) => chains.get(id) };
  const executor = createExecutor(context, signer, { log });
  const settling = createEventRounds(db, config, signer, log);
  const statusPause = createPause();
  const statementPause = createPause();
  const republish = () => {
    statusPause.cutShort();
    statementPause.cutShort();
  };
  const followKeys = createKeyPublication(db, config, signer, { log, changed: republish });
  const signStatements = createStatementRounds(db, config, signer, options);
  const { anchorEvery, defaultChain } = config;
  const anchoring = defaultChain ? { chain: defaultChain, publisher: relayer?.address ?? null } : null;
  const logging = logSettings && createLogJobs(db, config, logSettings, { ...options, anchored: anchoring });
  // An anchor is checked more often than it is due, because the reason for a delay may be gone.
  const anchor =
    relayer && defaultChain?.anchors && anchorEvery > 0
      ? createAnchoring(db, defaultChain, relayer.address, { every: anchorEvery, log })
      : null;
  const publishStatus = () => inTransaction(db, (tx) => publishReceiptStatus(tx, signer));
  const retain = async () =>
    log.info(await removeOldRows(db, { signal }), "old deliveries, events, answers and counts removed");
  const needsIndex = { needsIndex: true };
  const needsBoth = { ...needsIndex, needsRelayer: true };
  const oneWorker = { runBy: "one worker" } as const;

  // biome-ignore format: a table
  return [
    { name: "settling", every: 1000, ...needsIndex, ...settling },
    { name: "announcements", every: 2000, due: hasUnannounced, run: () => announceRequests(db, options) },
    { name: "deliveries", every: 1000, due: hasDueDelivery, wokenBy: deliveryChannel, ...deliverer },
    { name: "executions", every: 1000, due: hasDueExecution, wokenBy: executionChannel, ...executor },
    { name: "recoveries", every: 2000, due: hasRecovery, wokenBy: deliveryChannel, run: () => recoverDeliveries(db, signal) },
    { name: "market", every: 1000, due: hasDueFigures, run: () => updateFigures(db, options) },
    { name: "wallet ages", every: 30_000, ...oneWorker, run: () => findWalletAges(db, config, options) },
    { name: "records", every: 2000, due: hasDueRecord("short"), run: () => computeRecords(db, { ...options, length: "short" }) },
    { name: "long records", every: 2000, due: hasDueRecord("long"), run: () => computeRecords(db, { ...options, length: "long" }) },
    { name: "signing keys", every: 5000, run: followKeys },
    { name: "receipt status", every: 60_000, pause: statusPause, run: publishStatus },
    { name: "record statements", every: 1000, due: hasUnsignedRecord, pause: statementPause, run: signStatements },
    ...(logging ? [{ name: "log", every: 1000, wokenBy: logChannel, wakeDelay: 25, ...logging.sequencer }] : []),
    ...(logging?.cosigning ? [{ name: "log witnesses", every: 1000, ...logging.cosigning }] : []),
    ...(anchor ? [{ name: "anchors", every: Math.min(60, anchorEvery) * 1000, ...needsBoth, run: anchor }] : []),
    { name: "retention", every: 3_600_000, ...oneWorker, run: retain },
    { name: "files", every: 60_000, ...oneWorker, run: createFileRemovalRounds(db, config, options) },
    ...config.chains.flatMap((chain) => listChainJobs(chain, { db, config, signer, relayer, log, signal })),
  ];
}

type TaskParts = Pick<Parts, "db" | "config" | "signer" | "checker" | "log">;

/** Lists the queued tasks that all workers share. */
function listTasks({ db, config, signer, checker, log }: TaskParts): Tasks {
  const { mail } = config;
  const everyMinute = "* * * * *";
  const checkDomains = createDomainChecker(db, config, { log });
  const probe = createProber(db, config, signer, { log });
  const exportData = createDataExporter({ db, config, log });
  const erase = createEraser({ db, log });
  const sendMail = mail && createMailer(db, { ...config, mail }, { log });
  return {
    renewals: {
      schedule: everyMinute,
      run: ({ signal }) => renewSubscriptions(db, config, { checker, log, signal }),
    },
    domains: { schedule: everyMinute, run: ({ signal }) => checkDomains(signal) },
    probes: { schedule: everyMinute, run: ({ signal }) => probe(signal) },
    probe_targets: {
      schedule: "0 * * * *",
      run: async ({ payload }) => {
        const { account_id: accountId = null } = payload as { account_id?: string };
        await assignTargets(db, accountId);
        return null;
      },
    },
    exports: { schedule: "*/15 * * * *", run: ({ signal }) => exportData(signal) },
    erasures: { schedule: "*/5 * * * *", run: ({ signal }) => erase(signal) },
    ...(sendMail ? { mail: { schedule: everyMinute, run: ({ signal }) => sendMail(signal) } } : {}),
  };
}

async function waitForDatabase(db: Database, log: Logger, signal: AbortSignal): Promise<void> {
  const reached = new AbortController();
  await repeatRounds(
    "database",
    async () => {
      await db.execute(sql`select 1`);
      reached.abort();
      return 0;
    },
    { signal: AbortSignal.any([signal, reached.signal]), log },
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => stop.abort());
  try {
    const config = readConfig();
    await startTracing(config, "worker");
    const log = createLog(config, "worker");
    process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
    const { ended } = await startWorker(config, log, stop.signal);
    // A parent process with an IPC channel learns here that the worker is ready, at any log level.
    process.send?.("ready");
    await ended;
    await stopTracing();
    log.info("worker stopped");
    // Without this, about 1 in 84 workers that were stopped while they started did not exit. The cause is unknown.
    process.exit();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
