import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Address, createPublicClient, createWalletClient, getAddress, type Hex, http } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readForkConfig } from "../../config.ts";
import { type Anvil, localAccount, startAnvil } from "../../scripts/stack/anvil.ts";
import { forkChain } from "../harness/chain.ts";
import { startStack } from "../harness/stack.ts";
import { settleOneOrder } from "./life.ts";

/** Plays a public network: another chain id, and a token with another name, version and decimals. */
const foreignChainId = 84_532;
const folder = mkdtempSync(join(tmpdir(), "earnest-foreign-"));
let foreign: Anvil;
let token: Address;

beforeAll(async () => {
  foreign = await startAnvil({
    port: 0,
    logFile: join(folder, "anvil.log"),
    args: ["--chain-id", String(foreignChainId)],
  });
  token = await deployForeignToken();
});
afterAll(async () => {
  await foreign?.child.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("FORK_URL and FORK_TOKEN go together", () => {
  expect(readForkConfig({})).toBeNull();
  expect(readForkConfig({ FORK_URL: foreign.rpcUrl, FORK_TOKEN: token })).toEqual({
    url: foreign.rpcUrl,
    token,
  });
  expect(() => readForkConfig({ FORK_URL: foreign.rpcUrl })).toThrow("FORK_TOKEN");
});

test("an order settles on a fork of another network, in that network's own token", async () => {
  const fork = readForkConfig({ FORK_URL: foreign.rpcUrl, FORK_TOKEN: token });
  const chain = await forkChain({ fork });
  try {
    expect(chain.chain).toMatchObject({
      chain_id: foreignChainId,
      token: { address: token, symbol: "FRGN", name: "Foreign Coin", version: "7", decimals: 18 },
    });
    const stack = await startStack({ chain });
    try {
      await settleOneOrder(stack, "0.000000000000000007");
    } finally {
      await stack.close();
    }
  } finally {
    await chain.close();
  }
});

async function deployForeignToken(): Promise<Address> {
  const source = readFileSync(new URL("./foreign-token.sol", import.meta.url), "utf8");
  const compiled = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("../../scripts/solc.cjs", import.meta.url)), "--standard-json"],
    {
      encoding: "utf8",
      input: JSON.stringify({
        language: "Solidity",
        sources: { "foreign-token.sol": { content: source } },
        settings: { evmVersion: "cancun", outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
      }),
    },
  );
  const output = JSON.parse(compiled.stdout);
  const bytecode = output.contracts["foreign-token.sol"].ForeignToken.evm.bytecode.object as string;
  const transport = http(foreign.rpcUrl);
  const account = localAccount(0);
  const hash = await createWalletClient({ account, transport }).sendTransaction({
    data: `0x${bytecode}` as Hex,
    chain: null,
  });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The foreign token was not deployed.");
  return getAddress(contractAddress);
}
