import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryChannel, eventChannel } from "../../db/account-events.ts";
import { executionChannel } from "../../db/execution-queue.ts";
import { listen } from "../../db/listen.ts";
import { logChannel } from "../../db/log-queue.ts";
import { wakeListeners } from "../../db/notify.ts";
import { receipt, relay, service, webhookDelivery, webhookEndpoint } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { queueRelay, relayChannel } from "../../trade/relay/relay-queue.ts";
import { createMarket, indexer, type Market, placeDelivered, settleNow } from "../harness/market/market.ts";
import { openStream, serveApi } from "../harness/streams.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const db = () => market.api.db;
const messages: string[] = [];
const hear = (...channels: string[]) => {
  const stop = new AbortController();
  let begun = 0;
  const wakes = channels.map((channel) => [
    channel,
    (text: string | null) => {
      if (text === null) begun += 1;
      else messages.push(`${channel} ${text}`);
    },
  ]);
  const ended = listen(Object.fromEntries(wakes), {
    databaseUrl: market.api.config.databaseUrl,
    log: { warn: () => {} },
    signal: stop.signal,
  });
  return {
    begun: () => expect.poll(() => begun).toBe(channels.length),
    stop: () => {
      stop.abort();
      return ended;
    },
  };
};

test("each transaction of an order's life wakes its listeners", async () => {
  const { provider, buyer, service: sold } = market;
  await db()
    .update(service)
    .set({ executionUrl: "https://provider.example/run" })
    .where(eq(service.id, sold.id));
  await db()
    .insert(webhookEndpoint)
    .values({
      id: "whe_1",
      accountId: buyer.accountId,
      url: "https://buyer.example/",
      host: "buyer.example",
      events: ["*"],
    });
  const listening = hear(eventChannel, deliveryChannel, executionChannel, logChannel, relayChannel);
  await listening.begun();
  try {
    const { row } = await placeDelivered(market);
    await indexer(market, row).ended("Released");
    await settleNow(market);
    await inTransaction(db(), (tx) =>
      queueRelay(tx, {
        key: "one",
        chainId: row.chainId,
        orderId: row.id,
        gasBound: 1,
        data: "0x",
        to: row.escrowContract,
      }),
    );
    const expected = [
      `${eventChannel} ${buyer.accountId}`,
      `${eventChannel} ${provider.accountId}`,
      ...[`${deliveryChannel} `, `${executionChannel} `, `${logChannel} `, `${relayChannel} ${row.chainId}`],
    ];
    await expect.poll(() => messages).toEqual(expect.arrayContaining(expected));
    expect(await db().$count(receipt, eq(receipt.orderId, row.id))).toBe(2);
    expect(await db().$count(relay, eq(relay.orderId, row.id))).toBe(1);
    expect(await db().$count(webhookDelivery, eq(webhookDelivery.endpointId, "whe_1"))).toBeGreaterThan(3);
  } finally {
    await listening.stop();
  }
});

test("a rollback wakes no listener, and changes of one transaction notify once", async () => {
  const listening = hear("earnest_test");
  await listening.begun();
  messages.length = 0;
  try {
    const undone = inTransaction(db(), async (tx) => {
      await wakeListeners(tx, "earnest_test", "undone");
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await inTransaction(db(), async (tx) => {
      await wakeListeners(tx, "earnest_test", "done");
      await wakeListeners(tx, "earnest_test", "done");
    });
    await wakeListeners(db(), "earnest_test", "at once");
    await expect.poll(() => messages).toContain("earnest_test at once");
    expect(messages.sort()).toEqual(["earnest_test at once", "earnest_test done"]);
  } finally {
    await listening.stop();
  }
});

test("an event without a notification is streamed within seconds", async () => {
  const server = await serveApi(market.api);
  const stream = await openStream(server.url, market.buyer.token, { query: "?cursor=now" });
  try {
    const write = (title: string) =>
      db().execute(sql`
        insert into earnest.event (id, account_id, type, data)
        values (${`evt_${title}`}, ${market.buyer.accountId}, 'request.matched', ${JSON.stringify({ title })})`);
    const isGiven = (title: string) => expect.poll(() => stream.titles()).toContain(title);
    // Listening begins with a poll of its own, which must have passed.
    const readListeners = () =>
      db().execute(
        sql`select from pg_stat_activity where datname = current_database() and query = ${`listen "${eventChannel}"`}`,
      );
    await expect.poll(async () => (await readListeners()).rows).toHaveLength(1);
    for (const title of ["first", "second"]) {
      await write(title);
      await wakeListeners(db(), eventChannel, market.buyer.accountId);
      await isGiven(title);
    }
    await write("untold");
    await isGiven("untold");
  } finally {
    await stream.close();
    await server.close();
  }
});
