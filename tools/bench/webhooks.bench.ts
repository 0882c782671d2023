import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { Agent, request } from "undici";
import { afterAll, beforeAll, test } from "vitest";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { deliveryChannel, insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { account, webhookEndpoint } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { runJobs } from "../../jobs/job.ts";
import { createDeliverer } from "../../jobs/webhooks/deliver.ts";
import { eventText } from "../../protocol/facts/event-body.ts";
import { createTestDatabase, type TestDatabase } from "../../test/harness/database.ts";
import { createAuthority, listen, type Receiver } from "../../test/harness/outbound/receiver.ts";
import { quantile } from "../quantile.ts";
import { printTable, reportFigure } from "./figures.ts";
import { readServerTicks } from "./processor.ts";

/** The deliveries of a burst to a deliverer that has just started, without connections and query plans. */
const burst = 2000;
/** The deliveries of a queue for a running deliverer, whose connections are open after a burst. */
const queue = 20_000;
const rounds = 3;
const old = 1_000_000;
/** Data of about the size of an order's event. */
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

type Measured = { perSecond: number; own: number; server: number };
type Way = { name: string; of?: string[]; measure: () => Promise<Measured> };

test("deliveries per second to a local TLS receiver, beside undici with an HMAC and no queue", async () => {
  const [fresh, full] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    // Both databases get the same burst. Only one of them has old deliveries.
    for (const database of [fresh, full]) await deliverBurst(database, 20);
    await full.db.execute(sql`
      insert into earnest.webhook_delivery (id, endpoint_id, type, status, attempts, created_at, finished_at, next_attempt_at)
      select 'whd_old' || n, (select min(id) from earnest.webhook_endpoint), 'order.funded', 'succeeded', 1,
        now() - n * interval '2 seconds', now(), now()
      from generate_series(1, ${old}::int) as n`);
    await full.db.execute(sql`vacuum analyze earnest.webhook_delivery`);
    const [each, keepAlive, running] = [
      "undici, a connection each",
      "undici, connections kept",
      `undici, connections kept, ${queue}`,
    ];
    const ways: Way[] = [
      { name: each, measure: () => sendPlainly(fresh, { count: burst, keepAlive: false }) },
      { name: keepAlive, measure: () => sendPlainly(fresh, { count: burst, keepAlive: true }) },
      { name: running, measure: () => sendPlainly(fresh, { count: queue, keepAlive: true }) },
      { name: `a queue of ${queue}, 20 endpoints`, of: [running], measure: () => deliverQueue(fresh, 20) },
      { name: `a queue of ${queue}, 1 endpoint`, of: [running], measure: () => deliverQueue(fresh, 1) },
      {
        name: `a first burst of ${burst}, 20 endpoints`,
        of: [each, keepAlive],
        measure: () => deliverBurst(fresh, 20),
      },
      {
        name: `a first burst of ${burst}, 1 endpoint`,
        of: [each, keepAlive],
        measure: () => deliverBurst(fresh, 1),
      },
      {
        name: `a first burst of ${burst}, 20 endpoints, ${old} old deliveries`,
        of: [each, keepAlive],
        measure: () => deliverBurst(full, 20),
      },
    ];
    const measured = new Map(ways.map(({ name }) => [name, [] as Measured[]]));
    // The rounds alternate between all ways, so that other load on the machine affects all of them.
    for (let round = 0; round < rounds; round++) {
      for (const { name, measure } of ways) measured.get(name)?.push(await measure());
    }
    const median = (name: string, part: keyof Measured) =>
      quantile(
        (measured.get(name) ?? []).map((one) => one[part]),
        0.5,
      );
    const ratio = (name: string, of: string) => median(name, "perSecond") / median(of, "perSecond");
    for (const { name, of = [] } of ways) {
      for (const one of of) {
        const besides = one === running ? keepAlive : one;
        reportFigure({
          name: `webhooks: ${name}, beside ${besides}`,
          of: besides,
          value: ratio(name, one),
          better: "higher",
        });
      }
    }
    printTable(`Deliveries a second to a local TLS receiver, median of ${rounds}`, [
      ["", "a second", "of the kept", "microseconds of processor each, receiver included", "of PostgreSQL"],
      ...ways.map(({ name, of }) => [
        name,
        median(name, "perSecond"),
        ratio(name, of?.at(-1) ?? (name === running ? running : keepAlive)).toFixed(2),
        median(name, "own").toFixed(0),
        median(name, "server").toFixed(0),
      ]),
    ]);
  } finally {
    await fresh.close();
    await full.close();
  }
});

/** Starts a measurement. The result stops it after a number of deliveries. */
async function startClock(db: Database): Promise<(count: number) => Promise<Measured>> {
  const ticks = await readServerTicks(db);
  const before = process.cpuUsage();
  const began = performance.now();
  return async (count) => {
    const milliseconds = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    const server = (await readServerTicks(db)) - ticks;
    return {
      perSecond: count / (milliseconds / 1000),
      own: (user + system) / count,
      server: (server * 10_000) / count,
    };
  };
}

async function sendPlainly(
  { db }: TestDatabase,
  { count, keepAlive }: { count: number; keepAlive: boolean },
): Promise<Measured> {
  const atOnce = 8;
  const event = { id: typeid("evt").toString(), type: "order.funded", createdAt: new Date(), data };
  const id = typeid("whd").toString();
  const dispatcher = new Agent({
    // No session is resumed: each connection makes a full handshake, as those of the service do.
    connect: { ca: authority.ca, ...(keepAlive ? {} : { maxCachedSessions: 0 }) },
    connections: atOnce,
  });
  const send = async (number: number) => {
    let left = number;
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
  };
  if (count > burst) await send(burst);
  const stopClock = await startClock(db);
  await send(count);
  const measured = await stopClock(count);
  await dispatcher.close();
  return measured;
}

/** Measures from the start of a deliverer to its last written outcome. */
async function deliverBurst(database: TestDatabase, endpoints: number): Promise<Measured> {
  const account = await addAccount(database, endpoints);
  await inTransaction(database.db, (tx) => addEvents(tx, account, burst / endpoints));
  const stopClock = await startClock(database.db);
  const deliverer = startDeliverer(database);
  await deliverer.untilWritten(burst);
  const measured = await stopClock(burst);
  await deliverer.stop();
  return measured;
}

/** Measures from the commit of a queue to its last written outcome, by a deliverer that has just sent a burst. */
async function deliverQueue(database: TestDatabase, endpoints: number): Promise<Measured> {
  const { db } = database;
  const account = await addAccount(database, endpoints);
  const deliverer = startDeliverer(database);
  const stopClock = await inTransaction(db, async (tx) => {
    for (let added = 0; added < queue / endpoints; added += 1000) {
      await addEvents(tx, account, Math.min(1000, queue / endpoints - added));
    }
    // The burst is sent before the queue is committed.
    await inTransaction(db, (other) => addEvents(other, account, burst / endpoints));
    await deliverer.untilWritten(burst);
    return startClock(db);
  });
  await deliverer.untilWritten(queue);
  const measured = await stopClock(queue);
  await deliverer.stop();
  return measured;
}

async function addAccount({ db }: TestDatabase, endpoints: number): Promise<string> {
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
  return accountId;
}

/** Writes events of an account. Each event goes to all of its endpoints. */
function addEvents(tx: Transaction, accountId: string, events: number): Promise<void> {
  return insertEvents(
    tx,
    Array.from({ length: events }, () => ({
      accountId,
      type: "order.funded",
      orderId: null,
      key: typeid("key").toString(),
      data,
    })),
  );
}

function startDeliverer({ db, url }: TestDatabase) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-bench-"));
  const webhookKeyFile = join(folder, "webhooks.key");
  createWebhookKeyFile(webhookKeyFile);
  const stop = new AbortController();
  const log = pino({ level: "warn" });
  const config = { publicUrl: "http://localhost", webhookKeyFile, webhookTimeoutSeconds: 15 };
  const deliverer = createDeliverer(db, config, {
    log,
    signal: stop.signal,
    pace: { hostPerSecond: 100_000, accountPerSecond: 100_000, trialSeconds: 1 },
    send: { ca: authority.ca },
  });
  const ended = runJobs([{ name: "deliveries", every: 1000, wokenBy: deliveryChannel, ...deliverer }], {
    db,
    databaseUrl: url,
    log,
    signal: stop.signal,
  });
  let before = answered;
  return {
    /** Waits until this many further deliveries have arrived and their outcomes are written. */
    async untilWritten(count: number): Promise<void> {
      // No query runs before all deliveries have arrived: it would take PostgreSQL's time from the deliverer.
      while (answered - before < count) await new Promise((resolve) => setTimeout(resolve, 5));
      before += count;
      for (;;) {
        const { rows } = await db.execute(
          sql`select from earnest.webhook_delivery where status = 'pending' limit 1`,
        );
        if (rows.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async stop(): Promise<void> {
      stop.abort();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
