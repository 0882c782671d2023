import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../stack/process.ts";

/** Milliseconds before a part is restarted, as in the units of ops/systemd/. */
const restAfterEnd = 2000;

/** A part that is restarted whenever it ends, as systemd does. */
export type Supervised = {
  name: string;
  /** the running process, or null */
  child(): Child | null;
  /** Leaves the part dead once it ends, or starts it again. */
  keepDown(isDown: boolean): void;
};

/** Starts a part, and restarts it whenever it ends. Returns once it has started. */
export async function supervise(name: string, begin: () => Promise<Child>): Promise<Supervised> {
  let isKeptDown = false;
  let child: Child | null = null;
  async function run(): Promise<void> {
    child = await begin();
    void child.exited.then(() => {
      child = null;
      void again();
    });
  }
  async function again(): Promise<void> {
    do await sleep(restAfterEnd, undefined, { ref: false });
    while (isKeptDown);
    await run().catch(() => again());
  }
  await run();
  return {
    name,
    child: () => child,
    keepDown(isDown) {
      isKeptDown = isDown;
    },
  };
}
