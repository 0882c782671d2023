import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { orderOutcome, provenance } from "../../../db/schema.ts";
import { type Outcome, orderEndings } from "../../../protocol/reputation/public-outcome.ts";
import { presentOutcome, selectOutcomes } from "../../../trade/reputation/outcomes.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { makeOutcome } from "../../harness/reputation/outcomes.ts";
import { writeOutcomes } from "../../harness/reputation/written.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const paid: Outcome["ended"][] = ["released", "metered"];

test("the origin of the money is due to be checked after a release and after a metered payment, and unchecked until then", async () => {
  const outcomes = orderEndings.map((ended, number) =>
    makeOutcome({ number, ended, released: paid.includes(ended) ? 40 : 0 }),
  );
  await writeOutcomes(database.db, "agt_1", outcomes, { followed: true });
  const due = await database.db.select({ buyer: provenance.buyerAddress }).from(provenance);
  const paying = outcomes.filter(({ ended }) => paid.includes(ended)).map(({ buyer }) => buyer.toLowerCase());
  expect(due.map(({ buyer }) => buyer).sort()).toEqual(paying.sort());
  const lines = await selectOutcomes(database.db).where(eq(orderOutcome.agentId, "agt_1"));
  const unchecked = lines.map(presentOutcome).filter((line) => line.unchecked);
  expect(unchecked.map(({ ended }) => ended).sort()).toEqual([...paid].sort());
});
