import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fact, order, orderMessage, relay } from "../../../db/schema.ts";
import { eventDataSchemas } from "../../../protocol/facts/event-data.ts";
import { createKey, expectStatus } from "../../harness/api.ts";
import { placeDisputed } from "../../harness/market/court.ts";
import { ask, indexer, place, placeFunded, rowOf, settleNow } from "../../harness/market/market.ts";
import { createTalk } from "../../harness/market/messages.ts";
import { expectRefused } from "../../harness/market/reviews.ts";

let on: Awaited<ReturnType<typeof createTalk>>;
beforeAll(async () => {
  on = await createTalk();
});
afterAll(() => on?.court.api.close());

describe("a message is written", () => {
  test("by both parties before and after the payment, and changes nothing of the order", async () => {
    const { buyer, provider, api } = on.court;
    const placed = await place(on.court);
    const before = await api.db.$count(fact, eq(fact.orderId, placed.id));
    const first = await on.send(placed.id, buyer, "Can you start on Monday?\r\nOr later?");
    expect(first).toEqual({
      id: expect.stringMatching(/^msg_/),
      order_id: placed.id,
      by: "buyer",
      is_own: true,
      created_at: expect.any(String),
      text: "Can you start on Monday?\nOr later?",
      files: [],
      withdrawn_at: null,
      hidden_at: null,
    });
    await on.send(placed.id, provider, "On Monday.");
    const { items } = expectStatus(200, await on.list(placed.id, provider));
    expect(items).toEqual([
      expect.objectContaining({ by: "provider", is_own: true, text: "On Monday." }),
      { ...first, is_own: false },
    ]);
    expect(await api.db.$count(fact, eq(fact.orderId, placed.id))).toBe(before);
    const { unread_messages: _, ...now } = expectStatus(
      200,
      await ask(on.court, buyer, "GET", `/orders/${placed.id}`),
    );
    const { unread_messages: __, ...then } = placed;
    expect(now).toEqual(then);
  });

  test("once for one Idempotency-Key, and twice without a key", async () => {
    const { id } = await placeFunded(on.court);
    const key = { "idempotency-key": "hello" };
    const first = expectStatus(201, await on.write(id, on.court.buyer, "Hello", key));
    expect(expectStatus(201, await on.write(id, on.court.buyer, "Hello", key))).toEqual(first);
    await on.send(id, on.court.buyer, "Hello");
    expect(await on.textsOf(id, on.court.buyer)).toEqual(["Hello", "Hello"]);
  });

  test("in one order by twenty writers at once", async () => {
    const { id } = await placeFunded(on.court);
    const writers = Array.from({ length: 20 }, (_, at) => (at % 2 ? on.court.buyer : on.court.provider));
    await Promise.all(writers.map((who, at) => on.send(id, who, `Message ${at}`)));
    const rows = await on.court.api.db.select().from(orderMessage).where(eq(orderMessage.orderId, id));
    const sorted = rows.sort((a, b) => a.position - b.position);
    expect(sorted.map(({ position }) => position)).toEqual(writers.map((_, at) => at + 1));
    const times = sorted.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    // Pages have all messages once.
    const first = expectStatus(200, await on.list(id, on.court.buyer, "?limit=12"));
    const rest = expectStatus(
      200,
      await on.list(id, on.court.buyer, `?limit=12&cursor=${first.next_cursor}`),
    );
    const ids = [...first.items, ...rest.items].map((item: { id: string }) => item.id);
    expect(ids).toEqual(sorted.map((row) => row.id).reverse());
    expect(rest.next_cursor).toBeNull();
  });

  test("until 30 days after the end, however the order ended", async () => {
    const { api, buyer, provider } = on.court;
    const { id, row } = await placeFunded(on.court);
    await indexer(on.court, row).ended("Refunded");
    await settleNow(on.court);
    await on.send(id, provider, "Refunded, sorry.");
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    await api.db
      .update(order)
      .set({ completedAt: days(29) })
      .where(eq(order.id, id));
    await on.send(id, buyer, "Thank you.");
    await api.db
      .update(order)
      .set({ completedAt: days(31) })
      .where(eq(order.id, id));
    expectRefused(await on.write(id, buyer, "Hm."), 409, "invalid_state", /30 days/);
    // Earlier messages stay readable.
    expect(await on.textsOf(id, provider)).toEqual(["Refunded, sorry.", "Thank you."]);
    const { id: unpaid } = await place(on.court);
    const fundBy = (date: Date) => Math.floor(date.getTime() / 1000);
    await api.db
      .update(order)
      .set({ status: "expired", fundBy: fundBy(days(29)) })
      .where(eq(order.id, unpaid));
    await on.send(unpaid, buyer, "Too late?");
    await api.db
      .update(order)
      .set({ fundBy: fundBy(days(31)) })
      .where(eq(order.id, unpaid));
    expectRefused(await on.write(unpaid, buyer, "Hm."), 409, "invalid_state");
  });
});

describe("a message is read", () => {
  test("by nobody but the parties, and the arbiter from the dispute on, who sees what came before it", async () => {
    const { buyer, provider, outsider, arbiter } = on.court;
    const { id } = await placeFunded(on.court);
    await on.send(id, buyer, "Before the dispute.");
    for (const who of [outsider, arbiter]) {
      expectRefused(await on.list(id, who), 404, "not_found");
      expectRefused(await on.write(id, who, "Hi."), 404, "not_found");
    }
    const disputed = await placeDisputed(on.court);
    const written = await on.send(disputed.id, provider, "It is done.");
    const { items } = expectStatus(200, await on.list(disputed.id, arbiter));
    expect(items).toEqual([{ ...written, is_own: false }]);
    await on.send(disputed.id, arbiter, "Please send the first page.");
    expect(await on.textsOf(disputed.id, buyer)).toEqual(["It is done.", "Please send the first page."]);
    expectRefused(await on.list(disputed.id, outsider), 404, "not_found");
    // After the dispute the arbiter neither writes nor reads what the parties write then.
    await disputed.chain.ended("Released");
    await settleNow(on.court);
    await on.send(disputed.id, buyer, "Until next time.");
    expectRefused(await on.write(disputed.id, arbiter, "Bye."), 409, "invalid_state", /settled/);
    expect(await on.textsOf(disputed.id, arbiter)).toEqual(["It is done.", "Please send the first page."]);
  });

  test("with the scope of orders alone: a key that reads cannot write", async () => {
    const { api, provider } = on.court;
    const { id } = await placeFunded(on.court);
    const sent = await on.send(id, on.court.buyer, "Hello");
    const path = `/orders/${id}/messages`;
    const reader = await createKey(api, provider, ["orders:read"]);
    const other = await createKey(api, provider, ["webhooks:read", "agents:write"]);
    expectStatus(200, await api.request("GET", path, { token: reader }));
    expectStatus(200, await api.request("GET", "/messages/unread", { token: reader }));
    expectStatus(200, await api.request("POST", `${path}/read`, { token: reader, body: { up_to: sent.id } }));
    for (const [token, method, at, body] of [
      [reader, "POST", path, { text: "Hi." }],
      [reader, "POST", `${path}/${sent.id}/withdraw`, undefined],
      [other, "GET", path, undefined],
      [other, "GET", "/messages/unread", undefined],
    ] as const) {
      expectRefused(await api.request(method, at, { token, body }), 403, "insufficient_scope");
    }
    expect((await api.request("GET", path)).status).toBe(401);
  });
});

describe("a message is withdrawn", () => {
  test("by its author alone: the text goes everywhere, and a mark stays", async () => {
    const { buyer, provider, api } = on.court;
    const { id } = await placeFunded(on.court);
    const sent = await on.send(id, buyer, "My secret is hunter2.");
    expectRefused(await on.withdraw(id, provider, sent.id), 404, "not_found");
    expectRefused(await on.withdraw(id, buyer, "msg_01jd3w8x2mfhz8w9q4t6n5k7ra"), 404, "not_found");
    expectRefused(await on.withdraw(id, buyer, "1"), 404, "not_found");
    const left = expectStatus(200, await on.withdraw(id, buyer, sent.id));
    expect(left).toEqual({ ...sent, text: null, withdrawn_at: expect.any(String) });
    expect(expectStatus(200, await on.withdraw(id, buyer, sent.id))).toEqual(left);
    expect(expectStatus(200, await on.list(id, provider)).items).toEqual([{ ...left, is_own: false }]);
    for (const who of [buyer, provider]) {
      const feed = await ask(on.court, who, "GET", "/events");
      expect(JSON.stringify(feed.body)).not.toContain("hunter2");
    }
    const { rows } = await api.db.execute<{ found: number }>(`
      select count(*)::int as found from earnest.order_message as message where message::text like '%hunter2%'`);
    expect(rows[0]?.found).toBe(0);
  });

  test("by nobody while a dispute is open, and by its author once it is settled", async () => {
    const { buyer } = on.court;
    const { id, chain } = await placeDisputed(on.court);
    const sent = await on.send(id, buyer, "I said so.");
    expectRefused(await on.withdraw(id, buyer, sent.id), 409, "invalid_state", /dispute/);
    await chain.ended("Refunded");
    await settleNow(on.court);
    expectStatus(200, await on.withdraw(id, buyer, sent.id));
  });

  test("by nobody once a dispute is on its way: in the relayer's queue, or indexed and not confirmed", async () => {
    const { api, buyer } = on.court;
    const { id, row } = await placeFunded(on.court);
    const sent = await on.send(id, buyer, "I said so.");
    const key = `${row.escrowId}:dispute:buyer`;
    await api.db.insert(relay).values({
      id: typeid("rly").toString(),
      key,
      chainId: row.chainId,
      orderId: id,
      to: row.escrowContract,
      data: "0x" as const,
    });
    expectRefused(await on.withdraw(id, buyer, sent.id), 409, "invalid_state", /dispute/);
    // A failed dispute is none.
    await api.db.update(relay).set({ status: "failed" }).where(eq(relay.key, key));
    const other = await on.send(id, buyer, "Or not.");
    expectStatus(200, await on.withdraw(id, buyer, other.id));
    const chain = indexer(on.court, row);
    await chain.disputed("provider");
    expectRefused(await on.withdraw(id, buyer, sent.id), 409, "invalid_state", /dispute/);
    await settleNow(on.court);
    await chain.ended("Refunded");
    await settleNow(on.court);
    expectStatus(200, await on.withdraw(id, buyer, sent.id));
  });

  test("and never changed: the database refuses other texts, authors, places and times", async () => {
    const { api, buyer, outsider } = on.court;
    const { id } = await placeFunded(on.court);
    const sent = await on.send(id, buyer, "As it is.");
    const change = (columns: Partial<typeof orderMessage.$inferInsert>) =>
      api.db.update(orderMessage).set(columns).where(eq(orderMessage.id, sent.id));
    for (const columns of [
      { text: "Otherwise." },
      { text: null },
      { authorAccountId: outsider.accountId },
      { authorRole: "provider" as const },
      { position: 7 },
      { createdAt: new Date(0) },
      { files: [{ file_id: "fil_x", sha256: "0x" as const, size: 1, name: "a" }] },
    ]) {
      await expect(change(columns)).rejects.toThrow();
    }
    expectStatus(200, await on.withdraw(id, buyer, sent.id));
    await expect(change({ withdrawnAt: null, text: "As it is." })).rejects.toThrow();
    expect(await on.textsOf(id, buyer)).toEqual([null]);
  });
});

describe("a hidden message", () => {
  test("is shown to its author alone, and counts as unread for nobody", async () => {
    const { api, buyer, provider } = on.court;
    const { id } = await placeFunded(on.court);
    const sent = await on.send(id, buyer, "Visit my site.");
    expect(await on.unreadOf(id, provider)).toBe(1);
    const hide = (hiddenAt: Date | null) =>
      api.db.update(orderMessage).set({ hiddenAt }).where(eq(orderMessage.id, sent.id));
    await hide(new Date());
    expect(await on.textsOf(id, provider)).toEqual([null]);
    expect(await on.textsOf(id, buyer)).toEqual(["Visit my site."]);
    expect(await on.unreadOf(id, provider)).toBe(0);
    await hide(null);
    expect(await on.textsOf(id, provider)).toEqual(["Visit my site."]);
    expect(await on.unreadOf(id, provider)).toBe(1);
  });
});

describe("the event of a message", () => {
  test("goes to the other readers and not to the author, without the text", async () => {
    const { buyer, provider, arbiter } = on.court;
    const { id, row } = await placeFunded(on.court);
    const sent = await on.send(id, buyer, "A secret plan.");
    expect(await on.eventsOf(buyer, id)).toEqual([]);
    const [event, ...more] = await on.eventsOf(provider, id);
    expect(more).toEqual([]);
    expect(event?.data).toEqual(eventDataSchemas["order.message"].parse(event?.data));
    expect(event?.data).toMatchObject({
      order: { id, reference: row.reference, your_role: "provider" },
      message: { id: sent.id, by: "buyer", sent_at: sent.created_at, notifies: true },
      links: { order: `/api/v1/orders/${id}`, messages: `/api/v1/orders/${id}/messages` },
    });
    expect(JSON.stringify(event)).not.toContain("secret plan");
    const disputed = await placeDisputed(on.court);
    const words = await on.send(disputed.id, arbiter, "Please explain.");
    for (const who of [buyer, provider]) {
      expect((await on.eventsOf(who, disputed.id)).map(({ data }) => data.message.id)).toEqual([words.id]);
    }
    await on.send(disputed.id, buyer, "It is half a page.");
    expect((await on.eventsOf(arbiter, disputed.id)).map(({ data }) => data.order.your_role)).toEqual([
      "arbiter",
    ]);
    expect((await rowOf(on.court, disputed.id)).status).toBe("disputed");
  });
});
