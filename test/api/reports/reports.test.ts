import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { report } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { openReports, reportSubject } from "../../../trade/moderation/report.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { createModeration, expectRefused, signInOperator } from "../../harness/market/moderation.ts";
import { createReviewMarket, type ReviewMarket } from "../../harness/market/reviews.ts";

let on: ReviewMarket;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
let payer: Session;
beforeAll(async () => {
  on = await createReviewMarket();
  moderation = createModeration(on.market.api);
  operator = await signInOperator(on.market.api);
  payer = await on.signUpBuyer();
});
afterAll(() => on?.market.api.close());

const newAgent = async () => {
  const seller = await signIn(on.market.api);
  return { seller, ...(await publishService(on.market.api, seller)) };
};

describe("a report", () => {
  test("of an agent, a service and an account waits for an operator, and hides nothing", async () => {
    const { seller, agent, service } = await newAgent();
    const { outsider } = on.market;
    for (const [kind, id] of [
      ["agent", agent.id],
      ["service", service.id],
      ["account", seller.accountId],
    ] as const) {
      const made = expectStatus(201, await moderation.report(outsider, kind, id));
      expect(made).toMatchObject({ subject: { kind, id }, status: "open", answer: null, answered_at: null });
      expect(expectStatus(201, await moderation.report(outsider, kind, id, "Again."))).toEqual(made);
      expect(expectStatus(200, await moderation.request("GET", `/reports/${made.id}`, outsider))).toEqual(
        made,
      );
      expectRefused(await moderation.request("GET", `/reports/${made.id}`, seller), 404, "not_found");
    }
    const own = expectStatus(200, await moderation.request("GET", "/reports?answered=false", outsider));
    expect(own.items.map(({ subject }: { subject: { id: string } }) => subject.id)).toEqual([
      seller.accountId,
      service.id,
      agent.id,
    ]);
    expectStatus(200, await on.market.api.request("GET", `/agents/${agent.slug}`));
  });

  test("is answered once, and its account learns of it", async () => {
    const { agent } = await newAgent();
    const reporter = await signIn(on.market.api);
    const made = expectStatus(201, await moderation.report(reporter, "agent", agent.id));
    await moderation.acted(operator, agent.id, "dismiss", { answer: "We see no fraud." });
    expect(expectStatus(200, await moderation.request("GET", `/reports/${made.id}`, reporter))).toMatchObject(
      {
        status: "dismissed",
        answer: "We see no fraud.",
        answered_at: expect.any(String),
      },
    );
    const events = await moderation.eventsOf(reporter, "report.answered");
    expect(events.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        report_id: made.id,
        outcome: "dismissed",
        subject: { kind: "agent", id: agent.id },
      }),
    ]);
    expectRefused(
      await moderation.act(operator, agent.id, { act: "dismiss", reason: "Again." }),
      409,
      "invalid_state",
      /no open report/,
    );
    // The owner is not told of reports that came to nothing.
    expect(await moderation.moderations(await signIn(on.market.api))).toEqual([]);
  });

  test("is refused of one's own, of nothing, of a draft, to a key without the scope, and to nobody", async () => {
    const { api } = on.market;
    const { seller, agent } = await newAgent();
    expectRefused(await moderation.report(seller, "agent", agent.id), 409, "invalid_state", /your own/);
    expectRefused(await moderation.report(payer, "service", agent.id), 404, "not_found");
    const none = "agt_01jd3w8x2mfhz8w9q4t6n5k7ra";
    expectRefused(await moderation.report(payer, "agent", none), 404, "not_found");
    const body = { slug: `draft-${process.pid}`, name: "A draft" };
    const draft = expectStatus(201, await moderation.request("POST", "/agents", seller, body));
    expectRefused(await moderation.report(payer, "agent", draft.id), 404, "not_found");
    const key = await createKey(api, payer, ["orders:read"]);
    const request = { subject: { kind: "agent", id: agent.id }, reason: "spam", text: "Spam." };
    expectRefused(
      await api.request("POST", "/reports", { token: key, body: request }),
      403,
      "insufficient_scope",
    );
    expectRefused(await api.request("POST", "/reports", { body: request }), 401, "unauthenticated");
    for (const wrong of [
      { reason: "bad" },
      { text: "" },
      { text: "x".repeat(1001) },
      { subject: { kind: "agent" } },
    ]) {
      expectRefused(
        await moderation.request("POST", "/reports", payer, { ...request, ...wrong }),
        400,
        "invalid_request",
      );
    }
  });

  test("counts if its account paid the owner, so accounts that paid nobody or others do not move the queue", async () => {
    const [honest, guilty] = [await newAgent(), await newAgent()];
    for (let at = 0; at < 4; at += 1) {
      expectStatus(201, await moderation.report(await signIn(on.market.api), "agent", honest.agent.id));
    }
    const customer = await on.signUpBuyer(guilty);
    expectStatus(201, await moderation.report(customer, "agent", guilty.agent.id));
    expectStatus(201, await moderation.report(payer, "agent", honest.agent.id));
    const { items } = await moderation.queue(operator, "?kind=agent");
    const ids = items.map(({ subject }: { subject: { id: string } }) => subject.id);
    expect(ids.indexOf(guilty.agent.id)).toBe(0);
    const found = items.find(({ subject }: { subject: { id: string } }) => subject.id === honest.agent.id);
    expect(found).toMatchObject({ open_reports: 5, open_counted: 0, reports: 5, withheld: false });
    const first = await moderation.queue(operator, "?kind=agent&limit=1");
    expect(first.items[0].subject.id).toBe(guilty.agent.id);
    const next = await moderation.queue(operator, `?kind=agent&limit=1&cursor=${first.next_cursor}`);
    expect(next.items[0].subject.id).toBe(honest.agent.id);
    // An appeal comes before all reports.
    const appealing = await newAgent();
    const { id } = await moderation.acted(operator, appealing.agent.id, "suspend");
    const path = `/moderations/${id}/appeal`;
    expectStatus(201, await moderation.request("POST", path, appealing.seller, { text: "It is lawful." }));
    const top = await moderation.queue(operator, "?kind=agent&limit=1");
    expect(top.items[0].subject.id).toBe(appealing.agent.id);
    const second = await moderation.queue(operator, `?kind=agent&limit=1&cursor=${top.next_cursor}`);
    expect(second.items[0].subject.id).toBe(guilty.agent.id);
    await moderation.acted(operator, appealing.agent.id, "dismiss");
  });
});

describe("a flood of reports", () => {
  test("is bounded for a subject and in all, and leaves room for reports that count", async () => {
    const { db } = on.market.api;
    const made = await newAgent();
    const { agent } = made;
    const attempt = async (who: Session, most: Partial<typeof openReports>) =>
      inTransaction(db, (tx) =>
        reportSubject(
          tx,
          who,
          { kind: "agent", id: agent.id },
          { reason: "spam", text: "Spam." },
          { ...openReports, ...most },
        ),
      ).then(
        () => "made",
        (error) => error.message,
      );
    const [one, two, three] = [
      await signIn(on.market.api),
      await signIn(on.market.api),
      await signIn(on.market.api),
    ];
    expect(await attempt(one, { uncounted: 1 })).toBe("made");
    expect(await attempt(two, { uncounted: 1 })).toMatch(/many reports already/);
    const waiting = await db.$count(report, sql`answered_at is null and not counts`);
    expect(await attempt(two, { uncountedInAll: waiting })).toMatch(/more reports than they can read/);
    const [customer, other] = [await on.signUpBuyer(made), await on.signUpBuyer(made)];
    expect(await attempt(customer, { uncounted: 1, uncountedInAll: waiting })).toBe("made");
    expect(await attempt(other, { counted: 1 })).toMatch(/many reports already/);
    expect(await attempt(three, { uncountedInAll: waiting + 1 })).toBe("made");
    const rows = await db.select().from(report).where(eq(report.subjectId, agent.id));
    expect(rows).toHaveLength(3);
  });

  test("is one report of an account, however often and from how many connections", async () => {
    const { agent } = await newAgent();
    const who = await signIn(on.market.api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => moderation.report(who, "agent", agent.id)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const { items } = await moderation.queue(operator, "?kind=agent&limit=100");
    const found = items.find(({ subject }: { subject: { id: string } }) => subject.id === agent.id);
    expect(found).toMatchObject({ open_reports: 1, reports: 1 });
  });
});

test("the counts by month are public, and name nobody", async () => {
  const { api } = on.market;
  const before = expectStatus(200, await api.request("GET", "/transparency"));
  const { agent } = await newAgent();
  expectStatus(201, await moderation.report(payer, "agent", agent.id));
  await moderation.acted(operator, agent.id, "suspend");
  await moderation.acted(operator, agent.id, "restore");
  const after = expectStatus(200, await api.request("GET", "/transparency"));
  const countsOf = ({ months }: typeof after) =>
    months[0]?.kinds.find(({ kind }: { kind: string }) => kind === "agent") ?? {};
  const [was, is] = [countsOf(before), countsOf(after)];
  const month = new Date().toISOString().slice(0, 7);
  expect(after.months[0].month).toBe(month);
  expect(is).toMatchObject({
    reported: (was.reported ?? 0) + 1,
    acted: (was.acted ?? 0) + 1,
    withheld: (was.withheld ?? 0) + 1,
    restored: (was.restored ?? 0) + 1,
  });
  expect(JSON.stringify(after)).not.toMatch(/(acc|agt|rpt|mod)_/);
});
