import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { Agent, request } from "undici";
import { afterAll, beforeAll, test } from "vitest";
import { deliveryChannel, insertEvents } from "../db/events.ts";
import { account, webhookEndpoint } from "../db/schema.ts";
import { eventText } from "../facts/events.ts";
import { runJobs } from "../jobs/job.ts";
import { createDeliverer } from "../jobs/webhooks/deliver.ts";
import { createTestDatabase, type TestDatabase } from "../test/harness/database.ts";
import { createAuthority, listen, type Receiver } from "../test/harness/outbound/receiver.ts";
import { createWebhookKeyFile } from "../webhook-key.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";
import { readServerTicks } from "./processor.ts";

const deliveries = 2000;
const rounds = 3;
const old = 1_000_000;
/** About what an order's event says. */
const data = { text: "x".repeat(600) };

let authority: Awaited<ReturnType<typeof createAuthority>>;
let receiver: Receiver;
let answered = 0;
beforeAll(async () => {
  authority = await createAuthority();
  const server = createServer(
    await authority.issue(["localhost", "127.0.0.1"]),
    async (message, response) => {
      for await (const _ of message);
      response.writeHead(204).end();
      answered += 1;
    },
  );
  receiver = await listen(server);
});
afterAll(() => receiver?.close());

test(`deliveries per second to a local TLS receiver (${deliveries}), beside undici with an HMAC and no queue`, async () => {
  const [fresh, full] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    // Both have seen the same, but for the old deliveries of one of them.
    for (const database of [fresh, full]) await deliverAll(database, 20);
    await full.db.execute(sql`
      insert into earnest.webhook_delivery (id, endpoint_id, type, status, attempts, created_at, finished_at, next_attempt_at)
      select 'whd_old' || n, (select min(id) from earnest.webhook_endpoint), 'order.funded', 'succeeded', 1,
        now() - n * interval '2 seconds', now(), now()
      from generate_series(1, ${old}::int) as n`);
    await full.db.execute(sql`vacuum analyze earnest.webhook_delivery`);
    const ways: [string, () => Promise<number>][] = [
      ["undici and HMAC, 8 at once, a connection each", () => sendPlainly({ keepAlive: false })],
      ["undici and HMAC, 8 at once, connections kept", () => sendPlainly({ keepAlive: true })],
      ["the deliverer, 1 endpoint (4 at once)", () => deliverAll(fresh, 1)],
      ["the deliverer, 20 endpoints", () => deliverAll(fresh, 20)],
      [`the same with ${old} old deliveries`, () => deliverAll(full, 20)],
    ];
    const rates = ways.map((): number[] => []);
    const costs = ways.map((): number[] => []);
    const ofServer = ways.map((): number[] => []);
    // One after the other, again and again: what else the machine does meets all of them.
    for (let round = 0; round < rounds; round++) {
      for (const [index, [, measure]] of ways.entries()) {
        const ticks = await readServerTicks(fresh.db);
        const before = process.cpuUsage();
        rates[index]?.push(await measure());
        const { user, system } = process.cpuUsage(before);
        costs[index]?.push((user + system) / deliveries);
        ofServer[index]?.push(((await readServerTicks(fresh.db)) - ticks) * (10_000 / deliveries));
      }
    }
    const medians = rates.map((each) => quantile(each, 0.5));
    for (const [index, [name]] of ways.slice(2).entries())
      for (const [at, of] of ["undici, a connection each", "undici, connections kept"].entries())
        reportFigure({
          name: `webhooks: ${name}, beside ${of}`,
          of,
          value: (medians[index + 2] as number) / (medians[at] as number),
          better: "higher",
        });
    printTable(`Deliveries a second to a local TLS receiver, n=${deliveries}, median of ${rounds}`, [
      [
        "",
        "a second",
        "of the kept",
        "microseconds of processor each, receiver and preparation included",
        "of PostgreSQL",
      ],
      ...ways.map(([name], index) => {
        const rate = medians[index] as number;
        const [cost, server] = [costs, ofServer].map((each) => quantile(each[index] ?? [], 0.5).toFixed(0));
        return [name, rate, (rate / (medians[1] as number)).toFixed(2), cost ?? "", server ?? ""];
      }),
    ]);
  } finally {
    await fresh.close();
    await full.close();
  }
});

/** @returns requests a second */
async function sendPlainly({ keepAlive }: { keepAlive: boolean }): Promise<number> {
  const atOnce = 8;
  const event = { id: typeid("evt").toString(), type: "order.funded", createdAt: new Date(), data };
  const id = typeid("whd").toString();
  const dispatcher = new Agent({
    // Without resumed sessions: each connection shakes hands in full, as ours do.
    connect: { ca: authority.ca, ...(keepAlive ? {} : { maxCachedSessions: 0 }) },
    connections: atOnce,
  });
  let left = deliveries;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const timestamp = Math.floor(Date.now() / 1000);
        const body = eventText(event, id);
        const digest = createHmac("sha256", "secret").update(`${timestamp}.${body}`).digest("hex");
        const answer = await request(`https://localhost:${receiver.port}/`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-service-signature": `t=${timestamp},v1=${digest}`,
          },
          body,
          dispatcher,
          reset: !keepAlive,
        });
        await answer.body.dump();
      }
    }),
  );
  const rate = deliveries / ((performance.now() - began) / 1000);
  await dispatcher.close();
  return rate;
}

/** @returns deliveries a second, from the first claim to the last one written down */
async function deliverAll({ db, url }: TestDatabase, endpoints: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-bench-"));
  const webhookKeyFile = join(folder, "webhooks.key");
  createWebhookKeyFile(webhookKeyFile);
  const accountId = typeid("acc").toString();
  await db.insert(account).values({ id: accountId });
  await db.insert(webhookEndpoint).values(
    Array.from({ length: endpoints }, (_, index) => ({
      id: typeid("whe").toString(),
      accountId,
      url: `https://localhost:${receiver.port}/${index}`,
      host: "localhost",
      acknowledgedAt: new Date(),
      events: ["*"],
    })),
  );
  await db.transaction((tx) =>
    insertEvents(
      tx,
      Array.from({ length: deliveries / endpoints }, () => ({
        accountId,
        type: "order.funded",
        orderId: null,
        key: typeid("key").toString(),
        data,
      })),
    ),
  );
  const stop = new AbortController();
  const log = pino({ level: "warn" });
  const config = { publicUrl: "http://localhost", webhookKeyFile, webhookTimeoutSeconds: 15 };
  const deliverer = createDeliverer(db, config, {
    log,
    signal: stop.signal,
    pace: { hostPerSecond: 10_000, accountPerSecond: 10_000, trialSeconds: 1 },
    send: { ca: authority.ca },
  });
  const before = answered;
  const began = performance.now();
  const ended = runJobs([{ name: "deliveries", every: 1000, wokenBy: deliveryChannel, ...deliverer }], {
    ...{ db, databaseUrl: url, log },
    signal: stop.signal,
  });
  // Not before all have arrived: PostgreSQL would be asked in vain, while it has other work.
  while (answered - before < deliveries) await new Promise((resolve) => setTimeout(resolve, 5));
  for (;;) {
    const { rows } = await db.execute(
      sql`select from earnest.webhook_delivery where status = 'pending' limit 1`,
    );
    if (rows.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const rate = deliveries / ((performance.now() - began) / 1000);
  stop.abort();
  await ended;
  rmSync(folder, { recursive: true, force: true });
  return rate;
}
