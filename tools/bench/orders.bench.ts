import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import autocannon from "autocannon";
import { Hono } from "hono";
import { afterAll, beforeAll, test } from "vitest";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../test/harness/api.ts";
import { quantile } from "../quantile.ts";
import { printTable, reportFigure } from "./figures.ts";
import { preparePlacementByHand } from "./orders.by-hand.ts";

const rounds = 5;
/** The orders after which Node has compiled the code of a placement. */
const warmings = 4;
const milliseconds = 800;
const bareRoute = "by hand in a bare Hono route, over HTTP";

const schema = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 1, maxLength: 5000 },
    language: { enum: ["de", "en", "ja"] },
    pages: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 50 },
  },
  required: ["text", "language"],
  additionalProperties: false,
};
const input_payload = { text: "The quick brown fox. ".repeat(10), language: "de", pages: [1, 2, 3] };

let api: TestApi;
let server: ServerType;
let bareServer: ServerType;
let buyer: Session;
let plain: object;
let checked: object;
let placeByHand: () => Promise<void>;

beforeAll(async () => {
  api = await createTestApi();
  buyer = await signIn(api);
  plain = { service_id: (await publishService(api, await signIn(api))).service.id, input_payload };
  const { service } = await publishService(api, await signIn(api), {
    input_schema: schema,
    output_schema: schema,
  });
  checked = { service_id: service.id, input_payload };
  const { id } = expectStatus(201, await api.request("POST", "/orders", { token: buyer.token, body: plain }));
  const tokenHash = createHash("sha256").update(buyer.token).digest("hex");
  placeByHand = await preparePlacementByHand(api.context.db.$client, id, tokenHash);
  server = await serve(api.app);
  const answer = expectStatus(200, await api.request("GET", `/orders/${id}`, { token: buyer.token }));
  const bare = new Hono();
  bare.post("/api/v1/orders", async (c) => {
    await c.req.json();
    await placeByHand();
    return c.json(answer, 201);
  });
  bareServer = await serve(bare);
});
afterAll(async () => {
  for (const one of [server, bareServer]) await new Promise((done) => (one ? one.close(done) : done(null)));
  // The last clients have disconnected, but their requests are still writing.
  await Promise.allSettled(inProgress);
  await api?.close();
});

test("orders placed in a second, beside the same rows written by hand", async () => {
  const cases = {
    "by hand": (count: number) => repeat(count, placeByHand),
    "in process": (count: number) => repeat(count, () => place(plain)),
    "in process, with schemas": (count: number) => repeat(count, () => place(checked)),
    "over HTTP": (count: number) => placeOverHttp(server, count, plain),
    // This row has the same connections, body and answer as the row above.
    [bareRoute]: (count: number) => placeOverHttp(bareServer, count, plain),
  };
  for (let warming = 0; warming < warmings; warming++) {
    for (const measure of Object.values(cases)) await measure(8);
  }
  const rows = [["", "at once", "orders/s", "of by hand (median)", "min", "max"]];
  for (const count of [1, 8, 32]) {
    const measured: Record<string, number>[] = [];
    for (let round = 0; round < rounds; round++) {
      const figures: Record<string, number> = {};
      for (const [name, measure] of Object.entries(cases)) figures[name] = await measure(count);
      measured.push(figures);
    }
    const toBare = measured.map(
      (figures) => (figures["over HTTP"] ?? 0) / (figures[bareRoute] ?? Number.NaN),
    );
    reportFigure({
      name: `orders: placed over HTTP, beside a bare route, ${count} at once`,
      of: "a bare Hono route that writes the same rows by hand",
      value: quantile(toBare, 0.5),
      better: "higher",
    });
    for (const name of Object.keys(cases)) {
      const rates = measured.map((figures) => figures[name] ?? Number.NaN);
      const ratios = measured.map((figures, round) => (rates[round] ?? 0) / (figures["by hand"] ?? 0));
      if (name !== "by hand" && name !== bareRoute)
        reportFigure({
          name: `orders: placed ${name}, ${count} at once`,
          of: "the same rows by hand",
          value: quantile(ratios, 0.5),
          better: "higher",
        });
      rows.push([
        name,
        String(count),
        quantile(rates, 0.5).toFixed(0),
        quantile(ratios, 0.5).toFixed(2),
        Math.min(...ratios).toFixed(2),
        Math.max(...ratios).toFixed(2),
      ]);
    }
    const shown = [quantile(toBare, 0.5), Math.min(...toBare), Math.max(...toBare)];
    rows.push(["over HTTP, of the bare route", String(count), "", ...shown.map((ratio) => ratio.toFixed(2))]);
  }
  printTable(`Placements, ${rounds} rounds of ${milliseconds} ms in turn`, rows);
});

/** The number of requests in progress. */
const inProgress = new Set<Promise<Response>>();

async function serve({ fetch }: Pick<Hono, "fetch">): Promise<ServerType> {
  const answer = async (request: Request, env: unknown) => {
    const answering = Promise.resolve(fetch(request, env));
    inProgress.add(answering);
    return answering.finally(() => inProgress.delete(answering));
  };
  const started = createAdaptorServer({ fetch: answer });
  started.listen(0, "127.0.0.1");
  await once(started, "listening");
  return started;
}

async function place(body: object): Promise<void> {
  expectStatus(201, await api.request("POST", "/orders", { token: buyer.token, body }));
}

/** Measures how often per second `work` is done, with a number of calls at once. */
async function repeat(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - began < milliseconds) {
      await work();
      done++;
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  return (done / (performance.now() - began)) * 1000;
}

/** Measures requests per second over a number of connections, which a separate thread sends. */
async function placeOverHttp(target: ServerType, connections: number, body: object): Promise<number> {
  const { port } = target.address() as AddressInfo;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/api/v1/orders`,
    method: "POST",
    headers: { authorization: `Bearer ${buyer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    connections,
    workers: 1,
    duration: 1,
  });
  if (result.non2xx + result.errors > 0) {
    throw new Error(
      `${result.errors} requests failed, answers were ${JSON.stringify(result.statusCodeStats)}.`,
    );
  }
  return result["2xx"] / result.duration;
}
