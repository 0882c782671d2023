import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../config/config.ts";
import { whyNotRelayed } from "../../../trade/relay/party-relay.ts";
import {
  createKey,
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";

// The second token of the chain is TestUSD, which the operator then retires.
const folder = mkdtempSync(join(tmpdir(), "earnest-tokens-"));
const chain_id = 31_337;
const env: Record<string, string> = { DEPLOYMENTS_DIR: folder, MIN_RELAY_AMOUNT_31337: "2.5" };
let manifest: { token: { address: string } };
let api: TestApi;
let provider: Session;
let buyer: Session;
let serviceId: string;
let servicePath: string;
const pay_with = () => ({ chain_id, token: manifest.token.address });

function write(more: { retired?: boolean }, token: object = {}): void {
  const other = { ...manifest.token, address: `0x${"a1".repeat(20)}`, symbol: "AUSD", ...token };
  const changed = { ...manifest, token: other, other_tokens: [{ ...manifest.token, ...more }] };
  writeFileSync(join(folder, `${chain_id}.json`), JSON.stringify(changed));
}

beforeAll(async () => {
  const { deployments, rpcUrl } = await getFixture("baseChain");
  manifest = JSON.parse(readFileSync(join(deployments, `${chain_id}.json`), "utf8"));
  env[`RPC_URL_${chain_id}`] = rpcUrl;
  write({});
  api = await createTestApi({ env });
  [provider, buyer] = [await signIn(api), await signIn(api)];
  const body = { accepts: [pay_with()], price_currency: "TUSD" };
  const { agent, service } = await publishService(api, provider, body);
  serviceId = service.id;
  servicePath = `/agents/${agent.slug}/services/${service.slug}`;
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const place = (who: { token: string } | { apiKey: string } = { token: buyer.token }) =>
  api.request("POST", "/orders", {
    ...who,
    body: { service_id: serviceId, settlement_rail: "x402" },
  });

test("a retired token pays no new order, and pays and settles those that were placed before", async () => {
  const order = expectStatus(201, await place());
  const apiKey = await createKey(api, buyer, ["orders:read", "orders:write"]);
  expectStatus(201, await place({ apiKey }));
  const chain = api.context.chain(chain_id)?.chain;
  if (!chain) throw new Error("The chain is not served.");
  write({ retired: true });
  const [changed] = readConfig(env).chains;
  if (!changed) throw new Error("The changed manifest has no chain.");
  const offered = { tokens: chain.tokens, retired_tokens: chain.retired_tokens };
  Object.assign(chain, { tokens: changed.tokens, retired_tokens: changed.retired_tokens });
  try {
    const [{ tokens }] = expectStatus(200, await api.request("GET", "/chains")).items;
    expect(tokens.map(({ symbol }: { symbol: string }) => symbol)).toEqual(["AUSD"]);
    expect(expectStatus(503, await place()).error.code).toBe("dependency_unavailable");
    const body = { accepts: [pay_with()] };
    const refused = await api.request("PATCH", servicePath, { token: provider.token, body });
    expect(expectStatus(400, refused).error.details[0].path).toBe("/accepts/0");

    const path = `/orders/${order.id}/payment-instructions`;
    const { payment_required } = expectStatus(200, await api.request("GET", path, { token: buyer.token }));
    expect(payment_required.accepts[0].asset).toBe(manifest.token.address);

    // A key's spending in it stays visible.
    const [spend] = expectStatus(200, await api.request("GET", "/me/spend", { apiKey })).items;
    expect(spend.other_tokens).toMatchObject([{ token: pay_with().token, day: { spent: "2.500000" } }]);

    // Without the token in the manifest, nobody pays the order here, and its minimum holds all the same.
    Object.assign(chain, { retired_tokens: [] });
    const removed = await api.request("GET", path, { token: buyer.token });
    expect(expectStatus(503, removed).error.code).toBe("dependency_unavailable");
    const least = { chainId: chain_id, tokenSymbol: "TUSD", tokenDecimals: 6 };
    expect(whyNotRelayed(api.context, { ...least, amount: 2_500_000n })).toBeNull();
    expect(whyNotRelayed(api.context, { ...least, amount: 2_499_999n })).toContain("2.500000 TUSD");
    expect(whyNotRelayed(api.context, { ...least, tokenDecimals: 2, amount: 249n })).toContain("2.50 TUSD");
    expect(whyNotRelayed(api.context, { ...least, tokenDecimals: 0, amount: 2n })).toContain("3 TUSD");
    expect(whyNotRelayed(api.context, { ...least, tokenDecimals: 0, amount: 3n })).toBeNull();
  } finally {
    Object.assign(chain, offered);
  }
  expectStatus(201, await place());
});

test("the default token of a chain cannot be retired", () => {
  write({}, { retired: true });
  expect(() => readConfig(env)).toThrow("retired");
});
