import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderCorrespondent, orderMessage } from "../../../db/schema.ts";
import { messageLimits } from "../../../trade/messages/message-limits.ts";
import { expectStatus, signIn } from "../../harness/api.ts";
import { asIndexer, place, placeFunded } from "../../harness/market/market.ts";
import { createTalk } from "../../harness/market/messages.ts";
import { expectRefused } from "../../harness/market/reviews.ts";

let on: Awaited<ReturnType<typeof createTalk>>;
beforeAll(async () => {
  on = await createTalk();
});
afterAll(() => on?.court.api.close());

/** Moves the messages of an account back in time. */
const age = (accountId: string, minutes: number) =>
  asIndexer(on.court, async (tx) => {
    const rows = await tx.select().from(orderMessage).where(eq(orderMessage.authorAccountId, accountId));
    for (const { id, createdAt } of rows) {
      const before = new Date(createdAt.getTime() - minutes * 60_000);
      await tx.update(orderMessage).set({ createdAt: before }).where(eq(orderMessage.id, id));
    }
  });

describe("a stranger", () => {
  test("writes five messages on an unpaid order, until the provider answers", async () => {
    const stranger = await signIn(on.court.api);
    const { id } = await place({ ...on.court, buyer: stranger });
    for (let at = 0; at < messageLimits.unansweredUnpaid; at += 1) await on.send(id, stranger, `Spam ${at}`);
    expectRefused(await on.write(id, stranger, "More"), 409, "invalid_state", /without an answer.*payment/);
    await on.send(id, on.court.provider, "Please stop.");
    await on.send(id, stranger, "One more.");
  });

  test("writes fifty messages a day over all unpaid orders", async () => {
    const { api } = on.court;
    const stranger = await signIn(api);
    const orders = [
      await place({ ...on.court, buyer: stranger }),
      await place({ ...on.court, buyer: stranger }),
    ];
    await api.db.insert(orderMessage).values(
      Array.from({ length: messageLimits.aDayUnproven }, (_, at) => ({
        id: `msg_01jd3w8x2mfhz8w9q4t6n5k${String(at).padStart(3, "0")}`,
        orderId: orders[0]?.id as string,
        position: at + 1,
        authorAccountId: stranger.accountId,
        authorRole: "buyer" as const,
        text: "Spam",
        createdAt: new Date(Date.now() - 3_600_000),
      })),
    );
    const refused = await on.write(orders[1]?.id as string, stranger, "Spam");
    expectRefused(refused, 429, "rate_limited", /before its first paid order/);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const { id } = await placeFunded({ ...on.court, buyer: stranger });
    await on.send(id, stranger, "I have paid.");
  });
});

test("an account gets thirty messages a day from another on all their unpaid orders", async () => {
  const { api, provider } = on.court;
  const stranger = await signIn(api);
  const unpaid = [
    await place({ ...on.court, buyer: stranger }),
    await place({ ...on.court, buyer: stranger }),
  ];
  const most = messageLimits.aDayUnpaidToOne;
  await api.db.insert(orderMessage).values(
    Array.from({ length: most }, (_, at) => ({
      id: `msg_01jd3w8x2mfhz8w9q4t6n5m${String(at).padStart(3, "0")}`,
      orderId: unpaid[at % 2]?.id as string,
      position: at + 1,
      authorAccountId: stranger.accountId,
      authorRole: "buyer" as const,
      text: "Spam",
      createdAt: new Date(Date.now() - 3_600_000),
    })),
  );
  const third = await place({ ...on.court, buyer: stranger });
  expectRefused(await on.write(third.id, stranger, "More."), 429, "rate_limited", /to one account/);
  await on.send(third.id, provider, "Please pay first.");
  expectRefused(await on.write(third.id, stranger, "More."), 429, "rate_limited", /to one account/);
  const { id } = await placeFunded({ ...on.court, buyer: stranger });
  await on.send(id, stranger, "I have paid.");
});

describe("a flood", () => {
  test("ends at twenty messages a minute on one order, also of thirty at once", async () => {
    const { buyer } = on.court;
    const { id } = await placeFunded(on.court);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => on.write(id, buyer, String(at))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(messageLimits.ofOrderAMinute);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]));
    await age(buyer.accountId, 2);
    await on.send(id, buyer, "A minute later.");
  });

  test("ends at sixty messages a minute on many orders", async () => {
    const { buyer } = on.court;
    await age(buyer.accountId, 2);
    const orders = [];
    for (let at = 0; at < 4; at += 1) orders.push(await placeFunded(on.court));
    const answers = await Promise.all(
      orders.flatMap(({ id }) => Array.from({ length: 18 }, (_, at) => on.write(id, buyer, String(at)))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(messageLimits.aMinute);
    await age(buyer.accountId, 2);
  });

  test("ends at fifty messages without an answer, and at the limits of an order", async () => {
    const { api, buyer } = on.court;
    const { id } = await placeFunded(on.court);
    await on.send(id, buyer, "Hello");
    const own = and(eq(orderCorrespondent.orderId, id), eq(orderCorrespondent.accountId, buyer.accountId));
    const count = (columns: Partial<typeof orderCorrespondent.$inferInsert>) =>
      api.db.update(orderCorrespondent).set(columns).where(own);
    await count({ unanswered: messageLimits.unanswered });
    expectRefused(await on.write(id, buyer, "Hm."), 409, "invalid_state", /without an answer/);
    await on.send(id, on.court.provider, "Yes?");
    await on.send(id, buyer, "Hm.");
    await count({ written: messageLimits.ofOrder });
    expectRefused(await on.write(id, buyer, "Hm."), 409, "invalid_state", /1000 messages/);
    await count({ written: 1, writtenBytes: messageLimits.bytesOfOrder - 3 });
    await on.send(id, buyer, "Hm.");
    expectRefused(await on.write(id, buyer, "H"), 409, "invalid_state", /bytes/);
  });
});

describe("a text", () => {
  test.each([
    ["empty", ""],
    ["of white space", " \n "],
    ["too long", "x".repeat(8001)],
    ["with a control character", "a\u0007"],
    ["with a zero byte", "a\u0000b"],
    ["that turns its direction", "pay \u202e evil"],
    ["of invisible characters", "\u200b\u200d\u2060"],
    ["with tags of Unicode", "a\u{e0041}"],
    ["with piled marks", `a${"\u0301".repeat(9)}`],
    ["with half a surrogate pair", "a\ud800"],
    ["that is no text", 7],
    ["that is null", null],
  ])("%s is refused", async (_, text) => {
    const { id } = await placeFunded(on.court);
    expectRefused(await on.write(id, on.court.provider, text), 400, "invalid_request");
    expect(await on.textsOf(id, on.court.buyer)).toEqual([]);
  });

  test("of 8,000 characters with line breaks and signs comes back as it is", async () => {
    const { id } = await placeFunded(on.court);
    const text = `<b>no markup</b>\n\t{"a": 1}\n[link](https://evil.example) 👩‍💻 ${"ü".repeat(7900)}`;
    await on.send(id, on.court.provider, text);
    expect(await on.textsOf(id, on.court.buyer)).toEqual([text]);
    expect(expectStatus(200, await on.list(id, on.court.buyer)).items).toHaveLength(1);
  });
});
