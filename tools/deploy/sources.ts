import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Address, getContractAddress, keccak256 } from "viem";
import { contractSources } from "../../abis/sources.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";

/** The body of Sourcify's `POST /v2/verify/{chainId}/{address}`. */
export type Verification = {
  stdJsonInput: {
    language: "Solidity";
    sources: Record<string, { content: string }>;
    settings: Record<string, unknown>;
  };
  compilerVersion: string;
  contractIdentifier: string;
  creationTransactionHash?: string;
};

export type PublicContract = keyof typeof contractSources.contracts;

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Reads what a compiler needs to make a contract again.
 *
 * @param folder the folder of contracts/ and node_modules/
 * @throws ConfigError if a source file is missing or is not the compiled one
 */
export function readVerification(contract: PublicContract, folder = root): Verification {
  const { compiler, settings, contracts } = contractSources;
  const { identifier, sources } = contracts[contract];
  const [target = "", name = ""] = identifier.split(":");
  const contents = Object.entries(sources).map(([file, hash]) => [file, { content: read(file, hash) }]);
  return {
    stdJsonInput: {
      language: "Solidity",
      sources: Object.fromEntries(contents),
      settings: {
        ...settings,
        outputSelection: {
          [target]: { [name]: ["abi", "metadata", "evm.bytecode", "evm.deployedBytecode"] },
        },
      },
    },
    compilerVersion: compiler,
    contractIdentifier: identifier,
  };

  function read(file: string, hash: string): string {
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(folder, file));
    } catch {
      throw new ConfigError(
        `The source ${file} is missing: run \`npm ci\`, which installs the contracts' libraries.`,
      );
    }
    if (keccak256(bytes) === hash) return bytes.toString("utf8");
    throw new ConfigError(`The source ${file} is not the one that the contracts were compiled from.`);
  }
}

/** Lists the contracts of a deployment that have sources, with their addresses. */
export function listContracts(
  manifest: DeploymentManifest,
): { contract: PublicContract; address: Address }[] {
  const { escrow_contract, deposit_implementation, anchors, passkey_factory: factory } = manifest;
  const named: [PublicContract, Address | undefined][] = [
    ["Escrow", escrow_contract],
    ["Deposit", deposit_implementation],
    ["Anchors", anchors?.contract],
    ["PasskeyAccountFactory", factory],
    // The factory's constructor creates the code of all accounts.
    ["PasskeyAccount", factory && getContractAddress({ from: factory, nonce: 1n })],
  ];
  return named.flatMap(([contract, address]) => (address ? [{ contract, address }] : []));
}

/**
 * Writes the sources of a deployment to `<directory>/sources/<chain id>/<address>.json`, each in Sourcify's format.
 *
 * @throws ConfigError as `readVerification`
 */
export function writeSources(
  directory: string,
  manifest: DeploymentManifest,
): { address: Address; file: string }[] {
  return listContracts(manifest).map(({ contract, address }) => {
    const verification = readVerification(contract);
    const { escrow_contract, deployment_transaction } = manifest;
    if (address === escrow_contract && deployment_transaction)
      verification.creationTransactionHash = deployment_transaction;
    const file = join(directory, "sources", String(manifest.chain_id), `${address}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(verification, null, 2)}\n`);
    return { address, file };
  });
}
