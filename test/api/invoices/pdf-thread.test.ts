import { expect, test } from "vitest";
import type { PdfDocument } from "../../../api/invoices/pdf-document.ts";
import print from "../../../api/invoices/pdf-thread.ts";
import { overlapsIn, readPdf, textOf } from "../../harness/pdf-file.ts";

const document = (changes: Partial<PdfDocument> = {}): PdfDocument => ({
  title: "Invoice 17 for order E-7K3M9Q",
  notice: null,
  dated: "2026-11-21T09:30:00.000Z",
  isWide: false,
  blocks: [
    {
      kind: "parties",
      columns: [
        { heading: "Seller", lines: ["Λόγος Ελλάδα", "Nguyễn Thị Ánh Đỗ", "Wallet 0x90F7"] },
        { heading: "Buyer", lines: ["Ромашка ООО", "Łódź, Žižkov", "Wallet 0x15d3"] },
      ],
    },
    { kind: "fields", heading: "Order", rows: [["Service", "Translation"]] },
  ],
  foot: "All times are UTC.",
  ...changes,
});

test("names in Latin, Greek, Cyrillic and Vietnamese letters are printed as they are", async () => {
  const [page] = await readPdf(await print(document()));
  if (!page) throw new Error("The document has no page.");
  for (const name of ["Λόγος Ελλάδα", "Nguyễn Thị Ánh Đỗ", "Ромашка ООО", "Łódź, Žižkov"]) {
    expect(textOf([page])).toContain(name);
  }
  expect(textOf([page])).not.toContain("\ufffd");
  expect(overlapsIn(page)).toEqual([]);
  expect(page.ink).toBeGreaterThan(0.002);
});

test("a letter that the font lacks becomes a sign, and the foot explains the sign", async () => {
  const blocks: PdfDocument["blocks"] = [
    { kind: "fields", heading: "Order", rows: [["Service", "翻訳 and שלום"]] },
  ];
  const text = textOf(await readPdf(await print(document({ blocks })), { draws: false }));
  expect(text).toContain("\ufffd\ufffd and \ufffd\ufffd\ufffd\ufffd");
  expect(text).toContain("the font of this file lacks");
});

test("controls, line breaks and changes of direction of a text do not change the layout", async () => {
  const blocks: PdfDocument["blocks"] = [
    {
      kind: "fields",
      heading: "Order",
      rows: [["Service", "one\ntwo\u202ethree\u0007\r\nPaid to the seller 9.99"]],
    },
  ];
  const [page] = await readPdf(await print(document({ blocks })), { draws: false });
  const service = page?.texts.find(({ text }) => text.includes("one two"));
  expect(service?.text).toBe("one twothree Paid to the seller 9.99");
});

test("a long word wraps within its column, and no texts cover each other", async () => {
  const long = "x".repeat(300);
  const blocks: PdfDocument["blocks"] = [
    {
      kind: "parties",
      columns: [
        { heading: "Seller", lines: [long] },
        { heading: "Buyer", lines: [long] },
      ],
    },
    {
      kind: "table",
      heading: "Rows",
      columns: [
        { name: "Name", width: 0.5 },
        { name: "Amount", width: 0.5, isNumber: true },
      ],
      rows: [[long, "1.00"]],
      sums: [["Sum", "1.00"]],
    },
  ];
  const pages = await readPdf(await print(document({ blocks })));
  for (const page of pages) {
    expect(overlapsIn(page)).toEqual([]);
    for (const { x, width } of page.texts) expect(x + width).toBeLessThanOrEqual(page.width - 40);
  }
});

test("a table over pages repeats its heading, and each page has its number", async () => {
  const rows = Array.from({ length: 200 }, (_, at) => [`row ${at}`, String(at)]);
  const blocks: PdfDocument["blocks"] = [
    {
      kind: "table",
      heading: "Rows",
      columns: [
        { name: "Name of the row", width: 0.5 },
        { name: "Amount", width: 0.5, isNumber: true },
      ],
      rows,
      sums: [],
    },
  ];
  const pages = await readPdf(await print(document({ blocks })));
  expect(pages.length).toBeGreaterThan(2);
  for (const [at, page] of pages.entries()) {
    expect(textOf([page])).toContain("Name of the row");
    expect(textOf([page])).toContain(`${at + 1} / ${pages.length}`);
    expect(overlapsIn(page)).toEqual([]);
  }
  for (const [name = ""] of rows) expect(textOf(pages)).toContain(name);
});

test("the same document gives the same bytes", async () => {
  expect(Buffer.from(await print(document())).equals(Buffer.from(await print(document())))).toBe(true);
});
