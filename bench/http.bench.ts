import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, test } from "vitest";
import { service as serviceTable } from "../db/schema.ts";
import { findFreePort } from "../stack/process.ts";
import { publishService, requesterOf, type Session, signIn } from "../test/harness/api.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const services = 2000;
const rounds = 5;
const secondsEach = 4;
const connections = 20;

let stack: TestStack;
let baseline: ChildProcess;
let baselineUrl: string;
let buyer: Session;
let serviceId: string;

beforeAll(async () => {
  stack = await startStack();
  const api = requesterOf(stack.baseUrl);
  buyer = await signIn(api);
  const { service } = await publishService(api, await signIn(api));
  serviceId = service.id;
  const [template] = await stack.db.select().from(serviceTable).where(eq(serviceTable.id, serviceId));
  if (!template) throw new Error("The published service is not in the database.");
  const { search: _, ...columns } = template;
  // A statement takes 65,535 parameters.
  const each = 500;
  for (let begin = 1; begin < services; begin += each) {
    await stack.db.insert(serviceTable).values(
      Array.from({ length: Math.min(each, services - begin) }, (_, i) => ({
        ...columns,
        id: typeid("svc").toString(),
        slug: `${columns.slug}-${begin + i}`,
        createdAt: new Date(columns.createdAt.getTime() - (begin + i) * 1000),
      })),
    );
  }
  await stack.db.execute(sql`analyze earnest.service`);
  const port = await findFreePort();
  baseline = fork(fileURLToPath(new URL("./baseline.ts", import.meta.url)), [
    stack.config.databaseUrl,
    String(port),
  ]);
  await once(baseline, "message");
  baselineUrl = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  baseline?.kill();
  await stack?.close();
});

test(`throughput beside a bare Hono route with one query (${connections} connections)`, async () => {
  const post = { method: "POST" as const, body: JSON.stringify({ service_id: serviceId }) };
  const json = { "content-type": "application/json" };
  const rows = [["", "Earnest req/s", "bare req/s", "ratio (median)", "min", "max"]];
  for (const [name, ours, bare] of [
    [
      `GET /marketplace/services (${services} published)`,
      { url: `${stack.baseUrl}/api/v1/marketplace/services` },
      { url: `${baselineUrl}/services` },
    ],
    [
      "POST /orders",
      {
        url: `${stack.baseUrl}/api/v1/orders`,
        ...post,
        headers: { ...json, authorization: `Bearer ${buyer.token}` },
      },
      { url: `${baselineUrl}/orders`, ...post, headers: json },
    ],
  ] as const) {
    const pairs: [number, number][] = [];
    await Promise.all([load(ours, 2), load(bare, 2)]); // warms both
    for (let round = 0; round < rounds; round++) pairs.push([await load(ours), await load(bare)]);
    const ratios = pairs.map(([a, b]) => a / b);
    reportFigure({
      name: `http: ${name}`,
      of: "a bare Hono route with one query",
      value: quantile(ratios, 0.5),
      better: "higher",
    });
    rows.push([
      name,
      quantile(
        pairs.map(([a]) => a),
        0.5,
      ).toFixed(0),
      quantile(
        pairs.map(([, b]) => b),
        0.5,
      ).toFixed(0),
      quantile(ratios, 0.5).toFixed(2),
      Math.min(...ratios).toFixed(2),
      Math.max(...ratios).toFixed(2),
    ]);
  }
  printTable(`Throughput, ${rounds} rounds of ${secondsEach} s in turn`, rows);
});

async function load(request: autocannon.Options, duration = secondsEach): Promise<number> {
  const result = await autocannon({ ...request, connections, duration });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${request.url}: ${result.errors} requests failed, answers were ${JSON.stringify(result.statusCodeStats)}.`,
    );
  }
  return result.requests.average;
}
