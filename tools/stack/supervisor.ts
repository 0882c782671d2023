import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./process.ts";
import type { Lock } from "./state-lock.ts";

export type Supervisor = ReturnType<typeof createSupervisor>;

const defaultRestarts = {
  /** milliseconds before a restart, and after a short run */
  rest: 500,
  longRest: 5000,
  /** milliseconds below which a run is short, and the most short runs in a row */
  shortLife: 10_000,
  most: 20,
};

/**
 * Supervises the children of this process. A program that ends is restarted, unless it ends quickly several times in a row.
 * All programs end when PostgreSQL or the chain ends, or when this process is stopped.
 */
export function createSupervisor({ rest, longRest, shortLife, most } = defaultRestarts) {
  const running: Child[] = [];
  /** the number of consecutive short runs, by name */
  const shortLives = new Map<string, number>();
  /** The resources to release or await at the end. */
  const held: { lock?: Lock; starting?: ChildProcess; stopping?: Promise<void>; isReady: boolean } = {
    isReady: false,
  };

  /** Stops all children once and ends this process. */
  function stop(reason: string, exitCode: number): Promise<void> {
    held.stopping ??= (async () => {
      if (exitCode === 0) console.log(`\n${reason}`);
      else console.error(`\n${reason}`);
      // A sample order in progress has nothing to clean up.
      if (held.isReady) held.starting?.kill("SIGKILL");
      const troubles = await stopChildren(running);
      // A start in progress may have added one more child meanwhile.
      await Promise.race([ended(held.starting), sleep(5000)]);
      troubles.push(...(await stopChildren(running)));
      for (const trouble of new Set(troubles)) console.error(trouble);
      held.lock?.release();
      console.log("Everything is stopped; the state is kept.");
      process.exit(exitCode);
    })();
    return held.stopping;
  }

  // After any error in this process, its children are stopped. Errors during the stop are ignored.
  process.on("uncaughtException", (error) => void stop(error.stack ?? String(error), 1));

  /** Restarts a program after a pause. Stops everything if the program has ended too often soon after its start. */
  function again(ended: Child, how: string, lived: number, startAgain: () => Promise<Child>): void {
    const { name, logFile } = ended;
    const short = lived < shortLife ? (shortLives.get(name) ?? 0) + 1 : 0;
    shortLives.set(name, short);
    if (short >= most) {
      const times = `${name} ended (${how}) ${short} times within ${shortLife / 1000} seconds of its start`;
      return void stop(`${times}; see ${logFile}. Stopping the rest.`, 1);
    }
    const left = short > 0 ? `, try ${short} of ${most - 1}` : "";
    console.error(`${name} ended (${how}) and is started again${left}; see ${logFile}.`);
    setTimeout(() => void startNext(ended, startAgain), short > 0 ? longRest : rest);
  }

  async function startNext(ended: Child, startAgain: () => Promise<Child>): Promise<void> {
    if (held.stopping) return;
    let child: Child;
    try {
      child = await startAgain();
    } catch (error) {
      // The system may lack memory or processes for a moment.
      if (!held.stopping) again(ended, (error as Error).message, 0, startAgain);
      return;
    }
    running.splice(running.indexOf(ended), 1);
    if (held.stopping) child.kill("SIGKILL");
    else supervisor.watch(child, startAgain);
  }

  const supervisor = {
    /**
     * Keeps the lock until the stop, and stops at a signal.
     *
     * @param underNpm npm signals its shell, and the shell ends without a signal to this process. The end of the shell is
     *   then the signal
     */
    keepUntilStop(lock: Lock, { underNpm }: { underNpm: boolean }): void {
      held.lock = lock;
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.on(signal, () => void stop(`Stopping (${signal}) ...`, 0));
      }
      if (!underNpm) return;
      const parent = process.ppid;
      setInterval(() => {
        if (process.ppid !== parent) void stop("Stopping (npm ended) ...", 0);
      }, 250).unref();
    },

    /** Registers the program that brings the children up. */
    starting(program: ChildProcess): void {
      held.starting = program;
    },

    /** Marks the start as complete: from now on the end of a child has consequences. */
    ready(): void {
      held.isReady = true;
    },

    /**
     * Supervises a child. Throws during a stop.
     *
     * @param startAgain restarts the child when it ends. Without it, the end of the child stops everything
     */
    watch(child: Child, startAgain?: () => Promise<Child>): void {
      running.push(child);
      const started = performance.now();
      if (held.stopping) throw new Error("Stopped while starting.");
      held.lock?.note(child);
      void child.exited.then(({ code, signal }) => {
        if (held.stopping || !held.isReady) return;
        const how = signal ?? `code ${code}`;
        if (startAgain) return again(child, how, performance.now() - started, startAgain);
        void stop(`${child.name} ended (${how}); see ${child.logFile}. Stopping the rest.`, 1);
      });
    },

    /** Prints an error, stops the children, and ends this process. */
    async fail(sentence: string): Promise<void> {
      if (running.length > 0) return stop(sentence, 1);
      held.lock?.release();
      console.error(sentence);
      process.exit(1);
    },
  };
  return supervisor;
}

const ended = (program: ChildProcess | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (!program || program.exitCode !== null || program.signalCode !== null) resolve();
    else program.once("exit", () => resolve());
  });

/** Stops children, PostgreSQL and the chain last. Returns a sentence for each child that had to be killed. */
async function stopChildren(children: Child[]): Promise<string[]> {
  const troubles: string[] = [];
  // The API, the worker and the indexer use the database and the chain, so they stop first, and together.
  const rank = (child: Child) => (child.name === "PostgreSQL" || child.name === "anvil" ? 1 : 0);
  for (const group of [0, 1]) {
    await Promise.all(
      children
        .filter((child) => rank(child) === group)
        .map(async (child) => {
          const exit = await child.stop();
          if (exit.signal !== "SIGKILL") return;
          troubles.push(`${child.name} had to be killed; see ${child.logFile}`);
        }),
    );
  }
  return troubles;
}
