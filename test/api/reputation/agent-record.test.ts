import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  agentRecord,
  agent as agentTable,
  agentWallet,
  orderOutcome,
  provenance,
} from "../../../db/schema.ts";
import { computeRecord } from "../../../jobs/reputation/agent-records.ts";
import { foldOutcomes } from "../../../protocol/reputation/agent-record.ts";
import { outcomesRootOf } from "../../../protocol/reputation/outcomes-root.ts";
import { counterpartySchema, outcomeSchema } from "../../../protocol/reputation/public-outcome.ts";
import { scoreOf, scoreSchema, sumCounterparties } from "../../../protocol/reputation/score.ts";
import { expectStatus, publishService, signIn } from "../../harness/api.ts";
import { createReviewMarket, expectRefused, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
beforeAll(async () => {
  on = await createReviewMarket();
});
afterAll(() => on?.market.api.close());

const path = (rest = "") => `/agents/${on.market.agent.slug}/record${rest}`;
const get = async (rest = "") => expectStatus(200, await on.market.api.request("GET", path(rest)));
const compute = () => computeRecord(on.market.api.db, on.market.agent.id);

describe("the record of an agent", () => {
  test("is empty, with an unknown score, before any settlement", async () => {
    const record = await get();
    const { id, slug } = on.market.agent;
    expect(record).toMatchObject({
      agent: { id, slug },
      score: { value: 0, upper: 1000, share: null, evidence: 0 },
      ever: { orders: 0, volume: [] },
      services: [],
      same_wallet: [],
    });
    expect(await get("/outcomes")).toMatchObject({ items: [], total: 0 });
    expect(await get("/counterparties")).toMatchObject({ items: [], total: 0 });
  });

  test("can be recomputed from its public lines by the pure rules, for the agent and its service", async () => {
    const returning = await signIn(on.market.api);
    await on.placeSettled("Released", returning);
    await on.placeSettled("Released", returning);
    await on.placeSettled("Refunded", await signIn(on.market.api));
    await compute();
    const record = await get();
    const outcomes = outcomeSchema.array().parse((await get("/outcomes")).items);
    const counterparties = counterpartySchema.array().parse((await get("/counterparties")).items);
    const asOf = new Date(record.as_of);
    const { ever, days_90, days_30, score } = record;
    expect({ ever, days_90, days_30 }).toEqual(foldOutcomes(outcomes, asOf));
    expect(scoreSchema.parse(score)).toEqual(scoreOf(sumCounterparties(outcomes, counterparties), asOf));
    expect(ever).toMatchObject({ orders: 3, counterparties: 2, repeat_counterparties: 1, declined: 1 });
    expect(record.services).toEqual([{ slug: on.market.service.slug, ever, days_90, days_30, score }]);
    expect(outcomes.map(({ receipts }) => receipts.length)).toEqual([2, 2, 2]);
    // The agent's statement is signed over the root of these lines.
    const [row] = await on.market.api.db
      .select()
      .from(agentRecord)
      .where(eq(agentRecord.id, on.market.agent.id));
    expect(row?.outcomesRoot).toBe(outcomesRootOf(outcomes));
    expect(await get()).not.toHaveProperty("account_id");
    expect(JSON.stringify([record, outcomes, counterparties])).not.toContain("acc_");
  });

  test("pages through its lines, the newest settlement first, each once", async () => {
    const all = (await get("/outcomes")).items;
    const first = await get("/outcomes?limit=2");
    const second = await get(`/outcomes?limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.next_cursor).toBeNull();
    const times = all.map(({ settled_at }: { settled_at: string }) => Date.parse(settled_at));
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    const one = await get("/counterparties?limit=1");
    const other = await get(`/counterparties?limit=1&cursor=${one.next_cursor}`);
    expect([one.items[0].counterparty, other.items[0].counterparty]).toEqual(["c1", "c2"]);
  });

  test("shows whether the source of an order's money was checked on the chain", async () => {
    const { id, row } = await on.placeSettled("Released", await signIn(on.market.api));
    const lineOf = async () =>
      (await get("/outcomes?limit=100")).items.find(({ order_id }: { order_id: string }) => order_id === id);
    expect(await lineOf()).toMatchObject({ apart: null, unchecked: true });
    await on.market.api.db
      .update(provenance)
      .set({ checkedAt: new Date() })
      .where(eq(provenance.wallet, row.buyerAddress));
    expect(await lineOf()).toMatchObject({ apart: null, unchecked: false });
    await on.market.api.db
      .update(orderOutcome)
      .set({ apart: "money_from_provider" })
      .where(eq(orderOutcome.orderId, id));
    expect(await lineOf()).toMatchObject({ apart: "money_from_provider", unchecked: false });
  });

  test("names the agents that are paid at the same wallet", async () => {
    const { agent } = await publishService(on.market.api, on.market.provider);
    expect((await get()).same_wallet).toEqual([agent.slug]);
  });

  test("names an agent that was paid at the same wallet in the past, and its lines stay", async () => {
    const { api, provider } = on.market;
    const { agent: former } = await publishService(api, provider);
    const [line] = await api.db.select().from(orderOutcome).limit(1);
    if (!line) throw new Error("There is no outcome.");
    await api.db.insert(agentWallet).values({ agentId: former.id, address: line.providerAddress });
    await api.db
      .update(agentTable)
      .set({ status: "retired", payoutWallet: "0x00000000000000000000000000000000000000aa" })
      .where(eq(agentTable.id, former.id));
    expect((await get()).same_wallet).toContain(former.slug);
    const of = async (rest: string) => api.request("GET", `/agents/${former.slug}/record${rest}`);
    expect(expectStatus(200, await of("")).same_wallet).toContain(on.market.agent.slug);
    expectStatus(200, await of("/outcomes"));
    // The order's own agent has another payout wallet from now on. Its wallet at that time still links the
    // two.
    await api.db
      .update(agentTable)
      .set({ payoutWallet: "0x00000000000000000000000000000000000000bb" })
      .where(eq(agentTable.id, on.market.agent.id));
    expect((await get()).same_wallet).toEqual([former.slug]);
    await api.db
      .update(agentTable)
      .set({ payoutWallet: line.providerAddress })
      .where(eq(agentTable.id, on.market.agent.id));
  });

  test("is 404 for an agent that is not public", async () => {
    for (const rest of ["", "/outcomes", "/counterparties"]) {
      const answer = await on.market.api.request("GET", `/agents/nobody-here/record${rest}`);
      expectRefused(answer, 404, "not_found");
    }
    const forged = await on.market.api.request("GET", path("/outcomes?cursor=xyz"));
    expectRefused(forged, 400, "invalid_request");
  });
});
