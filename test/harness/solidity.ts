import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";

const program = fileURLToPath(new URL("../../scripts/solc.cjs", import.meta.url));
const cacheFolder = new URL("../../node_modules/.cache/earnest/solidity/", import.meta.url);
const { version } = createRequire(import.meta.url)("solc/package.json") as { version: string };

/**
 * Compiles a Solidity file that imports nothing. Returns its contracts' creation code by their names. Most of a second is spent
 * on loading the compiler: what it made of the same source is kept, for other files of a run too.
 */
export function compile(file: URL): Record<string, Hex> {
  const name = basename(fileURLToPath(file));
  const input = JSON.stringify({
    language: "Solidity",
    sources: { [name]: { content: readFileSync(file, "utf8") } },
    settings: {
      evmVersion: "cancun",
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
    },
  });
  const hash = createHash("sha256").update(`${version}\n${input}`).digest("hex");
  const place = new URL(`${hash}.json`, cacheFolder);
  try {
    return JSON.parse(readFileSync(place, "utf8"));
  } catch {
    const made = compileAnew(name, input);
    mkdirSync(cacheFolder, { recursive: true });
    // Another process may compile the same source and read the file.
    const draft = new URL(`${hash}.${process.pid}`, cacheFolder);
    writeFileSync(draft, JSON.stringify(made));
    renameSync(draft, place);
    return made;
  }
}

function compileAnew(name: string, input: string): Record<string, Hex> {
  const { stdout } = spawnSync(process.execPath, [program, "--standard-json"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    input,
  });
  const { errors = [], contracts } = JSON.parse(stdout) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
  };
  const fatal = errors.filter(({ severity }) => severity === "error");
  if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    Object.entries(contracts[name] ?? {}).map(([contract, { evm }]) => [
      contract,
      `0x${evm.bytecode.object}` as Hex,
    ]),
  );
}
