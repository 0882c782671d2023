import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { eq } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { relay } from "../../db/schema.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { until } from "../harness/jobs/ledger.ts";
import { spawnWorker } from "../harness/jobs/processes.ts";
import { startRelayBench } from "../harness/jobs/relays.ts";
import { findLoaded } from "../harness/loaded.ts";
import { listen, type Receiver } from "../harness/outbound/receiver.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
};
type Sent = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
};

let stack: TestStack;
let collector: Receiver;
/** The spans at the collector, with the name of their process. */
const spans: (Span & { service: string | undefined })[] = [];

const tracingOf = ({ port }: Receiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_BSP_SCHEDULE_DELAY: "200",
});

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans }: Sent = JSON.parse(Buffer.concat(chunks).toString());
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue;
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  collector = await listen(server);
  stack = await startStack({ env: tracingOf(collector) });
});
afterAll(async () => {
  await stack?.close();
  await collector?.close();
});

test("a request, its queued relay, and the worker's calls to the node are one trace, whose id the log lines have", async () => {
  const [buyer, provider] = [generatePrivateKey(), generatePrivateKey()].map((key) =>
    privateKeyToAccount(key),
  );
  if (!buyer || !provider) throw new Error("no accounts");
  await stack.chain.fund(buyer);
  await runDemo({ baseUrl: stack.baseUrl, rpcUrl: stack.chain.rpcUrl, buyer, provider, print: () => {} });
  const relayed = await until(async () => spans.find(({ name }) => name === "relay"), "the relay's span");
  const request = await until(
    async () => spans.find(({ spanId }) => spanId === relayed.parentSpanId),
    "the span of the request that queued it",
  );
  expect(request).toMatchObject({
    service: "earnest-api",
    traceId: relayed.traceId,
    name: "POST /api/v1/orders/:id/delivery-record",
  });
  expect(relayed.service).toBe("earnest-worker");
  const nodeSpan = await until(
    async () => spans.find(({ name, parentSpanId }) => name === "node" && parentSpanId === relayed.spanId),
    "the span of the node",
  );
  expect(nodeSpan.attributes).toContainEqual({
    key: "server.address",
    value: { stringValue: new URL(stack.chain.rpcUrl).host },
  });
  const lines = readFileSync(stack.indexer.logFile, "utf8")
    .split("\n")
    .filter((line) => line.includes(request.traceId));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ route: "/api/v1/orders/:id/delivery-record", trace_id: request.traceId }),
  ]);
  expect(spans.some(({ name }) => name === "job settling")).toBe(true);
});

test("each call of a batch has its sending in the trace of its request", async () => {
  const bench = await startRelayBench({ together: 20 });
  const causes = [1, 2].map((digit) => ({
    traceId: String(digit).repeat(32),
    parentSpanId: String(digit).repeat(16),
  }));
  try {
    for (const { traceId, parentSpanId } of causes) {
      const order = await bench.fundedOrder();
      const { id } = await bench.queue(order, await bench.deliveryCall(order));
      await bench.db
        .update(relay)
        .set({ traceParent: `00-${traceId}-${parentSpanId}-01` })
        .where(eq(relay.id, id));
    }
    const worker = spawnWorker({ ...bench.env(), ...tracingOf(collector) });
    try {
      const sent = await until(async () => {
        const found = causes.map((cause) =>
          spans.find(
            ({ name, traceId, parentSpanId }) =>
              name === "relay" && traceId === cause.traceId && parentSpanId === cause.parentSpanId,
          ),
        );
        return found.every((span) => span !== undefined) && found;
      }, "the spans of both calls");
      const [first, second] = sent.map(({ attributes }) =>
        attributes.find(({ key }) => key === "earnest.batch"),
      );
      expect(first?.value.stringValue).toMatch(/^batch:rly_/);
      expect(second).toEqual(first);
    } finally {
      await worker.end("SIGKILL");
    }
  } finally {
    await bench.close();
  }
});

test("no module of the SDK is loaded without a collector", () => {
  const isLoaded = (isTraced: boolean) =>
    findLoaded(`
      const { startTracing } = await import("./config/tracing.ts");
      await import("./api/server.ts");
      await import("./jobs/worker.ts");
      await startTracing({ isTraced: ${isTraced}, chains: [] }, "test");
      process.exit();`).some((url) => /@opentelemetry\/(sdk|exporter|context|resources)/.test(url));
  expect([isLoaded(false), isLoaded(true)]).toEqual([false, true]);
});
