import { Logger as QueueLogger, type Runner, run } from "graphile-worker";
import type { Logger } from "pino";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import { repeat } from "./loop.ts";
import type { Relayer } from "./relay.ts";
import { removeOld } from "./retention.ts";

/** Runs the job queue, and starts it again should it end by itself. */
export async function keepQueueRunning(
  db: Database,
  config: Config,
  relayer: Relayer | null,
  log: Logger,
  signal: AbortSignal,
  started: () => void,
) {
  const relayPayload = z.object({ chain_id: z.int() });
  await repeat(
    "job queue",
    async () => {
      const runner = await run({
        connectionString: config.databaseUrl,
        concurrency: 4,
        noHandleSignals: true,
        logger: queueLogger(log),
        taskList: {
          remove_old: async () => {
            log.info(await removeOld(db, signal), "old deliveries, events, answers and counts removed");
          },
          ...(relayer
            ? {
                relay: async (payload) => relayer.relay(relayPayload.parse(payload).chain_id),
                relayer_heartbeat: () => relayer.beat(),
              }
            : {}),
        },
        crontab: [
          "23 * * * * remove_old ?max=1",
          ...(relayer ? ["* * * * * relayer_heartbeat ?max=1"] : []),
        ].join("\n"),
      });
      // The first heartbeat is not to wait for the minute.
      if (relayer)
        await runner.addJob("relayer_heartbeat", {}, { jobKey: "relayer_heartbeat", maxAttempts: 1 });
      started();
      await untilEnded(runner, signal);
      if (!signal.aborted) throw new Error("The job queue ended by itself.");
    },
    { pause: 0, signal, log },
  );
}

async function untilEnded(runner: Runner, signal: AbortSignal): Promise<void> {
  const stop = () => void runner.stop().catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await runner.promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The queue's own log is for its developers; its troubles are ours. */
function queueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message, meta) => {
    const fields = { ...meta, part: "job queue" };
    if (level === "error") log.error(fields, message);
    else if (level === "warning") log.warn(fields, message);
    else log.debug(fields, message);
  });
}
