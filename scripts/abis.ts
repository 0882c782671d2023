// Writes abis/ from the contracts: `node scripts/abis.ts`, or `--check` to fail where the committed files differ.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "..");
const binaries = path.join(root, "node_modules", ".bin");
const env = { ...process.env, PATH: `${binaries}${path.delimiter}${process.env.PATH ?? ""}` };

const artifactShape = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: z.object({ object: z.string().regex(/^0x[0-9a-f]+$/) }),
});

/** Runs a tool of node_modules at the root; its output, or an end with a sentence that says what to do. */
function run(command: string, args: string[], input?: string): string {
  const result = spawnSync(command, args, { cwd: root, env, input, encoding: "utf8", maxBuffer: 1 << 26 });
  if (result.error) {
    return fail(`${command} did not start (${result.error.message}): run npm install, or install Foundry.`);
  }
  if (result.status !== 0)
    return fail(`${command} ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
  return result.stdout;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The compiled contract of one source file, as forge left it. */
function readArtifact(contract: string) {
  const file = path.join(root, "contracts", "out", `${contract}.sol`, `${contract}.json`);
  return artifactShape.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** A generated file's text as Biome formats it, so that neither undoes the other. */
function source(file: string, body: string): string {
  const header = "// Written by scripts/abis.ts from contracts/; do not edit.\n\n";
  return run("biome", ["format", `--stdin-file-path=${file}`], header + body);
}

run("forge", ["build", "--skip", "test"]);
const escrow = readArtifact("Escrow");
const testUsd = readArtifact("TestUSD");

const files: Record<string, string> = {
  "abis/escrow.ts": `export const escrowAbi = ${JSON.stringify(escrow.abi)} as const;\n`,
  "abis/testUsd.ts": `export const testUsdAbi = ${JSON.stringify(testUsd.abi)} as const;\n`,
  "abis/bytecode.ts":
    "/** Creation code of the contracts; neither constructor takes arguments. */\n" +
    `export const escrowBytecode = "${escrow.bytecode.object}" as const;\n\n` +
    `export const testUsdBytecode = "${testUsd.bytecode.object}" as const;\n`,
};

const stale: string[] = [];
mkdirSync(path.join(root, "abis"), { recursive: true });
for (const [file, body] of Object.entries(files)) {
  const target = path.join(root, file);
  const wanted = source(file, body);
  if (existsSync(target) && readFileSync(target, "utf8") === wanted) continue;
  stale.push(file);
  if (!process.argv.includes("--check")) writeFileSync(target, wanted);
}

if (process.argv.includes("--check")) {
  if (stale.length > 0)
    fail(`${stale.join(", ")}: not what contracts/ compiles to. Run node scripts/abis.ts.`);
} else {
  console.log(stale.length > 0 ? `wrote ${stale.join(", ")}` : "abis/ is up to date");
}
