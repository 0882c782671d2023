import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountSettlement, receipt } from "../../../db/schema.ts";
import { createKey, expectStatus, publishService, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  placeFunded,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const read = async (path: string, who = market.buyer) =>
  expectStatus(200, await ask(market, who, "GET", path));
type Payment = Record<string, unknown>;

/** An order that was funded and then released or refunded. */
async function placeEnded(name: "Released" | "Refunded") {
  const funded = await placeFunded(market);
  await indexer(market, funded.row).ended(name);
  await settleNow(market);
  return funded;
}

describe("the payments of an account", () => {
  test("are every settlement, from its own side, with transaction and receipt", async () => {
    const { id, row } = await placeEnded("Released");
    const ofOrder = (page: { items: Payment[] }) => page.items.filter(({ order_id }) => order_id === id);
    const bought = ofOrder(await read("/payments"));
    const sold = ofOrder(await read("/payments", market.provider));
    const summary = ({ claim, direction, your_role }: Payment) => [claim, direction, your_role];
    expect(bought.map(summary)).toEqual([
      ["released", "none", "buyer"],
      ["funded", "out", "buyer"],
    ]);
    expect(sold.map(summary)).toEqual([
      ["released", "in", "provider"],
      ["funded", "none", "provider"],
    ]);
    expect(bought[0]).toMatchObject({
      amount: "2.500000",
      amount_base_units: "2500000",
      currency: row.tokenSymbol,
      order_reference: row.reference,
      subscription_id: null,
    });
    expect(String(bought[0]?.counterparty_address).toLowerCase()).toBe(row.providerAddress.toLowerCase());
    expect(String(sold[0]?.counterparty_address).toLowerCase()).toBe(row.buyerAddress.toLowerCase());
    // The receipt proves the row.
    const proof = await read(`/receipts/${bought[0]?.receipt_id}`, market.outsider);
    expect(proof.claim).toBe("released");
    expect(proof.transaction).toEqual(bought[0]?.transaction);
  });

  test("are filtered by claim, role and time, in pages, each once", async () => {
    await placeEnded("Refunded");
    const refunds = await read("/payments?claim=refunded");
    expect(refunds.items.every(({ direction }: Payment) => direction === "in")).toBe(true);
    expect(refunds.total).toBe(1);
    expect((await read("/payments?role=provider")).total).toBe(0);
    const all = await read("/payments?limit=100");
    const pages: Payment[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { items: Payment[]; next_cursor: string | null } = await read(
        `/payments?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      pages.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(all.items);
    const newest = all.items[0].recorded_at;
    expect((await read(`/payments?since=${newest}`)).total).toBe(1);
    expect((await read(`/payments?until=${newest}`)).total).toBe(all.total - 1);
  });

  test("are summed by month and token, exactly, each side's own", async () => {
    const { items } = await read("/payments?limit=100");
    const total = (direction: string) =>
      items
        .filter((one: Payment) => one.direction === direction)
        .reduce((sum: bigint, one: Payment) => sum + BigInt(String(one.amount_base_units)), 0n);
    const month = items[0].occurred_at.slice(0, 7);
    const sums = await read("/payments/sums");
    expect(sums.items).toMatchObject([
      {
        month,
        currency: items[0].currency,
        token_address: items[0].token_address,
        received: "2.500000",
        received_base_units: String(total("in")),
        paid_base_units: String(total("out")),
      },
    ]);
    expect((await read("/payments/sums", market.provider)).items).toMatchObject([
      { received: "2.500000", paid: "0.000000", payments: 1 },
    ]);
    const refunds = await read("/payments/sums?claim=refunded");
    expect(refunds.items).toMatchObject([{ received: "2.500000", paid: "0.000000", payments: 1 }]);
    expect((await read("/payments/sums", market.outsider)).items).toEqual([]);
  });

  test("omit payments that a reorganisation removed", async () => {
    const { id } = await placeEnded("Released");
    const before = await read("/payments");
    const [{ paid: paidBefore }] = (await read("/payments/sums")).items;
    await market.api.db.update(receipt).set({ revokedAt: new Date() }).where(eq(receipt.orderId, id));
    const after = await read("/payments");
    expect(after.total).toBe(before.total - 2);
    expect(JSON.stringify(after)).not.toContain(id);
    const [{ paid }] = (await read("/payments/sums")).items;
    expect(Number(paidBefore) - Number(paid)).toBe(2.5);
  });

  test("are one row for a side and a receipt, however often the worker runs", async () => {
    const { id } = await placeEnded("Released");
    await settleNow(market);
    const rows = await market.api.db
      .select()
      .from(accountSettlement)
      .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
      .where(eq(receipt.orderId, id));
    expect(rows).toHaveLength(4);
  });

  test("need subscriptions:read, and are private to the account", async () => {
    expect((await read("/payments", market.outsider)).total).toBe(0);
    const key = await createKey(market.api, market.buyer, ["orders:read"]);
    const answer = await market.api.request("GET", "/payments", { token: key });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "insufficient_scope" } } });
    for (const query of ["since=yesterday", "claim=paid", "role=arbiter", "format=xml", "cursor=AAAA"]) {
      const refused = await ask(market, market.buyer, "GET", `/payments?${query}`);
      expect(refused, query).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    }
  });

  test("come as a table too: a header, then every row of the query, in the same order", async () => {
    const answer = await ask(market, market.buyer, "GET", "/exports/payments.csv");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/csv/);
    expect(answer.headers.get("content-disposition")).toMatch(/attachment/);
    const lines = (answer.body as string).split("\r\n");
    expect(lines.pop()).toBe("");
    const names = lines.shift()?.split(",") ?? [];
    const { items } = await read("/payments?limit=100");
    expect(lines).toHaveLength(items.length);
    for (const [index, line] of lines.entries()) {
      const row = Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell]));
      const { transaction, service, agent, ...payment } = items[index];
      for (const [name, value] of Object.entries({
        ...payment,
        service_title: service.title,
        agent_name: agent.name,
        chain_id: transaction.chain_id,
        transaction_hash: transaction.hash,
      })) {
        expect(row[name], name).toBe(String(value ?? ""));
      }
    }
    expect(
      (await ask(market, market.outsider, "GET", "/exports/payments.csv")).body.split("\r\n"),
    ).toHaveLength(2);
  });
});

test("end a table early when its reader loses access", async () => {
  const { token } = await signIn(market.api, market.buyer.account);
  const response = await market.api.app.request("/exports/payments.csv", {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  expectStatus(200, await market.api.request("POST", "/auth/logout", { token }));
  await expect(response.text()).rejects.toThrow("may not read this table now");
});

test("of a subscription are a list of their own", async () => {
  const plan = await publishService(market.api, market.provider, {
    pricing_model: "subscription",
    interval: "week",
    price: "7",
  });
  const made = expectStatus(
    201,
    await ask(market, market.buyer, "POST", "/subscriptions", { service_id: plan.service.id }),
  );
  await indexer(market, await rowOf(market, made.latest_order_id)).funded();
  await settleNow(market);
  const { items, total } = await read("/subscriptions/me/payments");
  expect(total).toBe(1);
  expect(items[0]).toMatchObject({ subscription_id: made.id, claim: "funded", amount: "7.000000" });
  expect((await read("/subscriptions/me/payments", market.provider)).total).toBe(0);
});
