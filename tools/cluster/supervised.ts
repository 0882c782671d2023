import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../stack/process.ts";

/** Milliseconds until what ended is started again, as the units in ops/systemd/ wait. */
const restAfterEnd = 2000;

/** A part that is started again whenever it ends, as by systemd. */
export type Supervised = {
  name: string;
  /** what runs; null while nothing does */
  child(): Child | null;
  kill(): void;
  /** Ends it for good; it is killed if it has not ended after so many milliseconds. */
  stop(patience?: number): Promise<void>;
};

/** Starts a part, and again whenever it ends. Returns once it has begun. */
export async function supervise(name: string, begin: () => Promise<Child>): Promise<Supervised> {
  let isStopping = false;
  let child: Child | null = null;
  async function run(): Promise<void> {
    child = await begin();
    void child.exited.then(() => {
      child = null;
      void again();
    });
  }
  async function again(): Promise<void> {
    await sleep(restAfterEnd, undefined, { ref: false });
    if (!isStopping) await run().catch(() => again());
  }
  await run();
  return {
    name,
    child: () => child,
    kill: () => void child?.kill("SIGKILL"),
    async stop(patience = 10_000) {
      isStopping = true;
      await child?.stop(patience);
    },
  };
}
