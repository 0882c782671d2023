import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../../../api/http/caller.ts";
import { createKey } from "../../harness/api.ts";
import { ask, createMarket, expectRefusal, type Market, placeStarted } from "../../harness/market/market.ts";

type Route = { method: "GET" | "POST"; path: string; scope: Scope; body?: unknown };

const signature = `0x${"11".repeat(65)}`;
/** Every route under an order, with a body that passes its schema. */
const routes: Route[] = [
  { method: "GET", path: "", scope: "orders:read" },
  { method: "GET", path: "/payment-instructions", scope: "orders:read" },
  { method: "GET", path: "/payment", scope: "orders:read" },
  { method: "POST", path: "/payment", scope: "orders:write" },
  { method: "GET", path: "/settlement-options", scope: "orders:read" },
  { method: "GET", path: "/events", scope: "orders:read" },
  { method: "GET", path: "/agreement", scope: "orders:read" },
  { method: "GET", path: "/reconcile", scope: "orders:read" },
  { method: "GET", path: "/receipts", scope: "orders:read" },
  { method: "GET", path: "/receipt", scope: "orders:read" },
  { method: "GET", path: "/receipt/x402", scope: "orders:read" },
  { method: "GET", path: "/delivery-record", scope: "orders:read" },
  { method: "POST", path: "/delivery-record", scope: "orders:write", body: { signature } },
  ...["/release", "/refund", "/dispute"].flatMap((path): Route[] => [
    { method: "GET", path, scope: "orders:read" },
    { method: "POST", path, scope: "orders:write", body: { signature, deadline: "1" } },
  ]),
  { method: "POST", path: "/dispute/statements", scope: "orders:write", body: { text: "See page 3." } },
  { method: "GET", path: "/dispute/decision?provider_amount=1", scope: "orders:read" },
  {
    method: "POST",
    path: "/dispute/decision",
    scope: "orders:write",
    body: { provider_amount: "1", signature, deadline: "1" },
  },
  { method: "POST", path: "/start", scope: "orders:write" },
  {
    method: "POST",
    path: "/deliver",
    scope: "orders:write",
    body: { output_payload: { translation: "Hi" } },
  },
  { method: "POST", path: "/revision", scope: "orders:write", body: { reason: "Too short." } },
  { method: "GET", path: "/messages", scope: "orders:read" },
  { method: "POST", path: "/messages", scope: "orders:write", body: { text: "Hello." } },
  { method: "POST", path: "/dispute-intent", scope: "orders:write", body: { reason: "Too short." } },
];

let market: Market;
let orderId: string;
const keys: Partial<Record<Scope, string>> = {};

beforeAll(async () => {
  market = await createMarket();
  orderId = (await placeStarted(market)).id;
  for (const scope of ["orders:read", "orders:write"] as const) {
    keys[scope] = await createKey(market.api, market.provider, [scope]);
  }
});
afterAll(() => market.api.close());

describe.each(routes)("$method /orders/{id}$path", ({ method, path, scope, body }) => {
  const request = (id: string, access: { token?: string; apiKey?: string }) => () =>
    market.api.request(method, `/orders/${id}${path}`, { body, ...access });

  test("401 without a session or a key, and with an unknown one", async () => {
    await expectRefusal(market, request(orderId, {}), 401, "unauthenticated");
    await expectRefusal(market, request(orderId, { token: "est_unknown" }), 401, "unauthenticated");
    await expectRefusal(market, request(orderId, { apiKey: "esk_unknown" }), 401, "unauthenticated");
  });

  test(`403 for a key without ${scope}, naming it`, async () => {
    const other = scope === "orders:read" ? "orders:write" : "orders:read";
    await expectRefusal(market, request(orderId, { apiKey: keys[other] }), 403, "insufficient_scope", scope);
  });

  test("404 for another account's order, for an unknown one, and for a malformed id", async () => {
    const { token } = market.outsider;
    await expectRefusal(market, request(orderId, { token }), 404, "not_found");
    const mine = { token: market.provider.token };
    for (const id of [
      "ord_01jd3w8x2mfhz8w9q4t6n5k7ra",
      "ord_",
      "1",
      "%20",
      "..%2f..",
      orderId.toUpperCase(),
    ]) {
      await expectRefusal(market, request(id, mine), 404, "not_found");
    }
  });

  test("does not reveal to other accounts that the order exists", async () => {
    const { token } = market.outsider;
    const [theirs, none] = await Promise.all([
      request(orderId, { token })(),
      request("ord_01jd3w8x2mfhz8w9q4t6n5k7ra", { token })(),
    ]);
    expect(theirs.body.error.message).toBe(none.body.error.message);
  });
});

describe.each(routes.filter(({ body }) => body !== undefined))("$method /orders/{id}$path", ({ path }) => {
  test("400, 413 and 415 for invalid bodies", async () => {
    const post =
      (body: string, type = "application/json") =>
      async () => {
        const response = await market.api.app.request(`/api/v1/orders/${orderId}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${market.provider.token}`, "content-type": type },
          body,
        });
        return { status: response.status, body: await response.json(), headers: response.headers };
      };
    await expectRefusal(market, post("{"), 400, "invalid_request");
    await expectRefusal(market, post("[]"), 400, "invalid_request");
    await expectRefusal(market, post('{"unknown":1}'), 400, "invalid_request");
    await expectRefusal(market, post("{}", "text/plain"), 415, "unsupported_media_type");
    const large = JSON.stringify({ output_payload: { translation: "x".repeat(256 * 1024) } });
    await expectRefusal(market, post(large), 413, "payload_too_large");
  });
});

describe("GET /orders and /orders/received", () => {
  test.each(["/orders", "/orders/received"])("%s needs orders:read", async (path) => {
    await expectRefusal(market, () => market.api.request("GET", path), 401, "unauthenticated");
    await expectRefusal(
      market,
      () => market.api.request("GET", path, { apiKey: keys["orders:write"] }),
      403,
      "insufficient_scope",
      "orders:read",
    );
    expect((await market.api.request("GET", path, { apiKey: keys["orders:read"] })).status).toBe(200);
  });

  test.each(["status=lost", "limit=0", "limit=101", "limit=x", "offset=-1", "cursor=x"])(
    "400 for ?%s",
    async (query) => {
      for (const path of ["/orders", "/orders/received"]) {
        await expectRefusal(
          market,
          () => ask(market, market.buyer, "GET", `${path}?${query}`),
          400,
          "invalid_request",
        );
      }
    },
  );
});
