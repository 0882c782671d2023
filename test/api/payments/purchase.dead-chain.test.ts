import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";

// Two chains, of which the second has no node.
const folder = mkdtempSync(join(tmpdir(), "earnest-chains-"));
const deadChain = 424_242;
let api: TestApi;
let provider: Session;
let token: string;
beforeAll(async () => {
  const { deployments, rpcUrl } = await getFixture("baseChain");
  const manifest = JSON.parse(readFileSync(join(deployments, "31337.json"), "utf8"));
  token = manifest.token.address;
  for (const chain_id of [31_337, deadChain])
    writeFileSync(join(folder, `${chain_id}.json`), JSON.stringify({ ...manifest, chain_id }));
  api = await createTestApi({
    env: {
      DEPLOYMENTS_DIR: folder,
      RPC_URL_31337: rpcUrl,
      [`RPC_URL_${deadChain}`]: "http://127.0.0.1:9",
    },
  });
  provider = await signIn(api);
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks for the terms of a purchase of a new service that accepts the token on these chains. */
async function askToBuy(...chains: number[]) {
  const accepts = chains.map((chain_id) => ({ chain_id, token }));
  const { agent, service } = await publishService(api, provider, { accepts });
  const body = { buyer_address: "0x976EA74026E726554dB657fA54763abd0C3a0aa9" };
  return api.request("POST", `/buy/${agent.slug}/${service.slug}`, { body });
}

test("a chain that does not answer hides no token of another chain", async () => {
  for (const chains of [
    [31_337, deadChain],
    [deadChain, 31_337],
  ]) {
    const { accepts } = expectStatus(402, await askToBuy(...chains));
    const networks = accepts.map(({ network }: { network: string }) => network);
    expect(new Set(networks)).toEqual(new Set(["eip155:31337"]));
  }
});

test("a service that only that chain can pay is unavailable, and says so", async () => {
  const { error } = expectStatus(503, await askToBuy(deadChain));
  expect(error).toMatchObject({ code: "dependency_unavailable" });
});

test("an order of a service goes to the chain that the buyer names", async () => {
  const { service } = await publishService(api, provider, {
    accepts: [31_337, deadChain].map((chain_id) => ({ chain_id, token })),
  });
  const buyer = await signIn(api);
  const place = (more = {}) =>
    api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id, ...more } });
  expect(expectStatus(201, await place()).escrow).toMatchObject({ chain_id: 31_337 });
  const named = { pay_with: { chain_id: deadChain, token } };
  expect(expectStatus(201, await place(named)).escrow).toMatchObject({ chain_id: deadChain });
});
