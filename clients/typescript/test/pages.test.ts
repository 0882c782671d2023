import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Earnest, FeedEvent } from "../src/index.ts";
import { publishService, startService, type TestService } from "./service.fixture.ts";

let service: TestService;
let buyer: Earnest;
let provider: Awaited<ReturnType<TestService["signedIn"]>>;
const placed: string[] = [];

beforeAll(async () => {
  service = await startService();
  provider = await service.signedIn();
  const { id } = await publishService(provider);
  buyer = (await service.signedIn()).client;
  for (let at = 0; at < 5; at++) placed.push((await buyer.orders.place({ service_id: id })).id);
});
afterAll(() => service.close());

async function collect<T>(items: AsyncIterable<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= most) break;
  }
  return found;
}

describe("a list", () => {
  test("is iterated over all its pages, and asks for none before it is needed", async () => {
    service.seen.length = 0;
    const orders = await collect(buyer.orders.list({ limit: 2, offset: 0 }));
    expect(orders.map(({ id }) => id)).toEqual(placed.toReversed());
    expect(service.seen.length).toBe(3);
    service.seen.length = 0;
    await collect(buyer.orders.list({ limit: 2 }), 2);
    expect(service.seen.length).toBe(1);
  });

  test("is taken page by page", async () => {
    const first = await buyer.orders.list({ limit: 3 });
    expect([first.items.length, first.body.total]).toEqual([3, 5]);
    const second = await first.next();
    expect(second?.items.map(({ id }) => id)).toEqual(placed.slice(0, 2).reverse());
    expect([second?.nextCursor, await second?.next()]).toEqual([null, null]);
  });

  test("goes on where a page's answer is lost", async () => {
    service.faults.push(null, "lost", "cut");
    expect((await collect(buyer.orders.list({ limit: 2 }))).length).toBe(5);
  });

  test("that is a plain array goes on by its header Link", async () => {
    await publishService(provider);
    await publishService(provider);
    const agents = await collect(provider.client.agents.listMine({ limit: 2 }));
    expect(new Set(agents.map(({ slug }) => slug)).size).toBe(3);
  });
});

describe("the feed", () => {
  const orderOf = (event: FeedEvent) => (event.type === "order.created" ? event.data.order.id : null);

  test("gives events oldest first, and waits for the next one", async () => {
    const controller = new AbortController();
    const stream = buyer.events.follow({ signal: controller.signal, pollMs: 50 });
    const found: FeedEvent[] = [];
    const following = (async () => {
      for await (const event of stream) {
        found.push(event);
        if (found.length === 6) controller.abort();
      }
    })();
    const [service1] = (await buyer.marketplace.searchServices({ limit: 1 })).items;
    const { id } = await buyer.orders.place({ service_id: service1?.id ?? "" });
    placed.push(id);
    await following;
    expect(found.map(orderOf)).toEqual(placed);
  });

  test("goes on from its cursor: nothing is missed, and what was not handled comes again", async () => {
    const stream = buyer.events.follow({ pollMs: 50 });
    expect(stream.cursor).toBeNull();
    const [first] = await collect(stream, 1);
    // The first event was not known to be handled when the loop was left.
    const again = buyer.events.follow({ cursor: stream.cursor, pollMs: 50 });
    expect((await collect(again, 1))[0]?.id).toBe(first?.id);

    const controller = new AbortController();
    const cursors: string[] = [];
    const onCursor = (cursor: string) => {
      cursors.push(cursor);
      controller.abort();
    };
    const whole = buyer.events.follow({ pollMs: 50, onCursor, signal: controller.signal });
    const ended = collect(whole);
    expect((await ended).map(orderOf)).toEqual(placed);
    expect(cursors).toEqual([whole.cursor]);
    const [service1] = (await buyer.marketplace.searchServices({ limit: 1 })).items;
    const { id } = await buyer.orders.place({ service_id: service1?.id ?? "" });
    const next = await collect(buyer.events.follow({ cursor: whole.cursor, pollMs: 50 }), 1);
    expect(next.map(orderOf)).toEqual([id]);
    placed.push(id);
  });

  test("begins now where that is asked, and gives only the types that are", async () => {
    const types = ["order.created" as const];
    const stream = buyer.events.follow({ from: "now", types, pollMs: 50 });
    const next = collect(stream, 1);
    while (stream.cursor === null) await new Promise((resolve) => setTimeout(resolve, 20));
    const { id } = await buyer.orders.place({
      service_id: (await buyer.orders.get(placed[0] ?? "")).service_id,
    });
    expect((await next).map(orderOf)).toEqual([id]);
    placed.push(id);
    const funded = buyer.events.follow({
      types: ["order.funded"],
      pollMs: 50,
      signal: AbortSignal.timeout(300),
    });
    expect(await collect(funded)).toEqual([]);
  });

  test("goes on through an outage that is longer than the retries, and ends with what waiting does not mend", async () => {
    service.faults.push(...Array.from({ length: 5 }, () => ({ status: 503 })));
    expect((await collect(buyer.events.follow({ pollMs: 20 }), 1)).map(orderOf)).toEqual([placed[0]]);
    const { token } = await buyer.apiKeys.create({ name: "other", scopes: ["orders:read"] });
    const stream = service.client({ apiKey: token }).events.follow({ pollMs: 20 });
    await expect(collect(stream)).rejects.toMatchObject({ code: "insufficient_scope" });
  });
});
