import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, inArray, sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { createWebhookKeyFile, readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { deliveryChannel, insertEvents } from "../../../db/account-events.ts";
import { account, event, webhookAttempt, webhookDelivery, webhookEndpoint } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { runJobs } from "../../../jobs/job.ts";
import { createDeliverer } from "../../../jobs/webhooks/deliver.ts";
import type { Pace } from "../../../jobs/webhooks/delivery-rate.ts";
import { deriveSecret } from "../../../protocol/webhooks/secret.ts";
import type { SendOptions } from "../../../untrusted/outbound/guarded-request.ts";
import { createTestDatabase } from "../database.ts";
import { listen } from "../outbound/receiver.ts";
import { until } from "./ledger.ts";

/** One request that a receiver got. */
export type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
  body: any;
  at: number;
};

export type Reaction = (response: ServerResponse, received: Received) => void;

/** A rate that delays no test of another subject. */
const fastPace: Pace = { hostPerSecond: 10_000, accountPerSecond: 10_000, trialSeconds: 0.01 };

export type DeliverBench = Awaited<ReturnType<typeof startDeliverBench>>;

/**
 * The parts of tests of deliveries: a database, a webhook key, and a receiver with a reaction for each
 * path.
 */
export async function startDeliverBench() {
  const folder = mkdtempSync(join(tmpdir(), "earnest-deliver-"));
  const database = await createTestDatabase();
  const { db } = database;
  const webhookKeyFile = join(folder, "webhooks.key");
  createWebhookKeyFile(webhookKeyFile);
  const key = readWebhookKey({ webhookKeyFile });
  const receiver = await startRecorder();
  const stops: (() => Promise<void>)[] = [];
  const accountId = typeid("acc").toString();
  await db.insert(account).values({ id: accountId });
  let paths = 0;

  const bench = {
    db,
    accountId,
    url: database.url,
    folder,
    webhookKeyFile,
    receiver,
    /** A deliverer as a worker has it. */
    startDeliverer(
      settings: { timeoutSeconds?: number; pace?: Pace; busyMs?: number; send?: Partial<SendOptions> } = {},
    ) {
      const stop = new AbortController();
      const log = pino({ level: "silent" });
      const deliverer = createDeliverer(
        db,
        {
          publicUrl: "http://localhost:42069",
          webhookKeyFile,
          webhookTimeoutSeconds: settings.timeoutSeconds ?? 15,
        },
        {
          log,
          signal: stop.signal,
          pace: settings.pace ?? fastPace,
          ...(settings.busyMs ? { busyMs: settings.busyMs } : {}),
          ...(settings.send ? { send: settings.send } : {}),
        },
      );
      const ended = runJobs([{ name: "deliveries", every: 1000, wokenBy: deliveryChannel, ...deliverer }], {
        db,
        databaseUrl: database.url,
        log,
        signal: stop.signal,
      });
      const end = async () => {
        stop.abort();
        await ended;
      };
      stops.push(end);
      return { stop: end };
    },
    /**
     * Creates an endpoint at a path of the receiver, which answers by `react`, by default with 200, and has
     * done so already.
     */
    async addEndpoint(
      fields: Partial<typeof webhookEndpoint.$inferInsert> = {},
      react?: Reaction,
    ): Promise<{ id: string; path: string; secret: string }> {
      const id = typeid("whe").toString();
      const path = `/hooks/${++paths}`;
      if (react) receiver.reactions.set(path, react);
      const [row] = await db
        .insert(webhookEndpoint)
        .values({
          id,
          accountId,
          url: `${receiver.url}${path}`,
          host: fields.url ? new URL(fields.url).hostname : "localhost",
          events: ["*"],
          acknowledgedAt: new Date(),
          ...fields,
        })
        .returning();
      return { id, path, secret: deriveSecret(key, id, row?.secretVersion ?? 1) };
    },
    secretOf: (endpointId: string, version: number) => deriveSecret(key, endpointId, version),
    async addAccount(): Promise<string> {
      const id = typeid("acc").toString();
      await db.insert(account).values({ id });
      return id;
    },
    /** Records events of an account, as the ledger does. */
    async tell(
      count = 1,
      data: Record<string, unknown> = { order: { id: "ord_1" } },
      type = "order.funded",
      to: string = accountId,
    ): Promise<void> {
      await inTransaction(db, (tx) =>
        insertEvents(
          tx,
          Array.from({ length: count }, () => ({
            accountId: to,
            type,
            data,
            orderId: null,
            key: randomUUID(),
          })),
        ),
      );
    },
    received: (path: string) => receiver.received.filter((one) => one.path === path),
    deliveries: (endpointId: string) =>
      db
        .select()
        .from(webhookDelivery)
        .where(eq(webhookDelivery.endpointId, endpointId))
        .orderBy(webhookDelivery.id),
    attempts: (deliveryId: string) =>
      db
        .select()
        .from(webhookAttempt)
        .where(eq(webhookAttempt.deliveryId, deliveryId))
        .orderBy(webhookAttempt.number),
    async endpoint(id: string) {
      const [row] = await db.select().from(webhookEndpoint).where(eq(webhookEndpoint.id, id));
      if (!row) throw new Error(`There is no endpoint ${id}.`);
      return row;
    },
    events: () => db.select().from(event).where(eq(event.accountId, accountId)).orderBy(event.seq),
    /** Waits until an endpoint has a delivery that matches, and returns it. */
    untilDelivery: (endpointId: string, holds: (row: typeof webhookDelivery.$inferSelect) => boolean) =>
      until(async () => (await bench.deliveries(endpointId)).find(holds), `a delivery where ${holds}`),
    /** Makes deliveries due now instead of minutes or hours later. */
    async makeDue(...deliveryIds: string[]) {
      await db
        .update(webhookDelivery)
        .set({ nextAttemptAt: sql`now()` })
        .where(inArray(webhookDelivery.id, deliveryIds));
      await db.execute(sql`select pg_notify(${deliveryChannel}, '')`);
    },
    async close() {
      receiver.release();
      for (const end of stops) await end();
      await receiver.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Answers with a status at once. */
export const answers =
  (status: number, headers: Record<string, string> = {}, body = ""): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** An HTTP server that stores its requests. A path that `hangs` is answered once it is released. */
export async function startRecorder() {
  const received: Received[] = [];
  const reactions = new Map<string, Reaction>();
  const held = new Set<ServerResponse>();
  const server = createServer((request, response) => void take(request, response));
  const { port, close } = await listen(server as never);
  return {
    url: `http://localhost:${port}`,
    received,
    reactions,
    hang: (response: ServerResponse) => {
      held.add(response);
    },
    release: () => {
      for (const response of held) response.writeHead(200).end();
      held.clear();
    },
    close,
  };

  async function take(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString();
    const one = {
      path: request.url ?? "",
      headers: request.headers,
      raw,
      body: JSON.parse(raw),
      at: performance.now(),
    };
    received.push(one);
    (reactions.get(one.path) ?? answers(200))(response, one);
  }
}
