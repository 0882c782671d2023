import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRecord, counterparty, orderOutcome, recordDue, walletAge } from "../../../db/schema.ts";
import { computeRecord, computeRecords } from "../../../jobs/reputation/agent-records.ts";
import { foldOutcomes } from "../../../protocol/reputation/agent-record.ts";
import { countOtherProviders } from "../../../protocol/reputation/other-providers.ts";
import { outcomesRootOf } from "../../../protocol/reputation/outcomes-root.ts";
import { type Outcome, recordedUntil } from "../../../protocol/reputation/public-outcome.ts";
import { scoreOf, sumCounterparties } from "../../../protocol/reputation/score.ts";
import { presentOutcome, selectOutcomes } from "../../../trade/reputation/outcomes.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { anyOutcomes, at, day, makeOutcome, walletOf } from "../../harness/reputation/outcomes.ts";
import { writeOutcomes } from "../../harness/reputation/written.ts";

const log = pino({ level: "silent" });
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());
const db = () => database.db;

let agents = 0;
/** An agent with these outcomes, its record computed. */
async function recordOf(outcomes: readonly Outcome[]) {
  const agentId = `agt_${++agents}`;
  await writeOutcomes(db(), agentId, outcomes);
  await computeRecord(db(), agentId);
  return read(agentId);
}
async function read(agentId: string) {
  const rows = await db().select().from(agentRecord).where(eq(agentRecord.agentId, agentId));
  const parties = await db().select().from(counterparty).where(eq(counterparty.agentId, agentId));
  const own = rows.find(({ serviceId }) => serviceId === null);
  if (!own) throw new Error("The agent has no record.");
  const known = parties
    .filter(({ weight }) => weight !== null)
    .map((party) => ({
      counterparty: `c${party.number}`,
      wallet_since: party.walletSince?.toISOString() ?? null,
      other_providers: party.otherProviders ?? 0,
      weight: party.weight,
      orders: party.orders,
      wallets: party.wallets,
    }));
  return { agentId, own, services: rows.filter(({ serviceId }) => serviceId !== null), known };
}
const shown = ({ score, upper, share, evidence }: typeof agentRecord.$inferSelect) => ({
  value: score ?? 0,
  upper: upper ?? 1000,
  share,
  evidence,
});

describe("the record in the database", () => {
  test("equals the pure rules' result for the same outcomes, for the agent and for each service", async () => {
    const few = anyOutcomes(60).map((outcomes) =>
      outcomes.map((one, index) => ({ ...one, service: `service-${index % 3}` })),
    );
    await fc.assert(
      fc.asyncProperty(few, async (all) => {
        const { own, services, known } = await recordOf(all);
        // Some ages are unknown yet.
        const outcomes = recordedUntil(all, own.asOf);
        const { formula: _, ...score } = scoreOf(sumCounterparties(outcomes, known), own.asOf);
        expect(own.record).toEqual(foldOutcomes(outcomes, own.asOf));
        expect(shown(own)).toEqual(score);
        expect(own.outcomes).toBe(outcomes.length);
        const rows = await selectOutcomes(db()).where(eq(orderOutcome.agentId, own.agentId));
        expect(own.outcomesRoot).toBe(outcomesRootOf(recordedUntil(rows.map(presentOutcome), own.asOf)));
        const names = new Set(outcomes.map(({ service }) => service));
        expect(services).toHaveLength(names.size);
        for (const row of services) {
          const of = outcomes.filter(({ service }) => row.id.endsWith(service));
          const { formula: _, ...score } = scoreOf(sumCounterparties(of, known), row.asOf);
          expect(row.record).toEqual(foldOutcomes(of, row.asOf));
          expect(shown(row)).toEqual(score);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("is without any score where nothing counts, and has the share of punctual deliveries", async () => {
    const apart = await recordOf([makeOutcome({ number: 1, apart: "same_party" })]);
    expect(apart.own).toMatchObject({ score: null, share: null, evidence: 0, orders: 0, onTime: null });
    expect(apart.own.outcomes).toBe(1);
    const late = makeOutcome({ number: 2, delivered: 3, settled: 4 });
    const timely = await recordOf([makeOutcome({ number: 1 }), late, makeOutcome({ number: 3 })]);
    expect(timely.own).toMatchObject({ orders: 3, onTime: 666 });
  });

  test("forgets a service and a counterparty whose only outcome is gone", async () => {
    const outcomes = [makeOutcome({ number: 1, service: "one" }), makeOutcome({ number: 2, service: "two" })];
    const { agentId, services, known } = await recordOf(outcomes);
    expect([services.length, known.length]).toEqual([2, 2]);
    await db().execute(
      sql`delete from earnest.order_outcome where agent_id = ${agentId} and service_id like '%two'`,
    );
    await computeRecord(db(), agentId);
    const after = await read(agentId);
    expect([after.services.length, after.known.length, after.own.orders]).toEqual([1, 1, 1]);
  });

  test("uses the oldest of a counterparty's wallets, and requests unknown ages once", async () => {
    const outcome = (number: number, tokens = 64) =>
      makeOutcome({ number, counterparty: "c1", buyer: walletOf(9000 + number), day: 100, tokens });
    const dust = makeOutcome({ number: 7, counterparty: "c9", buyer: walletOf(9999), tokens: 0.01 });
    await db()
      .insert(walletAge)
      .values({
        chainId: 31_337,
        address: walletOf(9001) as `0x${string}`,
        firstBlock: 5n,
        firstAt: new Date(at(40)),
      });
    const { known } = await recordOf([outcome(1), outcome(2), dust]);
    expect(known.find(({ counterparty }) => counterparty === "c1")).toMatchObject({
      wallet_since: at(40),
      // 60 days before the first purchase, of no other provider.
      weight: Math.round((0.2 + (0.8 * 60) / 90) * 0.2 * 1e6),
    });
    const asking = `agt_asking_${++agents}`;
    const fresh = makeOutcome({ number: 1, buyer: walletOf(9003) });
    await writeOutcomes(db(), asking, [fresh, dust], { followed: true });
    await computeRecords(db(), { log, length: "short" });
    const [again] = await db().select().from(recordDue).where(eq(recordDue.agentId, asking));
    expect(again?.dueAt.getTime()).toBeGreaterThan(Date.now() + 60_000);
    const unchecked = await db().select().from(walletAge).where(sql`checked_at = 'epoch'`);
    expect(unchecked.map(({ address }) => address)).toContain(walletOf(9003));
    expect(unchecked.map(({ address }) => address)).not.toContain(walletOf(9999));
  });

  test("counts neither age nor payments of a wallet that the account has not proved, or that is an earlier one's", async () => {
    const agentId = `agt_${++agents}`;
    const wallet = walletOf(9100);
    await db()
      .insert(walletAge)
      .values({
        chainId: 31_337,
        address: wallet as `0x${string}`,
        firstBlock: 5n,
        firstAt: new Date(at(0)),
      });
    const buy = (number: number) => makeOutcome({ number, counterparty: `c${number}`, wallet, day: 100 });
    await writeOutcomes(db(), agentId, [buy(1)], { walletProved: false });
    await writeOutcomes(db(), agentId, [buy(2), buy(3)]);
    await computeRecord(db(), agentId);
    const { known } = await read(agentId);
    expect(known.map(({ counterparty, wallets }) => [counterparty, wallets])).toEqual([
      ["c1", []],
      ["c2", [wallet]],
      ["c3", []],
    ]);
    expect(known.map(({ wallet_since }) => wallet_since)).toEqual([null, at(0), null]);
  });

  test("is as old as the hundred wallets that it names, and no further one", async () => {
    const wallets = Array.from({ length: 101 }, (_, number) => walletOf(9200 + number));
    await db()
      .insert(walletAge)
      .values({
        chainId: 31_337,
        address: wallets[100] as `0x${string}`,
        firstBlock: 5n,
        firstAt: new Date(at(0)),
      });
    const { known } = await recordOf(
      wallets.map((wallet, number) => makeOutcome({ number, counterparty: "c1", wallet, day: 100 + number })),
    );
    expect(known.map((one) => [one.wallets?.length, one.wallet_since])).toEqual([[100, null]]);
  });

  test("is computed sooner after a change while it waits for wallets' ages, and waits for them again", async () => {
    const agentId = `agt_waiting_${++agents}`;
    const due = async () => {
      const [row] = await db().select().from(recordDue).where(eq(recordDue.agentId, agentId));
      return row;
    };
    const outcome = (number: number) => makeOutcome({ number, buyer: walletOf(9100 + number) });
    await writeOutcomes(db(), agentId, [outcome(1)], { followed: true });
    await computeRecords(db(), { log, length: "short" });
    const waiting = await due();
    expect(waiting?.dueAt).toEqual(waiting?.agesDueAt);
    await writeOutcomes(db(), agentId, [outcome(1)], { followed: true });
    expect((await due())?.dueAt.getTime()).toBeLessThan(Date.now() + 15_000);
    await db().update(recordDue).set({ dueAt: new Date() }).where(eq(recordDue.agentId, agentId));
    await computeRecords(db(), { log, length: "short" });
    expect((await read(agentId)).own.outcomes).toBe(2);
    expect(await due()).toMatchObject({ dueAt: waiting?.agesDueAt, agesDueAt: waiting?.agesDueAt });
    // A change during a computation is left to the worker that computes.
    const leased = new Date(Date.now() + 300_000);
    await db().update(recordDue).set({ dueAt: leased }).where(eq(recordDue.agentId, agentId));
    await writeOutcomes(db(), agentId, [outcome(1)], { followed: true });
    expect((await due())?.dueAt).toEqual(leased);
    // The ages are known: nothing is left to wait for.
    await db()
      .update(recordDue)
      .set({ dueAt: new Date(), agesDueAt: new Date() })
      .where(eq(recordDue.agentId, agentId));
    await computeRecords(db(), { log, length: "short" });
    expect(await due()).toBeUndefined();
  });

  test("counts other providers as the pure rule does, in any market", async () => {
    const pair = fc.record({
      buyer: fc.integer({ min: 1, max: 9 }),
      provider: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 40 }), async (pairs) => {
        const market = ++agents * 1000;
        const payments = pairs.map(({ buyer, provider }) => ({
          buyer: walletOf(market + buyer),
          provider: walletOf(market + 100 + provider),
        }));
        const own = [walletOf(market + 100)];
        for (const provider of new Set(payments.map((payment) => payment.provider))) {
          await writeOutcomes(
            db(),
            `agt_${provider}`,
            payments
              .filter((payment) => payment.provider === provider)
              .map((payment, index) =>
                makeOutcome({
                  number: index,
                  counterparty: `c${Number(payment.buyer) - market}`,
                  ...payment,
                }),
              ),
            { followed: true },
          );
        }
        if (!payments.some(({ provider }) => provider === own[0])) return;
        await computeRecord(db(), `agt_${own[0]}`);
        const { known } = await read(`agt_${own[0]}`);
        const count = countOtherProviders(
          own,
          payments.map(({ buyer, provider }) => ({ wallet: buyer, provider })),
        );
        for (const { counterparty, other_providers } of known) {
          expect(other_providers).toBe(count([walletOf(market + Number(counterparty.slice(1)))]));
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe("records that are due", () => {
  /** An amount too small for a request of the buyer's wallet age. */
  const dust = (number: number) => makeOutcome({ number, tokens: 0.01 });
  const dueOf = async (agentId: string) =>
    (await db().select().from(recordDue).where(eq(recordDue.agentId, agentId)))[0];

  test("are computed and then not due; the next change is due later, and a week's age makes one due too", async () => {
    const agentId = `agt_due_${++agents}`;
    await writeOutcomes(db(), agentId, [dust(1)], { followed: true });
    expect(await dueOf(agentId)).toBeDefined();
    await computeRecords(db(), { log, length: "short" });
    expect(await dueOf(agentId)).toBeUndefined();
    const { own } = await read(agentId);
    expect(own.orders).toBe(1);

    await writeOutcomes(db(), agentId, [dust(2)], { followed: true });
    const waiting = await dueOf(agentId);
    expect((waiting?.dueAt.getTime() ?? 0) - own.asOf.getTime()).toBeGreaterThanOrEqual(10_000);
    await computeRecords(db(), { log, length: "short" });
    expect((await read(agentId)).own.orders).toBe(1);

    await db().delete(recordDue);
    await db()
      .update(agentRecord)
      .set({ asOf: new Date(Date.now() - 8 * day) })
      .where(eq(agentRecord.id, agentId));
    expect(await computeRecords(db(), { log, length: "short" })).toBe(1);
    expect((await read(agentId)).own.orders).toBe(2);
  });

  test("are shared by concurrent workers, each computed once", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `agt_many_${index}`);
    for (const id of ids) await writeOutcomes(db(), id, [dust(1)], { followed: true });
    const done = await Promise.all([1, 2, 3].map(() => computeRecords(db(), { log, length: "short" })));
    expect(done.reduce((sum, one) => sum + one, 0)).toBe(30);
    for (const id of ids) expect(await dueOf(id)).toBeUndefined();
  });

  /** Sets the number of the agent's outcomes, and the age of its record in seconds. */
  const grow = async (agentId: string, outcomes: number, age: number) => {
    const asOf = new Date(Date.now() - age * 1000);
    await db().update(agentRecord).set({ outcomes, asOf }).where(eq(agentRecord.id, agentId));
    return asOf.getTime();
  };

  test("of many outcomes are computed apart from the others, which never wait for them", async () => {
    const [long, short] = [`agt_long_${++agents}`, `agt_short_${++agents}`];
    await db().delete(recordDue);
    for (const id of [long, short]) {
      await writeOutcomes(db(), id, [dust(1)]);
      await computeRecord(db(), id);
    }
    await grow(long, 100_000, 86_400);
    await grow(short, 1, 86_400);
    for (const id of [long, short]) await writeOutcomes(db(), id, [dust(2)], { followed: true });
    expect(await computeRecords(db(), { log, length: "short" })).toBe(1);
    expect(await dueOf(short)).toBeUndefined();
    expect((await dueOf(long))?.dueAt.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await computeRecords(db(), { log, length: "long" })).toBe(1);
    expect(await dueOf(long)).toBeUndefined();
  });

  test("are due no sooner than their length allows, whatever happens meanwhile", async () => {
    const agentId = `agt_often_${++agents}`;
    const wallet = (number: number) => makeOutcome({ number, buyer: walletOf(9200 + agents * 50 + number) });
    await writeOutcomes(db(), agentId, [dust(1)]);
    await computeRecord(db(), agentId);
    // A change.
    const spacing = (10 + 100_000 / 100) * 1000;
    let asOf = await grow(agentId, 100_000, 300);
    await writeOutcomes(db(), agentId, [wallet(1)], { followed: true });
    expect((await dueOf(agentId))?.dueAt.getTime()).toBe(asOf + spacing);
    // A change during a computation, of wallets whose ages are requested too.
    await db().update(recordDue).set({ dueAt: new Date() }).where(eq(recordDue.agentId, agentId));
    await db().execute(sql`
      create function change_meanwhile() returns trigger language plpgsql as $$ begin
        update earnest.record_due set changes = changes + 1 where agent_id = new.agent_id;
        new.outcomes := 100000; return new; end $$`);
    await db().execute(sql`
      create trigger meanwhile before insert or update on earnest.agent_record for each row
        when (new.service_id is null and pg_trigger_depth() = 0) execute function change_meanwhile()`);
    await computeRecords(db(), { log, length: "long" });
    await db().execute(sql`drop function change_meanwhile cascade`);
    asOf = (await read(agentId)).own.asOf.getTime();
    expect(await dueOf(agentId)).toMatchObject({
      dueAt: new Date(asOf + spacing),
      agesDueAt: new Date(asOf + spacing),
    });
  });
});
