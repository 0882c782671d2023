import { sql } from "drizzle-orm";
import { TypeID } from "typeid-js";
import { expect, test } from "vitest";
import { deliveryIdOf, deriveId } from "../../db/derived-ids.ts";
import { createTestDatabase } from "../harness/database.ts";

const time = new Date("2026-11-01T12:00:00.123Z");

test("an id is a version 7 TypeID, derived from its subject only", () => {
  const id = deriveId("fct", { time, index: 3 }, "ord_one", "key");
  expect(deriveId("fct", { time, index: 3 }, "ord_one", "key")).toBe(id);
  const others = [
    deriveId("evt", { time, index: 3 }, "ord_one", "key"),
    deriveId("fct", { time, index: 3 }, "ord_one", "another"),
    deriveId("fct", { time, index: 3 }, "ord_onekey"),
  ];
  expect(new Set([id, ...others].map((one) => one.slice(4))).size).toBe(4);
  expect(TypeID.fromString(id).toUUID()).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7003-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("ids of facts of one block sort as their logs do, so lists have the logs' order", () => {
  const indexes = [0, 1, 2, 7, 100, 4095];
  const facts = indexes.map((index) => deriveId("fct", { time, index }, "ord_one", String(index)));
  const receipts = facts.map((fact) => deriveId("rcp", fact, fact));
  expect(facts.toSorted()).toEqual(facts);
  expect(receipts.toSorted()).toEqual(receipts);
});

test("a delivery's id is derived from its event and its endpoint, the same in each release", async () => {
  const database = await createTestDatabase();
  try {
    const event = "evt_01jd3w8x2mfhz8w9q4t6n5k7ra";
    for (const [endpoint, id] of [
      ["whe_01jd3w8x2mfhz8w9q4t6n5k7ra", "whd_01jd3w8x2mepb8khdwr4v6k1sj"],
      ["whe_01jd3w8x2mfhz8w9q4t6n5k7rb", "whd_01jd3w8x2me2nrag9axdvy11pf"],
    ] as const) {
      const { rows } = await database.db.execute<{ id: string }>(
        sql`select ${deliveryIdOf(sql`${event}::text`, sql`${endpoint}::text`)} as id`,
      );
      expect(rows).toEqual([{ id }]);
      expect(TypeID.fromString(id).toUUID()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    }
  } finally {
    await database.close();
  }
});
