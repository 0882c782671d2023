import { afterAll, expect, test } from "vitest";
import { createPaperPrinter, printerBounds } from "../../../api/papers/paper-printer.ts";
import type { PrintedPaper } from "../../../api/papers/printed-paper.ts";

const printer = createPaperPrinter({ warn: () => {} });
afterAll(() => printer.close());

const paperOf = (rows: number): PrintedPaper => ({
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

test("an account has few papers at once, another account has its own, and a drawn paper frees its place", async () => {
  const own = Array.from({ length: printerBounds.account }, () => printer.print("acc_1", paperOf(1)));
  await expect(printer.print("acc_1", paperOf(1))).rejects.toMatchObject({ code: "rate_limited" });
  const other = printer.print("acc_2", paperOf(1));
  for (const file of [...(await Promise.all(own)), await other]) {
    expect(Buffer.from(file.subarray(0, 5)).toString()).toBe("%PDF-");
  }
  await printer.print("acc_1", paperOf(1));
});

test("a process has a bound of papers for all accounts", async () => {
  const all = Array.from({ length: printerBounds.process }, (_, at) =>
    printer.print(`acc_${at}`, paperOf(1)),
  );
  await expect(printer.print("acc_last", paperOf(1))).rejects.toMatchObject({ code: "rate_limited" });
  await Promise.all(all);
});

test("the drawing of a long paper leaves the process free for requests", async () => {
  await printer.print("acc_1", paperOf(1));
  const before = performance.eventLoopUtilization();
  await printer.print("acc_1", paperOf(1000));
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.3);
});
