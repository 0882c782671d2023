import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { and, eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { executionChannel } from "../../../db/execution-queue.ts";
import { event, execution } from "../../../db/schema.ts";
import { createExecutor } from "../../../jobs/executions/execute.ts";
import type { Pace } from "../../../jobs/executions/execution-leases.ts";
import { runJobs } from "../../../jobs/job.ts";
import { expectStatus, publishService, type Session } from "../api.ts";
import { createMarket, inputSchema, outputSchema } from "../market/market.ts";
import { type Authority, createAuthority, type Receiver, startReceiver } from "../outbound/receiver.ts";
import { until } from "./ledger.ts";

/** One request that an endpoint got. */
export type ExecutionRequest = {
  url: string;
  method: string;
  headers: IncomingHttpHeaders;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
  body: any;
  at: number;
};
export type Reaction = (response: ServerResponse, request: ExecutionRequest) => void;

/** A rate that delays no test of another subject. */
const fastPace: Pace = { hostPerSecond: 10_000, trialSeconds: 0.01 };

export type ExecutionBench = Awaited<ReturnType<typeof startExecutionBench>>;

/**
 * A market, and TLS endpoints on this machine: `<name>.example.org` resolves to the address given for the
 * name.
 */
export async function startExecutionBench() {
  const market = await createMarket();
  const { api } = market;
  const { db } = api;
  const authority: Authority = await createAuthority();
  const credentials = await authority.issue(["*.example.org"]);
  const requests: ExecutionRequest[] = [];
  const reactions = new Map<string, Reaction>();
  const addressOf = new Map<string, string>();
  const answer: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString();
    const url = `https://${request.headers.host}${request.url}`;
    const { headers, method = "" } = request;
    const one = { url, method, headers, raw, body: JSON.parse(raw), at: performance.now() };
    requests.push(one);
    (reactions.get(url) ?? answers(500))(response, one);
  };
  const addresses = ["127.0.0.1", "127.0.0.2"];
  const first: Receiver = await startReceiver(credentials, answer);
  const { port } = first;
  const receivers = [first];
  for (const host of addresses.slice(1))
    receivers.push(await startReceiver(credentials, answer, { host, port }));
  const ends: (() => Promise<void>)[] = [];
  let names = 0;

  return {
    ...market,
    db,
    requests,
    reactions,
    port,
    /** The URL of an endpoint with this reaction, at the first address by default. */
    addEndpoint(
      react: Reaction,
      { name = `e${++names}`, address = "127.0.0.1", path = "/orders" } = {},
    ): string {
      const url = `https://${name}.example.org:${port}${path}`;
      addressOf.set(`${name}.example.org`, address);
      reactions.set(url, react);
      return url;
    },
    /** A published service that executes there, of the market's provider by default. */
    async offer(
      endpoint: string | null,
      fields: Record<string, unknown> = {},
      owner: Session = market.provider,
    ) {
      const execution = endpoint && { endpoint, timeout_seconds: 2 };
      const schemas = { input_schema: inputSchema, output_schema: outputSchema };
      return publishService(api, owner, { ...schemas, execution, acceptance_hours: 48, ...fields });
    },
    /** An executor as a worker has it. */
    startExecutor(
      settings: { pace?: Pace; slots?: { held: number; careful: number }; graceMs?: number } = {},
    ) {
      const stop = new AbortController();
      const log = pino({ level: "silent" });
      const executor = createExecutor(api.context, readReceiptSigner(api.config), {
        log,
        pace: fastPace,
        send: {
          ca: authority.ca,
          policy: { allowsLocalhost: false, publicAddresses: addresses },
          lookup: async (name) => [addressOf.get(name) ?? "10.0.0.1"],
        },
        ...settings,
      });
      const ended = runJobs([{ name: "executions", every: 200, wokenBy: executionChannel, ...executor }], {
        db,
        databaseUrl: api.config.databaseUrl,
        log,
        signal: stop.signal,
      });
      const end = async () => {
        stop.abort();
        await ended;
      };
      ends.push(end);
      return { stop: end };
    },
    /** Returns an order's executions as its provider sees them. */
    async executions(orderId: string, token = market.provider.token) {
      return expectStatus(200, await api.request("GET", `/orders/${orderId}/executions`, { token })).items;
    },
    untilStatus(orderId: string, status: string, attempts = 0) {
      return until(
        async () => {
          const rows = await db.select().from(execution).where(eq(execution.orderId, orderId));
          return rows.find(
            (row) => row.status === status && row.attempts >= attempts && row.leaseOwner === null,
          );
        },
        `an execution that is ${status} after ${attempts} attempts`,
        20,
      );
    },
    /** Makes waiting retries due now. */
    async makeDue(orderId: string) {
      await db
        .update(execution)
        .set({ nextAttemptAt: sql`now()` })
        .where(and(eq(execution.orderId, orderId), sql`lease_owner is null`));
      await db.execute(sql`select pg_notify(${executionChannel}, '')`);
    },
    requestsFor: (orderId: string) => requests.filter(({ body }) => body.order_id === orderId),
    failures: (orderId: string) =>
      db
        .select()
        .from(event)
        .where(and(eq(event.orderId, orderId), eq(event.type, "order.execution_failed"))),
    async close() {
      for (const end of ends) await end();
      for (const receiver of receivers) await receiver.close();
      await api.close();
    },
  };
}

/** Answers at once; an object is sent as JSON. */
export const answers =
  (status: number, body: unknown = "", headers: Record<string, string> = {}): Reaction =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
