import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "earnest-env-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const preload = `--import=${new URL("../../config/env-file.ts", import.meta.url).href}`;
const program = `
  const { Worker } = require("node:worker_threads");
  console.log(process.env.SECRET, process.env.PORT);
  new Worker("console.log(process.env.SECRET)", { eval: true, env: {} });
`;
const run = () => {
  const env = { PATH: process.env.PATH, PORT: "1" };
  const { stdout, stderr } = spawnSync(process.execPath, [preload, "-e", program], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { stdout, stderr };
};

test("a command reads .env, the environment overrides .env, and a thread without settings has none", () => {
  expect(run()).toEqual({ stdout: "undefined 1\nundefined\n", stderr: "" });
  writeFileSync(join(folder, ".env"), "SECRET=known\nPORT=2\n");
  expect(run()).toEqual({ stdout: "known 1\nundefined\n", stderr: "" });
});
