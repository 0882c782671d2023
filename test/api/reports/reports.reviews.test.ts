import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { report } from "../../../db/schema.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { createModeration, signInOperator } from "../../harness/market/moderation.ts";
import { createReviewMarket, expectRefused, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
let buyers: Session[];
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  on = await createReviewMarket();
  moderation = createModeration(on.market.api);
  operator = await signInOperator(on.market.api);
  // The author of the reviews sells a service too.
  const shop = await publishService(on.market.api, on.market.buyer);
  buyers = [];
  for (let at = 0; at < 4; at += 1) buyers.push(await on.signUpBuyer(shop));
});
afterAll(() => on?.market.api.close());

const reportsOf = (id: string) => on.market.api.db.$count(report, eq(report.subjectId, id));
/** Reports a review, and reads it then. */
async function readReported(id: string, who: Session) {
  expectStatus(201, await on.report(id, who));
  return on.read(id);
}

describe("a review is reported", () => {
  test("and marked by the third report of an account that traded with its author, and its text stays", async () => {
    const { review: written } = await on.placeReviewed({ rating: 1, text: "A lie." });
    const before = (await on.list()).summary;
    for (const [at, who] of buyers.slice(0, 3).entries()) {
      const made = expectStatus(201, await on.report(written.id, who));
      expect(await on.read(written.id)).toMatchObject({ reports: at + 1, marked: at === 2 });
      // Each account reports once.
      expect(expectStatus(201, await on.report(written.id, who, "Again."))).toEqual(made);
    }
    expect(await on.read(written.id)).toEqual({ ...written, reports: 3, marked: true });
    const after = (await on.list()).summary;
    expect(after).toEqual({ ...before, marked: before.marked + 1 });
    expect(await reportsOf(written.id)).toBe(3);
    // An operator who finds nothing wrong ends the mark.
    await moderation.acted(operator, written.id, "dismiss");
    expect(await on.read(written.id)).toEqual(written);
    expect((await on.list()).summary).toEqual(before);
  });

  test("and an operator reads what it said, though its author changed and withdrew it", async () => {
    const { orderId, review: written } = await on.placeReviewed({ rating: 1, text: "A threat." });
    expectStatus(201, await on.report(written.id, on.market.outsider));
    expectStatus(200, await on.edit(orderId, { text: "Very good." }));
    expectStatus(200, await on.withdraw(orderId));
    const quotedOf = async () => (await moderation.subject(operator, written.id)).newest_reports[0].quoted;
    expect(await quotedOf()).toBe("A threat.");
    await moderation.acted(operator, written.id, "dismiss");
    expect(await quotedOf()).toBeNull();
  });

  test("without effect by accounts that paid nothing, others or were refunded, however many", async () => {
    const { review: written } = await on.placeReviewed();
    const refunded = await signIn(on.market.api);
    await on.placeSettled("Refunded", refunded);
    const stranger = await on.signUpBuyer(await publishService(on.market.api, await signIn(on.market.api)));
    for (const who of [
      refunded,
      stranger,
      on.market.outsider,
      await signIn(on.market.api),
      await signIn(on.market.api),
    ]) {
      expect(await readReported(written.id, who)).toMatchObject({
        reports: 0,
        marked: false,
      });
    }
    expect(await reportsOf(written.id)).toBe(5);
  });

  test("without a mark by its provider, who is shown as disputing it, or by the provider's members", async () => {
    const { review: written } = await on.placeReviewed();
    const shown = await readReported(written.id, on.market.provider);
    expect(shown).toEqual({ ...written, disputed_by_provider: true });
    const employee = await on.signUpBuyer();
    await on.join(employee, on.market.provider);
    expect(await readReported(written.id, employee)).toEqual(shown);
  });

  test("once, by twenty reports of one account that race", async () => {
    const { review: written } = await on.placeReviewed();
    const [who] = buyers as [Session];
    const answers = await Promise.all(Array.from({ length: 20 }, () => on.report(written.id, who)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await on.read(written.id)).toMatchObject({ reports: 1, marked: false });
  });

  test("and refused to its author, after a withdrawal, and to a key without the scope", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    expectRefused(await on.report(written.id, on.market.buyer), 409, "invalid_state", /your own/);
    const [who] = buyers as [Session];
    const key = await createKey(on.market.api, who, ["orders:read", "marketplace:read"]);
    const path = "/reports";
    const body = { subject: { kind: "review", id: written.id }, reason: "other", text: "Hm." };
    expectRefused(await on.market.api.request("POST", path, { token: key, body }), 403, "insufficient_scope");
    expectRefused(await on.market.api.request("POST", path, { body }), 401, "unauthenticated");
    expectRefused(await on.report(written.id, who, "x".repeat(1001)), 400, "invalid_request");
    expectStatus(200, await on.withdraw(orderId));
    expectRefused(await on.report(written.id, who), 404, "not_found");
    expect(await reportsOf(written.id)).toBe(0);
  });

  test("twenty times a day by one account", async () => {
    const { orderId, review: written } = await on.placeReviewed();
    const reviews = await on.copy(orderId, 20, on.market.buyer);
    const flooding = await signIn(on.market.api);
    for (const id of reviews) expectStatus(201, await on.report(id, flooding));
    expectRefused(await on.report(written.id, flooding), 409, "conflict", /at most 20 reports a day/);
    // A repeated report is not counted.
    expectStatus(201, await on.report(reviews[0] ?? "", flooding));
  });

  test("and does not count among the marked once it is withdrawn", async () => {
    const { orderId, review: written } = await on.placeReviewed({ rating: 2 });
    for (const who of buyers.slice(0, 3)) expectStatus(201, await on.report(written.id, who));
    const { summary: before } = await on.list();
    expectStatus(200, await on.withdraw(orderId));
    const { summary: after } = await on.list();
    expect(after.marked).toBe(before.marked - 1);
    expect(after.withdrawn).toBe(before.withdrawn + 1);
  });
});
