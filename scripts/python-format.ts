// The format of the Python client, by ruff's own formatter as an npm package: no Python is needed. `--check` changes no file.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { parse } from "smol-toml";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const settings = z
  .object({ tool: z.object({ ruff: z.record(z.string(), z.unknown()) }) })
  .parse(parse(readFileSync(join(root, "clients/python/pyproject.toml"), "utf8"))).tool.ruff;
const isChecking = process.argv.includes("--check");

const workspace = new Workspace(settings, PositionEncoding.Utf16);
const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "clients/python/*.py"], {
  cwd: root,
  encoding: "utf8",
});
for (const file of listed.split("\n").filter(Boolean)) {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  const formatted = workspace.format(text);
  if (formatted === text) continue;
  console.log(file);
  if (isChecking) process.exitCode = 1;
  else writeFileSync(path, formatted);
}
