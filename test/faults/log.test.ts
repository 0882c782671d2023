import { afterAll, beforeAll, expect, test } from "vitest";
import { startLogBench } from "../harness/faults/log.ts";
import { until } from "../harness/jobs/ledger.ts";
import { queueFacts } from "../harness/jobs/tlog.ts";

let bench: Awaited<ReturnType<typeof startLogBench>>;
beforeAll(async () => {
  bench = await startLogBench();
});
afterAll(() => bench?.close());

test.each(["log_entry", "log_head", "log_tile", "log_queue"])(
  "a worker killed while it writes %s leaves no part of that checkpoint, and the next one completes it",
  (table) => bench.killWhileWriting(table),
);

test("workers killed at any moment, and two at once, lose and repeat no entry", async () => {
  let worker = bench.startWorker();
  // The first worker on a database adds an entry of its own.
  let facts = (await bench.readIdle()).size;
  let done = false;
  const queueing = (async () => {
    while (!done) {
      // Some entries always wait, and no more of them on a slow machine.
      if (((await bench.readState())?.queued ?? 0) < 500) {
        await queueFacts(bench.db, 20);
        facts += 20;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let kill = 0; kill < 3; kill++) {
    const before = (await bench.readState())?.size ?? 0;
    await until(async () => ((await bench.readState())?.size ?? 0) > before, "the worker adds to the log");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    await worker.end("SIGKILL");
    await bench.endLease();
    worker = bench.startWorker();
  }
  bench.startWorker();
  done = true;
  await queueing;
  await bench.readIdle();
  await bench.expectNoFaults();
  expect(await bench.readState()).toMatchObject({ size: facts, halted: null });
});
