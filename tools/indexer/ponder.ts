import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, ConfigError } from "../../config/config.ts";
import { viewsSchema } from "../../db/chain-index.ts";

type Environment = Record<string, string | undefined>;

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The default port of the metrics. */
export const usualMetricsPort = 42_070;
/** Milliseconds to wait for the end of Ponder, whose own limit is 5 seconds. */
const endTimeoutMs = 6000;

/** The arguments and the environment variables of Ponder's command `start`. */
export type PonderCommand = { args: string[]; env: Environment };

/** @throws ConfigError if there is no chain to index */
export function ponderCommand(config: Config, schema: string, env: Environment = process.env): PonderCommand {
  if (config.chains.length === 0) {
    throw new ConfigError(
      `${config.deploymentsDir} has no deployment manifest, so there is no chain to index: run \`npm run deploy\`, or \`npm start\` for everything on one machine.`,
    );
  }
  return {
    args: ["start", ...["--schema", schema], ...["--views-schema", viewsSchema], ...["--log-format", "json"]],
    env: {
      ...env,
      PORT: String(config.port),
      METRICS_PORT: String(config.metrics.port ?? usualMetricsPort),
      PONDER_TELEMETRY_DISABLED: "1",
      PONDER_LOG_LEVEL: env.PONDER_LOG_LEVEL ?? ponderLogLevel[config.logLevel],
      PONDER_CACHE_BYTES: env.PONDER_CACHE_BYTES ?? String(128 * 1024 * 1024),
    },
  };
}

/** One level above ours: at `info`, Ponder writes a line for each block. */
const ponderLogLevel = {
  silent: "silent",
  fatal: "fatal",
  error: "error",
  warn: "error",
  info: "warn",
  debug: "info",
  trace: "debug",
} satisfies Record<Config["logLevel"], string>;

/** Ponder as a child of this process. */
export type Ponder = {
  /** the exit code; null if a signal ended Ponder */
  exited: Promise<number | null>;
  /** Stops Ponder, which then releases the lock on its schema. Kills Ponder after a timeout. */
  stop(): Promise<number | null>;
};

/**
 * Starts Ponder with a channel to this process. Ponder ends when the channel closes (`endWithParent`).
 *
 * @throws if Ponder cannot be started
 */
export async function startPonder({ args, env }: PonderCommand): Promise<Ponder> {
  const binaries = join(root, "node_modules", ".bin");
  const child = spawn("ponder", args, {
    cwd: root,
    env: { ...env, PATH: `${binaries}${delimiter}${env.PATH ?? ""}` },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    shell: process.platform === "win32",
  });
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { exited, stop: () => stop(child, exited) };
}

/** Stops Ponder by SIGINT, the only signal at which Ponder releases the lock on its schema. */
async function stop(child: ChildProcess, exited: Promise<number | null>): Promise<number | null> {
  child.kill("SIGINT");
  const timeout = setTimeout(() => child.kill("SIGKILL"), endTimeoutMs);
  const code = await exited;
  clearTimeout(timeout);
  return code;
}
