import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPublicClient, http } from "viem";
import { expect } from "vitest";
import { placePostgres } from "../../tools/stack/postgres.ts";
import { findFreePort, startedAt } from "../../tools/stack/process.ts";
import { requesterOf } from "./api.ts";
import { ourProgram, type Program, startProgram } from "./programs.ts";

export type NpmStart = Awaited<ReturnType<typeof prepareStart>>;

const portNames = ["PORT", "METRICS_PORT", "ANVIL_PORT", "SECOND_ANVIL_PORT", "POSTGRES_PORT"];

/** The parts of tests of `npm start`: a folder for the state of the stack, and ports of its own. */
export async function prepareStart() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-start-"));
  const state = join(folder, "state");
  const ports = await Promise.all(
    portNames.map(async (name) => [name, String(await findFreePort())] as const),
  );
  const env: Record<string, string | undefined> = {
    ...process.env,
    EARNEST_STATE_DIR: state,
    ...Object.fromEntries(ports),
    npm_lifecycle_event: undefined,
  };
  const rpcUrl = `http://127.0.0.1:${env.ANVIL_PORT}`;
  const programs: Program[] = [];
  const readLock = () => JSON.parse(readFileSync(join(state, "lock.json"), "utf8"));

  const bench = {
    folder,
    state,
    env,
    rpcUrl,
    /** Starts the program. `close` ends it. */
    run(file: string, args: string[]): Program {
      const program = startProgram(file, args, { env });
      programs.push(program);
      return program;
    },
    start: (...args: string[]): Program =>
      bench.run(process.execPath, ourProgram("scripts/start.ts", "--no-demo", ...args)),
    /** Starts the stack, which must refuse. Returns its output. */
    async refused(...args: string[]): Promise<string> {
      const program = bench.start(...args);
      const code = await program.ended;
      expect(code, program.output()).toBe(1);
      return program.output();
    },
    /** Returns the processes of the stack: its own first, then its children. */
    readPids: (): number[] => {
      const lock = readLock();
      return [lock.pid, ...lock.children.map((child: { pid: number }) => child.pid)];
    },
    pidOf: (name: string): number =>
      readLock().children.find((child: { name: string }) => child.name === name).pid,
    readHead: () => createPublicClient({ transport: http(rpcUrl), cacheTime: 0 }).getBlockNumber(),
    api: () => requesterOf(`http://localhost:${env.PORT}`),
    async close(): Promise<void> {
      for (const program of programs) {
        if (startedAt(program.pid) !== null) process.kill(program.pid, "SIGTERM");
        await program.ended;
      }
      const cluster = placePostgres(join(state, "postgres"));
      for (const path of [dirname(cluster), folder]) rmSync(path, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Returns those of these processes that run. */
export const running = (pids: number[]) => pids.filter((pid) => startedAt(pid) !== null);
