// Writes abis/ from the contracts: `node scripts/generate/abis.ts`. With `--check`, fails if the committed files differ.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { toolPath } from "../../tools/build/tools.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const code = z.object({ object: z.string().regex(/^0x[0-9a-f]*$/, "needs linking") });
const artifactShape = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: code,
  deployedBytecode: code.extend({
    immutableReferences: z
      .record(z.string(), z.array(z.object({ start: z.int(), length: z.literal(32) })))
      .default({}),
  }),
  ast: z.unknown().optional(),
  metadata: z.object({
    compiler: z.object({ version: z.string() }),
    settings: z.looseObject({
      compilationTarget: z.record(z.string(), z.string()),
      optimizer: z.object({ enabled: z.literal(true), runs: z.int() }),
      evmVersion: z.string(),
      viaIR: z.boolean().default(false),
      metadata: z.object({ bytecodeHash: z.string(), appendCBOR: z.boolean().default(true) }),
    }),
    sources: z.record(z.string(), z.object({ keccak256: z.string() })),
  }),
});
type Artifact = z.infer<typeof artifactShape>;

/** Runs a tool of node_modules at the root and returns its output. Ends the program with a message if the tool fails. */
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

/** Reads the compiled contract of one source file from forge's output. */
function readArtifact(contract: string) {
  const file = `${root}contracts/out/deployed/${contract}.sol/${contract}.json`;
  return artifactShape.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Returns the SHA-256 of the sources. By it the contracts' tests check that the deployed bytes match the sources. */
function digestSources(): string {
  const hash = createHash("sha256");
  const files = [
    "src/Deposit.sol",
    "src/Escrow.sol",
    "dev/SignedToken.sol",
    "dev/TestUSD.sol",
    "src/Anchors.sol",
    "src/PasskeyAccount.sol",
    "src/PasskeyAccountFactory.sol",
  ];
  for (const file of files) {
    hash.update(readFileSync(`${root}contracts/${file}`));
  }
  return `0x${hash.digest("hex")}`;
}

/** Whether one run of the compiler made all artifacts. The compiler's numbers of variables differ between runs. */
function areOfOneBuild(contracts: string[]): boolean {
  const file = `${root}contracts/cache/deployed/solidity-files-cache.json`;
  const builds = new Set<string>();
  for (const contract of contracts) {
    if (!readArtifact(contract).ast) return false;
    const entry = new RegExp(`"path":\\s*"${contract}\\.sol/${contract}\\.json",\\s*"build_id":\\s*"(\\w+)"`);
    builds.add(entry.exec(readFileSync(file, "utf8"))?.[1] ?? contract);
  }
  return builds.size === 1;
}

/** The names of immutables by the compiler's number. */
function nameImmutables(node: unknown, names = new Map<string, string>()): Map<string, string> {
  if (typeof node !== "object" || node === null) return names;
  const { nodeType, mutability, id, name } = node as Record<string, unknown>;
  if (nodeType === "VariableDeclaration" && mutability === "immutable") names.set(String(id), String(name));
  for (const child of Object.values(node)) nameImmutables(child, names);
  return names;
}

/** The deployed code with zeros for its immutables, and the byte positions of each immutable. */
function describeRuntime({ deployedBytecode }: Artifact, names: Map<string, string>) {
  const immutables = Object.entries(deployedBytecode.immutableReferences).map(([id, references]) => {
    const name = names.get(id) ?? fail(`The compiler names no immutable ${id}.`);
    return [name, references.map(({ start }) => start)] as const;
  });
  return { code: deployedBytecode.object, immutables: Object.fromEntries(immutables) };
}

const built = [
  "Escrow",
  "Deposit",
  "EIP712",
  "TestUSD",
  "TestToken",
  "Anchors",
  "IdentityRegistry",
  "ReputationRegistry",
  "PasskeyAccount",
  "PasskeyAccountFactory",
] as const;
run("forge", ["build", "--ast"]);
if (!areOfOneBuild([...built])) run("forge", ["build", "--ast", "--force"]);
const artifacts = Object.fromEntries(built.map((name) => [name, readArtifact(name)])) as Record<
  (typeof built)[number],
  Artifact
>;
const { Escrow: escrow, Deposit: deposit, EIP712: domain, TestUSD: testUsd, Anchors: anchors } = artifacts;
const { TestToken: testToken } = artifacts;
const { IdentityRegistry: identityRegistry, ReputationRegistry: reputationRegistry } = artifacts;
const { PasskeyAccount: passkeyAccount, PasskeyAccountFactory: passkeyFactory } = artifacts;
const immutableNames = nameImmutables([escrow.ast, deposit.ast, domain.ast]);
const { compiler, settings } = escrow.metadata;
const build = {
  compiler: {
    solc: compiler.version,
    optimizer_runs: settings.optimizer.runs,
    via_ir: settings.viaIR,
    evm_version: settings.evmVersion,
    metadata_hash: settings.metadata.bytecodeHash,
    metadata_appended: settings.metadata.appendCBOR,
  },
  escrow: describeRuntime(escrow, immutableNames),
  deposit: describeRuntime(deposit, immutableNames),
};

/** Describes the input that a compiler needs to make a contract again: its file, and the hashes of all imported files. */
function describeSources({ metadata }: Artifact) {
  const [target] = Object.entries(metadata.settings.compilationTarget);
  const sources = Object.entries(metadata.sources).map(([file, { keccak256 }]) => [file, keccak256] as const);
  return { identifier: target?.join(":"), sources: Object.fromEntries(sources) };
}

const { compilationTarget: _, ...compilerSettings } = settings;
const sources = {
  compiler: compiler.version,
  settings: compilerSettings,
  contracts: {
    Escrow: describeSources(escrow),
    Deposit: describeSources(deposit),
    Anchors: describeSources(anchors),
    PasskeyAccountFactory: describeSources(passkeyFactory),
    PasskeyAccount: describeSources(passkeyAccount),
  },
};

const files: Record<string, string> = {
  "abis/escrow.ts": `export const escrowAbi = ${JSON.stringify(escrow.abi)} as const;\n`,
  "abis/anchors.ts": `export const anchorsAbi = ${JSON.stringify(anchors.abi)} as const;\n`,
  "abis/passkeyAccount.ts":
    `export const passkeyAccountAbi = ${JSON.stringify(passkeyAccount.abi)} as const;\n\n` +
    `export const passkeyAccountFactoryAbi = ${JSON.stringify(passkeyFactory.abi)} as const;\n`,
  "abis/testUsd.ts": `export const testUsdAbi = ${JSON.stringify(testUsd.abi)} as const;\n`,
  "abis/registries.ts":
    "/** ERC-8004's, as those of the public networks have them too. */\n" +
    `export const identityRegistryAbi = ${JSON.stringify(identityRegistry.abi)} as const;\n\n` +
    `export const reputationRegistryAbi = ${JSON.stringify(reputationRegistry.abi)} as const;\n`,
  "abis/registryBytecode.ts":
    "/** Creation code of the registries for local chains; the second takes the first one's address. */\n" +
    `export const identityRegistryBytecode = "${identityRegistry.bytecode.object}" as const;\n\n` +
    `export const reputationRegistryBytecode = "${reputationRegistry.bytecode.object}" as const;\n`,
  "abis/testToken.ts":
    "/** Creation code of the tokens of the second local chain; name, symbol and decimals follow it. */\n" +
    `export const testTokenBytecode = "${testToken.bytecode.object}" as const;\n`,
  // The contracts' tests read this file: the quoted values are the digest, then the codes.
  "abis/bytecode.ts":
    `// SHA-256 of the sources: "${digestSources()}".\n\n` +
    "/** Creation code of the contracts; no constructor takes arguments. */\n" +
    `export const escrowBytecode = "${escrow.bytecode.object}" as const;\n\n` +
    `export const testUsdBytecode = "${testUsd.bytecode.object}" as const;\n\n` +
    `export const anchorsBytecode = "${anchors.bytecode.object}" as const;\n\n` +
    `export const passkeyAccountFactoryBytecode = "${passkeyFactory.bytecode.object}" as const;\n`,
  "abis/sources.ts":
    "/** The compiler, its settings, and the keccak256 of each source file of the contracts on public chains. */\n" +
    `export const contractSources = ${JSON.stringify(sources)} as const;\n`,
  "abis/build.ts":
    "/** How the escrow was compiled, and the code that then stands on a chain: zeros where its immutables go. */\n" +
    `export const escrowBuild = ${JSON.stringify(build)} as const;\n\n` +
    "/** The code of Anchors on every chain: it has no immutables. */\n" +
    `export const anchorsCode = "${anchors.deployedBytecode.object}" as const;\n`,
};

const stale: string[] = [];
for (const [file, body] of Object.entries(files)) {
  const header = "// Written by scripts/generate/abis.ts from contracts/; do not edit.\n";
  // Formats the file as Biome does, so that `npm run format` leaves it unchanged.
  const generated = run("biome", ["format", `--stdin-file-path=${file}`], header + body);
  if (existsSync(root + file) && readFileSync(root + file, "utf8") === generated) continue;
  stale.push(file);
  if (!process.argv.includes("--check")) writeFileSync(root + file, generated);
}

if (!process.argv.includes("--check")) {
  console.log(stale.length > 0 ? `wrote ${stale.join(", ")}` : "abis/ is up to date");
} else if (stale.length > 0) {
  fail(`${stale.join(", ")}: differs from the compiled contracts/. Run node scripts/generate/abis.ts.`);
}
