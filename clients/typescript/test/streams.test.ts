import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApi, signIn, type TestApi } from "../../../test/harness/api.ts";
import { serveApi } from "../../../test/harness/streams.ts";
import { Earnest, type FeedEvent } from "../src/index.ts";
import { publishService } from "./service.fixture.ts";

let api: TestApi;
let server: Awaited<ReturnType<typeof serveApi>>;
let buyer: Earnest;
let serviceId: string;
/** what the next streams find in the place of the service */
const refused: number[] = [];
const opened: string[] = [];
/** every stream is this, once it is set */
let broken: Response | null = null;

beforeAll(async () => {
  api = await createTestApi({ env: { EVENT_STREAMS: "heartbeat=1" } });
  server = await serveApi(api);
  const provider = await signedIn();
  serviceId = (await publishService(provider)).id;
  buyer = (await signedIn()).client;
});
afterAll(async () => {
  await server?.close();
  await api?.close();
});

async function signedIn() {
  const { account: wallet, token: accessToken } = await signIn(api);
  const client = new Earnest({
    baseUrl: server.url,
    accessToken,
    fetch: (url, init) => {
      if (!String(url).includes("/streams/events")) return fetch(url, init);
      opened.push(String(url));
      if (broken) return Promise.resolve(broken.clone());
      const status = refused.shift();
      return status ? Promise.resolve(new Response("{}", { status })) : fetch(url, init);
    },
  });
  return { client, wallet };
}

const place = async () => (await buyer.orders.place({ service_id: serviceId })).id;
const orderOf = (event: FeedEvent) => (event.type === "order.created" ? event.data.order.id : null);

async function collect(stream: AsyncIterable<FeedEvent>, most: number, each = async () => {}) {
  const found: (string | null)[] = [];
  for await (const event of stream) {
    found.push(orderOf(event));
    if (found.length >= most) break;
    await each();
  }
  return found;
}

test("gives what is there and what comes, keeps its place, and goes on from there", async () => {
  const placed = [await place()];
  const cursors: string[] = [];
  const stream = buyer.events.stream({ onCursor: (cursor) => void cursors.push(cursor) });
  const found = await collect(stream, 3, async () => void placed.push(await place()));
  expect(found).toEqual(placed);
  expect(cursors.at(-1)).toBe(stream.cursor);
  // The last was not known to be handled when the loop was left.
  expect(await collect(buyer.events.stream({ cursor: stream.cursor }), 1)).toEqual([placed[2]]);
});

test("begins now, and gives only the types that are asked for", async () => {
  const now = buyer.events.stream({ from: "now", types: ["order.created"] });
  const next = collect(now, 1);
  while (now.cursor === "now") await new Promise((resolve) => setTimeout(resolve, 20));
  const id = await place();
  expect(await next).toEqual([id]);
});

test("goes on after a restart of the service, and page by page while there is no stream", async () => {
  const { next_cursor: cursor } = await buyer.events.list({ cursor: "now" });
  const stream = buyer.events.stream({ cursor, pollMs: 20 });
  const placed: string[] = [];
  opened.length = 0;
  refused.push(503, 503, 503);
  const found = collect(stream, 3, async () => {
    placed.push(await place());
  });
  placed.push(await place());
  expect(await found).toEqual(placed);
  expect(opened.length).toBeGreaterThan(1);
});

test("ends with its signal, and with what waiting does not mend", async () => {
  const signal = AbortSignal.timeout(300);
  expect(await collect(buyer.events.stream({ from: "now", signal }), 1)).toEqual([]);
  const { token } = await buyer.apiKeys.create({ name: "other", scopes: ["orders:read"] });
  const stream = new Earnest({ baseUrl: server.url, apiKey: token }).events.stream();
  await expect(collect(stream, 1)).rejects.toMatchObject({ code: "insufficient_scope" });
});

test.each([
  ["a message that is no JSON", "text/event-stream", "id: 1\ndata: {no\n\n"],
  ["a message without an end", "text/event-stream", `data: ${"x".repeat(5_000_000)}`],
  ["a page in the place of a stream", "text/html", "<p>Welcome.</p>"],
])("%s is a cut: what it hid comes page by page", async (_what, type, body) => {
  const { next_cursor: cursor } = await buyer.events.list({ cursor: "now" });
  broken = new Response(body, { headers: { "content-type": type } });
  const id = await place();
  const stream = buyer.events.stream({ cursor, pollMs: 20 });
  expect(await collect(stream, 1)).toEqual([id]);
});
