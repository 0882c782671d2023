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
import { manifestFile } from "../deploy/deployment.ts";
import {
  deployLocally,
  fitChainToIndex,
  localRelayerKey,
  readLocalDeployment,
  startLocalChain,
} from "./local-chain.ts";
import { firstChain, type LocalChain, secondChain, secondChainSettings } from "./local-chains.ts";
import { initialisePostgres, runStatement, startPostgres } from "./postgres.ts";
import { isPortTaken, portRetryMs } from "./process.ts";
import { startIndexer, startWorker } from "./services.ts";
import {
  emptyStateFolder,
  inspectState,
  markComplete,
  type StateFolder,
  stateAdvice,
} from "./state-folder.ts";

type StackConfig = ReturnType<typeof readStackConfig>;

/** Reports a ready component: its name, the milliseconds that it took, and its address. */
export type Report = (component: string, milliseconds: number, what: string) => void;

/** A chain that runs, with its contracts. */
export type RunningChain = { manifest: DeploymentManifest; rpcUrl: string };

export type Stack = {
  /** the first chain, and the second chain if there is one */
  chains: [RunningChain, ...RunningChain[]];
  /** whether its chains have no escrow */
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
  /** whether there is a second chain; a state that has one keeps it */
  hasSecondChain: boolean;
  report: Report;
}): Promise<Stack> {
  const { config, state, report } = options;
  const found = inspectState(state);
  const secondManifest = manifestFile(state.deployments, secondChain.chainId);
  const hasSecond = options.hasSecondChain || (found === "kept" && existsSync(secondManifest));
  await checkPorts(config, hasSecond);
  if (found === "unfinished") clearUnfinished(state);
  // A run that was cut off before the chain was saved has a manifest without its chain.
  const isSecondKept = existsSync(secondManifest) && existsSync(state.secondChain);
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
  const settings = { port: config.anvilPort, logFile: logOf("anvil") };
  const startingChains = [startChain(firstChain, settings)];
  if (hasSecond) {
    const settings = { port: config.secondAnvilPort, logFile: logOf("second-anvil") };
    startingChains.push(startChain(secondChain, settings));
  }
  const elsewhere = state.postgres.startsWith(state.directory)
    ? ""
    : " (root's PostgreSQL runs as the user postgres, who cannot reach the state folder)";
  const [database, chains] = await allOf([
    databaseStarted.then((made) => {
      report(
        "PostgreSQL",
        made.milliseconds,
        `127.0.0.1:${config.postgresPort}, migrated, in ${state.postgres}${elsewhere}`,
      );
      return made;
    }),
    allOf(startingChains) as Promise<Stack["chains"]>,
  ]);

  const db = openDatabase(database.value, { max: 1 });
  try {
    await makeWebhookKey(state, db, report);
    await makeLogKey(state, db, report);
    await fitChainToIndex(state, firstChain, chains[0].rpcUrl, db);
    if (chains[1]) await fitChainToIndex(state, secondChain, chains[1].rpcUrl, db);
    const env = config.childEnvironment(
      {
        DATABASE_URL: database.value,
        DATABASE_DIRECT_URL: "",
        DATABASE_READ_URL: "",
        DATABASE_PREPARED: "true",
        DEPLOYMENTS_DIR: state.deployments,
        DEFAULT_CHAIN_ID: String(firstChain.chainId),
        ...Object.fromEntries(
          chains.map(({ manifest, rpcUrl }) => [`RPC_URL_${manifest.chain_id}`, rpcUrl] as const),
        ),
        RELAYER_PRIVATE_KEY: localRelayerKey,
        SIGNING_KEY_FILE: state.signingKey,
        SIGNING_KEYS: "",
        WEBHOOK_KEY_FILE: state.webhookKey,
        LOG_KEY_FILE: state.logKey,
        LOG_KEY: "",
        LOG_MEMORY_FILE: state.logMemory,
        FILES_DIR: state.files,
        PORT: String(config.apiPort),
        METRICS_HOST: config.metrics.host,
        METRICS_PORT: String(config.metrics.port),
        PUBLIC_URL: config.publicUrl,
        NODE_NO_WARNINGS: "1",
        // glibc never returns the memory of its arenas: fewer arenas take less.
        MALLOC_ARENA_MAX: "2",
      },
      secondChainSettings,
    );
    await allOf([
      timed(() => startIndexer(env, logOf("indexer"))).then(({ milliseconds }) =>
        report(
          "indexer",
          milliseconds,
          `follows the ${hasSecond ? "chains" : "chain"} and serves ${config.publicUrl}${apiPath}`,
        ),
      ),
      timed(() => startWorker(env, logOf("worker"))).then(({ milliseconds }) =>
        report("worker", milliseconds, "settles, relays, signs receipts and delivers webhooks"),
      ),
    ]);
    markComplete(state);
    const { rows } = await db.$client.query("select exists (select from idx.escrow) as used");
    return { chains, isEmpty: rows[0]?.used === false };
  } finally {
    await db.$client.end();
  }

  /** Starts a chain with its contracts. */
  async function startChain(
    chain: LocalChain,
    settings: { port: number; logFile: string },
  ): Promise<RunningChain> {
    const name = chain === firstChain ? "chain" : "second chain";
    const { blockTime, chainId } = chain;
    const started = await timed(() =>
      startLocalChain(state, chain, settings).catch(blameState(`anvil cannot use ${state[chain.place]}.`)),
    );
    const { rpcUrl } = started.value;
    const pace = blockTime === 1 ? "a block a second" : `a block in ${blockTime} seconds`;
    report(name, started.milliseconds, `${rpcUrl} (anvil, chain ${chainId}, ${pace})`);
    const isKept = found === "kept" && (chain === firstChain || isSecondKept);
    const contracts = await timed(() =>
      isKept ? readLocalDeployment(state, chain, rpcUrl) : deployLocally(state, chain, rpcUrl),
    );
    const manifest = contracts.value;
    const tokens = [manifest.token, ...(manifest.other_tokens ?? [])];
    report(
      "contracts",
      contracts.milliseconds,
      `${chain === firstChain ? "" : "second chain, "}${isKept ? "found" : "deployed"}: escrow ${manifest.escrow_contract}, ${tokens.map(({ symbol, address }) => `${symbol} ${address}`).join(", ")}`,
    );
    return { manifest, rpcUrl };
  }
}

async function checkPorts(config: StackConfig, hasSecondChain: boolean): Promise<void> {
  const ports: (readonly [number, string, string])[] = [
    [config.postgresPort, "PostgreSQL", "POSTGRES_PORT"],
    [config.anvilPort, "the chain", "ANVIL_PORT"],
    [config.apiPort, "the API", "PORT"],
    [config.metrics.port, "the metrics", "METRICS_PORT"],
  ];
  if (hasSecondChain) ports.push([config.secondAnvilPort, "the second chain", "SECOND_ANVIL_PORT"]);
  for (const [port, whose, variable] of ports) {
    if (!(await isPortTaken(port, portRetryMs))) continue;
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
      `${file}, the key of the webhooks' secrets, is missing: restore it from your copy. ${stateAdvice}`,
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
    throw new ConfigError(
      `${file}, the key of the log, is missing: restore it from your copy. ${stateAdvice}`,
    );
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
    throw new ConfigError(`${sentence} ${stateAdvice}\n${error.message}`);
  };
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const begin = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - begin };
}
