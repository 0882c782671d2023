import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../../stack/process.ts";
import { ourProgram, type Program, startProgram } from "../harness/programs.ts";

/** Serves nothing, and hangs up on the process that keeps it when it is asked for the first time. */
const worker = `
process.exit = () => {};
process.on("message", () => process.disconnect());
process.send({ ready: true });
setTimeout(() => process.kill(process.pid, "SIGKILL"), 60_000);
`;
const keeper = (port: number, exec: string) => `
import cluster from "node:cluster";
import { keepProcesses } from "${new URL("../../api/processes.ts", import.meta.url)}";
import { readConfig } from "${new URL("../../config.ts", import.meta.url)}";

cluster.setupPrimary({ exec: ${JSON.stringify(exec)}, execArgv: [] });
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
const config = { ...readConfig({ METRICS_PORT: "${port}" }), apiProcesses: 2 };
const { ended } = await keepProcesses(config, stop.signal);
console.log("they serve");
process.exit(await ended);
`;

let folder: string;
let port: number;
let program: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "earnest-processes-"));
  port = await findFreePort();
  writeFileSync(join(folder, "worker.mjs"), worker);
  writeFileSync(join(folder, "keeper.mjs"), keeper(port, join(folder, "worker.mjs")));
  const [option = "", loader = ""] = ourProgram("");
  program = startProgram(process.execPath, [option, loader, join(folder, "keeper.mjs")]);
  await program.says("they serve");
});
afterAll(async () => {
  program.process.kill("SIGTERM");
  await program.ended;
  rmSync(folder, { recursive: true, force: true });
});

test("a process that can no longer be asked for its numbers does not end the one that keeps it", async () => {
  const read = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/metrics`);
    return status;
  };
  // The first question is the last that reaches them.
  expect([await read(), await read(), await read()]).toEqual([200, 200, 200]);
  expect(program.process.exitCode).toBeNull();
});
