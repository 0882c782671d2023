import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testUsdAbi } from "../../../abis/testUsd.ts";
import { createTestApi, type TestApi } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";

let chain: TestChain;
let api: TestApi;
beforeAll(async () => {
  chain = await forkChain();
  api = await createTestApi({ chain });
});
afterAll(async () => {
  await api.close();
  await chain.close();
});

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

async function fund(address: string, { app }: TestApi = api) {
  const answer = await app.request("/sample-wallet", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ address }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const tokensOf = (address: `0x${string}`) =>
  chain.publicClient.readContract({
    address: chain.chain.token.address as `0x${string}`,
    abi: testUsdAbi,
    functionName: "balanceOf",
    args: [address],
  });

test("funds sample wallets at once with tokens and gas, and fills none further", async () => {
  const addresses = [newAddress(), newAddress(), newAddress()];
  const answers = await Promise.all(addresses.map((address) => fund(address)));
  for (const { status, body } of answers)
    expect([status, body]).toEqual([200, { balance: "100.000000", native_balance: "0.100000000000000000" }]);
  for (const address of addresses) {
    expect(await tokensOf(address)).toBe(100_000_000n);
    expect(await chain.publicClient.getBalance({ address })).toBe(10n ** 17n);
  }
  const [first = newAddress()] = addresses;
  expect((await fund(first)).status).toBe(200);
  expect(await tokensOf(first)).toBe(100_000_000n);
});

test("takes no more than a wallet has", async () => {
  const address = newAddress();
  await chain.fund({ address });
  expect((await fund(address)).body).toEqual({
    balance: "10000.000000",
    native_balance: "10.000000000000000000",
  });
  expect(await tokensOf(address)).toBe(10_000_000_000n);
});

test("refuses what is no address, and counts the wallets of an hour", async () => {
  expect((await fund("0x1")).status).toBe(400);
  const bounded = await createTestApi({ chain });
  try {
    const address = newAddress();
    const statuses = [];
    for (let at = 0; at < 201; at += 1) statuses.push((await fund(address, bounded)).status);
    expect(new Set(statuses.slice(0, 200))).toEqual(new Set([200]));
    expect(statuses[200]).toBe(429);
  } finally {
    await bounded.close();
  }
});

test("is absent from a service with a public address, and from the API's description", async () => {
  const { app, close } = await createTestApi({ chain, env: { PUBLIC_URL: "https://market.example" } });
  try {
    const answer = await app.request("/sample-wallet", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ address: newAddress() }),
    });
    expect(answer.status).toBe(404);
    expect(await (await app.request("/")).text()).toContain("&quot;demo&quot;:false");
  } finally {
    await close();
  }
  expect(await (await api.app.request("/")).text()).toContain("&quot;demo&quot;:true");
  expect(JSON.stringify((await api.request("GET", "/openapi.json")).body)).not.toContain("sample-wallet");
});

test("answers 503 while the node is away", async () => {
  const gone = await forkChain();
  const { app, close } = await createTestApi({ chain: gone });
  await gone.close();
  try {
    const answer = await app.request("/sample-wallet", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ address: newAddress() }),
    });
    expect(answer.status).toBe(503);
  } finally {
    await close();
  }
});
