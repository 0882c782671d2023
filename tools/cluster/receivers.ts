import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Received, receiverUrl } from "../simulation/live/receiver.ts";
import { startChild, waitUntilReady } from "../stack/process.ts";
import type { ClusterNetwork } from "./network.ts";

/** The requests to a receiver process, and its replies. */
export type Asked = "count" | "take";
export type Reply = { count: number } | { taken: Received[] };

/** The port of the receivers. Each worker reaches the one on its own machine as localhost. */
export const receiverPort = 9000;

/** Starts a receiver of webhooks on each of these machines, in a separate process. */
export async function startReceivers(folder: string, network: ClusterNetwork, machines: readonly string[]) {
  const all = await Promise.all(machines.map((machine) => startOne(folder, network, machine)));
  const received: Received[] = [];
  return {
    pids: all.map(({ pid }) => pid),
    urlOf: (name: string) => receiverUrl(receiverPort, name),
    /** The number of requests that the receivers have accepted. */
    async count(): Promise<number> {
      const replies = await Promise.all(all.map(({ ask }) => ask("count")));
      return replies.reduce((sum, reply) => sum + ("count" in reply ? reply.count : 0), 0);
    },
    /** The received deliveries, as far as the processes have handed them over. */
    received,
    /** Collects the accepted requests from the receivers until the signal. */
    async handOver(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const replies = await Promise.all(all.map(({ ask }) => ask("take")));
        const taken = replies.flatMap((reply) => ("taken" in reply ? reply.taken : []));
        received.push(...taken);
        if (taken.length === 0) await sleep(200);
      }
    },
    stop: () => Promise.all(all.map(({ stop }) => stop())),
  };
}

async function startOne(folder: string, network: ClusterNetwork, machine: string) {
  const program = fileURLToPath(new URL("./receiver-process.ts", import.meta.url));
  const [file = "", ...args] = [...network.on(machine), process.execPath, program];
  const child = await startChild({
    name: "the receiver",
    file,
    args,
    env: { NODE_NO_WARNINGS: "1" },
    channel: true,
    logFile: join(folder, `receiver-${machine}.log`),
  });
  let isReady = false;
  let answered: (reply: Reply) => void = () => {
    isReady = true;
  };
  child.process.on("message", (reply: Reply) => answered(reply));
  await waitUntilReady(child, () => isReady || null);
  let last: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid,
    ask(asked: Asked): Promise<Reply> {
      const reply = last.then(
        () =>
          new Promise<Reply>((resolve) => {
            answered = resolve;
            child.process.send(asked);
          }),
      );
      last = reply;
      return reply;
    },
    stop: () => child.stop(1000),
  };
}
