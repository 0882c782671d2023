import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { afterAll, test } from "vitest";
import { placePostgres } from "../stack/postgres.ts";
import { findFreePort } from "../stack/process.ts";
import { requesterOf, signIn } from "../test/harness/api.ts";
import { ourProgram, type Program, startProgram } from "../test/harness/programs.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const starts = 3;
const idleSeconds = 20;
const loadSeconds = 30;
const connections = 20;

const folder = mkdtempSync(join(tmpdir(), "earnest-weight-"));
const state = join(folder, "state");
let program: Program | undefined;
let bare: ChildProcess | undefined;
afterAll(async () => {
  bare?.kill();
  if (program) await stop(program);
  const cluster = placePostgres(join(state, "postgres"));
  for (const path of [dirname(cluster), folder]) rmSync(path, { recursive: true, force: true });
});

async function stop(running: Program): Promise<void> {
  program = undefined;
  running.process.kill("SIGINT");
  await running.ended;
}

test.runIf(existsSync("/proc/self/smaps_rollup"))(
  `the start with data, and what all processes of npm start take of processor and memory, idle and after ${loadSeconds} s of requests`,
  async () => {
    const [port, metrics, anvil, postgres, barePort] = await Promise.all(
      Array.from({ length: 5 }, () => findFreePort()),
    );
    const env = {
      EARNEST_STATE_DIR: state,
      PORT: String(port),
      METRICS_PORT: String(metrics),
      ANVIL_PORT: String(anvil),
      POSTGRES_PORT: String(postgres),
      RATE_LIMITS: "off",
      npm_lifecycle_event: undefined,
    };
    const took: number[] = [];
    for (let round = 0; round <= starts; round++) {
      if (program) await stop(program);
      const began = performance.now();
      program = startProgram(process.execPath, ourProgram("scripts/start.ts", "--no-demo"), { env });
      await program.says("Earnest is running.");
      // The first makes the data.
      if (round > 0) took.push((performance.now() - began) / 1000);
    }
    const bareBegan = performance.now();
    const databaseUrl = `postgres://earnest:earnest@127.0.0.1:${postgres}/earnest`;
    bare = fork(fileURLToPath(new URL("./baseline.ts", import.meta.url)), [databaseUrl, String(barePort)]);
    await once(bare, "message");
    const bareStart = (performance.now() - bareBegan) / 1000;

    // Past what follows a start: compiled code is written down after 20 seconds.
    await sleep(25_000);
    const before = readProcesses(program as Program, bare);
    await sleep(idleSeconds * 1000);
    const idle = readProcesses(program as Program, bare);

    const base = `http://127.0.0.1:${port}`;
    const { token } = await signIn(requesterOf(base));
    const headers = { authorization: `Bearer ${token}` };
    const paths = ["marketplace/services", "marketplace/services?q=word", "categories", "orders", "me"];
    const requests = paths.map((path) => ({ path: `/api/v1/${path}`, headers }));
    await Promise.all([
      autocannon({ url: base, connections, duration: loadSeconds, requests }),
      autocannon({ url: `http://127.0.0.1:${barePort}/services`, connections: 2, duration: loadSeconds }),
    ]);
    await sleep(5000);
    const loaded = readProcesses(program as Program, bare);

    const milliseconds = (name: string) =>
      ((idle.get(name)?.cpu ?? 0) - (before.get(name)?.cpu ?? 0)) / idleSeconds;
    const names = [...idle.keys()];
    const ours = names.filter((name) => !notOurs.includes(name));
    const sum = (of: Iterable<string>, value: (name: string) => number) =>
      [...of].reduce((total, name) => total + value(name), 0);
    const all = names.filter((name) => name !== bareName);
    const row = (title: string, of: string[]) => [
      title,
      sum(of, milliseconds).toFixed(1),
      sum(of, (name) => idle.get(name)?.memory ?? 0).toFixed(0),
      sum(of, (name) => loaded.get(name)?.memory ?? 0).toFixed(0),
    ];
    printTable(
      `Start with data: ${took.map((one) => one.toFixed(1)).join(", ")} s; bare ${bareStart.toFixed(1)} s`,
      [
        ["", "idle, ms of processor a second", "PSS idle, MB", "PSS after requests, MB"],
        ...names.map((name) => row(name, [name])),
        row("ours", ours),
        row("all but the bare one", all),
      ],
    );
    const report = (what: string, of: string, value: number) =>
      reportFigure({ name: `weight: ${what}`, of, value, better: "lower" });
    report("start with data", "s", quantile(took, 0.5));
    report("idle, our processes", "ms of processor a second", sum(ours, milliseconds));
    report(
      "memory of all processes, idle",
      "MB (PSS)",
      sum(all, (name) => idle.get(name)?.memory ?? 0),
    );
    report(
      "memory of all processes, after requests",
      "MB (PSS)",
      sum(all, (name) => loaded.get(name)?.memory ?? 0),
    );
  },
);

const bareName = "bare Hono and pg";
const notOurs = ["PostgreSQL", "anvil", bareName];

type Weight = { cpu: number; memory: number };

/** By name of the process, with its children: milliseconds of processor since its start, and MB of its own (PSS). */
function readProcesses({ pid }: Program, bareProcess: ChildProcess): Map<string, Weight> {
  const lock: { children: { name: string; pid: number }[] } = JSON.parse(
    readFileSync(join(state, "lock.json"), "utf8"),
  );
  const parents = new Map<number, number>();
  for (const one of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(Number(one));
    if (stat) parents.set(Number(one), Number(stat[1]));
  }
  const under = (root: number): number[] => [
    root,
    ...[...parents].filter(([, parent]) => parent === root).flatMap(([child]) => under(child)),
  ];
  const known = [...lock.children, { name: bareName, pid: bareProcess.pid ?? 0 }];
  return new Map([
    ["npm start", weigh([pid])],
    ...known.map(({ name, pid: root }) => [name, weigh(under(root))] as const),
  ]);
}

function weigh(pids: number[]): Weight {
  return pids.reduce(
    (sum, pid) => {
      const stat = readStat(pid);
      if (!stat) return sum;
      const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
      // Clock ticks are hundredths of a second on every Linux.
      return {
        cpu: sum.cpu + (Number(stat[11]) + Number(stat[12])) * 10,
        memory: sum.memory + Number(pss) / 1024,
      };
    },
    { cpu: 0, memory: 0 },
  );
}

/** The fields of a process after its name, from its state on. */
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
