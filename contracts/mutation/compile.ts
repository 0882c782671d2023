// The contracts through solc in this process: a tree to mutate, and the code of what comes of it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import solc from "solc";
import { z } from "zod";
import { readSource, type Source } from "./syntax.ts";

// solc installs handlers that swallow the stack of any error in this process.
process.removeAllListeners("uncaughtException");
process.removeAllListeners("unhandledRejection");

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What is mutated: what holds money, and what sends the calls of many. */
const files = ["contracts/src/Deposit.sol", "contracts/src/Escrow.sol", "contracts/src/Batch.sol"] as const;
/** What is deployed of it, by its name in abis/bytecode.ts: the code of Escrow holds that of Deposit. */
const deployed = { escrowBytecode: "Escrow", batchBytecode: "Batch" } as const;

/** Creation codes, hex with 0x, by their names in abis/bytecode.ts. */
export type Codes = Record<keyof typeof deployed, string>;

// Without the optimizer a compilation takes 0.3 s instead of 4. The tests pass on that code too, or nothing is run.
const settings = {
  optimizer: { enabled: false },
  evmVersion: "cancun",
  remappings: ["@openzeppelin/=node_modules/@openzeppelin/"],
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

const outputShape = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  sources: z.record(z.string(), z.object({ ast: z.unknown().optional() })),
  contracts: z
    .record(
      z.string(),
      z.record(z.string(), z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) })),
    )
    .optional(),
});

const texts = new Map<string, string>();
function readText(file: string): string {
  const text = texts.get(file) ?? readFileSync(root + file, "utf8");
  texts.set(file, text);
  return text;
}

function run(changed: Record<string, string>, outputSelection: object) {
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: changed[file] ?? readText(file) }]),
  );
  const input = { language: "Solidity", sources, settings: { ...settings, outputSelection } };
  const readImport = (file: string) => ({ contents: readText(file) });
  return outputShape.parse(JSON.parse(solc.compile(JSON.stringify(input), { import: readImport })));
}

/** The sources with their trees. */
export function readSources(): Source[] {
  const output = run({}, { "*": { "": ["ast"] } });
  return files.map((file) => readSource(file, readText(file), output.sources[file]?.ast));
}

/**
 * The contracts' creation codes with some files' text changed.
 *
 * @returns the codes, or the compiler's first error
 */
export function compile(changed: Record<string, string>): Codes | { error: string } {
  const wanted = Object.values(deployed).map((name) => [
    `contracts/src/${name}.sol`,
    { [name]: ["evm.bytecode.object"] },
  ]);
  const output = run(changed, Object.fromEntries(wanted));
  const error = output.errors?.find(({ severity }) => severity === "error");
  if (error) return { error: error.formattedMessage };
  const codeOf = (name: string) => {
    const code = output.contracts?.[`contracts/src/${name}.sol`]?.[name]?.evm.bytecode.object;
    if (!code) throw new Error(`solc reported no error and no code of ${name}.`);
    return `0x${code}`;
  };
  return { escrowBytecode: codeOf(deployed.escrowBytecode), batchBytecode: codeOf(deployed.batchBytecode) };
}
