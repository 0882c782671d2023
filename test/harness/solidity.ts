import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";

const program = fileURLToPath(new URL("../../scripts/solc.cjs", import.meta.url));
const cacheFolder = new URL("../../node_modules/.cache/earnest/solidity/", import.meta.url);
const { version } = createRequire(import.meta.url)("solc/package.json") as { version: string };

/** One contract of the compiler's output. */
type Compiled = {
  evm: {
    bytecode: { object: string };
    deployedBytecode?: {
      object: string;
      immutableReferences?: Record<string, { start: number; length: number }[]>;
    };
  };
};
type Output = Record<string, Record<string, Compiled>>;

/** Compiles a Solidity file that imports nothing. Returns its contracts' creation code by their names. */
export async function compile(file: URL): Promise<Record<string, Hex>> {
  const name = basename(fileURLToPath(file));
  const contracts = await compileStandard({
    language: "Solidity",
    sources: { [name]: { content: readFileSync(file, "utf8") } },
    settings: {
      evmVersion: "cancun",
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
    },
  });
  return Object.fromEntries(
    Object.entries(contracts[name] ?? {}).map(([contract, { evm }]) => [
      contract,
      `0x${evm.bytecode.object}` as Hex,
    ]),
  );
}

/**
 * Compiles the compiler's standard JSON. Most of a second is spent on loading the compiler: what it made of the same input is
 * kept, for other files of a run too.
 */
export async function compileStandard(standard: object): Promise<Output> {
  const input = JSON.stringify(standard);
  const hash = createHash("sha256").update(`${version}\n${input}`).digest("hex");
  // The name has the form of the content: the compiler's contracts by their files.
  const place = new URL(`${hash}.contracts.json`, cacheFolder);
  try {
    return JSON.parse(readFileSync(place, "utf8"));
  } catch {
    const made = await compileAnew(input);
    mkdirSync(cacheFolder, { recursive: true });
    // Another process may compile the same source and read the file.
    const draft = new URL(`${hash}.${process.pid}`, cacheFolder);
    writeFileSync(draft, JSON.stringify(made));
    renameSync(draft, place);
    return made;
  }
}

/** Does not block, because the connections of a test to its servers end meanwhile. */
async function compileAnew(input: string): Promise<Output> {
  const compiler = spawn(process.execPath, [program, "--standard-json"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(compiler, "close");
  compiler.stdin.on("error", () => {}).end(input);
  const [stdout, [code]] = await Promise.all([text(compiler.stdout), closed]);
  if (code !== 0) throw new Error(`The compiler ended with code ${code}.`);
  const { errors = [], contracts } = JSON.parse(stdout) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Output;
  };
  const fatal = errors.filter(({ severity }) => severity === "error");
  if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return contracts;
}
