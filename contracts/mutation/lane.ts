// A copy of the repository in which the contracts' tests run against any code of the contracts.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { toolPath } from "../../tools/build/tools.ts";
import type { Codes } from "./compile.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bytecode = "abis/bytecode.ts";
const compiler = "scripts/solc.cjs";

/** Milliseconds after which a run counts as hanging. The tests take seconds, the invariants two minutes. */
const limit = 900_000;

const reportShape = z.record(
  z.string(),
  z.object({
    test_results: z.record(z.string(), z.object({ status: z.string(), reason: z.string().nullish() })),
  }),
);

export type Verdict = { killer: string; reason: string } | null;

/** Copies the inputs of forge into a new folder and builds the tests there. */
export function createLane(folder: string): string {
  for (const path of ["contracts/dev", "contracts/src", "contracts/test", "abis", "foundry.toml", compiler]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const built = spawnSync(toolPath("forge"), ["build"], { cwd: folder, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`forge could not build the tests:\n${built.stdout}${built.stderr}`);
  // From here on, forge asks only for the compiler's version. The compiler itself would take 0.3 s for each answer.
  const version = spawnSync(process.execPath, [compiler, "--version"], { cwd: folder, encoding: "utf8" });
  writeFileSync(join(folder, compiler), `#!/bin/sh\ncat << END\n${version.stdout}END\n`);
  return folder;
}

/** Copies a lane with forge's build. */
export function copyLane(from: string, to: string): string {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return to;
}

/** The tests of gas figures, which do not apply to mutants: their code is not optimized. */
const figures = { contract: "^GasTest$", test: "Burns?AllGas" };

/**
 * Runs the contracts' tests against these creation codes, without the tests of gas figures.
 *
 * @param thorough with the invariants and the fuzz runs of foundry.toml; otherwise a few runs and no invariants
 * @returns the first test that failed, or null if all passed
 */
export async function test(
  folder: string,
  codes: Codes,
  { thorough }: { thorough: boolean },
): Promise<Verdict> {
  // The digest in this file stays unchanged, because the tests compare it with the sources.
  const written = join(folder, bytecode);
  let text = readFileSync(written, "utf8");
  for (const [name, code] of Object.entries(codes)) {
    text = text.replace(new RegExp(`(${name} =\\s*)"0x[0-9a-f]*"`), `$1"${code}"`);
    if (!text.includes(code)) throw new Error(`${bytecode} holds no ${name}.`);
  }
  writeFileSync(written, text);
  // Forge repeats earlier failures first, so a verdict would depend on the order of the mutants.
  for (const failures of ["cache", "contracts/cache/fuzz", "contracts/cache/invariant"]) {
    rmSync(join(folder, failures), { recursive: true, force: true });
  }
  const skipped = thorough ? figures.test : `${figures.test}|^invariant_`;
  const args = ["test", "--json", "--fail-fast", "--threads=1"];
  args.push(`--no-match-contract=${figures.contract}`, `--no-match-test=${skipped}`);
  if (!thorough) args.push("--fuzz-runs=8");
  const { status, output } = await runForge(folder, args);
  const report = reportShape.safeParse(parseLastJson(output));
  if (!report.success)
    throw new Error(`forge ended with code ${status} and no report:\n${output.slice(-2000)}`);
  for (const [contract, { test_results }] of Object.entries(report.data)) {
    for (const [name, { status, reason }] of Object.entries(test_results)) {
      const killer = `${contract.split(":")[1]}.${name.split("(")[0]}`;
      if (status === "Failure") return { killer, reason: reason ?? "" };
    }
  }
  if (status !== 0)
    throw new Error(`forge ended with code ${status}, but no test failed:\n${output.slice(-2000)}`);
  return null;
}

function runForge(cwd: string, args: string[]): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(toolPath("forge"), args, { cwd, timeout: limit });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output: Buffer.concat(chunks).toString() }));
  });
}

/** Reads forge's report, which is its last line. The compiler and failed invariants write other lines before. */
function parseLastJson(output: string): unknown {
  try {
    return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "");
  } catch {
    return null;
  }
}
