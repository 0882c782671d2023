import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "earnest-supervisor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const moduleOf = (path: string) =>
  JSON.stringify(new URL(`../../../tools/stack/${path}`, import.meta.url).href);

test("a program that ends at once is started again a few times, then everything stops with an explanation", async () => {
  const program = `
    import { createSupervisor } from ${moduleOf("supervisor.ts")};
    import { startChild } from ${moduleOf("process.ts")};
    const supervisor = createSupervisor({ rest: 10, longRest: 20, shortLife: 10_000, most: 3 });
    const start = (name, args) => startChild({ name, file: process.execPath, args, logFile: ${JSON.stringify(join(folder, "log"))} });
    const failing = () => start("the worker", ["-e", "process.exit(3)"]);
    supervisor.ready();
    supervisor.watch(await start("PostgreSQL", ["-e", "setInterval(() => {}, 1000)"]));
    supervisor.watch(await failing(), failing);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(code).toBe(1);
  const lines = output.split("\n").filter((line) => line.startsWith("the worker ended"));
  expect(lines.map((line) => line.split(";")[0])).toEqual([
    "the worker ended (code 3) and is started again, try 1 of 2",
    "the worker ended (code 3) and is started again, try 2 of 2",
    "the worker ended (code 3) 3 times within 10 seconds of its start",
  ]);
});
