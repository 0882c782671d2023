import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertEvents } from "../../../db/account-events.ts";
import type { Transaction } from "../../../db/client.ts";
import { event } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { expectStatus, type Session, signIn } from "../../harness/api.ts";
import { createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const pull = async (who: Session, query = "") =>
  expectStatus(200, await market.api.request("GET", `/events?${query}`, { token: who.token }));
const tell = (tx: Transaction, who: Session, title: string) =>
  insertEvents(tx, [
    {
      accountId: who.accountId,
      type: "request.matched",
      orderId: null,
      key: randomUUID(),
      data: { request_id: "req_x", title, tags: [], links: { request: "/api/v1/requests/req_x" } },
    },
  ]);
const titles = (answer: { items: { data: { title: string } }[] }) =>
  answer.items.map(({ data }) => data.title);

test("an order's events reach both parties only, each with its role", async () => {
  const { id, reference } = await place(market);
  for (const [who, role] of [
    [market.buyer, "buyer"],
    [market.provider, "provider"],
  ] as const) {
    const { items } = await pull(who);
    const listed = items.find((one: { data: { order?: { id: string } } }) => one.data.order?.id === id);
    const [row] = (await market.api.db.select().from(event).where(eq(event.orderId, id))).filter(
      ({ accountId }) => accountId === who.accountId,
    );
    expect(listed).toEqual({
      id: row?.id,
      event_id: row?.id,
      type: "order.created",
      created_at: row?.createdAt.toISOString(),
      data: {
        order: expect.objectContaining({
          id,
          reference,
          your_role: role,
          status: "created",
          total_amount: "2.500000",
        }),
        entry: expect.objectContaining({ type: "order.created", actor: "buyer", confirmed: true }),
        links: {
          order: `/api/v1/orders/${id}`,
          trail: `/api/v1/orders/${id}/events`,
          receipts: `/api/v1/orders/${id}/receipts`,
        },
      },
    });
  }
  expect((await pull(market.outsider)).items).toEqual([]);
});

test("a cursor resumes at its position, and stays valid without new events", async () => {
  const who = await signIn(market.api);
  for (const title of ["one", "two", "three"]) {
    await inTransaction(market.api.db, (tx) => tell(tx, who, title));
  }
  const first = await pull(who, "limit=2");
  expect(titles(first)).toEqual(["one", "two"]);
  expect(first.has_more).toBe(true);
  const second = await pull(who, `limit=2&cursor=${first.next_cursor}`);
  expect(titles(second)).toEqual(["three"]);
  expect(second.has_more).toBe(false);
  const third = await pull(who, `cursor=${second.next_cursor}`);
  expect(third).toEqual({ items: [], next_cursor: second.next_cursor, has_more: false });
  await inTransaction(market.api.db, (tx) => tell(tx, who, "four"));
  expect(titles(await pull(who, `cursor=${third.next_cursor}`))).toEqual(["four"]);
});

test("the order `newest` reads back from the last event to the first, page by page", async () => {
  const who = await signIn(market.api);
  for (const title of ["one", "two", "three"]) {
    await inTransaction(market.api.db, (tx) => tell(tx, who, title));
  }
  const first = await pull(who, "order=newest&limit=2");
  expect(titles(first)).toEqual(["three", "two"]);
  expect(first.has_more).toBe(true);
  await inTransaction(market.api.db, (tx) => tell(tx, who, "four"));
  const second = await pull(who, `order=newest&limit=2&cursor=${first.next_cursor}`);
  expect([titles(second), second.has_more]).toEqual([["one"], false]);
  expect(titles(await pull(who, "order=newest&limit=1"))).toEqual(["four"]);
});

test("an event whose transaction ends late is not skipped", async () => {
  const who = await signIn(market.api);
  const [written, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = inTransaction(market.api.db, async (tx) => {
    await tell(tx, who, "begun first, ended last");
    written.resolve();
    await ended.promise;
  });
  await written.promise;
  await inTransaction(market.api.db, (tx) => tell(tx, who, "begun last, ended first"));
  const before = await pull(who);
  expect(titles(before)).toEqual(["begun last, ended first"]);
  ended.resolve();
  await slow;
  expect(titles(await pull(who, `cursor=${before.next_cursor}`))).toEqual(["begun first, ended last"]);
});

test("concurrent readers give each event one position", async () => {
  const who = await signIn(market.api);
  await inTransaction(market.api.db, async (tx) => {
    for (let number = 0; number < 20; number += 1) await tell(tx, who, String(number));
  });
  const answers = await Promise.all(Array.from({ length: 8 }, () => pull(who)));
  for (const answer of answers) expect(titles(answer)).toEqual(titles(answers[0]));
  expect(titles(answers[0])).toEqual(Array.from({ length: 20 }, (_, number) => String(number)));
});

test("a cursor stays valid although all earlier events were deleted", async () => {
  const who = await signIn(market.api);
  await inTransaction(market.api.db, (tx) => tell(tx, who, "old"));
  const { next_cursor } = await pull(who);
  await market.api.db.delete(event).where(eq(event.accountId, who.accountId));
  await inTransaction(market.api.db, (tx) => tell(tx, who, "new"));
  expect(titles(await pull(who, `cursor=${next_cursor}`))).toEqual(["new"]);
});

test("only the requested types are returned, and only of the last thirty days", async () => {
  const who = await signIn(market.api);
  await inTransaction(market.api.db, (tx) => tell(tx, who, "kept"));
  await inTransaction(market.api.db, (tx) => tell(tx, who, "too old"));
  await market.api.db
    .update(event)
    .set({ createdAt: sql`now() - interval '31 days'` })
    .where(sql`${event.data} ->> 'title' = 'too old'`);
  expect(titles(await pull(who))).toEqual(["kept"]);
  expect(titles(await pull(who, "type=request.matched&type=quote.received"))).toEqual(["kept"]);
  expect(titles(await pull(who, "type=quote.received"))).toEqual([]);
});

test.each(["limit=0", "limit=101", "cursor=nonsense", "type=order.paid", "order=latest"])(
  "refuses %s",
  async (query) => {
    const answer = await market.api.request("GET", `/events?${query}`, { token: market.buyer.token });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  },
);
