import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { event, order, orderCorrespondent } from "../../../db/schema.ts";
import { expectStatus } from "../../harness/api.ts";
import { placeDisputed } from "../../harness/market/court.ts";
import { ask, placeFunded } from "../../harness/market/market.ts";
import { createTalk } from "../../harness/market/messages.ts";
import { expectRefused } from "../../harness/market/reviews.ts";

let on: Awaited<ReturnType<typeof createTalk>>;
beforeAll(async () => {
  on = await createTalk();
});
afterAll(() => on?.court.api.close());

test("an order, its list and the total count the messages that others wrote and nobody has read", async () => {
  const { buyer, provider } = on.court;
  const before = await on.unreadInAll(provider);
  const { id } = await placeFunded(on.court);
  const [first] = [await on.send(id, buyer, "One"), await on.send(id, buyer, "Two")];
  await on.send(id, buyer, "Three");
  expect(await on.unreadOf(id, buyer)).toBe(0);
  expect(await on.unreadOf(id, provider)).toBe(3);
  const { items } = expectStatus(200, await ask(on.court, provider, "GET", "/orders/received"));
  expect(items.find((item: { id: string }) => item.id === id).unread_messages).toBe(3);
  expect(await on.unreadInAll(provider)).toEqual({ ...before, provider: before.provider + 3 });

  expect(expectStatus(200, await on.markRead(id, provider, first.id))).toEqual({ unread_messages: 2 });
  // An earlier mark takes nothing back.
  const last = await on.send(id, buyer, "Four");
  expect(expectStatus(200, await on.markRead(id, provider, last.id))).toEqual({ unread_messages: 0 });
  expect(expectStatus(200, await on.markRead(id, provider, first.id))).toEqual({ unread_messages: 0 });
  expect(await on.unreadInAll(provider)).toEqual(before);
});

test("a withdrawn message is unread for nobody, whether it was read before or not", async () => {
  const { buyer, provider } = on.court;
  const { id } = await placeFunded(on.court);
  const read = await on.send(id, buyer, "One");
  expectStatus(200, await on.markRead(id, provider, read.id));
  const unread = await on.send(id, buyer, "Two");
  await on.send(id, buyer, "Three");
  expectStatus(200, await on.withdraw(id, buyer, read.id));
  expect(await on.unreadOf(id, provider)).toBe(2);
  expectStatus(200, await on.withdraw(id, buyer, unread.id));
  expect(await on.unreadOf(id, provider)).toBe(1);
});

test("a mark of another order's message, or of a stranger, is 404", async () => {
  const { buyer, provider, outsider } = on.court;
  const [one, other] = [await placeFunded(on.court), await placeFunded(on.court)];
  const sent = await on.send(one.id, buyer, "Hello");
  expectRefused(await on.markRead(other.id, provider, sent.id), 404, "not_found");
  expectRefused(await on.markRead(one.id, outsider, sent.id), 404, "not_found");
  expectRefused(await on.markRead(one.id, provider, "x"), 404, "not_found");
});

test("twenty messages and marks at once end with the right count", async () => {
  const { buyer, provider } = on.court;
  const { id } = await placeFunded(on.court);
  const first = await on.send(id, buyer, "0");
  await Promise.all(
    Array.from({ length: 18 }, (_, at) =>
      at % 3 === 2 ? on.markRead(id, provider, first.id) : on.send(id, buyer, String(at)),
    ),
  );
  expect(await on.unreadOf(id, provider)).toBe(12);
});

test("people are notified once while messages of an order are unread, and again after they were read", async () => {
  const { buyer, provider, api } = on.court;
  const { id } = await placeFunded(on.court);
  const sent = [await on.send(id, buyer, "1"), await on.send(id, buyer, "2"), await on.send(id, buyer, "3")];
  const notifying = async () => (await on.eventsOf(provider, id)).map(({ data }) => data.message.notifies);
  expect(await notifying()).toEqual([true, false, false]);
  const { items } = expectStatus(200, await ask(on.court, provider, "GET", "/notifications?limit=100"));
  const ofOrder = items.filter(
    (item: { type: string; data: { order?: { id: string } } }) =>
      item.type === "order.message" && item.data.order?.id === id,
  );
  expect(ofOrder).toHaveLength(1);
  // A message that is withdrawn and written again does not notify again.
  expectStatus(200, await on.withdraw(id, buyer, sent[2]?.id ?? ""));
  await on.send(id, buyer, "4");
  expect(await notifying()).toEqual([true, false, false, false]);
  expectStatus(200, await on.markRead(id, provider, sent[1]?.id ?? ""));
  await on.send(id, buyer, "5");
  expect(await notifying()).toEqual([true, false, false, false, true]);
  await api.db
    .update(orderCorrespondent)
    .set({ notifiedAt: new Date(Date.now() - 16 * 60_000) })
    .where(and(eq(orderCorrespondent.orderId, id), eq(orderCorrespondent.accountId, provider.accountId)));
  await on.send(id, buyer, "6");
  expect(await notifying()).toEqual([true, false, false, false, true, true]);
  expect(await api.db.$count(event, and(eq(event.orderId, id), eq(event.type, "order.message")))).toBe(6);
});

test("an arbiter has no unread messages left of a dispute that a reorganisation removed", async () => {
  const { buyer, arbiter, api } = on.court;
  const { id } = await placeDisputed(on.court);
  await on.send(id, buyer, "Please decide.");
  expect((await on.unreadInAll(arbiter)).arbiter).toBe(1);
  await api.db.update(order).set({ status: "delivered", disputedAt: null }).where(eq(order.id, id));
  expect((await on.unreadInAll(arbiter)).arbiter).toBe(0);
  expectRefused(await on.list(id, arbiter), 404, "not_found");
});
