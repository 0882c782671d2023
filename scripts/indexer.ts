import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { viewsSchema } from "../db/chain.ts";
import { dropIndex } from "./reindex.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Ponder's own folder; its manifest is not among what it exports. */
const ponderFolder = fileURLToPath(new URL("../..", import.meta.resolve("ponder")));

/** What to spawn: `spawn(file, args, { env, cwd })`. */
export type IndexerCommand = {
  file: string;
  args: string[];
  env: Record<string, string | undefined>;
  cwd: string;
};

/**
 * The command that runs Ponder: the indexer with the API, or with `serve` the API alone.
 *
 * End it with SIGINT: on SIGTERM Ponder leaves its schema locked for 25 seconds.
 *
 * @param options.env the settings of `config`, which Ponder reads again; `process.env` when left out
 */
export function indexerCommand(options: {
  config: Config;
  serve?: boolean;
  env?: Record<string, string | undefined>;
}): IndexerCommand {
  const { config, serve = false, env = process.env } = options;
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so there is no chain to index: run \`npm run deploy\`, or \`npm start\` for everything on one machine.`,
    );
  }
  const command = serve
    ? ["serve", "--schema", viewsSchema]
    : ["start", "--schema", deploymentSchema(config), "--views-schema", viewsSchema];
  return {
    file: process.execPath,
    args: [
      join(ponderFolder, ponderManifest().bin.ponder),
      ...command,
      "--port",
      String(config.port),
      "--log-format",
      "json",
    ],
    env: {
      ...env,
      PORT: String(config.port),
      PONDER_TELEMETRY_DISABLED: "1",
      PONDER_LOG_LEVEL: env.PONDER_LOG_LEVEL ?? ponderLogLevel[config.logLevel],
      PONDER_CACHE_BYTES: env.PONDER_CACHE_BYTES ?? String(128 * 1024 * 1024),
    },
    cwd: root,
  };
}

/** One step quieter than ours: at `info` Ponder writes a line for each block. */
const ponderLogLevel = {
  silent: "silent",
  fatal: "fatal",
  error: "error",
  warn: "error",
  info: "warn",
  debug: "info",
  trace: "debug",
} satisfies Record<Config["logLevel"], string>;

/**
 * The database schema of this deployment of the indexer. Ponder refuses a schema that other code or other contracts
 * wrote, so its name is a hash of all that Ponder's own build id is made of, and of Ponder's version.
 */
export function deploymentSchema(config: Config): string {
  const hash = createHash("sha256");
  const add = (part: string) => hash.update(`${part.length}:${part}`);
  for (const { chain_id, escrow_contract, deployment_block, erc8004 } of config.chains) {
    add(`${chain_id} ${escrow_contract} ${deployment_block}`);
    if (erc8004) add(`${erc8004.identity_registry} ${erc8004.reputation_registry}`);
  }
  const handlers = readdirSync(join(root, "src"), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => `src/${entry.name}`)
    .sort();
  for (const file of [
    "ponder.config.ts",
    "ponder.schema.ts",
    "abis/escrow.ts",
    "abis/registries.ts",
    ...handlers,
  ]) {
    add(file);
    add(readFileSync(join(root, file), "utf8"));
  }
  add(ponderManifest().version);
  return `ponder_${hash.digest("hex").slice(0, 12)}`;
}

/**
 * Refuses a port that is taken. Ponder would quietly take the next free one, where nobody looks for it.
 *
 * @throws ConfigError naming the port
 */
export async function checkPortFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(
              `Port ${port} is taken by another program: end that one, or set PORT to a free one.`,
            )
          : new ConfigError(`Port ${port} cannot be used: ${error.message}`),
      ),
    );
    server.listen(port, () => server.close(() => resolve()));
  });
}

/** Passes our own ending on to Ponder as SIGINT, and its exit code on as ours. */
function tieTo(child: ChildProcess): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGINT"));
  child.on("error", (error) => {
    console.error(`Ponder could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

function ponderManifest(): { version: string; bin: { ponder: string } } {
  return JSON.parse(readFileSync(join(ponderFolder, "package.json"), "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const config = readConfig();
    const command = indexerCommand({ config, serve: process.argv.includes("--serve") });
    await checkPortFree(config.port);
    if (process.argv.includes("--reindex")) {
      const dropped = await dropIndex(config.databaseUrl);
      console.log(`Dropped ${dropped.join(", ")}; the chains are read anew.`);
    }
    tieTo(spawn(command.file, command.args, { env: command.env, cwd: command.cwd, stdio: "inherit" }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
