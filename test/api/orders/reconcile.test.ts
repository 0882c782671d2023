import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  place,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

describe("GET /orders/{id}/reconcile", () => {
  test("is 200 for either party: an unfunded order agrees with the contract in everything", async () => {
    const { id } = await place(market);
    const { status, body } = await ask(market, market.buyer, "GET", `/orders/${id}/reconcile`);
    expect(status).toBe(200);
    expect(body).toEqual({
      consistent: true,
      as_of: {
        chain_id: 31_337,
        block_number: expect.any(Number),
        indexed_block: expect.any(Number),
        confirmed_block: expect.any(Number),
      },
      ledger: {
        status: "none",
        delivery_count: 0,
        order_status: "created",
        chain_facts: 0,
        delivery_record: "none",
      },
      index: { status: "none", delivery_count: 0, ready: expect.any(Boolean), events: 0 },
      contract: {
        status: "none",
        delivery_count: 0,
        at_indexed_block: null,
        at_confirmed_block: null,
        deposit_balance_base_units: "0",
      },
      bare_claim: null,
      differences: [],
    });
    const seen = await ask(market, market.provider, "GET", `/orders/${id}/reconcile`);
    expect([seen.status, seen.body.consistent]).toEqual([200, true]);
  });

  test("is 200 with the differences where the index has an escrow that the contract lacks", async () => {
    const { id } = await place(market);
    await indexer(market, await rowOf(market, id)).funded();
    await settleNow(market);
    const { status, body } = await ask(market, market.buyer, "GET", `/orders/${id}/reconcile`);
    expect([status, body.consistent]).toEqual([200, false]);
    expect(body.ledger).toMatchObject({ status: "funded", order_status: "funded", chain_facts: 1 });
    const escrow = body.differences.find(({ what }: { what: string }) => what === "escrow");
    expect(escrow).toMatchObject({
      ledger: "funded",
      index: "funded",
      contract: "none",
      expected_to_resolve: false,
      explanation: expect.stringMatching(/^At block \d+ the contract's escrow differs from the facts\. /),
    });
  });

  test("is 200 from a node with the newest state only, which is asked for older state where values differ", async () => {
    const node = await startPrunedNode();
    const other = await createMarket({ env: { RPC_URL_31337: node.url } });
    try {
      const { id } = await place(other);
      const agreeing = await ask(other, other.buyer, "GET", `/orders/${id}/reconcile`);
      expect([agreeing.status, agreeing.body.consistent]).toEqual([200, true]);
      expect(node.refused()).toBe(0);
      await indexer(other, await rowOf(other, id)).funded();
      const differing = await ask(other, other.buyer, "GET", `/orders/${id}/reconcile`);
      expect(differing.status).toBe(200);
      expect(differing.body.contract).toMatchObject({ at_indexed_block: null, at_confirmed_block: null });
      expect(node.refused()).toBe(2);
    } finally {
      await other.api.close();
      await node.close();
    }
  });

  test("is 503 while the node is unreachable, without a partial comparison", async () => {
    const { id } = await place(market);
    const { config } = market.api;
    const chains = config.chains.map((chain) => ({ ...chain, rpc_url: "http://127.0.0.1:1" }));
    const context = createContext({ ...config, chains });
    const response = await createApp(context).request(`/api/v1/orders/${id}/reconcile`, {
      headers: { authorization: `Bearer ${market.buyer.token}` },
    });
    const body = (await response.json()) as { error: { code: string } };
    expect([response.status, body.error.code]).toEqual([503, "dependency_unavailable"]);
    await context.db.$client.end();
  });
});

/** The node of the base chain, as an anvil without history: it has the state of the block "latest" only. */
async function startPrunedNode() {
  let refused = 0;
  const node = await forwardRequests((await getFixture("baseChain")).rpcUrl, {
    treat: ({ method, params }) => {
      if (method !== "eth_call" || params[1] === "latest") return "forward";
      refused += 1;
      return { error: { code: -32_602, message: "BlockOutOfRangeError" } };
    },
  });
  return { ...node, refused: () => refused };
}
