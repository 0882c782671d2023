import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hex } from "viem";

/** Compiles a Solidity file that imports nothing. Returns its contracts' creation code by their names. */
export function compile(file: URL): Record<string, Hex> {
  const name = basename(fileURLToPath(file));
  const { stdout } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("../../scripts/solc.cjs", import.meta.url)), "--standard-json"],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      input: JSON.stringify({
        language: "Solidity",
        sources: { [name]: { content: readFileSync(file, "utf8") } },
        settings: {
          evmVersion: "cancun",
          optimizer: { enabled: true },
          outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
        },
      }),
    },
  );
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
