import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { createLogKeyFile } from "../../config/keys/log-key.ts";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile, findWebhookKey } from "../../config/keys/webhook-key.ts";
import type { readStackConfig } from "../../config/programs.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { ForeignSchemaError, migrateDatabase } from "../../db/migrate.ts";
import { logHead } from "../../db/schema.ts";
import { hasEndpoints } from "../../db/webhook-endpoints.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { buildWebApart } from "../build/web.ts";
import {
  deployLocally,
  fitChainToIndex,
  localChainId,
  localRelayerKey,
  readLocalDeployment,
  startLocalChain,
} from "./local-chain.ts";
import { initialisePostgres, runStatement, startPostgres } from "./postgres.ts";
import { isPortTaken, portPatience } from "./process.ts";
import { startIndexer, startWorker } from "./services.ts";
import { emptyStateFolder, inspectState, markComplete, type StateFolder, wayOut } from "./state-folder.ts";

type StackConfig = ReturnType<typeof readStackConfig>;

/** Reports a ready component: its name, the milliseconds that it took, and its address. */
export type Report = (component: string, milliseconds: number, what: string) => void;

export type Stack = {
  manifest: DeploymentManifest;
  rpcUrl: string;
  /** whether its chain has no escrow */
  isEmpty: boolean;
};

/**
 * Starts all parts on this machine, under the lock of the state folder. The supervisor stops the children even if this
 * process dies.
 *
 * @throws ConfigError if a port is in use or the state folder cannot be used
 */
export async function startLocalStack(options: {
  config: StackConfig;
  state: StateFolder;
  report: Report;
}): Promise<Stack> {
  const { config, state, report } = options;
  await checkPorts(config);
  const found = inspectState(state);
  if (found === "unfinished") clearUnfinished(state);
  mkdirSync(state.logs, { recursive: true });
  const logOf = (name: string) => {
    const file = join(state.logs, `${name}.log`);
    rmSync(file, { force: true });
    return file;
  };

  if (found !== "kept") makeKey(state, report);
  const web = await timed(buildWebApart);
  if (web.value.length > 0) report("web files", web.milliseconds, `built: ${web.value.join(", ")}`);
  const databaseStarted = timed(async () => {
    initialisePostgres(state.postgres);
    const server = await startPostgres({
      directory: state.postgres,
      port: config.postgresPort,
      logFile: logOf("postgres"),
    }).catch(blameState(`PostgreSQL cannot use ${state.postgres}.`));
    const url = server.url("earnest");
    await createDatabase(server.url("postgres"), "earnest");
    await migrateDatabase(url).catch((error: Error) => {
      throw error instanceof ForeignSchemaError ? new ConfigError(error.message) : error;
    });
    return url;
  });
  const chainStarted = timed(async () => {
    const settings = { port: config.anvilPort, logFile: logOf("anvil") };
    return startLocalChain(state, settings).catch(blameState(`anvil cannot use ${state.chain}.`));
  });
  const elsewhere = state.postgres.startsWith(state.directory)
    ? ""
    : " (root's PostgreSQL runs as the user postgres, who cannot reach the state folder)";
  const [database, chain] = await allOf([
    databaseStarted.then((made) => {
      report(
        "PostgreSQL",
        made.milliseconds,
        `127.0.0.1:${config.postgresPort}, migrated, in ${state.postgres}${elsewhere}`,
      );
      return made;
    }),
    chainStarted.then((made) => {
      report(
        "chain",
        made.milliseconds,
        `${made.value.rpcUrl} (anvil, chain ${localChainId}, a block a second)`,
      );
      return made;
    }),
  ]);
  const { rpcUrl } = chain.value;

  const contracts = await timed(() =>
    found === "kept" ? readLocalDeployment(state, rpcUrl) : deployLocally(state, rpcUrl),
  );
  const manifest = contracts.value;
  report(
    "contracts",
    contracts.milliseconds,
    `${found === "kept" ? "found" : "deployed"}: escrow ${manifest.escrow_contract}, ${manifest.token.symbol} ${manifest.token.address}`,
  );

  const db = openDatabase(database.value, { max: 1 });
  try {
    await makeWebhookKey(state, db, report);
    await makeLogKey(state, db, report);
    await fitChainToIndex(state, rpcUrl, db);
    const env = config.childEnvironment({
      DATABASE_URL: database.value,
      DATABASE_DIRECT_URL: "",
      DATABASE_READ_URL: "",
      DATABASE_PREPARED: "true",
      DEPLOYMENTS_DIR: state.deployments,
      DEFAULT_CHAIN_ID: String(localChainId),
      [`RPC_URL_${localChainId}`]: rpcUrl,
      RELAYER_PRIVATE_KEY: localRelayerKey,
      SIGNING_KEY_FILE: state.signingKey,
      SIGNING_KEYS: "",
      WEBHOOK_KEY_FILE: state.webhookKey,
      LOG_KEY_FILE: state.logKey,
      LOG_KEY: "",
      LOG_MEMORY_FILE: state.logMemory,
      PORT: String(config.apiPort),
      METRICS_HOST: config.metrics.host,
      METRICS_PORT: String(config.metrics.port),
      PUBLIC_URL: config.publicUrl,
      NODE_NO_WARNINGS: "1",
      // glibc never returns the memory of its arenas: fewer arenas take less.
      MALLOC_ARENA_MAX: "2",
    });
    await allOf([
      timed(() => startIndexer(env, logOf("indexer"))).then(({ milliseconds }) =>
        report("indexer", milliseconds, `follows the chain and serves ${config.publicUrl}${apiPath}`),
      ),
      timed(() => startWorker(env, logOf("worker"))).then(({ milliseconds }) =>
        report("worker", milliseconds, "settles, relays, signs receipts and delivers webhooks"),
      ),
    ]);
    markComplete(state);
    const { rows } = await db.$client.query("select exists (select from idx.escrow) as used");
    return { manifest, rpcUrl, isEmpty: rows[0]?.used === false };
  } finally {
    await db.$client.end();
  }
}

async function checkPorts(config: StackConfig): Promise<void> {
  const ports = [
    [config.postgresPort, "PostgreSQL", "POSTGRES_PORT"],
    [config.anvilPort, "the chain", "ANVIL_PORT"],
    [config.apiPort, "the API", "PORT"],
    [config.metrics.port, "the metrics", "METRICS_PORT"],
  ] as const;
  for (const [port, whose, variable] of ports) {
    if (!(await isPortTaken(port, portPatience))) continue;
    throw new ConfigError(
      `Port ${port}, for ${whose}, is taken by another program: stop that program, or set ${variable} to a free port.`,
    );
  }
}

/** Removes the rest of an interrupted first start, on which nothing depends. A key that the user put there stays. */
function clearUnfinished(state: StateFolder): void {
  emptyStateFolder({ ...state, keys: join(state.directory, "nothing") });
}

function makeKey(state: StateFolder, report: Report): void {
  try {
    createKeyFile(state.signingKey);
    report("signing key", 0, `made: ${state.signingKey} (receipts are signed with it; keep a copy)`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    report("signing key", 0, `found: ${state.signingKey}`);
  }
}

/** Makes the key of the webhooks' secrets, unless endpoints already depend on a missing one. */
async function makeWebhookKey(
  { webhookKey: file }: StateFolder,
  db: Database,
  report: Report,
): Promise<void> {
  if (findWebhookKey({ webhookKeyFile: file })) return;
  if (await hasEndpoints(db)) {
    throw new ConfigError(
      `${file}, the key of the webhooks' secrets, is missing: restore it from your copy. ${wayOut}`,
    );
  }
  createWebhookKeyFile(file);
  report("webhook key", 0, `made: ${file} (webhooks are signed with what it gives; keep a copy)`);
}

/** Makes the key of the log, unless the log has already begun: another key would sign another log. */
async function makeLogKey({ logKey: file }: StateFolder, db: Database, report: Report): Promise<void> {
  if (existsSync(file)) return;
  const [begun] = await db.select({ vkey: logHead.vkey }).from(logHead);
  if (begun) {
    throw new ConfigError(`${file}, the key of the log, is missing: restore it from your copy. ${wayOut}`);
  }
  createLogKeyFile(file);
  report("log key", 0, `made: ${file} (the log of receipts is signed with it; keep a copy)`);
}

async function createDatabase(maintenanceUrl: string, name: string): Promise<void> {
  const found = await runStatement(maintenanceUrl, "select 1 from pg_database where datname = $1", [name]);
  if (found.length === 0) await runStatement(maintenanceUrl, `create database ${name}`);
}

/** Waits for all promises even if one fails, so that none is pending when the caller cleans up. */
async function allOf<T extends readonly unknown[]>(
  promises: {
    [K in keyof T]: Promise<T[K]>;
  },
): Promise<T> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

function blameState(sentence: string) {
  return (error: Error): never => {
    throw new ConfigError(`${sentence} ${wayOut}\n${error.message}`);
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const begin = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - begin };
}
