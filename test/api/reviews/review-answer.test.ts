import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account } from "../../../db/schema.ts";
import { eventDataSchemas } from "../../../protocol/facts/event-data.ts";
import { createKey, expectStatus } from "../../harness/api.ts";
import { createReviewMarket, expectRefused, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
beforeAll(async () => {
  on = await createReviewMarket();
});
afterAll(() => on?.market.api.close());

describe("a review is answered", () => {
  test("once by its provider, in public, and the buyer is notified once", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    const answered = expectStatus(201, await on.answer(written.id, "Thank you."));
    expect(answered).toEqual({ ...written, answer: { text: "Thank you.", at: expect.any(String) } });
    expect(await on.read(written.id)).toEqual(answered);
    expect(expectStatus(201, await on.answer(written.id, " Thank you. "))).toEqual(answered);
    expectRefused(await on.answer(written.id, "And once more."), 409, "conflict", /one answer/);
    const events = await on.eventsOf(on.market.buyer, "review.answered", orderId);
    expect(events).toHaveLength(1);
    expect(eventDataSchemas["review.answered"].parse(events[0]?.data)).toEqual(events[0]?.data);
    expect(await on.eventsOf(on.market.provider, "review.answered", orderId)).toEqual([]);
  });

  test("by no banned account, which changes no review either", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    const ban = (accountId: string, bannedAt: Date | null) =>
      on.market.api.db.update(account).set({ bannedAt }).where(eq(account.id, accountId));
    for (const { accountId } of [on.market.provider, on.market.buyer]) await ban(accountId, new Date());
    expectRefused(await on.answer(written.id, "Thank you."), 403, "account_banned");
    expectRefused(await on.edit(orderId, { text: "Worse." }), 403, "account_banned");
    for (const { accountId } of [on.market.provider, on.market.buyer]) await ban(accountId, null);
  });

  test("by one of twenty answers that race", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => on.answer(written.id, `Take ${at}.`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await on.eventsOf(on.market.buyer, "review.answered", orderId)).toHaveLength(1);
  });

  test("by nobody else, by no key without the scope, and with no hostile text", async () => {
    const { review: written } = await on.placeReviewed();
    const { api, buyer, outsider, provider } = on.market;
    expectRefused(await on.answer(written.id, "Hm.", buyer), 404, "not_found");
    expectRefused(await on.answer(written.id, "Hm.", outsider), 404, "not_found");
    const key = await createKey(api, provider, ["orders:write", "agents:read"]);
    const body = { text: "Hm." };
    expectRefused(
      await api.request("POST", `/reviews/${written.id}/answer`, { token: key, body }),
      403,
      "insufficient_scope",
    );
    for (const text of ["", "\u0007", "x".repeat(2001), "\u2067", 7, null]) {
      expectRefused(await on.answer(written.id, text), 400, "invalid_request");
    }
    expect((await on.read(written.id)).answer).toBeNull();
    const right = await createKey(api, provider, ["agents:write"]);
    expectStatus(201, await api.request("POST", `/reviews/${written.id}/answer`, { token: right, body }));
  });
});
