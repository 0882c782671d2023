import { writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fact, invoice, order } from "../../../db/schema.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  placeDelivered,
  placeFunded,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";
import { overlapsIn, type PdfPage, readPdf, textOf } from "../../harness/pdf-file.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const seller = {
  name: "Lingua Übersetzungen GmbH",
  address_lines: ["Hauptstraße 1", "10115 Berlin"],
  country: "DE",
  tax_id: "DE123456789",
  tax_rate: "19",
};
const buyer = { name: "Ромашка ООО", address_lines: ["ул. Ленина, 5"], country: "RS" };

const setDetails = (who: Session, body: unknown) =>
  market.api.request("PUT", "/me/billing-details", { token: who.token, body });
const removeDetails = (who: Session) =>
  market.api.request("DELETE", "/me/billing-details", { token: who.token });

async function placeReleased(amount?: bigint) {
  const ordered = await placeDelivered(market);
  await indexer(market, ordered.row).ended("Released", amount);
  if (amount !== undefined) {
    await indexer(market, ordered.row).ended("Refunded", ordered.row.amount - amount);
  }
  await settleNow(market);
  return ordered;
}

const readFile = async (id: string, who: Session): Promise<Buffer> =>
  Buffer.from(
    expectStatus(200, await ask(market, who, "GET", `/exports/orders/${id}/invoice.pdf`)),
    "latin1",
  );

async function readRow(id: string, who: Session): Promise<Record<string, string>> {
  const text = expectStatus(200, await ask(market, who, "GET", `/exports/orders/${id}/invoice.csv`));
  const [names = [], cells = [], ...more] = text.split("\r\n").map(cellsOf);
  expect(more).toEqual([[""]]);
  return Object.fromEntries(names.map((name: string, at: number) => [name, cells[at] ?? ""]));
}

const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );

/** The text that stands right of a name, on its line. */
function valueBeside(pages: PdfPage[], name: string): string {
  for (const { texts } of pages) {
    for (const at of texts.filter(({ text }) => text === name)) {
      const right = texts.filter(({ x, y }) => x > at.x && Math.abs(y - at.y) < 2);
      if (right.length > 0) return right.map(({ text }) => text).join(" ");
    }
  }
  throw new Error(`No value stands beside ${name}.`);
}

test("without the seller's details, the document is a payment record without a number", async () => {
  const { id, row } = await placeReleased();
  const pages = await readPdf(await readFile(id, market.buyer));
  expect(textOf(pages)).toContain(`Payment record for order ${row.reference}`);
  expect(textOf(pages)).toContain("no invoice");
  expect(valueBeside(pages, "Paid to the seller")).toBe(`2.500000 ${row.tokenSymbol}`);
  expect(await readRow(id, market.provider)).toMatchObject({
    document: "payment_record",
    number: "",
    tax_rate: "",
  });
  expect(await market.api.db.$count(invoice, eq(invoice.orderId, id))).toBe(0);
});

test("the first document with the seller's details issues an invoice, which never changes again", async () => {
  expectStatus(200, await setDetails(market.provider, seller));
  expectStatus(200, await setDetails(market.buyer, buyer));
  const { id, row } = await placeReleased();
  const first = await readFile(id, market.buyer);
  const pages = await readPdf(first.slice());
  const [page] = pages;
  if (process.env.PDF_PICTURE) writeFileSync(process.env.PDF_PICTURE, page?.picture ?? "");

  // The texts stand in their places.
  expect(pages).toHaveLength(1);
  expect(page && overlapsIn(page)).toEqual([]);
  expect(page?.ink).toBeGreaterThan(0.01);
  const placed = (text: string) => page?.texts.find((one) => one.text.startsWith(text));
  expect(placed("Invoice 1 for order")?.y).toBeLessThan(80);
  const [left, right] = [placed("Seller"), placed("Buyer")];
  expect(placed(seller.name)?.x).toBeCloseTo(left?.x ?? 0, 1);
  expect(placed(buyer.name)?.x).toBeCloseTo(right?.x ?? 0, 1);
  expect(left?.x).toBeLessThan(right?.x ?? 0);
  expect(placed(seller.name)?.y).toBeGreaterThan(left?.y ?? 0);
  expect(valueBeside(pages, "Invoice number")).toBe("1");
  expect(valueBeside(pages, "Net amount")).toBe(`2.100840 ${row.tokenSymbol}`);
  expect(valueBeside(pages, "Tax 19 %")).toBe(`0.399160 ${row.tokenSymbol}`);
  expect(valueBeside(pages, "Paid to the seller")).toBe(`2.500000 ${row.tokenSymbol}`);
  expect(valueBeside(pages, "Escrow")).toBe(row.escrowId);
  const text = textOf(pages);
  for (const detail of [
    ...seller.address_lines,
    `Tax id: ${seller.tax_id}`,
    ...buyer.address_lines,
    row.serviceTitle,
  ]) {
    expect(text).toContain(detail);
  }

  // The table has the same content.
  const table = await readRow(id, market.provider);
  const receipts = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}/receipts`)).items;
  expect(table).toMatchObject({
    document: "invoice",
    number: "1",
    is_void: "false",
    seller_name: seller.name,
    buyer_name: buyer.name,
    order_reference: row.reference,
    net_amount: "2.100840",
    tax_rate: "19",
    tax_amount: "0.399160",
    paid_amount: "2.500000",
    refunded_amount: "0.000000",
    quantity: "1",
    escrow_id: row.escrowId,
  });
  for (const { id: receipt, transaction } of receipts) {
    expect(table.receipts).toContain(`/receipts/${receipt}`);
    expect(table.transactions).toContain(transaction.hash);
    expect(text.replaceAll(" ", "")).toContain(`/receipts/${receipt}`);
  }

  // Later details change nothing.
  expectStatus(200, await setDetails(market.provider, { ...seller, name: "Other", tax_rate: null }));
  expectStatus(200, await removeDetails(market.buyer));
  expect((await readFile(id, market.provider)).equals(first)).toBe(true);
  expectStatus(200, await removeDetails(market.provider));
  expect((await readFile(id, market.buyer)).equals(first)).toBe(true);
});

test("parallel first requests issue one invoice, and a seller's numbers have no gap", async () => {
  expectStatus(200, await setDetails(market.provider, seller));
  const orders = [await placeReleased(), await placeReleased(), await placeReleased()];
  await Promise.all(
    orders.flatMap(({ id }) => [market.buyer, market.provider].map((who) => readRow(id, who))),
  );
  const rows = await market.api.db.select().from(invoice);
  expect(rows.map(({ number }) => number).sort((a, b) => a - b)).toEqual(rows.map((_, at) => at + 1));
  for (const { id } of orders) expect(rows.filter(({ orderId }) => orderId === id)).toHaveLength(1);
});

test("a split is an invoice of what the seller got, and names what went back", async () => {
  const { id } = await placeReleased(1_000_000n);
  expect(await readRow(id, market.buyer)).toMatchObject({
    paid_amount: "1.000000",
    refunded_amount: "1.500000",
    net_amount: "0.840336",
    tax_amount: "0.159664",
  });
});

test("a reorganisation that removes the payment voids the invoice, and a later payment gets another one", async () => {
  const { id } = await placeReleased();
  const { number } = await readRow(id, market.buyer);
  const revert = async () => {
    const [released] = await market.api.db
      .select()
      .from(fact)
      .where(eq(fact.orderId, id))
      .then((rows) => rows.filter(({ type }) => type === "order.released").slice(-1));
    await market.api.db.insert(fact).values({
      id: `fct_${released?.id.slice(4, 29)}z`,
      orderId: id,
      type: "fact.reverted",
      actor: "chain",
      key: `revert:${released?.id}`,
      data: { fact_id: released?.id },
      occurredAt: new Date(),
    });
  };
  await revert();
  expect(await readRow(id, market.buyer)).toMatchObject({ number, is_void: "true", paid_amount: "2.500000" });
  expect(textOf(await readPdf(await readFile(id, market.provider)))).toContain("VOID");
  await indexer(market, await rowOf(market, id)).ended("Released");
  await settleNow(market);
  const again = await readRow(id, market.provider);
  expect(again).toMatchObject({ is_void: "false", replaces_number: number });
  expect(Number(again.number)).toBeGreaterThan(Number(number));
  expect(textOf(await readPdf(await readFile(id, market.buyer)))).toContain(`Replaces invoice ${number}`);
});

test("a metered order names its units, and an order in stages its stages", async () => {
  const { id } = await placeReleased();
  const stage = { hours: 1, outputSchema: null, schemaDigest: null };
  await market.api.db
    .update(order)
    .set({
      pricingModel: "metered",
      quantity: 100,
      deliveredUnits: 7,
      charge: 350_000n,
      stages: [
        { ...stage, title: "Outline", amount: "500000" },
        { ...stage, title: "Text", amount: "2000000" },
      ],
    })
    .where(eq(order.id, id));
  const pages = await readPdf(await readFile(id, market.buyer));
  const [row] = await market.api.db.select().from(order).where(eq(order.id, id));
  expect(valueBeside(pages, row?.serviceTitle ?? "")).toContain("at most 100");
  expect(valueBeside(pages, "Delivered units")).toMatch(/^7 .*0\.350000 TUSD$/);
  expect(valueBeside(pages, "Stage 2: Text")).toBe("2.000000 TUSD");
  expect(await readRow(id, market.buyer)).toMatchObject({
    units: "7",
    stages: "2",
    pricing_model: "metered",
  });
});

test("orders that paid the seller nothing have no invoice", async () => {
  const { id, row } = await placeFunded(market);
  const read = () => ask(market, market.buyer, "GET", `/exports/orders/${id}/invoice.pdf`);
  expect(await read()).toMatchObject({ status: 409, body: { error: { code: "not_settled" } } });
  await indexer(market, row).ended("Refunded");
  await settleNow(market);
  expect(await read()).toMatchObject({ status: 409, body: { error: { code: "invalid_state" } } });
});

test("only the parties of an order read its invoice", async () => {
  const { id } = await placeReleased();
  for (const form of ["pdf", "csv"]) {
    const path = `/exports/orders/${id}/invoice.${form}`;
    expect(await ask(market, market.outsider, "GET", path)).toMatchObject({ status: 404 });
    expect(await market.api.request("GET", path)).toMatchObject({ status: 401 });
  }
});

test("a name that a spreadsheet would run as a formula is written as a text, also after a semicolon", async () => {
  const named = { name: '=HYPERLINK("http://x","y")', address_lines: ["Street 1;=1+1;-2", "A;b ＝;＝1"] };
  expectStatus(200, await setDetails(market.provider, { ...seller, ...named }));
  const { id } = await placeReleased();
  expect(await readRow(id, market.buyer)).toMatchObject({
    seller_name: `'=HYPERLINK("http://x","y")`,
    seller_address: "Street 1;'=1+1;'-2, A;b ＝;'＝1",
  });
});

test("an invoice cannot be changed or deleted: the database refuses it", async () => {
  expectStatus(200, await setDetails(market.provider, seller));
  const { id } = await placeReleased();
  await readFile(id, market.buyer);
  const own = eq(invoice.orderId, id);
  const { db } = market.api;
  for (const statement of [
    db.update(invoice).set({ number: 99 }).where(own),
    db
      .update(invoice)
      .set({ seller: { ...seller, tax_rate: "7" } })
      .where(own),
    db.update(invoice).set({ buyer: null }).where(own),
    db.delete(invoice).where(own),
  ]) {
    await expect(statement).rejects.toMatchObject({ code: "23001" });
  }
  expect(await readRow(id, market.buyer)).toMatchObject({ document: "invoice", tax_rate: "19" });
});
