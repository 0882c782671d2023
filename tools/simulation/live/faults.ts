import { setTimeout as sleep } from "node:timers/promises";
import type { Release } from "../../stack/release.ts";
import { createRandom, type Random } from "../random.ts";
import { limitFiles, type Parts, type ProgramName } from "./parts.ts";
import type { Lie } from "./proxies.ts";
import type { Course } from "./simulation.ts";

/** A fault and its time in milliseconds from the start. */
type Fault = { at: number } & (
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
  | { kind: "other release"; what: ProgramName; for: number }
);

export const usualRun = { orders: 10, faults: 12, over: 16_000 };

/** Milliseconds for the worker's audit of the index and for the new index: docs/operations/troubleshoot.md. */
const auditRecoveryMs = 120_000;

/**
 * Draws faults over a time in milliseconds from a seed. At the end, all faults are undone. Only an index that lacks events
 * stays, because the service must repair it by itself.
 *
 * @param options.old another release, in which some programs start at times
 */
export function courseOfFaults(
  seed: number,
  { faults, over, old }: { faults: number; over: number; old?: Release | undefined },
): Course {
  return async (parts, say) => {
    const plan = planFaults(createRandom(seed, "faults"), faults, { over, withOld: old !== undefined });
    const act = { parts, random: createRandom(seed, "reorganisations"), old };
    await performFaults(plan, act, say);
    undoFaults(parts);
    const isLacking = plan.some((fault) => fault.kind === "lying node" && fault.lie === "drops logs");
    return { wrong: [], recoveryMs: isLacking ? auditRecoveryMs : 0 };
  };
}

const programs: readonly ProgramName[] = ["indexer", "api", "worker", "worker", "second worker"];

/** Draws faults over a time in milliseconds. More important kinds are more frequent. */
function planFaults(
  random: Random,
  count: number,
  { over, withOld }: { over: number; withOld: boolean },
): Fault[] {
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
  // A run with another release starts it often.
  const older = () => ({ kind: "other release" as const, what: program(), for: random.whole(3000, 9000) });
  if (withOld) kinds.push(older, older, older);
  return Array.from(
    { length: count },
    () => ({ ...random.pick(kinds)(), at: random.whole(0, over) }) as Fault,
  ).sort((one, other) => one.at - other.at);
}

type Acting = { parts: Parts; random: Random; old: Release | undefined };

/** Performs a plan. Returns once the last fault is over. */
async function performFaults(
  plan: readonly Fault[],
  acting: Acting,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  await Promise.all(
    plan.map(async (fault) => {
      await sleep(Math.max(0, fault.at - (performance.now() - began)));
      say(`${String(Math.round(performance.now() - began)).padStart(6)} ms  ${JSON.stringify(fault)}`);
      await perform(fault, acting);
    }),
  );
}

/** Performs one fault, and undoes it after its time. */
async function perform(fault: Fault, { parts, random, old }: Acting): Promise<void> {
  const { chain } = parts;
  switch (fault.kind) {
    case "kill": {
      const child = fault.what === "postgres" ? parts.postgres() : parts.program(fault.what).child;
      child?.kill("SIGKILL");
      return;
    }
    case "freeze": {
      const { child } = parts.program(fault.what);
      child?.kill("SIGSTOP");
      await sleep(fault.for);
      child?.kill("SIGCONT");
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
      program.child?.kill("SIGKILL");
      return;
    }
    case "other release": {
      const program = parts.program(fault.what);
      program.release = old ?? null;
      program.child?.kill("SIGTERM");
      await sleep(fault.for);
      program.release = null;
      program.child?.kill("SIGTERM");
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

/** Undoes all faults: all programs run, with the right clock and good connections. */
function undoFaults(parts: Parts): void {
  limitFiles(parts.postgres(), false);
  for (const program of parts.programs.values()) {
    program.database.trouble.isCut = false;
    program.database.trouble.delay = 0;
    Object.assign(program.node.state, { isCut: false, delay: 0, lie: "nothing" });
    if (program.clockShift !== 0 || program.release) {
      program.clockShift = 0;
      program.release = null;
      // Ponder's lock has a time of the wrong clock, so it is released.
      program.child?.kill(program.name === "indexer" ? "SIGTERM" : "SIGKILL");
    }
  }
}
