import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Received, receiverUrl } from "../simulation/live/receiver.ts";
import { startChild, waitUntilReady } from "../stack/process.ts";

/** The requests to the receiver process, and its replies. */
export type Asked = "count" | "take";
export type Reply = { port: number } | { count: number } | { taken: Received[] };

/** Starts the receiver of all webhooks in a separate process. */
export async function startReceivers(folder: string) {
  const program = fileURLToPath(new URL("./receiver-process.ts", import.meta.url));
  const child = await startChild({
    ...{ name: "the receiver", file: process.execPath, args: [program] },
    ...{ env: { NODE_NO_WARNINGS: "1" }, channel: true },
    logFile: join(folder, "receiver.log"),
  });
  let port: number | null = null;
  let answered: ((reply: Reply) => void) | null = null;
  child.process.on("message", (reply: Reply) => {
    if ("port" in reply) port = reply.port;
    else answered?.(reply);
  });
  const at = await waitUntilReady(child, () => port);
  let last: Promise<unknown> = Promise.resolve();
  const ask = (asked: Asked): Promise<Reply> => {
    const reply = last.then(
      () =>
        new Promise<Reply>((resolve) => {
          answered = resolve;
          child.process.send(asked);
        }),
    );
    last = reply;
    return reply;
  };
  const received: Received[] = [];
  return {
    pid: child.pid,
    urlOf: (name: string) => receiverUrl(at, name),
    /** The number of requests that the receiver has accepted. */
    async count(): Promise<number> {
      const reply = await ask("count");
      return "count" in reply ? reply.count : 0;
    },
    /** The received deliveries, as far as the process has handed them over. */
    received,
    /** Collects the accepted requests from the receiver until the signal. */
    async handOver(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const reply = await ask("take");
        const taken = "taken" in reply ? reply.taken : [];
        received.push(...taken);
        if (taken.length === 0) await sleep(200);
      }
    },
    stop: () => child.stop(1000),
  };
}
