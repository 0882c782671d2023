import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./process.ts";
import { stopChildren } from "./stack.ts";
import type { Lock } from "./state.ts";

/** Keeps the children of this process together: all of them end when one does, or when this process is asked to. */
export function createSupervisor() {
  const running: Child[] = [];
  /** What has to be undone or awaited at the end. */
  const held: { lock?: Lock; starting?: Promise<unknown>; stopping?: Promise<void>; isReady: boolean } = {
    isReady: false,
  };

  /** Stops everything once, whoever asks, and ends this process. */
  function stop(reason: string, exitCode: number): Promise<void> {
    held.stopping ??= (async () => {
      if (exitCode === 0) console.log(`\n${reason}`);
      else console.error(`\n${reason}`);
      const troubles = await stopChildren(running);
      // A start that was under way may have come to one more child meanwhile.
      await Promise.race([Promise.allSettled([held.starting]), sleep(5000)]);
      troubles.push(...(await stopChildren(running)));
      for (const trouble of new Set(troubles)) console.error(trouble);
      held.lock?.release();
      console.log("Everything is stopped; the state is kept.");
      process.exit(exitCode);
    })();
    return held.stopping;
  }

  // Whatever goes wrong in this process, its children are stopped; an error while they are is no news.
  process.on("uncaughtException", (error) => void stop(error.stack ?? String(error), 1));

  return {
    isStopping: () => held.stopping !== undefined,

    /**
     * Releases the lock at the end, which a signal brings.
     *
     * @param underNpm npm passes a signal on to a shell, which ends without passing it on to us; that the shell is gone
     *   is our signal
     */
    hold(lock: Lock, { underNpm }: { underNpm: boolean }): void {
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

    /** Waits until all has started; from then on the end of one child is the end of all. */
    async finish<T>(starting: Promise<T>): Promise<T> {
      held.starting = starting;
      const started = await starting;
      held.isReady = true;
      return started;
    },

    /** Takes a child in. Throws while everything is being stopped. */
    watch(child: Child): void {
      running.push(child);
      if (held.stopping) throw new Error("Stopped while starting.");
      void child.exited.then(({ code, signal }) => {
        if (held.stopping || !held.isReady) return;
        const how = signal ?? `code ${code}`;
        void stop(`${child.name} ended (${how}); see ${child.logFile}. Stopping the rest.`, 1);
      });
    },

    /** Says what went wrong, stops what runs, and ends this process. */
    async fail(sentence: string): Promise<void> {
      if (running.length > 0) return stop(sentence, 1);
      held.lock?.release();
      console.error(sentence);
      process.exit(1);
    },
  };
}
