import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFacts } from "../../../db/ledger.ts";
import { order } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { deliverOrder, startOrder } from "../../../trade/orders/delivery.ts";
import { requestRevision } from "../../../trade/orders/revision-request.ts";
import { expireOrder } from "../../../trade/orders/unfunded-expiry.ts";
import { createOrders, type Orders, outsider } from "../../harness/market/orders.ts";

let trade: Orders;
beforeAll(async () => {
  trade = await createOrders();
});
afterAll(() => trade.close());

const start = (caller: { accountId: string }, id: string) =>
  inTransaction(trade.db, (tx) => startOrder(tx, caller, id));
const revise = (caller: { accountId: string }, id: string) =>
  inTransaction(trade.db, (tx) => requestRevision(tx, caller, id, "Shorter, please."));
const stepsOf = async (id: string) => (await readFacts(trade.db, id)).map(({ type }) => type);

describe("startOrder", () => {
  test("starts a funded order once, by its provider", async () => {
    const { row, buyer, provider } = await trade.reach("funded");
    await expect(start(outsider, row.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(start(provider, "ord_none")).rejects.toMatchObject({ code: "not_found" });
    await expect(start(buyer, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    await start(provider, row.id);
    await expect(start(provider, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    expect(await stepsOf(row.id)).toEqual(["order.created", "order.funded", "order.started"]);
  });

  test("refuses an unfunded order", async () => {
    const { row, provider } = await trade.place();
    await expect(start(provider, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    expect(await stepsOf(row.id)).toEqual(["order.created"]);
  });
});

describe("deliverOrder", () => {
  test("accepts what the order's schema accepts, and leaves the rest of the order unchanged", async () => {
    const { row, buyer, provider } = await trade.reach("funded");
    const outputSchema = { type: "object", required: ["translation"] };
    await trade.db.update(order).set({ outputSchema }).where(eq(order.id, row.id));
    const deliver = (caller: { accountId: string }, output: Record<string, unknown>) =>
      deliverOrder(trade.context, caller, row.id, { output, note: "Done." });
    const good = { translation: "Good day" };

    await expect(deliver(provider, good)).rejects.toMatchObject({ code: "invalid_state" });
    await start(provider, row.id);
    await expect(deliver(buyer, good)).rejects.toMatchObject({ code: "invalid_state" });
    await expect(deliver(provider, {})).rejects.toMatchObject({
      code: "output_schema_violation",
      details: [{ keyword: "required" }],
    });
    expect(await stepsOf(row.id)).not.toContain("order.delivered");

    expect(await deliver(provider, good)).toBeNull();
    expect((await readFacts(trade.db, row.id)).at(-1)).toMatchObject({
      type: "order.delivered",
      data: { note: "Done." },
    });
  });
});

describe("requestRevision", () => {
  test("is the buyer's, once, after a delivery", async () => {
    const { row, buyer, provider } = await trade.reach("funded");
    await start(provider, row.id);
    await expect(revise(buyer, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    await deliverOrder(trade.context, provider, row.id, { output: null });
    await expect(revise(provider, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    await revise(buyer, row.id);
    await deliverOrder(trade.context, provider, row.id, { output: null });
    await expect(revise(buyer, row.id)).rejects.toMatchObject({ code: "invalid_state" });
    expect((await stepsOf(row.id)).filter((type) => type === "order.revision_requested")).toHaveLength(1);
  });
});

describe("expireOrder", () => {
  test("expires an unfunded order, once, and no other", async () => {
    const block = { number: 7n, timestamp: BigInt(Math.floor(Date.now() / 1000) + 172_800) };
    const expire = (id: string) => inTransaction(trade.db, (tx) => expireOrder(tx, id, block));
    const unfunded = await trade.place();
    expect(await expire(unfunded.row.id)).toBe(true);
    expect(await expire(unfunded.row.id)).toBe(false);
    expect(await stepsOf(unfunded.row.id)).toEqual(["order.created", "order.expired"]);
    const funded = await trade.reach("funded");
    expect(await expire(funded.row.id)).toBe(false);
  });
});
