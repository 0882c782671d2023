import { afterAll, beforeAll, expect, test } from "vitest";
import { readForkConfig } from "../../config/programs.ts";
import { forkChain } from "../harness/chain.ts";
import { startForeignChain } from "../harness/flows/foreign-chain.ts";
import { settleOneOrder } from "../harness/flows/life.ts";
import { startStack } from "../harness/stack.ts";

/** Stands for a public network: another chain id, and a token with another name, version and decimals. */
const foreignChainId = 84_532;
let foreign: Awaited<ReturnType<typeof startForeignChain>>;
beforeAll(async () => {
  foreign = await startForeignChain(foreignChainId);
});
afterAll(() => foreign?.close());

test("FORK_URL and FORK_TOKEN go together", () => {
  const { url, token } = foreign;
  expect(readForkConfig({})).toBeNull();
  expect(readForkConfig({ FORK_URL: url, FORK_TOKEN: token })).toEqual({ url, token });
  expect(() => readForkConfig({ FORK_URL: url })).toThrow("FORK_TOKEN");
});

test("an order settles on a fork of another network, in that network's own token", async () => {
  const { url, token } = foreign;
  const chain = await forkChain({ fork: readForkConfig({ FORK_URL: url, FORK_TOKEN: token }) });
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
