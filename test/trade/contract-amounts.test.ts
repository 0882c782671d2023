import { type Address, createPublicClient, http, type PublicClient } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { balanceCall, readAmounts } from "../../trade/contract-amounts.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";

let chain: TestChain;
let client: PublicClient;
let token: Address;
const holder: Address = "0x00000000000000000000000000000000000000aa";
const hostile: Address = "0x00000000000000000000000000000000000000bb";

beforeAll(async () => {
  chain = await forkChain();
  client = chain.publicClient;
  token = chain.chain.token.address;
});
afterAll(() => chain?.close());

test.each([
  ["runs for ever", "0x5b600056"],
  ["reverts", "0x60006000fd"],
  ["answers with one byte", "0x60016000f3"],
] as const)("a token that %s hides no other token's balance", async (_, code) => {
  await chain.node.setCode({ address: hostile, bytecode: code });
  const tokens = Array.from({ length: 40 }, (_, at) => (at % 4 === 1 ? token : hostile));
  const found = await readAmounts(
    client,
    tokens.map((each) => balanceCall(each, holder)),
  );
  expect(found.map((result) => (result.status === "fulfilled" ? result.value : null))).toEqual(
    tokens.map((each) => (each === token ? 0n : null)),
  );
});

test("tokens that all fail are not taken for a dead node", async () => {
  await chain.node.setCode({ address: hostile, bytecode: "0x5b600056" });
  expect(await readAmounts(client, [balanceCall(hostile, holder)])).toMatchObject([{ status: "rejected" }]);
});

test("a dead node is an error", async () => {
  const dead = createPublicClient({ transport: http("http://127.0.0.1:9", { retryCount: 0 }) });
  await expect(readAmounts(dead, [balanceCall(token, holder)])).rejects.toThrow();
  expect(await readAmounts(dead, [])).toEqual([]);
});
