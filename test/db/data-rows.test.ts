import { Parser } from "pg-protocol/dist/parser.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

let bench: TestDatabase;
beforeAll(async () => {
  bench = await createTestDatabase();
});
afterAll(() => bench?.close());

const read = async (values: (string | null)[]) => {
  const columns = values.map((_, at) => `$${at + 1}::text`).join();
  const { rows } = await bench.db.$client.query({ text: `select ${columns}`, values, rowMode: "array" });
  return rows[0];
};

test("values are read as they are, whatever they are of", async () => {
  const texts = [
    "plain",
    "",
    null,
    "Grüße",
    "日本語",
    "👩‍🚀",
    "\u0001\t\"\\'",
    "é",
    "e\u0301",
    "ÿ\u0080",
    null,
  ];
  expect(await read(texts)).toEqual(texts);
  expect(await read(["x"])).toEqual(["x"]);
  for (const length of [1, 12, 13, 127, 128, 255, 256, 2000, 2030, 2040, 2048, 2100, 70_000]) {
    for (const letter of ["a", "é", "語"]) {
      const text = letter.repeat(length);
      expect(await read([null, text, "end", ""])).toEqual([null, text, "end", ""]);
    }
  }
});

test("rows of many columns, nulls among them, are read as they are", async () => {
  for (const last of ["end", "é"]) {
    const values = [
      ...Array.from({ length: 150 }, (_, at) => (at % 3 === 0 ? null : "a".repeat(at % 9))),
      last,
    ];
    expect(await read(values)).toEqual(values);
  }
});

test("rows that are cut by the network's pieces are read whole", async () => {
  const { rows } = await bench.db.$client.query<{ n: number; text: string; none: null; bytes: Buffer }>(`
    select n, repeat(case n % 3 when 0 then 'plain' when 1 then 'Grüße' else '日本語' end, n % 50) as text,
      null::text as none, decode('00ff80', 'hex') as bytes
    from generate_series(1, 5000) as n`);
  const words = ["plain", "Grüße", "日本語"];
  const bytes = Buffer.from([0, 255, 128]);
  expect(rows).toEqual(
    Array.from({ length: 5000 }, (_, at) => {
      const n = at + 1;
      return { n, text: words[n % 3]?.repeat(n % 50), none: null, bytes };
    }),
  );
});

test("the driver reads by this parser, and by no other of its own", async () => {
  const parser = Parser.prototype as unknown as { handlePacket: (...given: unknown[]) => unknown };
  const handled = vi.spyOn(parser, "handlePacket");
  await read(["x"]);
  expect(handled).toHaveBeenCalled();
  handled.mockRestore();
});
