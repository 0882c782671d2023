import { writeFileSync } from "node:fs";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mostPrintedRows } from "../../../api/invoices/statement-export.ts";
import { accountSettlement, fact, receipt } from "../../../db/schema.ts";
import { createKey, expectStatus, type Session, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  placeDelivered,
  placeFunded,
  settleNow,
} from "../../harness/market/market.ts";
import { overlapsIn, readPdf, textOf } from "../../harness/pdf-file.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const month = new Date().toISOString().slice(0, 7);

async function placeEnded(name: "Released" | "Refunded", amount?: bigint) {
  const ordered = await (name === "Released" ? placeDelivered(market) : placeFunded(market));
  await indexer(market, ordered.row).ended(name, amount);
  if (amount !== undefined) {
    await indexer(market, ordered.row).ended("Refunded", ordered.row.amount - amount);
  }
  await settleNow(market);
  return ordered;
}

async function readTable(who: Session, of = month): Promise<Record<string, string>[]> {
  const text = expectStatus(200, await ask(market, who, "GET", `/exports/statement.csv?month=${of}`));
  const [names = [], ...rows] = text
    .trimEnd()
    .split("\r\n")
    .map((line: string) => line.split(","));
  return rows.map((cells: string[]) =>
    Object.fromEntries(names.map((name: string, at: number) => [name, cells[at]])),
  );
}

const readPages = async (who: Session, of = month) =>
  readPdf(
    Buffer.from(
      expectStatus(200, await ask(market, who, "GET", `/exports/statement.pdf?month=${of}`)),
      "latin1",
    ),
  );

test("a statement has a row for each settlement of the own side, and exact sums", async () => {
  const details = { name: "Lingua", address_lines: ["Berlin"], country: "DE", tax_rate: "19" };
  const set = { token: market.provider.token, body: details };
  expectStatus(200, await market.api.request("PUT", "/me/billing-details", set));
  const whole = await placeEnded("Released");
  const split = await placeEnded("Released", 1_000_000n);
  const refunded = await placeEnded("Refunded");
  expectStatus(200, await ask(market, market.buyer, "GET", `/exports/orders/${whole.id}/invoice.csv`));

  const sold = await readTable(market.provider);
  expect(
    sold.map(({ row, side, order_id, amount, tax_amount }) => [row, side, order_id, amount, tax_amount]),
  ).toEqual([
    ["settlement", "sold", whole.id, "2.500000", "0.399160"],
    ["settlement", "sold", split.id, "1.000000", ""],
    ["sum", "sold", "", "3.500000", "0.399160"],
  ]);
  expect(sold[0]).toMatchObject({ invoice_number: "1", settlements: "1" });
  expect(sold[2]).toMatchObject({ invoice_number: "", settlements: "2", transaction_hash: "" });

  const bought = await readTable(market.buyer);
  const sums = bought.filter(({ row }) => row === "sum");
  expect(sums.map(({ side, amount, settlements }) => [side, amount, settlements])).toEqual([
    ["bought", "3.500000", "2"],
    ["returned", "4.000000", "2"],
  ]);
  expect(
    bought.filter(({ order_id }) => order_id === split.id).map(({ side, amount }) => [side, amount]),
  ).toEqual([
    ["bought", "1.000000"],
    ["returned", "1.500000"],
  ]);
  expect(bought.some(({ order_id, side }) => order_id === refunded.id && side === "returned")).toBe(true);

  const pages = await readPages(market.provider);
  const [page] = pages;
  if (process.env.PDF_PICTURE) writeFileSync(process.env.PDF_PICTURE, page?.picture ?? "");
  expect(pages).toHaveLength(1);
  expect(page && overlapsIn(page)).toEqual([]);
  expect(page?.ink).toBeGreaterThan(0.004);
  const text = textOf(pages);
  for (const part of [
    `Statement of ${month}`,
    "Lingua",
    "3.500000 TUSD",
    whole.row.reference,
    split.row.reference,
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain(refunded.row.reference);
});

test("another month has none of the rows, and a month of nothing is an empty statement", async () => {
  expect(await readTable(market.provider, "2025-01")).toEqual([]);
  expect(textOf(await readPages(market.provider, "2025-01"))).toContain("Statement of 2025-01");
});

test("a settlement that a reorganisation removed is omitted", async () => {
  const { id } = await placeEnded("Released");
  expect((await readTable(market.buyer)).some(({ order_id }) => order_id === id)).toBe(true);
  await market.api.db.update(receipt).set({ revokedAt: new Date() }).where(eq(receipt.orderId, id));
  expect((await readTable(market.buyer)).some(({ order_id }) => order_id === id)).toBe(false);
});

test("a statement is private, and needs subscriptions:read and a month", async () => {
  expect(await readTable(market.outsider)).toEqual([]);
  const token = await createKey(market.api, market.buyer, ["orders:read"]);
  for (const form of ["csv", "pdf"]) {
    const path = `/exports/statement.${form}?month=${month}`;
    expect(await market.api.request("GET", path, { token })).toMatchObject({ status: 403 });
    for (const query of ["", "?month=2026-13", "?month=2026-1", "?month=0001-01", `?month=${month}&of=all`]) {
      const refused = await ask(market, market.buyer, "GET", `/exports/statement.${form}${query}`);
      expect(refused, query).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    }
  }
});

test("a month with too many rows for a PDF is sent as CSV whole, each row once", async () => {
  const seller = await signIn(market.api);
  const { id } = await placeEnded("Released");
  // Copies of one settlement, as a busy seller has them.
  const [row] = await market.api.db
    .select()
    .from(accountSettlement)
    .innerJoin(receipt, and(eq(receipt.id, accountSettlement.receiptId), eq(receipt.claim, "released")))
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .where(eq(receipt.orderId, id));
  await market.api.db.execute(sql`
    with copied as (
      insert into ${fact} (id, order_id, type, actor, key, data, occurred_at, chain_id, block_number, block_hash, transaction_hash, log_index)
      select 'fct_' || lpad(n::text, 26, '0'), order_id, 'order.dispute_intent', actor, 'copy:' || n, data, occurred_at,
        chain_id, block_number, block_hash, transaction_hash, log_index
      from ${fact}, generate_series(1, ${mostPrintedRows + 1}) as n where id = ${row?.fact.id ?? ""}
      returning id),
    proved as (
      insert into ${receipt} (id, order_id, fact_id, claim, document)
      select 'rcp_' || substr(copied.id, 5), ${id}, copied.id, 'released', '{}' from copied
      returning id)
    insert into ${accountSettlement} (account_id, receipt_id, role, claim, created_at)
    select ${seller.accountId}, proved.id, 'provider', 'released', now() from proved`);
  const table = await readTable(seller);
  expect(table).toHaveLength(mostPrintedRows + 2);
  expect(new Set(table.map(({ receipt_id }) => receipt_id)).size).toBe(mostPrintedRows + 2);
  expect(table.at(-1)).toMatchObject({
    row: "sum",
    settlements: String(mostPrintedRows + 1),
    amount: "5002.500000",
  });
  const path = `/exports/statement.pdf?month=${month}`;
  expect(await ask(market, seller, "GET", path)).toMatchObject({
    status: 409,
    body: { error: { code: "invalid_state" } },
  });
});
