import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, createTestClient, type Hex, http, keccak256 } from "viem";
import type { DeploymentManifest } from "../../../config/config.ts";
import { deployContracts, writeManifest } from "../../deploy/deployment.ts";
import { localAccounts, placeMulticall3, startAnvil } from "../../stack/anvil.ts";
import type { Child } from "../../stack/process.ts";
import type { Random } from "../random.ts";

/** Milliseconds between two blocks. */
const blockEvery = 400;
/** The most blocks that a reorganisation can remove. */
const remembered = 24;

/**
 * Starts a chain whose blocks this process mines and can revert. The transactions of a reverted block are dropped, or they
 * are mined again in another block.
 */
export async function startChain(folder: string, started: (child: Child) => void) {
  const { rpcUrl } = await startAnvil({ port: 0, logFile: join(folder, "anvil.log"), started });
  await placeMulticall3(rpcUrl);
  const manifest: DeploymentManifest = await deployContracts({
    rpcUrl,
    account: localAccounts.deployer,
    arbiter: localAccounts.arbiter.address,
    networkName: "Simulated chain",
    pollingInterval: 20,
  });
  const deployments = join(folder, "deployments");
  writeManifest(deployments, manifest);
  const node = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
  const reader = createPublicClient({ transport: http(rpcUrl), cacheTime: 0, pollingInterval: 50 });
  await node.setAutomine(false);

  /** the sent transactions by hash, which a reorganised chain may include again */
  const raws = new Map<Hex, Hex>();
  const snapshots: { block: bigint; id: Hex }[] = [];
  let clock = Math.max(Number((await reader.getBlock()).timestamp), Math.floor(Date.now() / 1000));
  let waiting = Promise.resolve();
  let isMining = true;

  /** Runs one change of the chain at a time. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const done = waiting.then(work);
    waiting = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  async function mine(seconds: number): Promise<void> {
    snapshots.push({ block: await reader.getBlockNumber(), id: await node.snapshot() });
    if (snapshots.length > remembered) snapshots.shift();
    clock = Math.max(clock + seconds, Math.floor(Date.now() / 1000));
    await node.setNextBlockTimestamp({ timestamp: BigInt(clock) });
    await node.mine({ blocks: 1 });
  }

  void (async () => {
    while (isMining) {
      await alone(() => mine(1));
      await sleep(blockEvery);
    }
  })();

  return {
    rpcUrl,
    manifest,
    deployments,
    node,
    reader,
    /** Records a raw transaction that goes to the node. */
    remember: (raw: Hex) => void raws.set(keccak256(raw), raw),
    /** Advances the chain's time. */
    jump: (seconds: number) => alone(() => mine(seconds)),
    /**
     * Removes the newest blocks, and mines one block more in their place.
     *
     * @returns the number of removed blocks
     */
    reorganise: (depth: number, random: Random) =>
      alone(async () => {
        const at = snapshots.length - depth;
        const before = snapshots[at];
        if (!before) return 0;
        const head = await reader.getBlockNumber();
        const lost: Hex[] = [];
        for (let number = before.block + 1n; number <= head; number += 1n) {
          lost.push(...(await reader.getBlock({ blockNumber: number })).transactions);
        }
        await node.revert({ id: before.id });
        snapshots.splice(at);
        const again = random.chance(0.5) ? lost : lost.filter(() => random.chance(0.3));
        for (const hash of again) {
          const raw = raws.get(hash);
          // The sender must send a transaction again if its nonce is wrong now.
          if (raw) await reader.request({ method: "eth_sendRawTransaction", params: [raw] }).catch(() => {});
        }
        for (let block = 0; block <= depth; block += 1) await mine(1 + random.whole(0, 1));
        return Number(head - before.block);
      }),
    /** Makes all mined blocks final. */
    keep: () => alone(async () => void snapshots.splice(0)),
    /** Stops the mining. */
    async stop(): Promise<void> {
      isMining = false;
      await alone(async () => {});
    },
  };
}
export type SimulatedChain = Awaited<ReturnType<typeof startChain>>;
