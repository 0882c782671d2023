import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { expectStatus } from "../../harness/api.ts";
import { ask, indexer, rowOf, settleNow } from "../../harness/market/market.ts";
import { openPurchases, type Purchases } from "../../harness/market/purchases.ts";

let market: Purchases["market"];
let path: string;
let newPayer: Purchases["newPayer"];
let sign: Purchases["sign"];
let pollOrder: Purchases["pollOrder"];
let post: Purchases["post"];
beforeAll(async () => {
  ({ market, path, newPayer, sign, pollOrder, post } = await openPurchases());
});
afterAll(() => market?.close());

describe("Prefer: wait", () => {
  test("gets the output in the paying request, or the address of the order when it takes longer", async () => {
    const payer = await newPayer();
    const { request, header } = await sign(payer);
    const answering = post(request, { headers: { ...header, Prefer: "respond-async, wait=30" } });
    const placed = await pollOrder(payer.address);
    const row = await rowOf(market, placed);
    await indexer(market, row).funded();
    await settleNow(market);
    expectStatus(200, await ask(market, market.provider, "POST", `/orders/${placed}/start`));
    const output = { translation: "Good day" };
    const delivered = performance.now();
    expectStatus(
      200,
      await ask(market, market.provider, "POST", `/orders/${placed}/deliver`, { output_payload: output }),
    );
    const answer = await answering;
    // The database notifies the request, which does not wait for its next poll.
    expect(performance.now() - delivered).toBeLessThan(3000);
    expect(answer.headers.get("preference-applied")).toBe("wait=30");
    expect(expectStatus(200, answer).order).toMatchObject({ status: "delivered", output_payload: output });
    const later = expectStatus(200, await post(request, { headers: header }));
    expect(later.order.output_payload).toEqual(output);

    const slow = await sign(await newPayer());
    const began = performance.now();
    const pending = await post(slow.request, { headers: { ...slow.header, Prefer: "wait=1" } });
    expect(expectStatus(202, pending).order.status).toBe("created");
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(pending.headers.get("location")).toContain("/orders/ord_");
  });

  test("checks only so many payments at once, of an address and in all, and charges no refused caller", async () => {
    const { buying } = market.api.config;
    const { checks } = buying;
    const signed = await Promise.all(Array.from({ length: 4 }, async () => sign(await newPayer())));
    for (const [bounds, from] of [
      [{ address: 1, process: 9 }, () => "203.0.113.1"],
      [{ address: 9, process: 1 }, (at: number) => `203.0.113.${at}`],
    ] as const) {
      buying.checks = bounds;
      const context = createContext(market.api.config);
      const app = createApp(context);
      const send = async ({ request, header }: (typeof signed)[number], at: number) => {
        const headers = { "content-type": "application/json", ...header };
        const init = { method: "POST", headers, body: JSON.stringify(request) };
        return (
          await app.request(`/api/v1${path}`, init, { incoming: { socket: { remoteAddress: from(at) } } })
        ).status;
      };
      try {
        const two = signed.splice(0, 2);
        const statuses = await Promise.all(two.map(send));
        expect(statuses.toSorted()).toEqual([202, 429]);
        const refused = two[statuses.indexOf(429)];
        expect(refused && (await send(refused, 7))).toBe(202);
      } finally {
        buying.checks = checks;
        await context.db.$client.end();
      }
    }
  });

  test("waits for a bounded time, in a bounded number of slots", async () => {
    const { buying } = market.api.config;
    const { waitSeconds, waits } = buying;
    buying.waitSeconds = 1;
    // One address has one slot, and unproven accounts have half of the slots.
    const from = ["203.0.1.1", "203.0.1.1", "203.0.2.1", "203.0.3.1"];
    const signed = await Promise.all(from.map(async () => sign(await newPayer())));
    try {
      buying.waits = { address: 1, process: 4 };
      // The bounds are read when the app is made.
      const context = createContext(market.api.config);
      const app = createApp(context);
      const began = performance.now();
      const answers = await Promise.all(
        signed.map(async ({ request, header }, at) => {
          const init = {
            method: "POST",
            headers: { "content-type": "application/json", ...header, Prefer: "wait=600" },
            body: JSON.stringify(request),
          };
          const incoming = { socket: { remoteAddress: from[at] } };
          const answer = await app.request(`/api/v1${path}`, init, { incoming });
          return [answer.status, answer.headers.get("preference-applied")];
        }),
      );
      expect(performance.now() - began).toBeLessThan(60_000);
      const waited = answers.filter(([, applied]) => applied === "wait=1");
      expect([answers.map(([status]) => status), waited.length]).toEqual([[202, 202, 202, 202], 2]);
      await context.db.$client.end();
    } finally {
      Object.assign(buying, { waitSeconds, waits });
    }
  });
});
