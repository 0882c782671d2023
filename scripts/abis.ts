// Writes abis/ from the contracts: `node scripts/abis.ts`, or `--check` to fail where the committed files differ.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { toolPath } from "./tools.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const artifactShape = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: z.object({ object: z.string().regex(/^0x[0-9a-f]+$/, "needs linking") }),
});

/** Runs a tool of node_modules at the root; its output, or an end with a sentence that says what to do. */
function run(tool: string, args: string[], input?: string): string {
  const env = { ...process.env, FOUNDRY_PROFILE: "deployed" };
  const result = spawnSync(toolPath(tool), args, { cwd: root, env, input, encoding: "utf8" });
  if (result.error) {
    fail(`${tool} did not start (${result.error.message}): run npm install, or install Foundry.`);
  }
  if (result.status !== 0) fail(`${tool} ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
  return result.stdout;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The compiled contract of one source file, as forge left it. */
function readArtifact(contract: string) {
  const file = `${root}contracts/out/deployed/${contract}.sol/${contract}.json`;
  return artifactShape.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** SHA-256 of the sources, by which the contracts' tests see that the bytes they deploy are those of the sources. */
function digestSources(): string {
  const hash = createHash("sha256");
  for (const file of ["src/Deposit.sol", "src/Escrow.sol", "dev/TestUSD.sol"]) {
    hash.update(readFileSync(`${root}contracts/${file}`));
  }
  return `0x${hash.digest("hex")}`;
}

run("forge", ["build"]);
const escrow = readArtifact("Escrow");
const testUsd = readArtifact("TestUSD");

const files: Record<string, string> = {
  "abis/escrow.ts": `export const escrowAbi = ${JSON.stringify(escrow.abi)} as const;\n`,
  "abis/testUsd.ts": `export const testUsdAbi = ${JSON.stringify(testUsd.abi)} as const;\n`,
  // The contracts' tests read this file: between its quotes stand the digest, then the two codes.
  "abis/bytecode.ts":
    `// SHA-256 of the sources: "${digestSources()}".\n\n` +
    "/** Creation code of the contracts; neither constructor takes arguments. */\n" +
    `export const escrowBytecode = "${escrow.bytecode.object}" as const;\n\n` +
    `export const testUsdBytecode = "${testUsd.bytecode.object}" as const;\n`,
};

const stale: string[] = [];
for (const [file, body] of Object.entries(files)) {
  const header = "// Written by scripts/abis.ts from contracts/; do not edit.\n";
  // As Biome formats it, so that neither undoes the other.
  const wanted = run("biome", ["format", `--stdin-file-path=${file}`], header + body);
  if (existsSync(root + file) && readFileSync(root + file, "utf8") === wanted) continue;
  stale.push(file);
  if (!process.argv.includes("--check")) writeFileSync(root + file, wanted);
}

if (!process.argv.includes("--check")) {
  console.log(stale.length > 0 ? `wrote ${stale.join(", ")}` : "abis/ is up to date");
} else if (stale.length > 0) {
  fail(`${stale.join(", ")}: not what contracts/ compiles to. Run node scripts/abis.ts.`);
}
