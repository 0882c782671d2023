import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Received, receiverUrl } from "../simulation/live/receiver.ts";
import { startChild, waitUntilReady } from "../stack/process.ts";

/** The requests to the receiver process, and its replies. */
export type Asked = "count" | "take";
export type Told = { port: number } | { count: number } | { taken: Received[] };

/** Starts the receiver of everybody's webhooks as a process of its own. */
export async function startReceivers(folder: string) {
  const program = fileURLToPath(new URL("./receiver-process.ts", import.meta.url));
  const child = await startChild({
    ...{ name: "the receiver", file: process.execPath, args: [program] },
    ...{ env: { NODE_NO_WARNINGS: "1" }, channel: true },
    logFile: join(folder, "receiver.log"),
  });
  let port: number | null = null;
  let answered: ((told: Told) => void) | null = null;
  child.process.on("message", (told: Told) => {
    if ("port" in told) port = told.port;
    else answered?.(told);
  });
  const at = await waitUntilReady(child, () => port);
  let last: Promise<unknown> = Promise.resolve();
  const ask = (asked: Asked): Promise<Told> => {
    const told = last.then(
      () =>
        new Promise<Told>((resolve) => {
          answered = resolve;
          child.process.send(asked);
        }),
    );
    last = told;
    return told;
  };
  const received: Received[] = [];
  return {
    pid: child.pid,
    urlOf: (name: string) => receiverUrl(at, name),
    /** How many requests it has taken. */
    async count(): Promise<number> {
      const told = await ask("count");
      return "count" in told ? told.count : 0;
    },
    /** The received deliveries, as far as the process has handed them over. */
    received,
    /** Has it hand over what it has taken, and what it takes from then on, until the signal. */
    async handOver(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const told = await ask("take");
        const taken = "taken" in told ? told.taken : [];
        received.push(...taken);
        if (taken.length === 0) await sleep(200);
      }
    },
    stop: () => child.stop(1000),
  };
}
