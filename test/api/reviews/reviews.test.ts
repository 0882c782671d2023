import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { review } from "../../../db/schema.ts";
import { eventDataSchemas } from "../../../protocol/facts/event-data.ts";
import { caps } from "../../../trade/account-caps.ts";
import { createKey, expectStatus, signIn } from "../../harness/api.ts";
import { placeFunded } from "../../harness/market/market.ts";
import {
  createReviewMarket,
  expectRefused,
  opinion,
  type ReviewMarket,
} from "../../harness/market/reviews.ts";

let on: ReviewMarket;
/** A settled order without a review. */
let unreviewed: string;
beforeAll(async () => {
  on = await createReviewMarket();
  unreviewed = (await on.placeSettled()).id;
});
afterAll(() => on?.market.api.close());

const age = (id: string, by: string) =>
  on.market.api.db
    .update(review)
    .set({ createdAt: sql`now() - ${by}::interval` })
    .where(eq(review.id, id));
const orderReview = async (orderId: string, who = on.market.buyer) =>
  expectStatus(200, await on.request("GET", `/orders/${orderId}/review`, who));

describe("a review is written", () => {
  test("by the buyer of a settled order, in public, and the provider is notified once", async () => {
    const { id, row } = await on.placeSettled();
    expect(await orderReview(id)).toEqual({
      order_id: id,
      your_role: "buyer",
      review: null,
      editable_until: null,
    });
    const written = expectStatus(201, await on.write(id));
    const { agent, service, buyer, provider } = on.market;
    expect(written).toMatchObject({
      ...opinion,
      agent: { id: agent.id, slug: agent.slug },
      service: { id: service.id, slug: service.slug },
      settled: true,
      escrow: { chain_id: row.chainId, escrow_id: row.escrowId },
      answer: null,
      reports: 0,
      marked: false,
      disputed_by_provider: false,
      erc8004: null,
      edited_at: null,
      withdrawn_at: null,
    });
    expect(await on.read(written.id)).toEqual(written);
    expect((await on.list()).items[0]).toEqual(written);
    expect(JSON.stringify(await on.list())).not.toContain(id);
    const forProvider = await orderReview(id, provider);
    expect(forProvider).toMatchObject({ your_role: "provider", review: written });
    const until = Date.parse(forProvider.editable_until) - Date.parse(written.created_at);
    expect(until).toBe(14 * 24 * 3_600_000);
    const events = await on.eventsOf(provider, "review.received", id);
    expect(events).toHaveLength(1);
    expect(eventDataSchemas["review.received"].parse(events[0]?.data)).toEqual(events[0]?.data);
    expect(events[0]?.data).toMatchObject({ review_id: written.id, order_id: id, rating: 4 });
    expect(JSON.stringify(events[0]?.data)).not.toContain(opinion.text);
    expect(await on.eventsOf(buyer, "review.received", id)).toEqual([]);
  });

  test("of a refunded order too, and without a text", async () => {
    const { review: written } = await on.placeReviewed({ rating: 1 }, "Refunded");
    expect(written).toMatchObject({ rating: 1, text: null, settled: true });
  });

  test("once: twenty of the same that race make one, and another is refused", async () => {
    const { id } = await on.placeSettled();
    const before = (await on.list()).summary.count;
    const answers = await Promise.all(Array.from({ length: 20 }, () => on.write(id)));
    const ids = new Set(answers.map((answer) => expectStatus(201, answer).id));
    expect(ids.size).toBe(1);
    expect(await on.eventsOf(on.market.provider, "review.received", id)).toHaveLength(1);
    expectRefused(await on.write(id, { rating: 5 }), 409, "conflict", /PATCH/);
    expect((await on.list()).summary.count).toBe(before + 1);
  });

  test("once by twenty different ones that race", async () => {
    const { id } = await on.placeSettled();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => on.write(id, { rating: 3, text: `Take ${at}.` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test("by the buyer only, and not by a key without the scope", async () => {
    const { id } = await on.placeSettled();
    const { api, provider, outsider, buyer } = on.market;
    expectRefused(await on.write(id, opinion, outsider), 404, "not_found");
    expectRefused(await on.write(id, opinion, provider), 409, "invalid_state", /Only the buyer/);
    const reader = await createKey(api, buyer, ["orders:read", "agents:write"]);
    const body = opinion;
    expectRefused(
      await api.request("POST", `/orders/${id}/review`, { token: reader, body }),
      403,
      "insufficient_scope",
    );
    expectRefused(await api.request("POST", `/orders/${id}/review`, { body }), 401, "unauthenticated");
    expectRefused(await on.request("GET", `/orders/${id}/review`, outsider), 404, "not_found");
    const writer = await createKey(api, buyer, ["orders:write"]);
    expectStatus(201, await api.request("POST", `/orders/${id}/review`, { token: writer, body }));
    expectRefused(await on.edit(id, { rating: 1 }, provider), 409, "invalid_state");
    expectRefused(await on.withdraw(id, provider), 409, "invalid_state");
    expectRefused(await on.edit(id, { rating: 1 }, outsider), 404, "not_found");
    expectRefused(await on.withdraw(id, outsider), 404, "not_found");
  });

  test("only once its order is settled", async () => {
    const { id } = await placeFunded(on.market);
    expectRefused(await on.write(id), 409, "not_settled");
    expectRefused(await on.edit(id, { rating: 1 }), 404, "not_found");
    expectRefused(await on.withdraw(id), 404, "not_found");
  });

  test("only by a buyer who shares no account and no member with the provider", async () => {
    const { provider, outsider } = on.market;
    const { id: own } = await on.placeSettled();
    await on.market.api.db.execute(
      sql`update earnest."order" set buyer_account_id = provider_account_id where id = ${own}`,
    );
    expectRefused(await on.write(own, opinion, provider), 409, "conflict", /one account or organisation/);

    const employee = await signIn(on.market.api);
    const { id: theirs } = await on.placeSettled("Released", employee);
    await on.join(employee, provider);
    expectRefused(await on.write(theirs, opinion, employee), 409, "conflict", /one account or organisation/);

    const firm = await signIn(on.market.api);
    const { id: firms } = await on.placeSettled("Released", firm);
    const both = await signIn(on.market.api);
    await on.join(both, firm);
    expectStatus(201, await on.write(firms, opinion, firm));
    const { id: later } = await on.placeSettled("Released", firm);
    await on.join(both, provider);
    expectRefused(await on.write(later, opinion, firm), 409, "conflict", /one account or organisation/);
    expectRefused(await on.write(later, opinion, outsider), 404, "not_found");
  });

  test.each([
    ["no rating", {}, "/rating"],
    ["a rating of 0", { rating: 0 }, "/rating"],
    ["a rating of 6", { rating: 6 }, "/rating"],
    ["half a star", { rating: 4.5 }, "/rating"],
    ["a text that is too long", { rating: 5, text: "x".repeat(2001) }, "/text"],
    ["a text of megabytes", { rating: 5, text: " ".repeat(5000) }, "/text"],
    ["a text of spaces", { rating: 5, text: " \n " }, "/text"],
    ["an escape sequence", { rating: 5, text: "\u001b[2J" }, "/text"],
    ["a tab", { rating: 5, text: "a\tb" }, "/text"],
    ["a text turned around", { rating: 5, text: "good \u202edab" }, "/text"],
    ["a line separator", { rating: 5, text: "a\u2028b" }, "/text"],
    ["text that no reader sees", { rating: 5, text: "Fine.\u{e0049}\u{e0067}" }, "/text"],
    ["a member nobody knows", { rating: 5, marked: false }, ""],
  ])("and refused with %s", async (_, body, path) => {
    const answer = await on.write(unreviewed, body);
    expectRefused(answer, 400, "invalid_request");
    expect(answer.body.error.details[0].path).toBe(path);
  });

  test("with any other text unchanged: markup, emoji, right-to-left words, two thousand characters", async () => {
    const text = `<script>alert(1)</script> 👩‍🔬 שלום "'; drop table review;--\n${"é".repeat(1900)}`;
    const { review: written } = await on.placeReviewed({ rating: 5, text: text.replace("\n", "\r\n") });
    expect((await on.read(written.id)).text).toBe(text);
  });

  test("only so many times a day by one account", async () => {
    const { orderId } = await on.placeReviewed();
    const writer = await signIn(on.market.api);
    const [first = ""] = await on.copy(orderId, caps.reviewsADay, writer);
    const { id } = await on.placeSettled("Released", writer);
    expectRefused(await on.write(id, opinion, writer), 409, "conflict", /at most 200 new reviews a day/);
    await age(first, "25 hours");
    expectStatus(201, await on.write(id, opinion, writer));
  });
});

describe("a review is changed", () => {
  test("for fourteen days, in the fields given, and shows since when", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    const first = expectStatus(200, await on.edit(orderId, { rating: 2 }));
    expect(first).toMatchObject({ rating: 2, text: opinion.text, edited_at: expect.any(String) });
    const second = expectStatus(200, await on.edit(orderId, { text: null }));
    expect(second).toMatchObject({ rating: 2, text: null });
    expect(expectStatus(200, await on.edit(orderId, { rating: 2 }))).toEqual(second);
    await age(written.id, "13 days 23 hours");
    expectStatus(200, await on.edit(orderId, { rating: 3 }));
    await age(written.id, "14 days 1 second");
    expectRefused(await on.edit(orderId, { rating: 1 }), 409, "invalid_state", /14 days/);
    expect((await on.read(written.id)).rating).toBe(3);
    expect(await on.eventsOf(on.market.provider, "review.received", orderId)).toHaveLength(1);
    // A change to the same values is none, and a withdrawal is possible at any time.
    expectStatus(200, await on.edit(orderId, { rating: 3 }));
    expectStatus(200, await on.withdraw(orderId));
  });

  test("twenty times at most", async () => {
    const { orderId } = await on.placeReviewed();
    for (let time = 0; time < 20; time += 1) {
      expectStatus(200, await on.edit(orderId, { text: `Take ${time}.` }));
    }
    expectRefused(await on.edit(orderId, { text: "One more." }), 409, "invalid_state", /20 times/);
  });
});

describe("a review is withdrawn", () => {
  test("for good: rating and texts are deleted, and the order gets no other review", async () => {
    const { orderId, review: written } = await on.placeReviewed({ rating: 1, text: "Said in anger." });
    expectStatus(201, await on.answer(written.id, "It was not angry."));
    const { summary: before } = await on.list();
    const left = expectStatus(200, await on.withdraw(orderId));
    expect(left).toMatchObject({ rating: null, text: null, answer: null, withdrawn_at: expect.any(String) });
    expect(expectStatus(200, await on.withdraw(orderId))).toEqual(left);
    const [row] = await on.market.api.db.select().from(review).where(eq(review.id, written.id));
    expect(JSON.stringify(row)).not.toMatch(/angry?/);
    const { summary, items } = await on.list();
    expect(items.map(({ id }: { id: string }) => id)).toContain(written.id);
    expect(summary.withdrawn).toBe(before.withdrawn + 1);
    expect(summary.distribution[0]).toBe(before.distribution[0] - 1);
    expectRefused(await on.write(orderId), 409, "conflict", /one review/);
    expectRefused(await on.edit(orderId, { rating: 5 }), 409, "invalid_state");
    expectRefused(await on.answer(written.id, "More."), 409, "invalid_state");
    expect((await orderReview(orderId)).editable_until).toBeNull();
  });
});

describe("an agent's reviews", () => {
  test("have totals equal to the sum of their rows, after any change", async () => {
    const { rows } = await on.market.api.db.execute<{ rating: number; counted: number }>(sql`
      select rating, count(*)::int as counted from earnest.review
      where settled and rating is not null group by rating`);
    const { rows: gone } = await on.market.api.db.execute<{ counted: number }>(
      sql`select count(*)::int as counted from earnest.review where withdrawn_at is not null`,
    );
    const { summary, total } = await on.list();
    const of = (rating: number) => rows.find((row) => row.rating === rating)?.counted ?? 0;
    expect(summary.distribution).toEqual([1, 2, 3, 4, 5].map(of));
    const count = rows.reduce((sum, { counted }) => sum + counted, 0);
    const points = rows.reduce((sum, { rating, counted }) => sum + rating * counted, 0);
    expect(summary).toMatchObject({ count, withdrawn: gone[0]?.counted });
    expect(summary.average).toBeCloseTo(points / count, 2);
    expect(total).toBe(count + summary.withdrawn);
  });

  test("are listed newest first, in pages, to everybody", async () => {
    const { total, items } = await on.list("?limit=100");
    const times = items.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    const first = await on.list("?limit=3");
    const rest = await on.list(`?limit=100&cursor=${first.next_cursor}`);
    const ids = [...first.items, ...rest.items].map(({ id }: { id: string }) => id);
    expect(ids.slice(0, 100)).toEqual(items.map(({ id }: { id: string }) => id));
    expect(total).toBeGreaterThan(caps.reviewsADay);
    expectRefused(await on.market.api.request("GET", "/agents/nobody/reviews"), 404, "not_found");
    const id = "rev_01jd3w8x2mfhz8w9q4t6n5k7ra";
    expectRefused(await on.market.api.request("GET", `/reviews/${id}`), 404, "not_found");
  });

  test("of one service are those of its orders only, and 404 for one that is not public", async () => {
    const { agent, service, api, provider } = on.market;
    await on.placeReviewed();
    const whole = await on.list();
    const own = await on.list(`?service=${service.slug}`);
    expect(own.total).toBeGreaterThan(0);
    expect([own.total, own.summary, own.items]).toEqual([whole.total, whole.summary, whole.items]);
    const { token } = provider;
    const copy = {
      slug: "other-work",
      title: "Other work",
      pricing_model: "fixed",
      price: "1",
      delivery_time_hours: 1,
    };
    const services = `/agents/${agent.slug}/services`;
    expectStatus(201, await api.request("POST", services, { token, body: copy }));
    const draft = await api.request("GET", `/agents/${agent.slug}/reviews?service=other-work`);
    expectRefused(draft, 404, "not_found");
    expectStatus(200, await api.request("POST", `${services}/other-work/publish`, { token }));
    expect(await on.list("?service=other-work")).toMatchObject({
      items: [],
      total: 0,
      summary: { count: 0, average: null },
    });
    const path = `/agents/${agent.slug}/reviews?service=`;
    expectRefused(await api.request("GET", `${path}not-there`), 404, "not_found");
  });

  test("show a settlement that a reorganisation removed, and do not count until it is settled again", async () => {
    const { orderId, review: written } = await on.placeReviewed({ rating: 5, text: "Superb." });
    const { summary: before, total } = await on.list();
    await on.revertRelease(orderId);
    expect(await on.read(written.id)).toEqual({ ...written, settled: false });
    const during = await on.list();
    expect(during.total).toBe(total);
    expect(during.summary.count).toBe(before.count - 1);
    expect(during.summary.distribution[4]).toBe(before.distribution[4] - 1);
    // The author still reads the texts.
    expectStatus(200, await on.edit(orderId, { rating: 3 }));
    expect((await on.list()).summary).toEqual(during.summary);
    await on.releaseAgain(orderId);
    expect(await on.read(written.id)).toMatchObject({ settled: true, rating: 3 });
    const after = (await on.list()).summary;
    expect(after.count).toBe(before.count);
    expect(after.distribution[2]).toBe(before.distribution[2] + 1);
  });
});
