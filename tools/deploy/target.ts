import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Address, BaseError, createPublicClient, type PublicClient } from "viem";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { readManifest } from "../../config/chains.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import type { readDeployConfig } from "../../config/programs.ts";
import { addressOf } from "./create2.ts";
import { findChainName } from "./public-chains.ts";
import { steadyHttp } from "./steady-http.ts";

type DeployConfig = ReturnType<typeof readDeployConfig>;

/** The chain to deploy on, with its node and its manifest. */
export type Target = DeployConfig & {
  reader: PublicClient;
  chainId: number;
  title: string;
  /** the path of this chain's manifest, and the manifest if it exists */
  file: string;
  manifest: DeploymentManifest | undefined;
};

/**
 * Reads the chain's id from the node, and the chain's manifest.
 *
 * @param namedChain the chain of `--chain`, or null
 * @throws ConfigError if the node does not respond, or serves another chain
 */
export async function openTarget(config: DeployConfig, namedChain: number | null): Promise<Target> {
  const reader = createPublicClient({ transport: steadyHttp(config.rpcUrl) });
  // The host alone: the rest of the URL often holds a key.
  const host = URL.parse(config.rpcUrl)?.host ?? config.rpcUrl;
  const chainId = await reader.getChainId().catch((error) => {
    const why = error instanceof BaseError ? error.shortMessage : (error as Error).message;
    throw new ConfigError(`The node ${host} does not answer: ${why}`);
  });
  if (namedChain !== null && namedChain !== chainId) {
    throw new ConfigError(`--chain says ${namedChain}, but the node ${host} serves chain ${chainId}.`);
  }
  const file = join(config.deploymentsDir, `${chainId}.json`);
  return {
    ...config,
    reader,
    chainId,
    title: `${config.networkName ?? findChainName(chainId)} (${chainId}), by ${host}`,
    file,
    manifest: existsSync(file) ? readManifest(file) : undefined,
  };
}

/**
 * Refuses a change of an existing manifest, because orders refer to its contracts. Missing entries may be added.
 *
 * @throws ConfigError if this deployment would change the manifest
 */
export function refuseOtherDeployment(
  { manifest, file, chainId, arbiter }: Target,
  token: Address | undefined,
): void {
  if (!manifest) return;
  const wanted = { escrow: addressOf(escrowBytecode), token: token ?? manifest.token.address, arbiter };
  const named = {
    escrow: manifest.escrow_contract,
    token: manifest.token.address,
    arbiter: manifest.arbiter,
  };
  const differing = (["escrow", "token", "arbiter"] as const).filter((key) => wanted[key] !== named[key]);
  if (differing.length === 0) return;
  throw new ConfigError(
    `${file} already names a deployment on chain ${chainId}, and orders refer to it:\n${differing
      .map((key) => `  ${key} ${named[key] ?? "nobody"}, this deployment's is ${wanted[key] ?? "nobody"}`)
      .join("\n")}\nMove the file away only if you mean to leave that contract.`,
  );
}
