import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { agent as agentTable, subscription } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { computeRecord } from "../../../jobs/reputation/agent-records.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { act as actOn } from "../../../trade/moderation/act.ts";
import { readTally } from "../../../trade/reviews/review-queries.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import { ask, indexer, placeStarted, rowOf, settleNow } from "../../harness/market/market.ts";
import { createModeration, expectRefused, signInOperator } from "../../harness/market/moderation.ts";
import { createReviewMarket, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  on = await createReviewMarket();
  moderation = createModeration(on.market.api);
  operator = await signInOperator(on.market.api);
});
afterAll(() => on?.market.api.close());

let words = 0;
/** A seller with a service whose title has a word of its own. */
async function newSeller() {
  const seller = await signIn(on.market.api);
  const word = `zyx${process.pid}q${++words}`;
  const made = await publishService(on.market.api, seller, { title: `Title ${word}` });
  return { seller, word, ...made };
}
type Made = Awaited<ReturnType<typeof newSeller>>;

/** Every public place that shows an agent with its service. */
const placesOf = ({ agent, service, word }: Made) => ({
  agent: `/api/v1/agents/${agent.slug}`,
  services: `/api/v1/agents/${agent.slug}/services`,
  service: `/api/v1/agents/${agent.slug}/services/${service.slug}`,
  reviews: `/api/v1/agents/${agent.slug}/reviews`,
  record: `/api/v1/agents/${agent.slug}/record`,
  "service search": `/api/v1/marketplace/services?q=${word}`,
  "agent list": "/api/v1/marketplace/agents?limit=100",
  purchase: `/api/v1/buy/${agent.slug}/${service.slug}`,
  "index of purchases": "/openapi.json",
  "Bazaar list": "/discovery/resources?limit=100",
  "A2A card": `/a2a/${agent.slug}/.well-known/agent-card.json`,
  "sitemap of agents": "/sitemap/agents-1.xml",
  "sitemap of services": "/sitemap/services-1.xml",
  "page of the agent": `/agents/${agent.slug}`,
  "page of the service": `/market/${agent.slug}/${service.slug}`,
  "page of the record": `/records/${agent.slug}`,
});

/** The places that name the agent or the service, in a process that has cached nothing. */
async function seenAt(made: Made, texts: readonly string[]) {
  const app = createApp(on.market.api.context);
  const seen: string[] = [];
  for (const [name, path] of Object.entries(placesOf(made))) {
    const answer = await app.request(path, name === "purchase" ? { method: "POST" } : {});
    const text = await answer.text();
    const shown = answer.status < 400 || answer.status === 402;
    if (shown && texts.some((one) => text.includes(one))) seen.push(name);
  }
  return seen;
}

const orderOf = (who: Session, service_id: string, input_payload: unknown = {}) =>
  ask(on.market, who, "POST", "/orders", { service_id, input_payload });

describe("a suspended agent", () => {
  test("is in no public place and sells nothing, and is back as it was after the suspension", async () => {
    const made = await newSeller();
    const texts = [made.agent.slug, made.word];
    const everywhere = await seenAt(made, texts);
    expect(everywhere).toEqual(
      expect.arrayContaining(["agent", "service search", "A2A card", "page of the service", "purchase"]),
    );
    await moderation.acted(operator, made.agent.id, "suspend");
    expect(await seenAt(made, texts)).toEqual([]);
    expectRefused(await orderOf(on.market.buyer, made.service.id), 404, "not_found");
    expectRefused(await moderation.report(on.market.buyer, "agent", made.agent.id), 404, "not_found");
    await moderation.acted(operator, made.agent.id, "restore");
    expect(await seenAt(made, texts)).toEqual(everywhere);
    expectStatus(201, await orderOf(on.market.buyer, made.service.id));
  });

  test("cannot be brought back by its owner, who reads the reason and appeals once", async () => {
    const { seller, agent, service } = await newSeller();
    const acted = await moderation.acted(operator, agent.id, "suspend");
    const shown = expectStatus(200, await moderation.request("GET", `/agents/${agent.slug}`, seller));
    expect(shown.status).toBe("suspended");
    const key = await createKey(on.market.api, seller, ["agents:write", "services:write"]);
    for (const step of ["publish", "pause", "retire"]) {
      const path = `/agents/${agent.slug}/${step}`;
      expectRefused(await moderation.request("POST", path, seller), 409, "invalid_state");
      expectRefused(await on.market.api.request("POST", path, { token: key }), 409, "invalid_state");
    }
    expect((await moderation.request("DELETE", `/agents/${agent.slug}`, seller)).status).toBe(409);
    expectStatus(
      200,
      await moderation.request("POST", `/agents/${agent.slug}/services/${service.slug}/pause`, seller),
    );
    expectStatus(
      200,
      await moderation.request("POST", `/agents/${agent.slug}/services/${service.slug}/publish`, seller),
    );
    expectRefused(await orderOf(on.market.buyer, service.id), 404, "not_found");

    expect(await moderation.moderations(seller)).toEqual([
      expect.objectContaining({
        id: acted.id,
        act: "suspend",
        reason: "It breaks the rules.",
        in_force: true,
      }),
    ]);
    expect(await moderation.moderations(on.market.buyer)).toEqual([]);
    expect((await moderation.eventsOf(seller, "moderation.acted")).map(({ data }) => data.act)).toEqual([
      "suspend",
    ]);
    const appeal = (text: string, who = seller) =>
      moderation.request("POST", `/moderations/${acted.id}/appeal`, who, { text });
    expectRefused(await appeal("It is mine.", on.market.buyer), 404, "not_found");
    expect(expectStatus(201, await appeal("It is lawful.")).appeal.text).toBe("It is lawful.");
    expectStatus(201, await appeal("It is lawful."));
    expectRefused(await appeal("Once more."), 409, "conflict", /one appeal/);
    const { items } = await moderation.queue(operator, "?kind=agent&limit=100");
    expect(items.find(({ subject }: { subject: { id: string } }) => subject.id === agent.id)).toMatchObject({
      appealed: true,
      open_reports: 0,
      withheld: true,
    });

    await moderation.acted(operator, agent.id, "dismiss");
    expect((await moderation.eventsOf(seller, "moderation.acted")).map(({ data }) => data.act)).toEqual([
      "suspend",
      "dismiss",
    ]);
    await moderation.acted(operator, agent.id, "restore");
    expectRefused(await appeal("Late."), 409, "invalid_state");
    // Its owner changed a service meanwhile, and publishes what nobody has seen.
    expect(expectStatus(200, await moderation.request("GET", `/agents/${agent.slug}`, seller)).status).toBe(
      "paused",
    );
    expectStatus(200, await moderation.request("POST", `/agents/${agent.slug}/publish`, seller));
  });

  test("goes on with its open orders: delivery, revision, release and review", async () => {
    const { market } = on;
    const { id, row } = await placeStarted(market);
    await moderation.acted(operator, market.agent.id, "suspend");
    const before = await rowOf(market, id);
    const output_payload = { translation: "Good day" };
    expectStatus(
      200,
      await ask(market, market.provider, "POST", `/orders/${id}/deliver`, { output_payload }),
    );
    expectStatus(
      200,
      await ask(market, market.buyer, "POST", `/orders/${id}/revision`, { reason: "Once more, please." }),
    );
    expectStatus(
      200,
      await ask(market, market.provider, "POST", `/orders/${id}/deliver`, { output_payload }),
    );
    await indexer(market, row).ended("Released");
    await settleNow(market);
    const after = await rowOf(market, id);
    expect(after.status).toBe("released");
    expect([after.amount, after.buyerAddress, after.providerAddress, after.orderHash]).toEqual([
      before.amount,
      before.buyerAddress,
      before.providerAddress,
      before.orderHash,
    ]);
    expectStatus(201, await on.write(id));
    await moderation.acted(operator, market.agent.id, "restore");
  });
});

test("a suspended service is gone, its agent stays, and a plan of it places no order until it is back", async () => {
  const { api, buyer } = on.market;
  const seller = await signIn(api);
  const word = `zyx${process.pid}plan`;
  const made = await publishService(api, seller, {
    title: `Title ${word}`,
    pricing_model: "subscription",
    interval: "day",
  });
  const request = { service_id: made.service.id, input_payload: {} };
  const subscribed = expectStatus(201, await ask(on.market, buyer, "POST", "/subscriptions", request));
  await moderation.acted(operator, made.service.id, "suspend");
  const path = `/agents/${made.agent.slug}/services/${made.service.slug}`;
  expectRefused(await moderation.request("DELETE", path, seller), 409, "invalid_state");
  const left = await seenAt({ ...made, seller, word }, [word, `${made.agent.slug}/${made.service.slug}`]);
  expect(left).toEqual([]);
  expectStatus(200, await api.request("GET", `/agents/${made.agent.slug}`));
  expect((await ask(on.market, buyer, "POST", "/subscriptions", request)).status).toBe(404);
  const renew = async () => {
    await api.db.update(subscription).set({ nextOrderAt: new Date(Date.now() - 1000) });
    await renewSubscriptions(api.db, api.config, api.context);
    return expectStatus(200, await ask(on.market, buyer, "GET", `/subscriptions/${subscribed.id}`));
  };
  expect(await renew()).toMatchObject({ status: "active", latest_order_id: subscribed.latest_order_id });
  await moderation.acted(operator, made.service.id, "restore");
  expect((await renew()).latest_order_id).not.toBe(subscribed.latest_order_id);
});

test("a plan whose input names a hidden file places no order, and goes on once the file is back", async () => {
  const { api, buyer } = on.market;
  const seller = await signIn(api);
  const plan = { pricing_model: "subscription", interval: "day" };
  const { service } = await publishService(api, seller, plan);
  const reference = await writeReadyFile(api.db, buyer.accountId, { name: "page.png" });
  const request = { service_id: service.id, input_payload: { page: reference } };
  const subscribed = expectStatus(201, await ask(on.market, buyer, "POST", "/subscriptions", request));
  const renew = async () => {
    await api.db
      .update(subscription)
      .set({ nextOrderAt: new Date(Date.now() - 1000) })
      .where(eq(subscription.id, subscribed.id));
    await renewSubscriptions(api.db, api.config, api.context);
    return expectStatus(200, await ask(on.market, buyer, "GET", `/subscriptions/${subscribed.id}`));
  };
  expectStatus(201, await moderation.report(seller, "file", reference.file_id));
  await moderation.acted(operator, reference.file_id, "hide");
  expect(await renew()).toMatchObject({ status: "active", latest_order_id: subscribed.latest_order_id });
  await moderation.acted(operator, reference.file_id, "restore");
  const renewed = await renew();
  expect(renewed.status).toBe("active");
  expect(renewed.latest_order_id).not.toBe(subscribed.latest_order_id);
});

test("a suspended service has neither slug nor title beside its reviews and in the record of its agent", async () => {
  const seller = await signIn(on.market.api);
  const word = `zyx${process.pid}record`;
  const { agent, service } = await publishService(on.market.api, seller, {
    title: `Title ${word}`,
    slug: word,
  });
  const customer = await on.signUpBuyer({ service });
  const { items } = expectStatus(200, await moderation.request("GET", "/orders", customer));
  const body = { rating: 5, text: "Good." };
  expectStatus(201, await moderation.request("POST", `/orders/${items[0].id}/review`, customer, body));
  const path = `/agents/${agent.slug}`;
  const paths = [`${path}/reviews`, `${path}/record`, `${path}/record/outcomes`];
  const read = async () => {
    const app = createApp(on.market.api.context);
    const texts = [];
    for (const one of paths) texts.push(await (await app.request(`/api/v1${one}`)).text());
    return texts.map((text) => text.includes(word));
  };
  await computeRecord(on.market.api.db, agent.id);
  expect(await read()).toEqual([true, true, true]);
  await moderation.acted(operator, service.id, "suspend");
  expect(await read()).toEqual([false, false, false]);
  await moderation.acted(operator, service.id, "restore");
  expect(await read()).toEqual([true, true, true]);
});

test("a hidden review has neither rating nor text, and counts in no rating until it is back", async () => {
  const { orderId, review } = await on.placeReviewed({ rating: 1, text: "A slander." });
  const of = { agentId: on.market.agent.id };
  const before = await readTally(on.market.api.db, of);
  await moderation.acted(operator, review.id, "hide");
  expect(await on.read(review.id)).toMatchObject({
    rating: null,
    text: null,
    answer: null,
    hidden_at: expect.any(String),
    withdrawn_at: null,
  });
  const during = await readTally(on.market.api.db, of);
  expect(during).toEqual({
    ...before,
    distribution: [(before.distribution[0] ?? 0) - 1, ...before.distribution.slice(1)],
    hidden: before.hidden + 1,
  });
  // Its author changes it, which shows nothing.
  expectStatus(200, await on.edit(orderId, { text: "Another slander." }));
  expect(JSON.stringify(await on.list())).not.toMatch(/slander/);
  await moderation.acted(operator, review.id, "restore");
  expect(await readTally(on.market.api.db, of)).toEqual(before);
  expect(await on.read(review.id)).toMatchObject({ rating: 1, text: "Another slander." });
  await moderation.acted(operator, review.id, "hide");
  expectStatus(200, await on.withdraw(orderId));
  const gone = await readTally(on.market.api.db, of);
  expect([gone.hidden, gone.withdrawn]).toEqual([before.hidden, before.withdrawn + 1]);
});

test("an operator hides nothing that the other party of an own order sent", async () => {
  const { api, service, provider } = on.market;
  const own = await signInOperator(api);
  const body = { service_id: service.id, input_payload: { text: "Guten Tag" } };
  const { id } = expectStatus(201, await ask(on.market, own, "POST", "/orders", body));
  const path = `/orders/${id}/messages`;
  const sent = expectStatus(201, await moderation.request("POST", path, provider, { text: "A promise." }));
  expectStatus(201, await moderation.report(own, "message", sent.id));
  const hidden = await moderation.act(own, sent.id, { act: "hide", reason: "It is abuse." });
  expectRefused(hidden, 409, "conflict", /your own/);
  await moderation.acted(operator, sent.id, "hide");
  await moderation.acted(operator, sent.id, "restore");
});

test("an agent or a service that its owner changed while it was suspended is paused after it", async () => {
  const { seller, agent, service } = await newSeller();
  const path = `/agents/${agent.slug}`;
  const servicePath = `${path}/services/${service.slug}`;
  const statusOf = async (at: string) =>
    expectStatus(200, await moderation.request("GET", at, seller)).status;
  await moderation.acted(operator, service.id, "suspend");
  expectStatus(200, await moderation.request("PATCH", servicePath, seller, { title: "Worse than before" }));
  await moderation.acted(operator, service.id, "restore");
  expect(await statusOf(servicePath)).toBe("paused");
  expectStatus(200, await moderation.request("POST", `${servicePath}/publish`, seller));
  for (const act of ["suspend", "ban"] as const) {
    const held = act === "ban" ? seller.accountId : agent.id;
    await moderation.acted(operator, held, act);
    await on.market.api.db
      .update(agentTable)
      .set({ tagline: act, version: sql`${agentTable.version} + 1` })
      .where(eq(agentTable.id, agent.id));
    await moderation.acted(operator, held, "restore");
    expect(await statusOf(path)).toBe("paused");
    expectStatus(200, await moderation.request("POST", `${path}/publish`, seller));
  }
});

test("a ban of an account with many agents takes the statements of one with a single agent", async () => {
  const { api } = on.market;
  const countStatements = async (agents: number) => {
    const seller = await signIn(api);
    const made = await publishService(api, seller);
    for (let at = 1; at < agents; at += 1) await publishService(api, seller);
    const spy = vi.spyOn(pg.Client.prototype, "query");
    const counts = [];
    for (const act of ["ban", "restore"] as const) {
      spy.mockClear();
      const name = { kind: "account", id: seller.accountId } as const;
      await inTransaction(api.db, (tx) => actOn(tx, operator.accountId, name, { act, reason: "Fraud." }));
      counts.push(spy.mock.calls.length);
    }
    spy.mockRestore();
    expectStatus(200, await api.request("GET", `/agents/${made.agent.slug}`));
    return counts;
  };
  const many = await countStatements(4);
  expect(Math.min(...many)).toBeGreaterThan(5);
  expect(many).toEqual(await countStatements(1));
});

describe("a banned account", () => {
  test("neither buys, sells, asks nor reports, by any credential, and is back after the ban", async () => {
    const { api, service } = on.market;
    const made = await newSeller();
    const { seller, agent } = made;
    const key = await createKey(api, seller, ["orders:write", "agents:write", "services:write"]);
    const paused = await publishService(api, seller);
    expectStatus(200, await moderation.request("POST", `/agents/${paused.agent.slug}/pause`, seller));
    const asked = { title: "A translation", description: "Of ten pages.", tags: ["translation"] };
    const posted = expectStatus(201, await moderation.request("POST", "/requests", seller, asked));
    const draft = { slug: `draft-${process.pid}-ban`, name: "A draft" };
    expectStatus(201, await moderation.request("POST", "/agents", seller, draft));
    const wallet = { address: seller.account.address };
    expectStatus(200, await moderation.request("PUT", `/agents/${draft.slug}/payout-wallet`, seller, wallet));
    const unpaid = expectStatus(201, await orderOf(seller, on.market.service.id, { text: "Guten Tag" }));
    const ban = await moderation.acted(operator, seller.accountId, "ban");
    expect(await seenAt(made, [agent.slug, made.word])).toEqual([]);
    expect((await api.request("GET", `/agents/${paused.agent.slug}`)).status).toBe(404);

    const input_payload = { text: "Guten Tag" };
    const attempts: [string, string, unknown][] = [
      ["POST", "/orders", { service_id: service.id, input_payload }],
      ["POST", `/agents/${draft.slug}/publish`, undefined],
      ["POST", "/requests", asked],
      ["POST", `/orders/${unpaid.id}/messages`, { text: "Buy elsewhere." }],
      [
        "POST",
        "/reports",
        { subject: { kind: "agent", id: on.market.agent.id }, reason: "spam", text: "A rival." },
      ],
    ];
    for (const [method, path, body] of attempts) {
      for (const token of [seller.token, key]) {
        expectRefused(await api.request(method, path, { token, body }), 403, "account_banned");
      }
    }
    expectRefused(
      await moderation.request("POST", `/agents/${agent.slug}/publish`, seller),
      403,
      "account_banned",
    );
    const { status } = expectStatus(200, await moderation.request("GET", `/requests/${posted.id}`, seller));
    expect(status).toBe("closed");

    // It reads what is its own, signs in, and appeals.
    for (const path of ["/orders", "/orders/received", "/payments", "/moderations", "/me", "/balances"]) {
      expectStatus(200, await moderation.request("GET", path, seller));
    }
    await signIn(api, seller.account);
    const found = await moderation.moderations(seller);
    expect(found.map(({ because_of }: { because_of: string | null }) => because_of).sort()).toEqual(
      [null, ban.id, ban.id].sort(),
    );
    const suspended = found.find(({ because_of }: { because_of: string | null }) => because_of === ban.id);
    expectRefused(
      await moderation.request("POST", `/moderations/${suspended.id}/appeal`, seller, { text: "Why?" }),
      409,
      "invalid_state",
      /against the ban/,
    );
    expectRefused(
      await moderation.act(operator, agent.id, { act: "restore", reason: "One only." }),
      409,
      "invalid_state",
      /restore the account/,
    );
    expectStatus(
      201,
      await moderation.request("POST", `/moderations/${ban.id}/appeal`, seller, { text: "Sorry." }),
    );

    await moderation.acted(operator, seller.accountId, "restore");
    expect(expectStatus(200, await api.request("GET", `/agents/${agent.slug}`)).status).toBe("published");
    expect(expectStatus(200, await api.request("GET", `/agents/${paused.agent.slug}`)).status).toBe("paused");
    expectStatus(200, await moderation.request("POST", `/agents/${draft.slug}/publish`, seller));
    expectStatus(
      201,
      await ask(on.market, seller, "POST", "/orders", { service_id: service.id, input_payload }),
    );
  });

  test("keeps an agent suspended that another act suspended before", async () => {
    const { seller, agent } = await newSeller();
    await moderation.acted(operator, agent.id, "suspend");
    await moderation.acted(operator, seller.accountId, "ban");
    await moderation.acted(operator, seller.accountId, "restore");
    const shown = expectStatus(200, await moderation.request("GET", `/agents/${agent.slug}`, seller));
    expect(shown.status).toBe("suspended");
    await moderation.acted(operator, agent.id, "restore");
    expectStatus(200, await on.market.api.request("GET", `/agents/${agent.slug}`));
  });

  test("keeps an agent suspended that another act suspended before, until the account is restored", async () => {
    const { seller, agent } = await newSeller();
    await moderation.acted(operator, agent.id, "suspend");
    await moderation.acted(operator, seller.accountId, "ban");
    const restored = await moderation.act(operator, agent.id, {
      act: "restore",
      reason: "It was a mistake.",
    });
    expectRefused(restored, 409, "invalid_state", /restore the account first/);
    expect((await on.market.api.request("GET", `/agents/${agent.slug}`)).status).toBe(404);
  });

  test("publishes no agent in the moment of the ban", async () => {
    const { api } = on.market;
    for (let round = 0; round < 5; round += 1) {
      const { seller } = await newSeller();
      const agents = await Promise.all([publishService(api, seller), publishService(api, seller)]);
      for (const { agent } of agents) {
        expectStatus(200, await moderation.request("POST", `/agents/${agent.slug}/pause`, seller));
      }
      const [banned] = await Promise.all([
        moderation.act(operator, seller.accountId, { act: "ban", reason: "At once." }),
        ...agents.map(({ agent }) => moderation.request("POST", `/agents/${agent.slug}/publish`, seller)),
      ]);
      expectStatus(201, banned);
      for (const { agent } of agents) {
        expect((await api.request("GET", `/agents/${agent.slug}`)).status).toBe(404);
      }
    }
  });
});
