import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event, openRequest, order, quote } from "../../../db/schema.ts";
import { announceRequests } from "../../../jobs/requests/announce.ts";
import { eventDataSchemas } from "../../../protocol/facts/event-data.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  inputSchema,
  type Market,
  outputSchema,
  rowOf,
} from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const wanted = {
  title: "A manual into Japanese",
  description: "Forty pages, by Friday.",
  tags: ["Japanese", "manuals"],
};
const post = async (body: Record<string, unknown> = {}, who = market.buyer) =>
  expectStatus(201, await ask(market, who, "POST", "/requests", { ...wanted, ...body }));
const postQuote = (requestId: string, body: Record<string, unknown> = {}, who = market.provider) =>
  ask(market, who, "POST", `/requests/${requestId}/quotes`, {
    agent_slug: market.agent.slug,
    service_id: market.service.id,
    price: "180.00",
    delivery_time_hours: 48,
    ...body,
  });
const expectQuote = async (requestId: string, body: Record<string, unknown> = {}, who = market.provider) =>
  expectStatus(201, await postQuote(requestId, body, who));
const input_payload = { text: "Guten Tag" };
const accept = (quoteId: string, who = market.buyer, body: Record<string, unknown> = { input_payload }) =>
  ask(market, who, "POST", `/quotes/${quoteId}/accept`, body);
const read = async (path: string, who: Session) => expectStatus(200, await ask(market, who, "GET", path));
const refused = (status: number, code: string, message?: RegExp) => ({
  status,
  body: { error: { code, ...(message ? { message: expect.stringMatching(message) } : {}) } },
});
const eventsOf = (who: Session, type: string) =>
  market.api.db
    .select()
    .from(event)
    .where(eq(event.accountId, who.accountId))
    .then((events) => events.filter((one) => one.type === type));
/** Another provider with a published service. */
async function anotherProvider(fields: Record<string, unknown> = {}) {
  const who = await signIn(market.api);
  return { who, ...(await publishService(market.api, who, { ...fields })) };
}

describe("an open request", () => {
  test("is public, and does not reveal its author", async () => {
    const made = await post({ budget: "250" });
    expect(made).toMatchObject({
      title: wanted.title,
      tags: ["japanese", "manuals"],
      budget: "250.000000",
      budget_base_units: "250000000",
      status: "open",
      mine: true,
      quote_count: 0,
    });
    const seen = await read(`/requests/${made.id}`, market.outsider);
    expect(seen).toEqual({ ...made, mine: false });
    expect(JSON.stringify(seen)).not.toContain(market.buyer.accountId);
    const key = await createKey(market.api, market.outsider, ["marketplace:read"]);
    const list = expectStatus(200, await market.api.request("GET", "/requests?tag=MANUALS", { token: key }));
    expect(list.items.map(({ id }: { id: string }) => id)).toContain(made.id);
  });

  test("is listed in pages, and found by its tag", async () => {
    const tag = "paging";
    const made = [];
    for (let index = 0; index < 5; index += 1) made.push((await post({ tags: [tag] })).id);
    const first = await read(`/requests?tag=${tag}&limit=3`, market.provider);
    expect(first.total).toBe(5);
    const rest = await read(`/requests?tag=${tag}&limit=3&cursor=${first.next_cursor}`, market.provider);
    const ids = [...first.items, ...rest.items].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(made.reverse());
    expect((await read("/requests?tag=nobody-uses-this", market.provider)).total).toBe(0);
  });

  test("is closed for good by its author, who alone sees it then", async () => {
    const made = await post();
    const given = await expectQuote(made.id);
    const outsider = await ask(market, market.outsider, "POST", `/requests/${made.id}/close`);
    expect(outsider).toMatchObject(refused(404, "not_found"));
    for (let again = 0; again < 2; again += 1) {
      const closed = expectStatus(200, await ask(market, market.buyer, "POST", `/requests/${made.id}/close`));
      expect(closed).toMatchObject({ status: "closed", quote_count: 0 });
    }
    expect(await ask(market, market.outsider, "GET", `/requests/${made.id}`)).toMatchObject(
      refused(404, "not_found"),
    );
    // A provider who quoted on the request still reads its outcome.
    expect((await read(`/requests/${made.id}`, market.provider)).status).toBe("closed");
    expect((await read(`/quotes/${given.id}`, market.provider)).status).toBe("declined");
    expect(await accept(given.id)).toMatchObject(refused(409, "invalid_state"));
    expect(await postQuote(made.id)).toMatchObject(refused(409, "invalid_state", /closed/));
    const mine = await read("/requests?mine=true", market.buyer);
    expect(mine.items.find(({ id }: { id: string }) => id === made.id).status).toBe("closed");
  });

  test.each([
    ["no tag", { tags: [] }, "/tags"],
    ["a budget finer than the token", { budget: "1.0000001" }, "/budget"],
    ["a negative budget", { budget: "-1" }, "/budget"],
    ["an end in the past", { expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
    ["an end far away", { expires_at: "2999-01-01T00:00:00Z" }, "/expires_at"],
    ["an end that is no time", { expires_at: "tomorrow" }, "/expires_at"],
    ["no title", { title: " " }, "/title"],
    ["a member nobody knows", { status: "accepted" }, ""],
  ])("with %s is refused", async (_, body, path) => {
    const answer = await ask(market, market.buyer, "POST", "/requests", { ...wanted, ...body });
    expect(answer).toMatchObject(refused(400, "invalid_request"));
    expect(answer.body.error.details[0].path).toBe(path);
  });

  test("is capped for each account", async () => {
    const flooding = await signIn(market.api);
    for (let index = 0; index < 50; index += 1) await post({}, flooding);
    const more = await ask(market, flooding, "POST", "/requests", wanted);
    expect(more).toMatchObject(refused(409, "conflict", /at most 50/));
  });
});

describe("request.matched", () => {
  test("notifies each owner of a published service with a matching tag, once", async () => {
    const tagged = await anotherProvider({ tags: ["esperanto", "letters"] });
    const twice = await publishService(market.api, tagged.who, { tags: ["esperanto"] });
    expect(twice.service.id).not.toBe(tagged.service.id);
    const other = await anotherProvider({ tags: ["klingon"] });
    const paused = await anotherProvider({ tags: ["esperanto"] });
    expectStatus(200, await ask(market, paused.who, "POST", `/agents/${paused.agent.slug}/pause`));
    const made = await post({ tags: ["esperanto", "poems"] }, market.buyer);
    const own = await post({ tags: ["esperanto"] }, tagged.who);
    await announceRequests(market.api.db, market.api.context);
    // A round that was cut off before it was recorded notifies nobody twice.
    await market.api.db.update(openRequest).set({ announcedAt: null });
    await announceRequests(market.api.db, market.api.context);

    const events = await eventsOf(tagged.who, "request.matched");
    expect(events.map(({ data }) => data.request_id)).toEqual([made.id]);
    expect(eventDataSchemas["request.matched"].parse(events[0]?.data)).toEqual(events[0]?.data);
    expect((await eventsOf(other.who, "request.matched")).length).toBe(0);
    const ofPaused = await eventsOf(paused.who, "request.matched");
    expect(ofPaused.length).toBe(0);
    expect(own.mine).toBe(true);
  });

  test("is not sent for a request that was closed in time", async () => {
    const tagged = await anotherProvider({ tags: ["volapuk"] });
    const made = await post({ tags: ["volapuk"] });
    expectStatus(200, await ask(market, market.buyer, "POST", `/requests/${made.id}/close`));
    await announceRequests(market.api.db, market.api.context);
    expect(await eventsOf(tagged.who, "request.matched")).toEqual([]);
  });
});

describe("a quote", () => {
  test("is visible to its sender and its receiver only, and the receiver is notified", async () => {
    const made = await post();
    const given = await expectQuote(made.id, { message: "With pleasure." });
    expect(given).toMatchObject({
      request_id: made.id,
      price: "180.000000",
      delivery_time_hours: 48,
      status: "offered",
      mine: true,
      order_id: null,
      expires_at: made.expires_at,
    });
    expect(await read(`/quotes/${given.id}`, market.buyer)).toEqual({ ...given, mine: false });
    expect(await ask(market, market.outsider, "GET", `/quotes/${given.id}`)).toMatchObject(
      refused(404, "not_found"),
    );
    const [received] = (await eventsOf(market.buyer, "quote.received")).filter(
      ({ data }) => data.quote_id === given.id,
    );
    expect(eventDataSchemas["quote.received"].parse(received?.data)).toEqual(received?.data);
    expect((await read(`/requests/${made.id}`, market.buyer)).quote_count).toBe(1);
    const rival = await anotherProvider();
    await expectQuote(made.id, { agent_slug: rival.agent.slug, service_id: rival.service.id }, rival.who);
    expect((await read(`/requests/${made.id}/quotes`, market.buyer)).total).toBe(2);
    expect((await read(`/requests/${made.id}/quotes`, rival.who)).total).toBe(1);
    expect((await read(`/requests/${made.id}/quotes`, market.outsider)).total).toBe(0);
    expect((await read("/quotes", rival.who)).total).toBe(1);
  });

  test("commits nobody: no order exists before the acceptance", async () => {
    const before = await market.api.db.$count(order);
    await expectQuote((await post()).id);
    expect(await market.api.db.$count(order)).toBe(before);
  });

  test("on one's own request is refused", async () => {
    const made = await post({}, market.provider);
    expect(await postQuote(made.id)).toMatchObject(refused(409, "conflict", /your own/));
  });

  test("by a service that has an open quote is refused until that one is withdrawn", async () => {
    const made = await post();
    const first = await expectQuote(made.id);
    expect(await postQuote(made.id, { price: "90" })).toMatchObject(refused(409, "conflict", /Withdraw/));
    for (let again = 0; again < 2; again += 1) {
      const withdrawn = expectStatus(
        200,
        await ask(market, market.provider, "POST", `/quotes/${first.id}/withdraw`),
      );
      expect(withdrawn.status).toBe("withdrawn");
    }
    expect((await expectQuote(made.id, { price: "90" })).price).toBe("90.000000");
    expect(await accept(first.id)).toMatchObject(refused(409, "invalid_state", /withdrawn/));
  });

  test("is withdrawn by its sender only", async () => {
    const given = await expectQuote((await post()).id);
    const path = `/quotes/${given.id}/withdraw`;
    expect(await ask(market, market.buyer, "POST", path)).toMatchObject(refused(409, "invalid_state"));
    expect(await ask(market, market.outsider, "POST", path)).toMatchObject(refused(404, "not_found"));
    expect((await read(`/quotes/${given.id}`, market.buyer)).status).toBe("offered");
  });

  test.each([
    ["another's service", { service_id: "svc_01jd3w8x2mfhz8w9q4t6n5k7ra" }, "/service_id"],
    ["an agent that is not the service's", { agent_slug: "somebody-else" }, "/service_id"],
    ["a price of nothing", { price: "0" }, "/price"],
    ["a price finer than the token", { price: "0.00000001" }, "/price"],
    ["no time to deliver", { delivery_time_hours: 0 }, "/delivery_time_hours"],
    ["an end after the request's", { expires_at: "2999-01-01T00:00:00Z" }, "/expires_at"],
  ])("with %s is refused", async (_, body, path) => {
    const made = await post();
    const answer = await postQuote(made.id, body);
    expect(answer).toMatchObject(refused(400, "invalid_request"));
    expect(answer.body.error.details[0].path).toBe(path);
  });

  test("of a draft service is refused, and so is a quote on a closed request", async () => {
    const draft = expectStatus(
      201,
      await ask(market, market.provider, "POST", `/agents/${market.agent.slug}/services`, {
        slug: "not-yet",
        title: "Not yet",
        price: "1",
        delivery_time_hours: 1,
      }),
    );
    const made = await post();
    expect(await postQuote(made.id, { service_id: draft.id })).toMatchObject(refused(409, "invalid_state"));
    await expire(made.id);
    expect(await postQuote(made.id)).toMatchObject(refused(409, "invalid_state", /ended/));
    expect((await read(`/requests/${made.id}`, market.buyer)).status).toBe("expired");
  });
});

async function expire(requestId: string) {
  const expiresAt = new Date(Date.now() - 1000);
  await market.api.db.update(openRequest).set({ expiresAt }).where(eq(openRequest.id, requestId));
  await market.api.db.update(quote).set({ expiresAt }).where(eq(quote.requestId, requestId));
}

describe("accepting a quote", () => {
  test("places the order at the quoted terms, closes the request, and declines the other quotes", async () => {
    const negotiated = await publishService(market.api, market.provider, {
      pricing_model: "negotiated",
      input_schema: inputSchema,
      output_schema: outputSchema,
    });
    const made = await post();
    const given = await expectQuote(made.id, {
      agent_slug: negotiated.agent.slug,
      service_id: negotiated.service.id,
      price: "77.5",
    });
    const rival = await anotherProvider();
    const lost = await expectQuote(
      made.id,
      { agent_slug: rival.agent.slug, service_id: rival.service.id },
      rival.who,
    );
    const placed = expectStatus(201, await accept(given.id));
    expect(placed).toMatchObject({
      service_id: negotiated.service.id,
      quantity: 1,
      total_amount: "77.500000",
      status: "created",
      input_payload,
    });
    const row = await rowOf(market, placed.id);
    expect(row).toMatchObject({ deliveryWindow: 48 * 3600, unitPrice: 77_500_000n });
    expect(row.agreement).toMatchObject({
      amount_base_units: "77500000",
      delivery_window_seconds: 48 * 3600,
    });
    expect(await read(`/quotes/${given.id}`, market.provider)).toMatchObject({
      status: "accepted",
      order_id: placed.id,
    });
    expect((await read(`/quotes/${lost.id}`, rival.who)).status).toBe("declined");
    expect((await read(`/requests/${made.id}`, market.buyer)).status).toBe("accepted");
    expect((await read("/orders/received", market.provider)).items[0].id).toBe(placed.id);
    // The order is paid by its own terms.
    const instructions = await read(`/orders/${placed.id}/payment-instructions`, market.buyer);
    expect(instructions.amount).toBe("77.500000");
  });

  test("twice, also at once, places one order", async () => {
    const given = await expectQuote((await post()).id);
    const before = await market.api.db.$count(order);
    const answers = await Promise.all([accept(given.id), accept(given.id), accept(given.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await accept(given.id)).toMatchObject(refused(409, "invalid_state", /already accepted/));
    expect(await market.api.db.$count(order)).toBe(before + 1);
  });

  test("lets one of two concurrent acceptances through", async () => {
    const made = await post();
    const rival = await anotherProvider();
    const [one, other] = [
      await expectQuote(made.id),
      await expectQuote(made.id, { agent_slug: rival.agent.slug, service_id: rival.service.id }, rival.who),
    ];
    const answers = await Promise.all([accept(one.id), accept(other.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test("is refused to all but the request's author", async () => {
    const given = await expectQuote((await post()).id);
    expect(await accept(given.id, market.provider)).toMatchObject(refused(409, "invalid_state"));
    expect(await accept(given.id, market.outsider)).toMatchObject(refused(404, "not_found"));
  });

  test("after its expiry is refused, and no order is placed", async () => {
    const made = await post();
    const given = await expectQuote(made.id);
    await expire(made.id);
    const before = await market.api.db.$count(order);
    expect(await accept(given.id)).toMatchObject(refused(409, "invalid_state", /ended/));
    expect(await market.api.db.$count(order)).toBe(before);
    expect((await read(`/quotes/${given.id}`, market.buyer)).status).toBe("expired");
  });

  test("with an input that the service refuses is 422, and leaves the quote open", async () => {
    const given = await expectQuote((await post()).id);
    const answer = await accept(given.id, market.buyer, { input_payload: { pages: "many" } });
    expect(answer).toMatchObject(refused(422, "input_schema_violation"));
    expect((await read(`/quotes/${given.id}`, market.buyer)).status).toBe("offered");
    expectStatus(201, await accept(given.id));
  });

  test("of a service that was paused since is refused until it is resumed", async () => {
    const rival = await anotherProvider();
    const made = await post();
    const given = await expectQuote(
      made.id,
      { agent_slug: rival.agent.slug, service_id: rival.service.id },
      rival.who,
    );
    expectStatus(200, await ask(market, rival.who, "POST", `/agents/${rival.agent.slug}/pause`));
    expect(await accept(given.id)).toMatchObject(refused(409, "invalid_state", /paused/));
    expectStatus(200, await ask(market, rival.who, "POST", `/agents/${rival.agent.slug}/publish`));
    expectStatus(201, await accept(given.id));
  });
});
