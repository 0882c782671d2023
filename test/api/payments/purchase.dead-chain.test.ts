import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { secondChain as deadChain, describeTwoChains, firstChain } from "../../harness/second-chain.ts";

// Two chains, of which the second has no node.
let chains: Awaited<ReturnType<typeof describeTwoChains>>;
let api: TestApi;
let provider: Session;
let token: string;
beforeAll(async () => {
  chains = await describeTwoChains();
  ({ token } = chains);
  api = await createTestApi({ env: chains.env });
  provider = await signIn(api);
});
afterAll(async () => {
  await api?.close();
  chains?.remove();
});

/** Asks for the terms of a purchase of a new service that accepts the token on these chains. */
async function askToBuy(...accepted: number[]) {
  const accepts = accepted.map((chain_id) => ({ chain_id, token }));
  const { agent, service } = await publishService(api, provider, { accepts });
  const body = { buyer_address: "0x976EA74026E726554dB657fA54763abd0C3a0aa9" };
  return api.request("POST", `/buy/${agent.slug}/${service.slug}`, { body });
}

test("a chain that does not answer hides no token of another chain", async () => {
  for (const accepted of [
    [firstChain, deadChain],
    [deadChain, firstChain],
  ]) {
    const { accepts, left_out } = expectStatus(402, await askToBuy(...accepted));
    expect(left_out).toMatchObject([{ chain_id: deadChain, token }]);
    const networks = accepts.map(({ network }: { network: string }) => network);
    expect(new Set(networks)).toEqual(new Set([`eip155:${firstChain}`]));
  }
});

test("a service that only that chain can pay is unavailable, and says so", async () => {
  const { error } = expectStatus(503, await askToBuy(deadChain));
  expect(error).toMatchObject({ code: "dependency_unavailable" });
});

test("an order of a service goes to the chain that the buyer names", async () => {
  const { service } = await publishService(api, provider, {
    accepts: [firstChain, deadChain].map((chain_id) => ({ chain_id, token })),
  });
  const buyer = await signIn(api);
  const place = (more = {}) =>
    api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id, ...more } });
  expect(expectStatus(201, await place()).escrow).toMatchObject({ chain_id: firstChain });
  const named = { pay_with: { chain_id: deadChain, token } };
  expect(expectStatus(201, await place(named)).escrow).toMatchObject({ chain_id: deadChain });
});
