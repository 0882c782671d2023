import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import perfHooks from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { type Config, ConfigError } from "../config.ts";
import { viewsSchema } from "../db/chain.ts";
import { loadByNode } from "./loader.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Ponder's own folder; its manifest is not among what it exports. */
const ponderFolder = fileURLToPath(new URL("../..", import.meta.resolve("ponder")));

/** What Ponder is told: the options of its command `start`, and its own variables. */
export type PonderCommand = { options: Record<string, string>; env: Record<string, string> };

export function ponderCommand(
  config: Config,
  { env = process.env }: { env?: Record<string, string | undefined> } = {},
): PonderCommand {
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so there is no chain to index: run \`npm run deploy\`, or \`npm start\` for everything on one machine.`,
    );
  }
  return {
    options: { schema: deploymentSchema(config), viewsSchema },
    env: {
      PONDER_TELEMETRY_DISABLED: "1",
      PONDER_LOG_LEVEL: env.PONDER_LOG_LEVEL ?? ponderLogLevel[config.logLevel],
      PONDER_CACHE_BYTES: env.PONDER_CACHE_BYTES ?? String(128 * 1024 * 1024),
    },
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
  for (const { chain_id, escrow_contract, deployment_block, erc8004, anchors } of config.chains) {
    add(`${chain_id} ${escrow_contract} ${deployment_block}`);
    if (erc8004) add(`${erc8004.identity_registry} ${erc8004.reputation_registry}`);
    if (anchors) add(`anchors ${anchors.contract} ${anchors.deployment_block}`);
  }
  const handlers = readdirSync(join(root, "src"), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => `src/${entry.name}`)
    .sort();
  for (const file of [
    "ponder.config.ts",
    "ponder.schema.ts",
    "abis/anchors.ts",
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
 * Loads Ponder, which takes most of a start. It runs in this process, so that nothing of it outlives us; of its program its
 * command alone.
 *
 * What it registers for SIGTERM beside us would end the process before its schema is given back, so that only a SIGINT
 * reaches it.
 *
 * @returns what starts it; it reads its configuration then
 */
export async function loadPonder({ options, env }: PonderCommand): Promise<() => Promise<unknown>> {
  let isStarted = false;
  process.on("SIGTERM", () => (isStarted && process.emit("SIGINT")) || process.exit(0));
  process.on("newListener", (event, listener) => {
    if (event === "SIGTERM") setImmediate(() => process.off("SIGTERM", listener as () => void));
  });
  Object.assign(process.env, env);
  process.chdir(root);
  watchLoopRarely();
  loadByNode({ schemaFile: join(root, "ponder.schema.ts") });
  const { start }: { start(given: { cliOptions: Record<string, string> }): Promise<unknown> } = await import(
    // @ts-expect-error Its types are not beside it.
    "../node_modules/ponder/dist/esm/bin/commands/start.js"
  );
  const { version } = ponderManifest();
  const cliOptions = { ...options, command: "start", version, config: "ponder.config.ts", logFormat: "json" };
  return () => {
    isStarted = true;
    return start({ cliOptions });
  };
}

/** Ponder's metrics look a hundred times a second how late the event loop is, which is half of what it takes at rest. */
function watchLoopRarely(): void {
  const { monitorEventLoopDelay } = perfHooks;
  Object.assign(perfHooks, { monitorEventLoopDelay: () => monitorEventLoopDelay({ resolution: 1000 }) });
}

function ponderManifest(): { version: string } {
  return JSON.parse(readFileSync(join(ponderFolder, "package.json"), "utf8"));
}
