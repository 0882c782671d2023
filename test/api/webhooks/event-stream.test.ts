import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { sql } from "drizzle-orm";
import { Agent, EventSource } from "undici";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { insertEvents } from "../../../db/account-events.ts";
import type { Transaction } from "../../../db/client.ts";
import { inTransaction } from "../../../db/transaction.ts";
import {
  createKey,
  createTestApi,
  expectStatus,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { makeParty } from "../../harness/party.ts";
import { type OpenStream, openStream, serveApi } from "../../harness/streams.ts";

let api: TestApi;
let server: Awaited<ReturnType<typeof serveApi>>;
beforeAll(async () => {
  api = await createTestApi({
    env: { EVENT_STREAMS: "account=4,address=12,process=32,heartbeat=1,slow=2" },
  });
  server = await serveApi(api);
});
afterAll(async () => {
  await server?.close();
  await api?.close();
});

const opened: OpenStream[] = [];
afterEach(async () => {
  for (const stream of opened.splice(0)) await stream.close();
  await until(async () => (await listeners()) === 0);
});

async function follow(...args: Parameters<typeof openStream> extends [string, ...infer Rest] ? Rest : never) {
  const stream = await openStream(server.url, ...args);
  opened.push(stream);
  return stream;
}
const until = (condition: () => unknown) =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 120_000, interval: 20 });
const tell = (tx: Transaction, who: Session, title: string, padding = "") =>
  insertEvents(tx, [
    {
      accountId: who.accountId,
      type: "request.matched",
      orderId: null,
      key: randomUUID(),
      data: { request_id: "req_x", title, tags: [], links: {}, padding },
    },
  ]);
const write = (who: Session, ...titles: string[]) =>
  inTransaction(api.db, async (tx) => {
    for (const title of titles) await tell(tx, who, title);
  });
const pull = async (who: Session, query = "") =>
  expectStatus(200, await api.request("GET", `/events${query}`, { token: who.token }));
async function listeners(): Promise<number> {
  const { rows } = await api.db.execute<{ found: number }>(sql`
    select count(*)::int as found from pg_stat_activity
    where datname = current_database() and query like '%listen earnest_event%' and pid <> pg_backend_pid()`);
  return rows[0]?.found ?? 0;
}

test("sends stored and new events as the feed has them, with the feed's cursor, to the account only", async () => {
  const [who, other] = [await signIn(api), await signIn(api)];
  await write(who, "before");
  const stream = await follow(who.token);
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
    "access-control-allow-origin": "*",
  });
  expect(stream.response.headers.has("content-encoding")).toBe(false);
  await until(() => stream.titles().length === 1);
  await write(other, "not yours");
  await write(who, "after");
  await until(() => stream.titles().length === 2);
  const feed = await pull(who);
  expect(stream.received.map(({ data }) => data)).toEqual(feed.items);
  expect(stream.received.at(-1)?.id).toBe(feed.next_cursor);
});

test("resumes by Last-Event-ID or cursor after a cut, without gaps or repeats", async () => {
  const who = await signIn(api);
  const titles = Array.from({ length: 130 }, (_, at) => String(at));
  const first = await follow(who.token);
  await write(who, ...titles.slice(0, 60));
  await until(() => first.titles().length >= 60);
  await first.close();
  await write(who, ...titles.slice(60, 125));
  const lastId = first.received[57]?.id ?? "";
  const [second, third] = [
    // A reader whose stream began with a cursor resumes so.
    await follow(who.token, { query: "?cursor=now", headers: { "last-event-id": lastId } }),
    await follow(who.token, { query: `?cursor=${lastId}` }),
  ];
  await write(who, ...titles.slice(125));
  for (const stream of [second, third]) {
    await until(() => stream.titles().at(-1) === "129");
    expect(stream.titles()).toEqual(titles.slice(58));
  }
});

test("sends only new events from `now` on, and `GET /events` accepts the same word", async () => {
  const who = await signIn(api);
  await write(who, "old");
  const { items, next_cursor } = await pull(who, "?cursor=now");
  expect(items).toEqual([]);
  const stream = await follow(who.token, { query: "?cursor=now" });
  await until(() => stream.lastId() === next_cursor);
  await write(who, "new");
  await until(() => stream.titles().length === 1);
  expect(stream.titles()).toEqual(["new"]);
  expect((await pull(who, `?cursor=${next_cursor}`)).items).toHaveLength(1);
});

test("does not skip an event whose transaction ends late", async () => {
  const who = await signIn(api);
  const stream = await follow(who.token);
  const [written, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = inTransaction(api.db, async (tx) => {
    await tell(tx, who, "begun first, ended last");
    written.resolve();
    await ended.promise;
  });
  await written.promise;
  await write(who, "begun last, ended first");
  await until(() => stream.titles().length === 1);
  const lastId = stream.lastId();
  ended.resolve();
  await late;
  await until(() => stream.titles().length === 2);
  expect(stream.titles()).toEqual(["begun last, ended first", "begun first, ended last"]);
  const again = await follow(who.token, { headers: { "last-event-id": lastId } });
  await until(() => again.titles().length === 1);
  expect(again.titles()).toEqual(["begun first, ended last"]);
});

test("sends two keys of an account the same events, each filtered by its types, with a cursor that moves past the others", async () => {
  const who = await signIn(api);
  const all = await follow(await createKey(api, who, ["webhooks:read"]));
  const none = await follow(await createKey(api, who, ["webhooks:read"]), { query: "?type=quote.received" });
  await write(who, "one", "two");
  await until(() => all.titles().length === 2);
  await until(() => none.lastId() === all.lastId());
  expect(none.received).toEqual([]);
  expect(all.comments() + none.comments()).toBeGreaterThan(0);
});

test("refuses a key without the scope, an anonymous caller and an invalid cursor", async () => {
  const who = await signIn(api);
  const refusals = [
    await follow(await createKey(api, who, ["orders:read"])),
    await follow("est_unknown"),
    await follow(who.token, { query: "?cursor=nonsense" }),
    await follow(who.token, { headers: { "last-event-id": "nonsense" } }),
    await follow(who.token, { query: "?cusor=now" }),
  ];
  expect(refusals.map(({ response }) => response.status)).toEqual([403, 401, 400, 400, 400]);
  const head = await fetch(`${server.url}/streams/events`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${who.token}` },
  });
  expect(head.status).toBe(200);
  expect(await listeners()).toBe(0);
});

test("ends when its key is revoked, its session ends or its member leaves, and sends nothing written meanwhile", async () => {
  const [owner, member] = [await signIn(api), await signIn(api)];
  await api.db.execute(sql`
    insert into earnest.organisation_member (account_id, member_account_id, role)
    values (${owner.accountId}, ${member.accountId}, 'viewer')`);
  const key = expectStatus(
    201,
    await api.request("POST", "/api-keys", {
      token: owner.token,
      body: { name: "one", scopes: ["webhooks:read"] },
    }),
  );
  const bySession = await signIn(api, owner.account);
  const streams = [
    await follow(key.token),
    await follow(bySession.token),
    await follow(member.token, { headers: { "x-organisation": owner.accountId } }),
  ];
  const stays = await follow(owner.token);
  await write(owner, "seen");
  for (const stream of streams) await until(() => stream.titles().length === 1);

  expectStatus(200, await api.request("DELETE", `/api-keys/${key.id}`, { token: owner.token }));
  expectStatus(200, await api.request("POST", "/auth/logout", { token: bySession.token }));
  await api.db.execute(sql`
    delete from earnest.organisation_member where member_account_id = ${member.accountId}`);
  await write(owner, "not for them");
  await until(() => stays.titles().length === 2);
  for (const stream of streams) {
    await stream.ended;
    expect(stream.titles()).toEqual(["seen"]);
  }
  // The same holds without new events.
  const idle = await signIn(api);
  const quiet = await follow(idle.token);
  expectStatus(200, await api.request("POST", "/auth/logout", { token: idle.token }));
  await quiet.ended;
});

test("is bounded: a flood leaves open streams and room for accounts that paid", async () => {
  const [one, two, three, paying] = [
    await signIn(api),
    await signIn(api),
    await signIn(api),
    await signIn(api),
  ];
  await makeParty(api.db, paying.accountId);
  const honest = await follow(one.token);
  const flood = await Promise.all(Array.from({ length: 12 }, () => follow(two.token)));
  expect(flood.map(({ response }) => response.status).sort()).toEqual([
    ...Array(3).fill(200),
    ...Array(9).fill(503),
  ]);
  const refused = await follow(three.token);
  expect(refused.response.status).toBe(503);
  expect(await refused.response.json()).toMatchObject({ error: { code: "streams_full" } });
  expect(Number(refused.response.headers.get("retry-after"))).toBeGreaterThan(0);
  const paid = await Promise.all(Array.from({ length: 6 }, () => follow(paying.token)));
  expect(paid.map(({ response }) => response.status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
  await write(one, "still here");
  await until(() => honest.titles().length === 1);
});

test("is cut off when its reader does not read, holds little memory and slows down no other stream", async () => {
  const who = await signIn(api);
  const port = Number(new URL(server.url).port);
  const lazy = connect(port, "127.0.0.1");
  lazy.pause();
  lazy.write(`GET /streams/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${who.token}\r\n\r\n`);
  const eager = await follow(who.token);
  expect(server.isConnectedTo(lazy.localPort)).toBe(true);
  const padding = "x".repeat(15_000);
  let written = 0;
  // More than the network between the two buffers.
  for (let batch = 0; batch < 24; batch += 1) {
    await inTransaction(api.db, async (tx) => {
      for (let at = 0; at < 40; at += 1) await tell(tx, who, String(written++), padding);
    });
  }
  await until(() => eager.titles().length === written);
  await until(() => !server.isConnectedTo(lazy.localPort));
  const cut = new Promise((resolve) => lazy.once("close", resolve));
  lazy.on("error", () => {});
  lazy.resume();
  let received = 0;
  lazy.on("data", (bytes: Buffer) => {
    received += bytes.length;
  });
  await cut;
  expect(received).toBeLessThan(written * padding.length);
});

test("lets a standard reader reconnect by itself without gaps; a restart ends all streams at once", async () => {
  const who = await signIn(api);
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    const headers = { ...(options.headers as Record<string, string>), authorization: `Bearer ${who.token}` };
    return dispatch({ ...options, headers }, handler);
  });
  const source = new EventSource(`${server.url}/streams/events`, { node: { dispatcher } });
  const titles: string[] = [];
  let connected = 0;
  source.addEventListener("open", () => {
    connected += 1;
  });
  source.addEventListener("message", ({ data }) => titles.push(JSON.parse(data).data.title));
  try {
    await write(who, "one");
    await until(() => titles.length === 1);
    await api.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%listen earnest_event%' and pid <> pg_backend_pid()`);
    await write(who, "while nobody listens");
    await until(() => titles.length === 2);
    // The process is told to end.
    process.emit("SIGINT");
    await write(who, "after the restart");
    expect((await follow(who.token)).response.status).toBe(503);
  } finally {
    source.close();
    await dispatcher.close();
  }
  expect(connected).toBe(1);
});
