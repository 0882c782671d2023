import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

/** Writes 1 KB lines, as concurrently as a busy API, and reports the memory in use on standard error. */
const program = `
  import { setTimeout as sleep } from "node:timers/promises";
  const { createLog } = await import(${JSON.stringify(new URL("../../config/log.ts", import.meta.url).href)});
  const log = createLog({ logLevel: "info", chains: [] }, "test");
  const measure = () => (gc(), process.memoryUsage().heapUsed);
  const before = measure();
  for (let n = 1; n <= 60_000; n += 1) {
    log.info({ n, text: "x".repeat(1000) }, "line");
    if (n % 500 === 0) await sleep(1);
  }
  console.error(Math.round((measure() - before) / 2 ** 20));
  // A reader that comes back finds what waited.
  await sleep(60_000, undefined, { ref: false });
`;

test("unread lines take bounded memory, and dropped lines are counted in the log", async () => {
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    // Standard output is read only after all lines are written.
    const megabytes = await new Promise<number>((resolve) =>
      child.stderr.once("data", (text: Buffer) => resolve(Number(text.toString()))),
    );
    expect(megabytes).toBeLessThan(15);

    const numbers: number[] = [];
    let lost = 0;
    for await (const line of createInterface(child.stdout)) {
      const { n, lines } = JSON.parse(line) as { n?: number; lines?: number };
      if (n) numbers.push(n);
      if (lines) lost += lines;
      if (numbers.length + lost === 60_000) break;
    }
    expect(lost).toBeGreaterThan(10_000);
    // The retained lines are whole and in order.
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  } finally {
    child.kill("SIGKILL");
  }
});
