import type { Client } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import type { Scope } from "../../../api/http/caller.ts";
import { createToolWaits } from "../../../api/mcp/tool-waits.ts";
import { usualRates } from "../../../config/limits.ts";
import { digestOf } from "../../../protocol/settlement/index.ts";
import { createKey, expectStatus, type Session } from "../../harness/api.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";
import { callOf, type McpService, serveMcp, use } from "../../harness/mcp.ts";

let market: Market;
let mcp: McpService;
beforeAll(async () => {
  market = await createMarket();
  mcp = await serveMcp(market.api.app);
  const token = market.api.config.defaultChain?.token.address ?? "";
  expected = { expected_amount: "2.5", expected_token: token, expected_chain_id: 31_337 };
});
afterAll(async () => {
  await mcp?.close();
  await market?.api.close();
});

/** The payment that a user agreed to. */
let expected: { expected_amount: string; expected_token: string; expected_chain_id: number };

const keyOf = (who: Session, ...scopes: Scope[]) => createKey(market.api, who, scopes);

describe("orders", () => {
  const placing = (key: string) => ({
    service_id: market.service.id,
    input: { text: "x" },
    idempotency_key: key,
  });

  test("are placed once for one key, paid once by an external wallet, and refused at another amount", async () => {
    const client = await mcp.connect(await keyOf(market.buyer, "orders:read", "orders:write"));
    const { facts: placed } = await use(client, "place_order", placing("one"));
    expect((await use(client, "place_order", placing("one"))).facts).toEqual(placed);
    const other = await use(client, "place_order", { ...placing("one"), input: { text: "y" } });
    expect(other.code).toBe("idempotency_mismatch");
    const bad = await use(client, "place_order", { ...placing("two"), input: { pages: 1 } });
    expect([bad.code, bad.text]).toEqual(["input_schema_violation", expect.stringContaining("/text")]);

    const { order_id } = placed;
    const due = { order_id, ...expected };
    for (const wrong of [
      { expected_amount: "2.51" },
      { expected_chain_id: 1 },
      { expected_token: market.buyer.account.address },
      { expected_payee: market.buyer.account.address },
    ]) {
      expect((await use(client, "pay_order", { ...due, ...wrong })).code).toBe("payment_differs");
    }
    const { facts: unsigned } = await use(client, "pay_order", due);
    expect(unsigned).toMatchObject({
      payment: "unsigned",
      amount: "2.500000",
      payee: market.provider.account.address,
    });
    // The nonce is the same each time, and the token accepts it once.
    const { facts: again } = await use(client, "pay_order", due);
    expect(again.to_sign.message.nonce).toBe(unsigned.to_sign.message.nonce);
    const { facts: escrow } = await use(client, "place_order", {
      ...placing("three"),
      settlement_rail: "escrow",
    });
    const calls = await use(client, "pay_order", { ...due, order_id: escrow.order_id });
    expect(calls.facts.calls.map((one: { function: string }) => one.function)).toEqual([
      "approve",
      "createEscrow",
    ]);

    const poor = await market.buyer.account.signTypedData(unsigned.to_sign);
    const paid = { ...due, signature: poor, authorization: unsigned.to_sign.message };
    expect(await use(client, "pay_order", paid)).toMatchObject({ code: "payment_required" });
    const release = await use(client, "accept_delivery", { order_id });
    expect(release.facts).toMatchObject({ status: "unsigned", signer: market.buyer.account.address });
    expect(release.facts.to_sign.primaryType).toBe("Release");

    const { contents } = await client.readResource({ uri: `earnest://orders/${order_id}/agreement` });
    const agreement = (contents[0] as { text: string }).text;
    expect(digestOf(JSON.parse(agreement))).toBe(`0x${await sha256(agreement)}`);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`earnest://orders/${order_id}`);
    // Users wrote the names, so they are apart from the service's own words.
    const found = await use(client, "list_orders", { query: resources[0]?.name ?? "" });
    expect(found.facts.orders).toMatchObject([
      {
        reference: resources[0]?.name,
        agent: market.agent.slug,
        untrusted: { service_title: market.service.title, agent_name: market.agent.name },
      },
    ]);
    const outsider = await mcp.connect(await keyOf(market.outsider, "orders:read"));
    expect((await use(outsider, "get_order", { order_id })).code).toBe("not_found");
    await expect(outsider.readResource({ uri: `earnest://orders/${order_id}` })).rejects.toThrow(
      /does not exist/,
    );
    const { messages } = await client.getPrompt({
      name: "buy",
      arguments: { task: "a text", budget: "5.00" },
    });
    expect(JSON.stringify(messages)).toContain("I pay at most 5.00");
  });

  test("are waited for in bounded slots, with progress, and a slot is free once its caller has gone", async () => {
    const key = await keyOf(market.buyer, "orders:read", "orders:write");
    for (const client of [await mcp.connect(key), await mcp.connectOld(key)]) {
      const era = client instanceof OldClient ? "old" : "modern";
      const { order_id } = (await use(client, "place_order", placing(`wait ${era}`))).facts;
      const args = { order_id, until: "funded" };
      let progressCount = 0;
      const stops = Array.from({ length: 4 }, () => new AbortController());
      const waits = stops.map(({ signal }) =>
        client
          .callTool(
            { name: "wait_for_order", arguments: args },
            ...options(client, signal, () => (progressCount += 1)),
          )
          .catch(() => "gone"),
      );
      await expect.poll(() => progressCount).toBeGreaterThanOrEqual(4);
      expect((await use(client, "wait_for_order", args)).code).toBe("too_many_waits");
      // In the old protocol a cancel is a request of its own, which reaches no call: the end of the
      // connection counts.
      if (era === "old") await client.close();
      for (const stop of stops) stop.abort();
      expect(await Promise.all(waits)).toEqual(["gone", "gone", "gone", "gone"]);
      const next = await mcp.connect(key);
      const brief = { ...args, timeout_seconds: 1 };
      await expect.poll(async () => (await use(next, "wait_for_order", brief)).facts?.reached).toBe(false);
    }
    // The total is bounded too, and no slot is freed twice.
    const waits = createToolWaits({ account: 2, process: 6, longest: 1 }, async (id) => id === "paid");
    const enter = (accountId: string, network: string | null = null) =>
      waits({ accountId, address: network, network })();
    const leave = await enter("a");
    for (const id of ["a", "b"]) await enter(id);
    await expect(enter("a")).rejects.toThrow(/2 calls of this account wait/);
    // Free accounts share half of the slots, and no network gets all of those. Accounts that paid have
    // room.
    await expect(enter("c")).rejects.toThrow(/Too many calls wait/);
    leave();
    leave();
    await enter("c", "203.0.113.0/24");
    await expect(enter("a")).rejects.toThrow(/Too many calls wait/);
    await enter("paid", "203.0.113.0/24");
    await expect(enter("d", "203.0.113.0/24")).rejects.toThrow(/Too many calls wait/);
  });
});

/** The old client takes its options after a schema. */
function options(client: Client | OldClient, signal: AbortSignal, onprogress: () => void): [never] {
  const one = { signal, onprogress, timeout: 60_000 };
  return (client instanceof OldClient ? [undefined, one] : [one]) as [never];
}

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("hex");
}

test("tool calls count for their caller: the key, the account, and the client behind a proxy", async () => {
  const { config } = market.api;
  const rateLimits = { ...usualRates, credential: 12, account: 1000, address: 8, search: 2 };
  const behind = await serveMcp(
    createApp({
      ...market.api.context,
      config: { ...config, rateLimits, trustedProxies: { networks: ["127.0.0.1"] } },
    }),
  );
  const from = (address: string) => ({ "x-forwarded-for": address });
  /** The number of calls answered before a refusal, and the limit that refused. */
  const count = async (name: string, headers: Record<string, string>) => {
    for (let done = 0; ; done += 1) {
      const { status, text } = await behind.post(callOf(name), headers);
      if (status === 429) return { done, by: "request" };
      if (/rate_limited/.test(text)) return { done, by: "tool" };
      if (done > 30) throw new Error("Nothing was refused.");
    }
  };
  // A search is two requests of the address, and one search.
  expect(await count("search_services", from("203.0.113.1"))).toEqual({ done: 2, by: "tool" });
  expect(await count("list_categories", from("203.0.113.2"))).toMatchObject({ done: 4 });
  expect(await count("list_categories", from("203.0.113.2"))).toMatchObject({ done: 0 });
  expect(await count("list_categories", from("203.0.113.3"))).toMatchObject({ done: 4 });
  const authorization = `Bearer ${await keyOf(market.buyer, "orders:read")}`;
  const one = await count("list_orders", { authorization, ...from("203.0.113.4") });
  expect(one).toMatchObject({ done: 6 });
  expect(await count("list_orders", { authorization, ...from("203.0.113.5") })).toMatchObject({ done: 0 });
  await behind.close();
});

test("a key's limits, approvals and networks hold through tools, with the errors of the API", async () => {
  const { request, context, config } = market.api;
  const make = async (bounds: object) => {
    const body = { name: "assistant", scopes: ["orders:read", "orders:write"], ...bounds };
    return expectStatus(201, await request("POST", "/api-keys", { token: market.buyer.token, body })).token;
  };
  const order = { service_id: market.service.id, input: { text: "x" } };
  const poor = await mcp.connect(await make({ limits: { per_order: "2" } }));
  const refused = await use(poor, "place_order", { ...order, idempotency_key: "poor" });
  expect(refused.error).toMatchObject({
    code: "spend_limit_exceeded",
    status: 403,
    spend_limit: { limit: "per_order" },
  });

  const watched = await mcp.connect(await make({ limits: { approval_above: "1", per_day: "4" } }));
  const placed = await use(watched, "place_order", { ...order, idempotency_key: "watched" });
  expect(placed.facts).toMatchObject({ status: "created", approval: "pending" });
  expect(placed.text).toMatch(/Its approval by an owner is pending/);
  const { order_id } = placed.facts;
  const due = { order_id, ...expected };
  expect((await use(watched, "pay_order", due)).code).toBe("approval_required");
  const waited = await use(watched, "wait_for_order", { order_id, until: "approved", timeout_seconds: 1 });
  expect(waited.facts).toMatchObject({ reached: false, approval: "pending" });
  const spend = await use(watched, "get_spend");
  expect(spend.facts.keys).toMatchObject([
    { approval_above: "1", day: { spent: "2.500000", left: "1.500000" } },
  ]);

  // Orders of other accounts count too: reading a payment does not count as a request for its terms.
  const looking = await mcp.connect(await make({ limits: { per_day: "4" } }));
  expect((await use(looking, "preview_payment", { order_id })).facts.amount).toBe("2.500000");
  expect((await use(looking, "get_spend")).facts.keys).toMatchObject([{ day: { spent: "0.000000" } }]);

  const trustedProxies = { networks: ["127.0.0.1"] };
  const behind = await serveMcp(createApp({ ...context, config: { ...config, trustedProxies } }));
  const authorization = `Bearer ${await make({ allowed_ips: ["203.0.113.0/24"] })}`;
  const within = await behind.post(callOf("list_orders"), {
    authorization,
    "x-forwarded-for": "203.0.113.9",
  });
  expect([within.status, within.text]).toEqual([200, expect.stringContaining("orders, ")]);
  expect(within.text).not.toContain("isError");
  const without = await behind.post(callOf("list_orders"), {
    authorization,
    "x-forwarded-for": "198.51.100.1",
  });
  expect([without.status, JSON.parse(without.text).error.code]).toEqual([403, "address_not_allowed"]);
  await behind.close();
});
