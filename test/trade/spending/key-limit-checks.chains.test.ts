import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event } from "../../../db/schema.ts";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { describeTwoChains, firstChain as first, secondChain as second } from "../../harness/second-chain.ts";

// One address is a token on two chains, as CREATE2 makes it. The second chain has no node.
let chains: Awaited<ReturnType<typeof describeTwoChains>>;
let api: TestApi;
let buyer: Session;
let token: string;
let serviceId: string;
beforeAll(async () => {
  chains = await describeTwoChains();
  ({ token } = chains);
  api = await createTestApi({ env: chains.env });
  const accepts = [first, second].map((chain_id) => ({ chain_id, token }));
  serviceId = (await publishService(api, await signIn(api), { accepts })).service.id;
  buyer = await signIn(api);
});
afterAll(async () => {
  await api?.close();
  chains?.remove();
});

async function makeKey(limits: object) {
  const body = { name: "shopper", scopes: ["orders:read", "orders:write"], limits };
  const { id, token: apiKey } = expectStatus(
    201,
    await api.request("POST", "/api-keys", { token: buyer.token, body }),
  );
  return {
    id,
    buy: (chain_id: number) =>
      api.request("POST", "/orders", {
        apiKey,
        body: { service_id: serviceId, pay_with: { chain_id, token } },
      }),
    spend: async () => expectStatus(200, await api.request("GET", "/me/spend", { apiKey })).items[0],
  };
}

test("one address on two chains is two tokens with a sum each", async () => {
  const { id, buy, spend } = await makeKey({ per_day: "3", assets: [token] });
  expectStatus(201, await buy(first));
  expect(expectStatus(403, await buy(first)).error.spend_limit).toMatchObject({
    limit: "per_day",
    chain_id: first,
    spent: "2.500000",
  });
  expectStatus(201, await buy(second));
  expect(expectStatus(403, await buy(second)).error.spend_limit).toMatchObject({
    limit: "per_day",
    chain_id: second,
    token,
    currency: "TUSD",
    spent: "2.500000",
  });
  const shown = await spend();
  expect(shown.day).toMatchObject({ spent: "2.500000", left: "0.500000" });
  expect(shown.other_tokens).toMatchObject([
    { chain_id: second, token, currency: "TUSD", day: { spent: "2.500000", left: "0.500000" } },
  ]);
  // Each token has its own warning.
  const warnings = await api.db.select().from(event).where(eq(event.type, "key.limit_near"));
  const ofKey = warnings.filter(({ data }) => (data as { key_id?: string }).key_id === id);
  expect(ofKey.map(({ data }) => [data.chain_id, data.token])).toEqual([
    [first, token],
    [second, token],
  ]);
});

test("a limit of tokens may name one token of one chain", async () => {
  const { buy } = await makeKey({ assets: [`eip155:${second}/erc20:${token.toLowerCase()}`] });
  expect(expectStatus(403, await buy(first)).error.spend_limit).toMatchObject({
    limit: "assets",
    chain_id: first,
  });
  expectStatus(201, await buy(second));
  const both = await makeKey({ assets: [token] });
  for (const chain of [first, second]) expectStatus(201, await both.buy(chain));
  for (const strange of [`eip155:${second}/erc20:0x12`, "eip155:8453", `eip155:0/erc20:${token}`]) {
    const body = { name: "wrong", scopes: ["orders:write"], limits: { assets: [strange] } };
    const { error } = expectStatus(400, await api.request("POST", "/api-keys", { token: buyer.token, body }));
    expect(error.details[0]).toMatchObject({ path: "/limits/assets", keyword: "format" });
  }
});

test("a limit of an amount without a list of tokens binds the key to the default token", async () => {
  const { id, buy } = await makeKey({ per_day: "3" });
  const assets = [`eip155:${first}/erc20:${token}`];
  const change = async (limits: object) => {
    const answer = await api.request("PATCH", `/api-keys/${id}`, { token: buyer.token, body: { limits } });
    return expectStatus(200, answer).limits;
  };
  expect(await change({ per_order: "2.5" })).toMatchObject({ assets });
  expect(expectStatus(403, await buy(second)).error.spend_limit).toMatchObject({ limit: "assets" });
  expectStatus(201, await buy(first));
  expect(await change({ assets: ["TUSD"] })).toMatchObject({ assets: ["TUSD"] });
  expectStatus(201, await buy(second));
  expect(await change({ assets: null })).toMatchObject({ assets });
  // A key whose limits have no amount may pay with each token.
  expect(await change({ assets: null, per_day: null, per_order: null, max_open_orders: 5 })).toMatchObject({
    assets: null,
  });
});
