import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { chainWatch, relayer } from "../../../db/schema.ts";
import { createTestApi, type TestApi } from "../../harness/api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

async function withApi(env: Record<string, string>, work: (api: TestApi) => Promise<void>): Promise<void> {
  const other = await createTestApi({ env });
  try {
    await work(other);
  } finally {
    await other.close();
  }
}

describe("GET /chain/status", () => {
  test("is 200 for everybody, with the deployment, the head and the indexed block", async () => {
    const chain = api.config.defaultChain;
    const { status, body } = await api.request("GET", "/chain/status");
    expect([status, body]).toEqual([
      200,
      {
        chain_id: 31_337,
        network_name: chain?.network_name,
        escrow_configured: true,
        escrow_contract: chain?.escrow_contract,
        token_address: chain?.token.address,
        token_symbol: chain?.token.symbol,
        token_decimals: 6,
        confirmations_required: chain?.confirmations,
        min_acceptance_hours: 1,
        erc8004: chain?.erc8004,
        passkey_factory: chain?.passkey_factory,
        rpc_reachable: true,
        head_block: expect.any(Number),
        indexed_block: expect.any(Number),
        index_state: null,
        index_reason: null,
        relayer: null,
        log: null,
      },
    ]);
    expect(body.head_block).toBeGreaterThan(0);
  });

  test("names the relayers, and whether each can pay for gas", async () => {
    const address = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    const threshold = api.config.defaultChain?.relayer_low_balance ?? 0n;
    expect(threshold).toBeGreaterThan(1n);
    const relayerNow = async () => (await api.request("GET", "/chain/status")).body.relayer;
    await api.db
      .insert(relayer)
      .values({ chainId: 31_337, address, seenAt: new Date(), balance: threshold - 1n });
    const standing = {
      address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      funded: true,
      balance_low: true,
      waiting_for: null,
      waiting_since: null,
    };
    expect(await relayerNow()).toEqual(standing);
    await api.db.update(relayer).set({ balance: threshold });
    expect(await relayerNow()).toEqual({ ...standing, balance_low: false });
    const waitingSince = new Date();
    await api.db.update(relayer).set({ balance: 0n, waiting: "balance", waitingSince });
    expect(await relayerNow()).toEqual({
      ...standing,
      funded: false,
      waiting_for: "balance",
      waiting_since: waitingSince.toISOString(),
    });
  });

  test("shows how the index agrees with the chain, from a worker's latest check, and keeps a mismatch until a check clears it", async () => {
    const stateNow = async () => {
      const { index_state, index_reason } = (await api.request("GET", "/chain/status")).body;
      return [index_state, index_reason];
    };
    const long = new Date(Date.now() - 180_000);
    await api.db
      .insert(chainWatch)
      .values({ chainId: 31_337, indexState: "ok", headBlock: 9n, indexedBlock: 9n });
    expect(await stateNow()).toEqual(["ok", null]);
    await api.db.update(chainWatch).set({ indexState: "behind", reason: "It stands still." });
    expect(await stateNow()).toEqual(["behind", "It stands still."]);
    await api.db.update(chainWatch).set({ checkedAt: long });
    expect(await stateNow()).toEqual([null, null]);
    await api.db.update(chainWatch).set({ indexState: "off_chain", reason: "Block 7 left." });
    expect(await stateNow()).toEqual(["off_chain", "Block 7 left."]);
  });

  test("is 200 when the node refuses connections", async () => {
    await withApi({ RPC_URL_31337: "http://127.0.0.1:1" }, async (cut) => {
      const { status, body } = await cut.request("GET", "/chain/status");
      expect(status).toBe(200);
      expect(body).toMatchObject({ rpc_reachable: false, head_block: null, escrow_configured: true });
      expect(body.indexed_block).toEqual(expect.any(Number));
    });
  });

  test("is 200 soon when the node never answers", async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    try {
      await withApi({ RPC_URL_31337: `http://127.0.0.1:${port}` }, async (cut) => {
        const requestedAt = Date.now();
        const { status, body } = await cut.request("GET", "/chain/status");
        expect([status, body.rpc_reachable]).toEqual([200, false]);
        // The node gets two seconds here, instead of ten.
        expect(Date.now() - requestedAt).toBeLessThan(9000);
      });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  test("is 200 when the database is unreachable, with null in its fields", async () => {
    const url = "postgres://nobody:nothing@127.0.0.1:1/none";
    const context = createContext({ ...api.config, databaseUrl: url });
    const response = await createApp(context).request("/api/v1/chain/status");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ rpc_reachable: true, indexed_block: null, relayer: null });
    await context.db.$client.end();
  });

  test("is 200 where no chain is configured", async () => {
    const context = { ...api.context, config: { ...api.config, chains: [], defaultChain: undefined } };
    const response = await createApp(context).request("/api/v1/chain/status");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      chain_id: null,
      escrow_configured: false,
      head_block: null,
    });
  });
});
