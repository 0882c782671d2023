import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, http } from "viem";
import type { DeploymentManifest } from "../../../config/config.ts";
import { describeToken } from "../../../tools/deploy/token.ts";
import { localAccounts, placeMulticall3 } from "../../../tools/stack/anvil.ts";
import { forkChain, type TestChain } from "../chain.ts";
import { deployTestUsd } from "../fixtures/fork.ts";
import { deployUsdc } from "../usdc.ts";
import { startForeignChain } from "./foreign-chain.ts";
import { placePermit2 } from "./permit2.ts";

export type TwoChains = Awaited<ReturnType<typeof startTwoChains>>;

/** The ids of both chains. */
export const [firstId, secondId] = [31_337, 3_141_592];

/**
 * Starts two chains with different block times. All of their tokens pay prices in dollars. The first chain has TestUSD of 6
 * decimals and USDC. The second has a token of 18 decimals that only Permit2 and a transaction can pay.
 *
 * @param options.withSecondUsd whether the second chain has TestUSD too
 */
export async function startTwoChains({ withSecondUsd = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-chains-"));
  const foreign = await startForeignChain(secondId);
  const [first, second] = await Promise.all([forkChain(), forkChain({ fork: foreign, blockTime: 2 })]);
  await Promise.all([placeMulticall3(second.rpcUrl), placePermit2(first), placePermit2(second)]);
  const usdc = await deployUsdc(first.rpcUrl);
  const reader = createPublicClient({ transport: http(first.rpcUrl) });
  const { token } = await describeToken(reader, usdc.address);
  changeManifest(first, folder, (manifest) => ({
    ...manifest,
    token: { ...manifest.token, currency: "USD" },
    other_tokens: [{ ...token, currency: "USD" }],
  }));
  const secondUsd = withSecondUsd ? await deployTestUsd(second.rpcUrl) : null;
  changeManifest(second, folder, (manifest) => ({
    ...manifest,
    token: { ...manifest.token, currency: "USD" },
    ...(secondUsd ? { other_tokens: [{ ...first.chain.token, address: secondUsd, currency: "USD" }] } : {}),
  }));
  await second.fund(localAccounts.relayer);
  return {
    foreign,
    first,
    second,
    usdc,
    /** USDC as a manifest describes it */
    usdcToken: token,
    /** TestUSD on the second chain, if asked for */
    secondUsd,
    /** the first three tokens, as a service accepts them */
    accepts: [
      { chain_id: firstId, token: first.chain.token.address },
      { chain_id: firstId, token: usdc.address },
      { chain_id: secondId, token: foreign.token },
    ],
    env: { ...second.env, ...first.env, DEPLOYMENTS_DIR: folder, DEFAULT_CHAIN_ID: String(firstId) },
    async close(): Promise<void> {
      await Promise.all([first.close(), second.close()]);
      await foreign.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the manifest of a chain, with a change, into the folder of both. */
function changeManifest(
  { env, chain }: TestChain,
  folder: string,
  change: (manifest: DeploymentManifest) => DeploymentManifest,
): void {
  const file = `${chain.chain_id}.json`;
  const manifest = JSON.parse(readFileSync(join(env.DEPLOYMENTS_DIR as string, file), "utf8"));
  writeFileSync(join(folder, file), JSON.stringify(change(manifest)));
}
