import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  http,
  type LocalAccount,
  parseUnits,
} from "viem";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import { forkChain, type TestChain } from "../../../test/harness/chain.ts";
import { startForeignChain } from "../../../test/harness/flows/foreign-chain.ts";
import { localAccounts, placeMulticall3 } from "../../../tools/stack/anvil.ts";
import { deployTestTokens } from "../../../tools/stack/test-tokens.ts";
import { startMarket } from "./market.fixture.ts";

type Token = Awaited<ReturnType<typeof deployTestTokens>>[number];
type Manifest = { chain_id: number; token: Token; other_tokens?: Token[] };

/** A token of the market, on its chain. */
export type Offered = Token & { chainId: number; rpcUrl: string };

const secondId = 3_141_592;

/** A market on two chains: tokens of 6, 18 and 2 decimals on the first, and of 8 decimals on the second. */
export async function startTwoChains() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-tokens-"));
  const foreign = await startForeignChain(secondId);
  const token = await placeEight(foreign.url);
  const [first, second] = await Promise.all([forkChain(), forkChain({ fork: { url: foreign.url, token } })]);
  await placeMulticall3(second.rpcUrl);
  const others = await deployTestTokens(first.rpcUrl, [
    { name: "Test Eighteen", symbol: "EIGHTEEN", decimals: 18 },
    { name: "Test Two", symbol: "TWO", decimals: 2 },
  ]);
  const manifests = [writeManifest(first, folder, others), writeManifest(second, folder)];
  const env = { ...second.env, ...first.env, DEPLOYMENTS_DIR: folder, DEFAULT_CHAIN_ID: "31337" };
  const market = await startMarket({ chain: { ...first, env }, env: { DEFAULT_CHAIN_ID: "31337" } });
  await second.fund(localAccounts.relayer);
  const offered = manifests.flatMap(({ chain_id, token, other_tokens = [] }): Offered[] => {
    const { rpcUrl } = chain_id === secondId ? second : first;
    return [token, ...other_tokens].map((one) => ({ ...one, chainId: chain_id, rpcUrl }));
  });
  const [six, eighteen, two, eight] = offered as [Offered, Offered, Offered, Offered];
  return {
    ...market,
    tokens: { six, eighteen, two, eight },
    nodes: [first, second].map(({ rpcUrl }) => createPublicClient({ transport: http(rpcUrl) })),
    /** Gives an account 100 of each token. */
    async enrich(to: LocalAccount): Promise<void> {
      await second.fund(to);
      for (const token of offered) await mint(token, to.address);
    },
    async close(): Promise<void> {
      await market.close();
      await Promise.all([first.close(), second.close()]);
      await foreign.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function placeEight(rpcUrl: string): Promise<Address> {
  const [token] = await deployTestTokens(rpcUrl, [{ name: "Test Eight", symbol: "EIGHT", decimals: 8 }]);
  return (token as Token).address;
}

/** Writes the manifest of a chain, whose tokens pay prices in USD, into the folder of both. */
function writeManifest({ env, chain }: TestChain, folder: string, others: Token[] = []): Manifest {
  const file = `${chain.chain_id}.json`;
  const manifest = JSON.parse(readFileSync(join(env.DEPLOYMENTS_DIR as string, file), "utf8")) as Manifest;
  const changed = { ...manifest, token: { ...manifest.token, currency: "USD" }, other_tokens: others };
  writeFileSync(join(folder, file), JSON.stringify(changed));
  return changed;
}

async function mint({ address, decimals, rpcUrl }: Offered, to: Address): Promise<void> {
  const transport = http(rpcUrl);
  const hash = await createWalletClient({ account: localAccounts.deployer, transport }).writeContract({
    chain: null,
    address,
    abi: testUsdAbi,
    functionName: "mint",
    args: [to, parseUnits("100", decimals)],
  });
  await createPublicClient({ transport, pollingInterval: 50 }).waitForTransactionReceipt({ hash });
}
