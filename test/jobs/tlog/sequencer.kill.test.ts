import { expect, test } from "vitest";
import { startLogBench } from "../../harness/faults/log.ts";

// Each of the other tables, and kills at random: test/faults/log.test.ts.
test("a worker killed while it writes log_entry leaves no part of that checkpoint, and the next one completes it", async () => {
  const bench = await startLogBench();
  try {
    await bench.killWhileWriting("log_entry");
    expect(await bench.readState()).toMatchObject({ queued: 0 });
  } finally {
    await bench.close();
  }
});
