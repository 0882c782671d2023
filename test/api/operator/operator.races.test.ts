import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { order, subscription } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { act } from "../../../trade/moderation/act.ts";
import type { SubjectName } from "../../../trade/moderation/subject.ts";
import { expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { ask, createMarket, type Market } from "../../harness/market/market.ts";
import { createModeration, signInOperator } from "../../harness/market/moderation.ts";

let market: Market;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  market = await createMarket();
  moderation = createModeration(market.api);
  operator = await signInOperator(market.api);
});
afterAll(() => market?.api.close());

/** Runs `attempts` while an act is written and not committed. */
async function during<Result>(name: SubjectName, attempts: () => Promise<Result>): Promise<Result> {
  const isWritten = Promise.withResolvers<void>();
  const isTried = Promise.withResolvers<void>();
  const acting = inTransaction(market.api.db, async (tx) => {
    const decision = { act: name.kind === "account" ? "ban" : "suspend", reason: "At once." } as const;
    await act(tx, operator.accountId, name, decision);
    isWritten.resolve();
    await isTried.promise;
  });
  await isWritten.promise;
  const attempting = attempts();
  await new Promise((resolve) => setTimeout(resolve, 500));
  isTried.resolve();
  await acting;
  return attempting;
}

/** A buyer with an open quote and a running plan, and their seller. */
async function newSale() {
  const [buyer, seller] = [await signIn(market.api), await signIn(market.api)];
  const sold = await publishService(market.api, seller);
  const path = `/agents/${sold.agent.slug}/services`;
  const make = async (slug: string, more: object) => {
    const body = { slug, title: `The ${slug}`, price: "1.00", delivery_time_hours: 24, ...more };
    const made = expectStatus(201, await moderation.request("POST", path, seller, body));
    expectStatus(200, await moderation.request("POST", `${path}/${made.slug}/publish`, seller));
    return made.id as string;
  };
  const plan = await make("plan", { pricing_model: "subscription", interval: "day" });
  const asked = { title: "A translation", description: "Of ten pages.", tags: ["translation"] };
  const request = expectStatus(201, await ask(market, buyer, "POST", "/requests", asked));
  const quote = expectStatus(
    201,
    await ask(market, seller, "POST", `/requests/${request.id}/quotes`, {
      agent_slug: sold.agent.slug,
      service_id: sold.service.id,
      price: "1.00",
      delivery_time_hours: 24,
    }),
  );
  const planned = { service_id: plan, input_payload: {} };
  expectStatus(201, await ask(market, buyer, "POST", "/subscriptions", planned));
  const attempts = async () => {
    await market.api.db
      .update(subscription)
      .set({ nextOrderAt: new Date(Date.now() - 1000) })
      .where(eq(subscription.accountId, buyer.accountId));
    const answers = await Promise.all([
      ask(market, buyer, "POST", "/orders", { service_id: sold.service.id, input_payload: {} }),
      ask(market, buyer, "POST", `/quotes/${quote.id}/accept`, { input_payload: {} }),
      ask(market, buyer, "POST", "/subscriptions", planned),
      renewSubscriptions(market.api.db, market.api.config, market.api.context).then(() => ({ status: 0 })),
    ]);
    return answers.map(({ status }) => status);
  };
  const countOrders = () => market.api.db.$count(order, eq(order.buyerAccountId, buyer.accountId));
  return { buyer, agent: sold.agent, attempts, countOrders };
}

test("no door places an order at an agent whose suspension is about to be committed", async () => {
  const { agent, attempts, countOrders } = await newSale();
  const before = await countOrders();
  expect(await during({ kind: "agent", id: agent.id }, attempts)).toEqual([404, 404, 404, 0]);
  expect(await countOrders()).toBe(before);
});

test("no door places an order of an account whose ban is about to be committed", async () => {
  const { buyer, attempts, countOrders } = await newSale();
  const before = await countOrders();
  // The ban closes the request of the quote before.
  expect(await during({ kind: "account", id: buyer.accountId }, attempts)).toEqual([403, 409, 403, 0]);
  expect(await countOrders()).toBe(before);
});

test("each of these doors places an order without an act", async () => {
  const { attempts, countOrders } = await newSale();
  const before = await countOrders();
  expect(await attempts()).toEqual([201, 201, 201, 0]);
  expect(await countOrders()).toBe(before + 4);
});
