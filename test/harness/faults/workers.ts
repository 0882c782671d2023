import { spawnWorker, type WorkerProcess } from "../jobs/processes.ts";

/**
 * Workers of a test. `killAll` ends those that a failed test left.
 *
 * @param envOf what a worker needs, on a node that may misbehave
 */
export function createWorkers(envOf: (rpcUrl?: string) => Record<string, string | undefined>) {
  const running = new Set<WorkerProcess>();
  return {
    start(rpcUrl?: string): WorkerProcess {
      const worker = spawnWorker(envOf(rpcUrl));
      running.add(worker);
      return worker;
    },
    async killAll(): Promise<void> {
      for (const worker of running) await worker.end("SIGKILL");
      running.clear();
    },
  };
}
