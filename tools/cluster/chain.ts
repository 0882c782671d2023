import { join } from "node:path";
import { createPublicClient, createTestClient, http } from "viem";
import { deployContracts, writeManifest } from "../deploy/deployment.ts";
import { localAccounts, placeMulticall3, startAnvil } from "../stack/anvil.ts";
import type { Child } from "../stack/process.ts";

/** Starts a chain with a block each second and our contracts on it. */
export async function startClusterChain(folder: string, started: (child: Child) => void) {
  const { rpcUrl, child } = await startAnvil({
    host: "0.0.0.0",
    port: 8545,
    logFile: join(folder, "anvil.log"),
    args: ["--block-time", "1", "--prune-history"],
    started,
  });
  await placeMulticall3(rpcUrl);
  const manifest = await deployContracts({
    rpcUrl,
    account: localAccounts.deployer,
    arbiter: localAccounts.arbiter.address,
    networkName: "Local chain",
    pollingInterval: 50,
  });
  const deployments = join(folder, "deployments");
  writeManifest(deployments, manifest);
  return {
    rpcUrl,
    pid: child.pid,
    manifest,
    deployments,
    node: createTestClient({ mode: "anvil", transport: http(rpcUrl) }),
    reader: createPublicClient({ transport: http(rpcUrl), cacheTime: 0, pollingInterval: 50 }),
    /** No block leaves this chain, so no transaction must be sent again. */
    remember: () => undefined,
  };
}
