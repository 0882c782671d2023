import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import { limitFiles, type Parts, type ProgramName } from "./parts.ts";
import type { Lie } from "./proxies.ts";

/** What goes wrong, and when: milliseconds from the beginning. */
export type Fault = { at: number } & (
  | { kind: "kill"; what: ProgramName | "postgres" }
  | { kind: "freeze"; what: ProgramName; for: number }
  | { kind: "cut database" | "cut node"; what: ProgramName; for: number }
  | { kind: "slow database" | "slow node"; what: ProgramName; for: number; by: number }
  | { kind: "lying node"; what: ProgramName; for: number; lie: Lie }
  | { kind: "reorganise"; depth: number }
  | { kind: "disk full"; for: number }
  | { kind: "wrong clock"; what: ProgramName; by: number }
  | { kind: "second worker" }
  | { kind: "time passes"; seconds: number }
);

const programs: readonly ProgramName[] = ["indexer", "api", "worker", "worker", "second worker"];

/** Draws so many faults over a time in milliseconds. Each kind is about as likely as it is worth trying. */
export function planFaults(random: Random, count: number, over: number): Fault[] {
  const program = () => random.pick(programs);
  const kinds: (() => Omit<Fault, "at">)[] = [
    () => ({ kind: "kill", what: program() }),
    () => ({ kind: "kill", what: random.pick([...programs, "postgres"] as const) }),
    () => ({ kind: "freeze", what: program(), for: random.whole(500, 6000) }),
    () => ({ kind: "cut database", what: program(), for: random.whole(0, 3000) }),
    () => ({ kind: "cut node", what: program(), for: random.whole(0, 3000) }),
    () => ({
      kind: "slow database",
      what: program(),
      for: random.whole(1000, 4000),
      by: random.whole(5, 150),
    }),
    () => ({ kind: "slow node", what: program(), for: random.whole(1000, 6000), by: random.whole(20, 1500) }),
    () => ({ kind: "lying node", what: program(), for: random.whole(1000, 4000), lie: "old head" }),
    () => ({ kind: "lying node", what: "indexer", for: random.whole(1000, 4000), lie: "drops logs" }),
    () => ({ kind: "reorganise", depth: 1 }),
    () => ({ kind: "reorganise", depth: random.whole(2, 4) }),
    () => ({ kind: "reorganise", depth: random.whole(5, 16) }),
    () => ({ kind: "disk full", for: random.whole(500, 3000) }),
    () => ({ kind: "wrong clock", what: program(), by: random.pick([-90_000, -5000, 5000, 90_000]) }),
    () => ({ kind: "second worker" }),
    () => ({ kind: "time passes", seconds: random.pick([60, 1900, 3700]) }),
  ];
  return Array.from(
    { length: count },
    () => ({ ...random.pick(kinds)(), at: random.whole(0, over) }) as Fault,
  ).sort((one, other) => one.at - other.at);
}

/** Performs a plan. Returns once the last fault is over. */
export async function performFaults(
  plan: readonly Fault[],
  parts: Parts,
  random: Random,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  await Promise.all(
    plan.map(async (fault) => {
      await sleep(Math.max(0, fault.at - (performance.now() - began)));
      say(`${String(Math.round(performance.now() - began)).padStart(6)} ms  ${JSON.stringify(fault)}`);
      await perform(fault, parts, random);
    }),
  );
}

/** Does one thing to the parts, and undoes it after its time. */
async function perform(fault: Fault, parts: Parts, random: Random): Promise<void> {
  const { chain } = parts;
  switch (fault.kind) {
    case "kill": {
      const child = fault.what === "postgres" ? parts.postgres() : parts.program(fault.what).child;
      child?.process.kill("SIGKILL");
      return;
    }
    case "freeze": {
      const { child } = parts.program(fault.what);
      child?.process.kill("SIGSTOP");
      await sleep(fault.for);
      child?.process.kill("SIGCONT");
      return;
    }
    case "cut database":
    case "cut node": {
      const { database, node } = parts.program(fault.what);
      const on = fault.kind === "cut database" ? database : { ...node, trouble: node.state };
      on.trouble.isCut = true;
      on.cut();
      await sleep(fault.for);
      on.trouble.isCut = false;
      return;
    }
    case "slow database":
    case "slow node": {
      const { database, node } = parts.program(fault.what);
      const trouble = fault.kind === "slow database" ? database.trouble : node.state;
      trouble.delay = fault.by;
      await sleep(fault.for);
      trouble.delay = 0;
      return;
    }
    case "lying node": {
      const { state } = parts.program(fault.what).node;
      state.lie = fault.lie;
      await sleep(fault.for);
      state.lie = "nothing";
      return;
    }
    case "reorganise":
      await chain.reorganise(fault.depth, random);
      return;
    case "disk full":
      limitFiles(parts.postgres(), true);
      await sleep(fault.for);
      limitFiles(parts.postgres(), false);
      return;
    case "wrong clock": {
      const program = parts.program(fault.what);
      program.clockShift = fault.by;
      program.child?.process.kill("SIGKILL");
      return;
    }
    case "second worker": {
      const second = parts.program("second worker");
      if (!second.child) await second.start();
      return;
    }
    case "time passes":
      await chain.jump(fault.seconds);
  }
}
