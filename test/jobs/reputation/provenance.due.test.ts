import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { orderOutcome, provenance } from "../../../db/schema.ts";
import { isPaid, type Outcome } from "../../../protocol/reputation/public-outcome.ts";
import { presentOutcome, selectOutcomes } from "../../../trade/reputation/outcomes.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { makeOutcome, walletOf } from "../../harness/reputation/outcomes.ts";
import { writeOutcomes } from "../../harness/reputation/written.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

test("the origin of the money is due to be checked after each order that paid the provider, and unchecked until then", async () => {
  const ends: [ended: Outcome["ended"], released: number][] = [
    ["released", 64],
    ["refunded", 0],
    ["declined", 0],
    ...[31, 32, 33].map((released): [Outcome["ended"], number] => ["split", released]),
    ...[0, 1, 64].map((released): [Outcome["ended"], number] => ["metered", released]),
  ];
  const outcomes = ends.map(([ended, released], number) =>
    makeOutcome({ number, ended, released, wallet: walletOf(100 + number) }),
  );
  await writeOutcomes(database.db, "agt_1", outcomes, { followed: true });
  const due = await database.db.select({ wallet: provenance.wallet }).from(provenance);
  const paying = outcomes.filter(isPaid).map(({ wallet }) => wallet);
  expect(paying).toHaveLength(4);
  expect(due.map(({ wallet }) => wallet).sort()).toEqual(paying.toSorted());
  const lines = await selectOutcomes(database.db).where(eq(orderOutcome.agentId, "agt_1"));
  const unchecked = lines.map(presentOutcome).filter((line) => line.unchecked);
  expect(unchecked.map(({ wallet }) => wallet.toLowerCase()).sort()).toEqual(paying.toSorted());
});
