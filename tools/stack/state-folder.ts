import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ConfigError } from "../../config/config.ts";
import { placePostgres } from "./postgres.ts";
import { killGroup, startedAt } from "./process.ts";
import { type LockContent, newLock } from "./state-lock.ts";

/** The advice for a state that cannot be used. */
export const stateAdvice =
  "If you can do without this local chain and its orders, `npm start -- --reset` begins with an empty one.";

/** The files of `npm start`. */
export type StateFolder = ReturnType<typeof openStateFolder>;

/** Returns the paths of a state folder. The files may not exist yet. */
export function openStateFolder(directory: string) {
  mkdirSync(directory, { recursive: true });
  return {
    directory,
    postgres: placePostgres(join(directory, "postgres")),
    chain: join(directory, "chain.json"),
    /** the saved second chain, if there is one */
    secondChain: join(directory, "second-chain.json"),
    deployments: join(directory, "deployments"),
    keys: join(directory, "keys"),
    signingKey: join(directory, "keys", "signing.json"),
    webhookKey: join(directory, "keys", "webhooks.key"),
    logKey: join(directory, "keys", "log.key"),
    logMemory: join(directory, "keys", "log.checkpoint"),
    files: join(directory, "files"),
    logs: join(directory, "logs"),
    lock: join(directory, "lock.json"),
    /** the file that marks a completed first start */
    complete: join(directory, "state.json"),
  };
}

/** Removes the files of `npm start` from the folder, and nothing else. The caller holds the lock. */
export function emptyStateFolder(state: StateFolder): void {
  for (const path of [
    state.complete,
    state.chain,
    state.secondChain,
    state.deployments,
    state.files,
    state.keys,
    state.logs,
    state.postgres,
  ]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Inspects the state of the last run.
 *
 * @returns "kept" for a complete state, "empty" for none, "unfinished" for an interrupted first start
 * @throws ConfigError if a part is missing
 */
export function inspectState(state: StateFolder): "kept" | "empty" | "unfinished" {
  const manifest = join(state.deployments, "31337.json");
  const parts = [
    [join(state.postgres, "PG_VERSION"), "the database"],
    [state.chain, "the chain's saved state"],
    [manifest, "the manifest of the deployed contracts"],
    [
      state.signingKey,
      "the key that signs receipts (restore it from your copy: receipts signed before need it)",
    ],
  ] as const;
  if (!existsSync(state.complete)) {
    return parts.some(([path]) => existsSync(path)) ? "unfinished" : "empty";
  }
  const missing = parts.filter(([path]) => !existsSync(path));
  if (missing.length === 0) return "kept";
  const lines = missing.map(([path, what]) => `  ${path}: ${what}`);
  throw new ConfigError(`The state in ${state.directory} lacks\n${lines.join("\n")}\n${stateAdvice}`);
}

const lockContent: z.ZodType<LockContent> = z.object({
  pid: z.int(),
  started: z.string(),
  children: z.array(
    z.object({ name: z.string(), pid: z.int(), started: z.string(), signal: z.enum(["SIGINT", "SIGTERM"]) }),
  ),
});
/**
 * Locks the state folder for a process, which keeps the lock by `keepLock`. Processes of an interrupted run are stopped first,
 * in their usual order.
 *
 * @throws ConfigError if another Earnest uses it
 */
export async function takeLock(state: StateFolder, pid: number, say: (line: string) => void): Promise<void> {
  const draft = `${state.lock}.${pid}`;
  for (;;) {
    writeFileSync(draft, JSON.stringify(newLock(pid)));
    try {
      // link() is atomic, and fails if the lock exists.
      linkSync(draft, state.lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      await clearStaleLock(state, say);
    } finally {
      rmSync(draft, { force: true });
    }
  }
}

async function clearStaleLock(state: StateFolder, say: (line: string) => void): Promise<void> {
  const holder = readLock(state.lock);
  if (holder && startedAt(holder.pid) === holder.started) {
    throw new ConfigError(
      `Earnest already runs on ${state.directory} (process ${holder.pid}). Use that one, or end it with Ctrl-C or \`kill ${holder.pid}\`. For a second one beside it set EARNEST_STATE_DIR, PORT, ANVIL_PORT and POSTGRES_PORT.`,
    );
  }
  for (const child of holder?.children ?? []) {
    const now = startedAt(child.pid);
    // The children of an ended child may still run.
    if (now === null) killGroup(child.pid, "SIGKILL");
    if (now !== child.started) continue;
    say(`stopping ${child.name} (process ${child.pid}), left behind by a run that was cut off`);
    await end(child);
  }
  rmSync(state.lock, { force: true });
}

async function end({ pid, started, signal }: LockContent["children"][number]): Promise<void> {
  const deadline = Date.now() + 15_000;
  process.kill(pid, signal);
  while (startedAt(pid) === started) {
    if (Date.now() > deadline) killGroup(pid, "SIGKILL");
    await sleep(50);
  }
}

function readLock(file: string): LockContent | null {
  try {
    return lockContent.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

/** Marks the state as complete, so that the next start uses it. */
export function markComplete(state: StateFolder): void {
  mkdirSync(dirname(state.complete), { recursive: true });
  if (existsSync(state.complete)) return;
  writeFileSync(state.complete, `${JSON.stringify({ version: 1, made_at: new Date().toISOString() })}\n`);
}
