// npm run test:description: checks docs/openapi.json by tools of other makers: two linters, and generators of clients for
// TypeScript, Python and Go. scripts/description/ pins their versions. Needs Node, Python and Go.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = join(root, "docs", "openapi.json");
const pins = join(root, "scripts", "description");
const cache = join(root, "node_modules", ".cache", "description");
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const goRuntime = "github.com/oapi-codegen/runtime@v1.8.0";

class Failure extends Error {}

/** Runs a program to its end. Throws a failure with the program's output if the exit code is not 0. */
function run(cwd: string, file: string, ...args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  const output = `${stdout ?? ""}${stderr ?? ""}`.trimEnd().split("\n").slice(-40).join("\n");
  throw new Failure(`${file} ${args.join(" ")}\n${error?.message ?? output}`);
}

/** Throws a failure if a required program is not installed. */
function need(name: string, ...version: string[]): void {
  if (spawnSync(name, version).status !== 0)
    throw new Failure(`${name} is missing: install it and run this again.`);
}

/** Returns a folder that is filled once for each set of pinned versions. */
function prepared(name: string, pinned: string[], fill: (folder: string) => void): string {
  const digest = createHash("sha256");
  for (const file of pinned) digest.update(readFileSync(join(pins, file)));
  const folder = join(cache, `${name}-${digest.digest("hex").slice(0, 16)}`);
  if (existsSync(join(folder, "done"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  fill(folder);
  writeFileSync(join(folder, "done"), "");
  return folder;
}

function npmTool(name: string): string {
  const folder = prepared("npm", ["package.json", "package-lock.json"], (made) => {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(pins, file), join(made, file));
    run(made, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  });
  return join(folder, "node_modules", ".bin", name);
}

function pythonTool(name: string): string {
  need("python3", "--version");
  const folder = prepared("python", ["requirements.txt"], (made) => {
    run(made, "python3", "-m", "venv", "venv");
    run(made, join(made, "venv/bin/pip"), "install", "--quiet", "-r", join(pins, "requirements.txt"));
  });
  return join(folder, "venv", "bin", name);
}

const tests: [outcome: string, test: (folder: string) => void][] = [
  ["redocly finds no error", (folder) => run(folder, npmTool("redocly"), "lint", document)],
  [
    "spectral finds no error",
    (folder) =>
      run(
        folder,
        npmTool("spectral"),
        "lint",
        document,
        "--ruleset",
        join(pins, "spectral.yaml"),
        "-F",
        "error",
        "-D",
      ),
  ],
  [
    "openapi-typescript makes types that compile",
    (folder) => {
      run(folder, npmTool("openapi-typescript"), document, "-o", "api.d.ts");
      run(folder, npmTool("tsc"), "--noEmit", "--strict", "api.d.ts");
    },
  ],
  [
    "openapi-python-client makes a client that loads, holds its types, and skips no operation",
    (folder) => {
      const python = pythonTool("python");
      const config = join(folder, "config.yaml");
      // The generator knows no other binary type.
      const overrides = ["application/pdf", "application/zip"].map(
        (type) => `  ${type}: application/octet-stream\n`,
      );
      writeFileSync(config, `post_hooks: []\ncontent_type_overrides:\n${overrides.join("")}`);
      run(
        folder,
        pythonTool("openapi-python-client"),
        ...["generate", "--path", document, "--meta", "none", "--output-path", "earnest_client"],
        ...["--config", config, "--fail-on-warning"],
      );
      run(folder, python, "-c", "import earnest_client, earnest_client.models");
      run(folder, python, "-m", "mypy", "--strict", "earnest_client");
    },
  ],
  [
    "oapi-codegen makes a client that compiles",
    (folder) => {
      need("go", "version");
      writeFileSync(
        join(folder, "config.yaml"),
        "package: earnest\ngenerate:\n  models: true\n  client: true\noutput-options:\n  skip-prune: true\noutput: client.go\n",
      );
      run(folder, "go", "mod", "init", "example.org/earnest");
      run(folder, "go", "run", oapiCodegen, "-config", "config.yaml", document);
      run(folder, "go", "get", goRuntime);
      run(folder, "go", "vet", ".");
    },
  ],
];

let failed = 0;
for (const [outcome, test] of tests) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-description-"));
  try {
    test(folder);
    console.log(`ok      ${outcome}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failed++;
    console.log(`FAILED  ${outcome}\n${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
