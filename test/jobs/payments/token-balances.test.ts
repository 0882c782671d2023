import { type Address, createPublicClient, http, type PublicClient } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTokenBalances } from "../../../jobs/payments/token-balances.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";

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
  const questions = Array.from({ length: 40 }, (_, at) => ({
    token: at % 4 === 1 ? token : hostile,
    holder,
  }));
  const balances = await readTokenBalances(client, questions);
  expect(balances).toEqual(questions.map((question) => (question.token === token ? 0n : undefined)));
});

test("tokens that all fail are not taken for a dead node", async () => {
  await chain.node.setCode({ address: hostile, bytecode: "0x5b600056" });
  expect(await readTokenBalances(client, [{ token: hostile, holder }])).toEqual([undefined]);
});

test("a dead node is an error", async () => {
  const dead = createPublicClient({ transport: http("http://127.0.0.1:9", { retryCount: 0 }) });
  await expect(readTokenBalances(dead, [{ token, holder }])).rejects.toThrow();
  expect(await readTokenBalances(dead, [])).toEqual([]);
});
