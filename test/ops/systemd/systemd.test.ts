import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { environment } from "../../../config/config.ts";
import { root } from "../../harness/programs.ts";

const folder = join(root, "ops/systemd");
const units = readdirSync(folder);
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.runIf(hasSystemd)("systemd accepts every unit", () => {
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

test("units start existing programs, with settings that are read", () => {
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

test("units and containers start the programs as package.json does", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { services } = parse(readFileSync(join(root, "ops/container/compose.yaml"), "utf8"), { merge: true });
  const image = readFileSync(join(root, "ops/container/Containerfile"), "utf8");
  for (const [name, unit] of [
    ["api", "earnest-api.service"],
    ["indexer", "earnest-indexer.service"],
    ["worker", "earnest-worker@.service"],
  ] as const) {
    const started = readFileSync(join(folder, unit), "utf8").match(
      /^ExecStart=\/usr\/bin\/env (?:PORT=\d+ )?(.+)$/m,
    );
    expect([name, started?.[1]]).toEqual([name, scripts[name]]);
    // The image's own entry point comes before the container's arguments.
    const contained = [
      ...JSON.parse(/^ENTRYPOINT (.+)$/m.exec(image)?.[1] ?? "[]"),
      ...services[name].command,
    ];
    expect(contained.join(" ")).toBe(scripts[name]);
    if (name === "api")
      expect(JSON.parse(/^CMD (.+)$/m.exec(image)?.[1] ?? "[]")).toEqual(services.api.command);
  }
});
