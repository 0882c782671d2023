import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { event, notificationMark } from "../../../db/schema.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { createKey, expectStatus, type Session, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  place,
  placeDelivered,
  settleNow,
} from "../../harness/market/market.ts";
import { organisationOf, refusal } from "../../harness/organisation.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

type Item = { id: string; type: string; read: boolean; data: { order?: { id: string } } };
type Page = { items: Item[]; unread: number; unread_relation: string; next_cursor: string | null };

const list = async (who: Session, query = ""): Promise<Page> =>
  expectStatus(200, await ask(market, who, "GET", `/notifications${query}`));
const mark = (who: Session, body: object) => ask(market, who, "POST", "/notifications/read", body);
const typesOf = (page: Page, orderId: string) =>
  page.items.filter(({ data }) => data.order?.id === orderId).map(({ type }) => type);

describe("notifications", () => {
  test("tell each party what the others and the chain did, and not what the party did", async () => {
    const { id, row } = await placeDelivered(market);
    await indexer(market, row).ended("Released");
    await settleNow(market);
    expect(typesOf(await list(market.buyer), id)).toEqual([
      "order.released",
      "order.delivered",
      "order.funded",
    ]);
    expect(typesOf(await list(market.provider), id)).toEqual([
      "order.released",
      "order.funded",
      "order.created",
    ]);
    // The feed has every event.
    const { items } = expectStatus(200, await ask(market, market.buyer, "GET", "/events"));
    expect(typesOf({ items } as Page, id)).toEqual([
      ...["order.created", "order.funded", "order.started", "order.delivered", "order.released"],
    ]);
  });

  test("tell the owner of a key that an order waits for approval", async () => {
    const body = { name: "agent", scopes: ["orders:write", "orders:read"], limits: { approval_above: "1" } };
    const { token } = expectStatus(201, await ask(market, market.buyer, "POST", "/api-keys", body));
    const { id } = await place({ ...market, buyer: { ...market.buyer, token } });
    expect(typesOf(await list(market.buyer), id)).toEqual(["order.approval_requested"]);
    expect(typesOf(await list(market.provider), id)).toEqual(["order.created"]);
  });

  test("are marked by their ids, or all up to one, and only for the caller's account", async () => {
    const seller = market.provider;
    for (let at = 0; at < 3; at += 1) await place(market);
    const before = await list(seller);
    expect(before.items.every(({ read }) => !read)).toBe(true);
    expect([before.unread, before.unread_relation]).toEqual([before.items.length, "eq"]);
    const [newest, second, third] = before.items;
    if (!newest || !second || !third) throw new Error("There are too few notifications.");
    const marked = expectStatus(200, await mark(seller, { ids: [second.id, second.id] }));
    expect(marked).toEqual({ unread: before.unread - 1, unread_relation: "eq" });
    expect((await list(seller, "?unread=true")).items.map(({ id }) => id)).not.toContain(second.id);
    // Another account's ids change nothing, for either account.
    expectStatus(200, await mark(market.buyer, { ids: [newest.id] }));
    expect(refusal(await mark(market.buyer, { up_to: newest.id }))).toEqual([404, "not_found"]);
    expect((await list(seller)).unread).toBe(before.unread - 1);
    // All up to the third: the newest alone is unread. An older position changes nothing.
    expect(expectStatus(200, await mark(seller, { up_to: third.id })).unread).toBe(1);
    expectStatus(200, await mark(seller, { up_to: before.items.at(-1)?.id }));
    const after = await list(seller);
    expect(after.items.filter(({ read }) => !read).map(({ id }) => id)).toEqual([newest.id]);
    expect((await list(seller, "?unread=true")).items.map(({ id }) => id)).toEqual([newest.id]);
  });

  test("come in pages, each once, and unread ones are counted up to 99", async () => {
    const reader = await signIn(market.api);
    await market.api.db.execute(sql`
      insert into ${event} (id, account_id, type, key, data)
      select 'evt_' || lpad(n::text, 26, '0'), ${reader.accountId}, 'quote.received', 'quote:' || n, '{}' from generate_series(1, 120) as n`);
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(reader, `?limit=50${cursor === null ? "" : `&cursor=${cursor}`}`);
      expect([page.unread, page.unread_relation]).toEqual([99, "gte"]);
      all.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(all).toHaveLength(120);
    expect(all).toEqual([...new Set(all)].sort().reverse());
    const [last] = all;
    expect(expectStatus(200, await mark(reader, { up_to: last }))).toEqual({
      unread: 0,
      unread_relation: "eq",
    });
  });

  test("have a read state for each member, and a removed member gets none", async () => {
    const of = organisationOf(market.api, market.provider);
    const [viewer, admin] = [await of.join("viewer"), await of.join("admin")];
    await place(market);
    const read = (who: Session) => of.send(who, "GET", "/notifications", undefined, market.provider);
    const { items, unread } = expectStatus(200, await read(viewer)) as Page;
    expect(unread).toBe(items.length);
    const up_to = items[0]?.id;
    const answer = await of.send(viewer, "POST", "/notifications/read", { up_to }, market.provider);
    expect(expectStatus(200, answer).unread).toBe(0);
    expect(expectStatus(200, await read(viewer)).unread).toBe(0);
    expect(expectStatus(200, await read(admin)).unread).toBe(unread);
    // The member's own account has other notifications.
    expect((await list(viewer)).items).toEqual([]);
    expectStatus(200, await of.remove(viewer));
    expect(refusal(await read(viewer))).toEqual([403, "insufficient_role"]);
    const late = await of.send(viewer, "POST", "/notifications/read", { up_to }, market.provider);
    expect(refusal(late)).toEqual([403, "insufficient_role"]);
  });

  test("need webhooks:read, and either ids or up_to", async () => {
    const key = await createKey(market.api, market.buyer, ["orders:read"]);
    const refused = await market.api.request("GET", "/notifications", { token: key });
    expect(refusal(refused)).toEqual([403, "insufficient_scope"]);
    const id = "evt_01jd3w8x2mfhz8w9q4t6n5k7ra";
    for (const body of [
      {},
      { ids: [] },
      { ids: [id], up_to: id },
      { ids: Array(101).fill(id) },
      { up_to: 7 },
    ]) {
      expect(refusal(await mark(market.buyer, body)), JSON.stringify(body)).toEqual([400, "invalid_request"]);
    }
    expect(refusal(await ask(market, market.buyer, "GET", "/notifications?cursor=x"))).toEqual([
      ...[400, "invalid_request"],
    ]);
  });

  test("go with their marks when the feed's time is over", async () => {
    const { db } = market.api;
    const reader = await signIn(market.api);
    const id = "evt_zz000000000000000000000000";
    const old = sql`now() - interval '31 days'`;
    await db
      .insert(event)
      .values({ id, accountId: reader.accountId, type: "quote.received", key: "q", data: {} });
    expectStatus(200, await mark(reader, { ids: [id] }));
    const marks = () => db.$count(notificationMark, eq(notificationMark.eventId, id));
    expect(await marks()).toBe(1);
    await db.update(event).set({ createdAt: old }).where(eq(event.id, id));
    expect((await list(reader)).items).toEqual([]);
    await removeOldRows(db);
    expect(await marks()).toBe(0);
  });
});
