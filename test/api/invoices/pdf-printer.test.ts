import { afterAll, expect, test } from "vitest";
import type { PdfDocument } from "../../../api/invoices/pdf-document.ts";
import { createPdfPrinter, printerBounds } from "../../../api/invoices/pdf-printer.ts";

const isParty = async (accountId: string) => accountId.startsWith("party");
const printer = createPdfPrinter({ warn: () => {} }, isParty);
afterAll(() => printer.close());

const documentOf = (rows: number): PdfDocument => ({
  title: "Statement of 2026-11",
  notice: null,
  dated: "2026-11-21T09:30:00.000Z",
  isWide: true,
  blocks: [
    {
      kind: "table",
      heading: "Settlements",
      columns: [
        { name: "Service", width: 0.5 },
        { name: "Amount", width: 0.5, isNumber: true },
      ],
      rows: Array.from({ length: rows }, (_, at) => [`Übersetzung ${at}`, `${at}.500000 TUSD`]),
      sums: [],
    },
  ],
  foot: "All times are UTC.",
});

const of = (accountId: string, network = accountId) => ({ accountId, address: null, network });
const print = (accountId: string, rows = 1) =>
  printer.print(of(accountId), async () => ({ document: documentOf(rows) }));

test("an account has one document at once, another account has its own, and a drawn document frees its place", async () => {
  const own = print("acc_1");
  let isRead = false;
  const second = printer.print(of("acc_1"), async () => {
    isRead = true;
    return { document: documentOf(1) };
  });
  await expect(second).rejects.toMatchObject({ code: "rate_limited" });
  expect(isRead).toBe(false);
  for (const { file } of [await own, await print("acc_2")]) {
    expect(Buffer.from(file.subarray(0, 5)).toString()).toBe("%PDF-");
  }
  await expect(printer.print(of("acc_1"), () => Promise.reject(new Error("no document")))).rejects.toThrow(
    "no document",
  );
  await print("acc_1");
});

test("free accounts have half of the places, a network a quarter of them, and parties have the rest", async () => {
  const reading = Promise.withResolvers<void>();
  const hold = (accountId: string, network?: string) =>
    printer.print(of(accountId, network), async () => {
      await reading.promise;
      return { document: documentOf(1) };
    });
  const held = [hold("acc_1", "net"), hold("acc_2", "net")];
  await expect(hold("acc_3", "net")).rejects.toMatchObject({ code: "rate_limited" });
  for (let at = 0; at < printerBounds.total / 2 - 2; at += 1) held.push(hold(`acc_free${at}`));
  await expect(hold("acc_last")).rejects.toMatchObject({ code: "rate_limited" });
  for (let at = 0; at < printerBounds.total / 2; at += 1) held.push(hold(`party_${at}`));
  await expect(hold("party_last")).rejects.toMatchObject({ code: "rate_limited" });
  reading.resolve();
  await Promise.all(held);
});

test("the limit of a drawing does not count the documents that wait before it", async () => {
  const draw = (on: typeof printer, accountId: string) =>
    on.print(of(accountId), async () => ({ document: documentOf(200) }));
  const timeOf = async (drawings: () => Promise<unknown>) => {
    const before = performance.now();
    await drawings();
    return performance.now() - before;
  };
  const many = Array.from({ length: printerBounds.total - 1 }, (_, at) => `party_${at}`);
  // On a busy machine, a drawing may take several times as long as the one before. So rounds follow until one has waited.
  for (let hasWaited = false; !hasWaited; ) {
    const times: number[] = [];
    for (const account of ["acc_1", "acc_2", "acc_3"]) times.push(await timeOf(() => draw(printer, account)));
    const limit = Math.ceil(7 * (times.sort((one, other) => one - other)[1] ?? 0));
    const limited = createPdfPrinter({ warn: () => {} }, isParty, limit);
    hasWaited = (await timeOf(() => Promise.all(many.map((party) => draw(limited, party))))) > limit;
    await limited.close();
  }
  const hasty = createPdfPrinter({ warn: () => {} }, isParty, 1);
  await expect(draw(hasty, "acc_1")).rejects.toMatchObject({ code: "dependency_unavailable" });
  await hasty.close();
});

test("the drawing of a long document leaves the process free for requests", async () => {
  await print("acc_1");
  const before = performance.eventLoopUtilization();
  await print("acc_1", 1000);
  // Drawing in this thread would use all of it. The rows are copied here.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.6);
});
