import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment } from "../../config.ts";
import { root } from "../harness/programs.ts";

const folder = join(root, "ops/systemd");
const units = readdirSync(folder);
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.runIf(hasSystemd)("systemd takes every unit as it is", () => {
  const copy = mkdtempSync(join(tmpdir(), "earnest-units-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const given = units.map((unit) => join(copy, unit.replace("@.", "@1.")));
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${copy}:` };
    const verified = spawnSync("systemd-analyze", ["verify", ...given], { encoding: "utf8", env });
    expect(verified.stderr.split("\n").filter((line) => line.includes("earnest"))).toEqual([]);
    expect(verified.status).toBe(0);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("units start programs that are there, with settings that are read", () => {
  const known = new Set([...Object.keys(environment.shape), "PATH", "MALLOC_ARENA_MAX"]);
  const started = units.flatMap((unit) => {
    const text = readFileSync(join(folder, unit), "utf8");
    for (const [, name = ""] of text.matchAll(/^Environment=(\w+)=/gm))
      expect([unit, name, known.has(name)]).toEqual([unit, name, true]);
    return [...text.matchAll(/^ExecStart=.* (\S+\.ts)$/gm)].map(([, program = ""]) => program);
  });
  expect(started.sort()).toEqual([
    "jobs/worker.ts",
    "scripts/api.ts",
    "scripts/indexer.ts",
    "scripts/migrate.ts",
  ]);
  for (const program of started) expect(existsSync(join(root, program))).toBe(true);
});
