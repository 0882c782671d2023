import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";
import { type Config, ConfigError } from "../config.ts";
import { createLog } from "../log.ts";
import { serveMetrics, textPage } from "./metrics/index.ts";

/** Milliseconds until a process that ended is replaced. */
const rest = 1000;
/** Milliseconds that the numbers of a process are waited for. */
const patience = 2000;

/** What a process of the API says to the one that keeps them: that it serves, or what it was asked for. */
export type Said =
  | { ready: true }
  | { asked: number; counts: MetricObjectWithValues<MetricValue<string>>[] }
  | { asked: number; metrics: string };
/** What it is asked. */
export type Asked = { asked: number; for: "counts" | "metrics" };

/**
 * Keeps so many processes of the API on one port, each of them this program again, and hands connections to them in
 * turn. One that ends is replaced; one that ends before it served is the end of all.
 *
 * @returns when all of them serve; `ended` settles with the exit code
 */
export async function keepProcesses(
  config: Config,
  signal: AbortSignal,
): Promise<{ ended: Promise<number> }> {
  const log = createLog(config, "api");
  const { host, port = 0 } = config.metrics;
  let asked = 0;
  if (port !== 0) {
    await serveMetrics(
      { host, port },
      {
        "/metrics": textPage(async () => {
          const answers = await Promise.all(
            workers().map((worker) => ask(worker, "counts").catch(() => null)),
          );
          return AggregatorRegistry.aggregate(
            answers.flatMap((one) => (one && "counts" in one ? [one.counts] : [])),
          ).metrics();
        }),
        "/metrics/earnest": textPage(async () => {
          const [worker] = workers();
          if (!worker) throw new Error("No process serves.");
          const answer = await ask(worker, "metrics");
          return "metrics" in answer ? answer.metrics : "";
        }),
      },
    );
  }
  const kept = Array.from({ length: config.apiProcesses }, () => keepOne());
  const ended = Promise.all(kept.map(({ ended }) => ended)).then((codes) => Math.max(...codes));
  await Promise.all(kept.map(({ ready }) => ready));
  return { ended };

  function workers(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((one) => one !== undefined);
  }

  function keepOne(): { ready: Promise<void>; ended: Promise<number> } {
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const keep = async () => {
      for (let served = false; !signal.aborted; await sleep(rest)) {
        const worker = cluster.fork();
        const end = () => worker.process.kill("SIGTERM");
        signal.addEventListener("abort", end);
        worker.on("message", (said: Said) => {
          if (!("ready" in said)) return;
          served = true;
          resolve();
        });
        const [code, by] = await once(worker, "exit");
        signal.removeEventListener("abort", end);
        if (signal.aborted) return 0;
        if (!served) {
          reject(
            new ConfigError(`A process of the API ended with ${by ?? `code ${code}`} before it served.`),
          );
          return code ?? 1;
        }
        log.error({ code, signal: by }, "a process of the API ended, and is replaced");
      }
      return 0;
    };
    return { ready, ended: keep() };
  }

  async function ask(worker: Worker, what: Asked["for"]): Promise<Exclude<Said, { ready: true }>> {
    asked += 1;
    const question: Asked = { asked, for: what };
    const { promise, resolve, reject } = Promise.withResolvers<Exclude<Said, { ready: true }>>();
    const hear = (said: Said) => {
      if ("asked" in said && said.asked === question.asked) resolve(said);
    };
    const late = setTimeout(() => reject(new Error("A process of the API does not answer.")), patience);
    worker.on("message", hear);
    // Without a listener of its own, the failure to ask a process that is about to end would end this one.
    worker.send(question, (error) => error && reject(error));
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      worker.off("message", hear);
    }
  }
}
