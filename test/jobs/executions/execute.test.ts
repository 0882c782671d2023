import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import {
  execution,
  executionAttempt,
  executionEndpoint,
  executionHost,
  fact,
  order,
  relay,
} from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { leaseExecutions, usualPace } from "../../../jobs/executions/execution-leases.ts";
import { delayAfter } from "../../../jobs/executions/execution-result.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { verifyExecution } from "../../../protocol/execution/verify.ts";
import { digestOf } from "../../../protocol/settlement/digest.ts";
import { issuerOf } from "../../../receipts/issuer.ts";
import { expectStatus, publishService, signIn } from "../../harness/api.ts";
import { blockOf } from "../../harness/documents/blocks.ts";
import { likeSample } from "../../harness/documents/outputs.ts";
import { readSample } from "../../harness/documents/samples.ts";
import { answers, type ExecutionBench, startExecutionBench } from "../../harness/jobs/executions.ts";
import { until } from "../../harness/jobs/ledger.ts";
import {
  ask,
  indexer,
  place,
  placeFunded,
  randomHash,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let bench: ExecutionBench;
beforeAll(async () => {
  bench = await startExecutionBench();
  bench.startExecutor();
});
afterAll(() => bench?.close());

const output = { translation: "Good day" };
const good = answers(200, { output_payload: output, note: "At once." });

async function buy(endpoint: string, fields: Record<string, unknown> = {}) {
  const { service } = await bench.offer(endpoint, fields);
  return placeFunded(bench, { service_id: service.id });
}
const orderOf = async (id: string) =>
  expectStatus(200, await ask(bench, bench.buyer, "GET", `/orders/${id}`));

/** The parameters of a signature without those of one request and one key. */
const withoutValues = (input: string) =>
  input.replace(/(created|expires)=\d+/g, "$1").replace(/(nonce|keyid)="[^"]*"/g, "$1");

test("a funded order is requested by a signed request, and its answer is delivered in the provider's name", async () => {
  const endpoint = bench.addEndpoint(good);
  const { id, row } = await buy(endpoint);
  await bench.untilStatus(id, "delivered");
  expect(await orderOf(id)).toMatchObject({ status: "delivered", output_payload: output });

  const [request, second] = bench.requestsFor(id);
  if (!request || second) throw new Error("It was not asked for once.");
  expect(request.body).toMatchObject({
    attempt: 1,
    order_id: id,
    service_id: row.serviceId,
    agent_id: row.agentId,
    quantity: 1,
    input_payload: { text: "Guten Tag" },
    order_hash: row.orderHash,
    escrow_id: row.escrowId,
    revision: null,
    delivery_record: { primaryType: "RecordDelivery", message: { escrowId: row.escrowId, number: 1 } },
  });
  expect(request.headers["idempotency-key"]).toBe(id);
  const [head = "", shown = ""] = blockOf("docs/execution.md: The request").split("\n\n");
  const sample = readSample(shown);
  expect(likeSample(request.body, sample)).toEqual(likeSample(sample, sample));
  for (const [, name = "", value = ""] of head.matchAll(/^([\w-]+): (.*)$/gm)) {
    const sent = request.headers[name.toLowerCase()];
    expect([name, sent]).toEqual([name, expect.any(String)]);
    if (name === "Content-Type") expect(sent).toBe(value);
    if (name === "Signature-Input") expect(withoutValues(String(sent))).toBe(withoutValues(value));
  }
  // Verified with the keys that the API serves.
  const issuer = issuerOf(bench.api.config.publicUrl);
  const load = async (url: unknown) => bench.api.app.request(new URL(String(url)).pathname);
  const checked = await verifyExecution(
    { method: request.method, headers: request.headers, body: request.raw },
    { issuer, endpoint, agent: row.agentId, fetch: load as typeof fetch },
  );
  expect(checked).toMatchObject({ valid: true, idempotencyKey: id, order: { order_id: id } });

  const trail = expectStatus(200, await ask(bench, bench.buyer, "GET", `/orders/${id}/events`)).items;
  const [{ id: executionId, attempts }] = await bench.executions(id);
  for (const type of ["order.started", "order.delivered"]) {
    expect(trail.find((entry: { type: string }) => entry.type === type)).toMatchObject({
      actor: "provider",
      data: { executed_by: "service", execution_id: executionId },
    });
  }
  expect(attempts).toEqual([
    expect.objectContaining({ number: 1, status_code: 200, error: null, response_body: null }),
  ]);
  // The buyer and other accounts see none of it.
  const path = `/orders/${id}/executions`;
  expect((await ask(bench, bench.buyer, "GET", path)).status).toBe(409);
  expect((await ask(bench, bench.outsider, "GET", path)).status).toBe(404);
});

test.each([
  ["an empty query", "/orders?"],
  ["escapes, and none where some are needed", "/a%2Fb/%7e//?x=%41&y='\u{e9}'&"],
  ["dots", "/a/./b/%2e%2e/c?d/../e"],
])("the signed target is the sent one: %s", async (_what, path) => {
  const written = bench.addEndpoint(good, { path });
  const sent = new URL(written).href;
  bench.reactions.set(sent, good);
  // Upper case in the host is sent as lower case.
  const { service } = await bench.offer(written.replace("https://e", "https://E"));
  const { id, row } = await placeFunded(bench, { service_id: service.id });
  await bench.untilStatus(id, "delivered");
  const [request] = bench.requestsFor(id);
  expect([request?.url, service.execution.endpoint]).toEqual([sent, sent]);
  const { method = "", headers = {}, raw = "", url = "" } = request ?? {};
  const load = async (at: unknown) => bench.api.app.request(new URL(String(at)).pathname);
  const issuer = issuerOf(bench.api.config.publicUrl);
  const options = { issuer, endpoint: url, agent: row.agentId, fetch: load as typeof fetch };
  expect(await verifyExecution({ method, headers, body: raw }, options)).toMatchObject({ valid: true });
});

test("an endpoint states the units of a metered order; without them, or beyond the most, its answer is unusable", async () => {
  const metered = { pricing_model: "metered", price: "0.05", price_unit: "page", max_quantity: 10 };
  const paid = await buy(bench.addEndpoint(answers(200, { output_payload: output, units: 7 })), metered);
  await bench.untilStatus(paid.id, "delivered");
  expect(await orderOf(paid.id)).toMatchObject({ units: 7, charge: "0.350000" });

  const without = await buy(bench.addEndpoint(good), metered);
  const beyond = await buy(bench.addEndpoint(answers(200, { output_payload: output, units: 11 })), metered);
  for (const { id } of [without, beyond]) {
    const failed = async () => (await bench.executions(id))[0]?.attempts[0]?.message ?? "";
    await expect.poll(failed).toContain("units");
    expect(await orderOf(id)).toMatchObject({ units: null, charge: null });
  }
});

test("interim answers are skipped, and the body of a 202 is ignored", async () => {
  const hinting = await buy(
    bench.addEndpoint((response, request) => {
      response.writeContinue();
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeContinue();
      good(response, request);
    }),
  );
  const taking = await buy(
    bench.addEndpoint((response) => {
      response.writeHead(202, { "content-length": "100" });
      response.write("half", () => response.destroy());
    }),
  );
  await bench.untilStatus(hinting.id, "delivered");
  await bench.untilStatus(taking.id, "accepted");
  expect((await orderOf(taking.id)).status).toBe("started");
  for (const { id } of [hinting, taking]) expect(bench.requestsFor(id)).toHaveLength(1);
});

test("an endpoint that is down is retried with the same key and another nonce, and then the order is delivered", async () => {
  let times = 0;
  const endpoint = bench.addEndpoint((response, request) => {
    times += 1;
    if (times === 1) answers(500)(response, request);
    else if (times === 2) answers(429, "", { "retry-after": "600" })(response, request);
    else good(response, request);
  });
  const { id } = await buy(endpoint);
  for (const attempts of [1, 2]) {
    const row = await bench.untilStatus(id, "pending", attempts);
    const wait = row.nextAttemptAt.getTime() - Date.now();
    if (attempts === 2) expect(wait).toBeGreaterThan(590_000);
    await bench.makeDue(id);
  }
  await bench.untilStatus(id, "delivered");
  const requests = bench.requestsFor(id);
  expect(requests.map(({ body }) => body.attempt)).toEqual([1, 2, 3]);
  expect(new Set(requests.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([id]));
  expect(new Set(requests.map(({ headers }) => headers["signature-input"])).size).toBe(3);
});

test("an unusable answer is requested three times; the provider gets the reason, and may deliver by hand", async () => {
  const secret = `${"x".repeat(3000)}end`;
  const { id } = await buy(bench.addEndpoint(answers(200, { output_payload: { text: secret } })));
  for (const attempts of [1, 2]) {
    await bench.untilStatus(id, "pending", attempts);
    await bench.makeDue(id);
  }
  await bench.untilStatus(id, "failed");
  expect(bench.requestsFor(id)).toHaveLength(3);
  const [{ attempts, reason }] = await bench.executions(id);
  expect(reason).toBe("output_schema_violation");
  expect(attempts[2]).toMatchObject({ number: 3, status_code: 200, error: "output_schema_violation" });
  expect(attempts[2].message).toMatch(/\/translation is required/);
  expect(attempts[2].response_body).toHaveLength(1024);
  const failures = await bench.failures(id);
  expect(failures.map(({ accountId }) => accountId)).toEqual([bench.provider.accountId]);
  expect(failures[0]?.data).toMatchObject({ execution: { attempts: 3, reason: "output_schema_violation" } });
  // The order is unchanged.
  expect((await orderOf(id)).status).toBe("funded");
  for (const [step, body] of [["start"], ["deliver", { output_payload: output }]] as const) {
    expectStatus(200, await ask(bench, bench.provider, "POST", `/orders/${id}/${step}`, body));
  }
  expect((await orderOf(id)).status).toBe("delivered");
});

test("every other answer of an endpoint is an attempt with its reason, and delivers nothing", async () => {
  const big = JSON.stringify({ output_payload: { translation: "x".repeat(300_000) } });
  const drip = bench.addEndpoint((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  });
  const cases: [string, string][] = [
    ["redirected", bench.addEndpoint(answers(302, "", { location: "https://127.0.0.1/" }))],
    ["refused", bench.addEndpoint(answers(404))],
    ["refused", bench.addEndpoint(answers(201, { output_payload: output }))],
    ["invalid_json", bench.addEndpoint(answers(200, "<html>"))],
    ["invalid_json", bench.addEndpoint(answers(200, Buffer.from('{"note":"caf\xe9"}', "latin1")))],
    [
      "invalid_json",
      bench.addEndpoint(answers(200, '{"output_payload":{"translation":"a","translation":"b"}}')),
    ],
    [
      "invalid_json",
      bench.addEndpoint(answers(200, '{"output_payload":{"translation":0.1000000000000000055}}')),
    ],
    ["invalid_answer", bench.addEndpoint(answers(200, { translation: "Good day" }))],
    ["invalid_answer", bench.addEndpoint(answers(200, `{"output_payload": {"translation": "a\\u0000b"}}`))],
    [
      "invalid_answer",
      bench.addEndpoint(answers(200, `{"output_payload": ${`{"a":`.repeat(100)}1${"}".repeat(100)}}`)),
    ],
    [
      "invalid_signature",
      bench.addEndpoint(answers(200, { output_payload: output, signature: `0x${"11".repeat(65)}` })),
    ],
    ["answer_too_large", bench.addEndpoint(answers(200, big))],
    ["timeout", bench.addEndpoint(() => {})],
    ["timeout", drip],
    ["unavailable", bench.addEndpoint(answers(503))],
    ["connection_failed", bench.addEndpoint((response) => response.destroy())],
    [
      "connection_failed",
      bench.addEndpoint((response) => {
        const whole = JSON.stringify({ output_payload: output });
        response.writeHead(200, { "content-length": `${whole.length + 1}` });
        response.write(whole, () => response.destroy());
      }),
    ],
    ["tls_failed", bench.addEndpoint(good, { name: "a.b" })],
    ["forbidden_address", `https://inside.example.org:${bench.port}/`],
  ];
  const orders = await Promise.all(
    cases.map(async ([error, endpoint]) => ({ error, endpoint, ...(await buy(endpoint)) })),
  );
  for (const { error, id, endpoint } of orders) {
    await bench.untilStatus(id, "pending", 1);
    const [{ attempts }] = await bench.executions(id);
    expect(attempts[0].error, endpoint).toBe(error);
    if (attempts[0].status_code === 200 && error === "connection_failed") {
      expect(attempts[0].message).toMatch(/^The connection was closed in the middle of the answer/);
    }
    expect((await orderOf(id)).status).toBe("funded");
  }
});

test("an answer whose check fails here is an attempt too, and the order stays unchanged", async () => {
  const endpoint = bench.addEndpoint(async (response, request) => {
    // No schema is a number, so every check by it throws.
    const broken = { outputSchema: 5 as never };
    await bench.db.update(order).set(broken).where(eq(order.id, request.body.order_id));
    good(response, request);
  });
  const { id } = await buy(endpoint);
  await bench.untilStatus(id, "pending", 1);
  const [{ attempts }] = await bench.executions(id);
  expect(attempts[0]).toMatchObject({ status_code: 200, error: "output_schema_violation" });
  expect(attempts[0].message).toMatch(/cannot be checked/);
  expect((await rowOf(bench, id)).status).toBe("funded");
});

test("an endpoint with the payout wallet's key signs the delivery's record too, which is relayed as by deliver", async () => {
  const endpoint = bench.addEndpoint(async (response, request) => {
    const { domain, types, primaryType, message } = request.body.delivery_record;
    const data = { ...message, outputHash: digestOf(output), deadline: BigInt(message.deadline) };
    const signature = await bench.provider.account.signTypedData({
      domain,
      types,
      primaryType,
      message: data,
    });
    answers(200, { output_payload: output, signature })(response, request);
  });
  const { id } = await buy(endpoint);
  await bench.untilStatus(id, "delivered");
  const [queued] = await bench.db.select().from(relay).where(eq(relay.orderId, id));
  expect(queued?.signer).toBe(bench.provider.account.address.toLowerCase());
});

test("after 202 the provider delivers by itself, and gets no further request", async () => {
  const { id } = await buy(bench.addEndpoint(answers(202)));
  await bench.untilStatus(id, "accepted");
  expect((await orderOf(id)).status).toBe("started");
  await bench.makeDue(id);
  const delivery = { output_payload: output };
  expectStatus(200, await ask(bench, bench.provider, "POST", `/orders/${id}/deliver`, delivery));
  expect(bench.requestsFor(id)).toHaveLength(1);
});

test("an order that its provider started, that ended or whose endpoint is gone is not executed, even during the request", async () => {
  const change = {
    order_started: (id: string) => ask(bench, bench.provider, "POST", `/orders/${id}/start`),
    order_refunded: async (id: string) => {
      await indexer(bench, await rowOf(bench, id)).ended("Refunded");
      await settleNow(bench);
    },
    order_disputed: async (id: string) => {
      await indexer(bench, await rowOf(bench, id)).disputed();
      await settleNow(bench);
    },
  };
  for (const [reason, happen] of Object.entries(change)) {
    const endpoint = bench.addEndpoint(async (response, request) => {
      await happen(request.body.order_id);
      good(response, request);
    });
    const { id } = await buy(endpoint);
    expect((await bench.untilStatus(id, "cancelled")).reason).toBe(reason);
    const { status, output_payload } = await orderOf(id);
    expect([`order_${status}`, output_payload]).toEqual([reason, null]);
  }
  const { agent, service } = await bench.offer(bench.addEndpoint(answers(500)));
  const { id } = await placeFunded(bench, { service_id: service.id });
  await bench.untilStatus(id, "pending", 1);
  const path = `/agents/${agent.slug}/services/${service.slug}`;
  const { token } = bench.provider;
  expectStatus(200, await bench.api.request("PATCH", path, { token, body: { execution: null } }));
  await bench.makeDue(id);
  expect((await bench.untilStatus(id, "cancelled")).reason).toBe("endpoint_removed");
  expect(bench.requestsFor(id)).toHaveLength(1);
});

test("an order whose funding left the chain is requested once it is funded again", async () => {
  let isDown = true;
  const endpoint = bench.addEndpoint((...args) => (isDown ? answers(500) : good)(...args));
  const { id } = await buy(endpoint);
  await bench.untilStatus(id, "pending", 1);
  await inTransaction(bench.db, async (tx) => {
    const row = await lockOrder(tx, id);
    const [funded] = await tx.select().from(fact).where(sql`order_id = ${id} and type = 'order.funded'`);
    if (!row || !funded) throw new Error("It is not funded.");
    const reverted = { type: "fact.reverted", actor: "chain", data: { fact_id: funded.id } } as const;
    await recordFacts(tx, row, [{ ...reverted, key: randomHash(), occurredAt: new Date() }]);
  });
  await bench.makeDue(id);
  expect((await bench.untilStatus(id, "cancelled")).reason).toBe("order_created");
  expect(bench.requestsFor(id)).toHaveLength(1);
  isDown = false;
  await inTransaction(bench.db, async (tx) => {
    const row = await lockOrder(tx, id);
    if (!row) throw new Error("It is gone.");
    const place = { chainId: row.chainId, blockNumber: 2n, blockHash: randomHash(), logIndex: 0 };
    const chain = { ...place, transactionHash: randomHash() };
    await recordFacts(tx, row, [
      { type: "order.funded", actor: "chain", key: randomHash(), occurredAt: new Date(), chain },
    ]);
  });
  await bench.untilStatus(id, "delivered");
});

test("a revision is requested from the endpoint under a new key", async () => {
  const { id } = await buy(
    bench.addEndpoint((response, request) =>
      answers(200, { output_payload: { translation: request.body.revision?.reason ?? "first" } })(
        response,
        request,
      ),
    ),
  );
  await bench.untilStatus(id, "delivered");
  const body = { reason: "Say it better." };
  expectStatus(200, await ask(bench, bench.buyer, "POST", `/orders/${id}/revision`, body));
  await until(
    async () => (await orderOf(id)).output_payload.translation === "Say it better.",
    "a second delivery",
  );
  expect(bench.requestsFor(id).map(({ headers }) => headers["idempotency-key"])).toEqual([
    id,
    `${id}:revision`,
  ]);
  expect((await bench.executions(id)).map((one: { status: string }) => one.status)).toEqual([
    "delivered",
    "delivered",
  ]);
});

test("a dead worker is replaced after its lease, concurrent workers send one request, and a stopping worker aborts slow ones", async () => {
  const dead = await startExecutionBench();
  try {
    const endpoint = dead.addEndpoint(good);
    const { service } = await dead.offer(endpoint);
    const died = await placeFunded(dead, { service_id: service.id });
    const leased = await leaseExecutions(
      dead.db,
      { slots: 10, carefulSlots: 10 },
      { lease: "dead:1", pace: usualPace },
    );
    expect(leased.map(({ orderId, attempt, url }) => [orderId, attempt, url])).toEqual([
      [died.id, 1, endpoint],
    ]);
    const workers = [1, 2, 3].map(() => dead.startExecutor());
    await dead.makeDue(died.id);
    expect((await dead.db.select().from(execution))[0]?.status).toBe("pending");
    // The end of its lease, half a minute after the longest answer.
    await dead.db.update(execution).set({ nextAttemptAt: sql`now()` });
    await dead.db.update(executionHost).set({ nextTrialAt: sql`now()` });
    await dead.untilStatus(died.id, "delivered", 2);
    expect(dead.requestsFor(died.id)).toHaveLength(1);
    for (const { stop } of workers) await stop();

    const slow = dead.addEndpoint(() => {});
    const { service: other } = await dead.offer(slow, {
      execution: { endpoint: slow, timeout_seconds: 300 },
    });
    const stopping = dead.startExecutor({ graceMs: 50 });
    const { id } = await placeFunded(dead, { service_id: other.id });
    await until(async () => dead.requestsFor(id).length === 1, "a request");
    await stopping.stop();
    // The state is that before the request, and others may take it at once.
    const [row] = await dead.db.select().from(execution).where(eq(execution.orderId, id));
    expect(row).toMatchObject({ status: "pending", attempts: 0, leaseOwner: null });
    dead.reactions.set(slow, good);
    dead.startExecutor();
    await dead.untilStatus(id, "delivered", 1);
    const keys = dead.requestsFor(id).map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([id, id]);
  } finally {
    await dead.close();
  }
});

test("fifty slow endpoints of one account delay nobody, and a host that accepts no order gets one request at a time", async () => {
  const crowd = await startExecutionBench();
  try {
    const attacker = await signIn(crowd.api);
    let atOnce = 0;
    let most = 0;
    const hang = crowd.addEndpoint((response) => {
      most = Math.max(most, ++atOnce);
      response.on("close", () => {
        atOnce -= 1;
      });
    });
    const { agent } = await publishService(crowd.api, attacker);
    const names = Array.from({ length: 50 }, (_, number) => `slow-${number}`);
    const token = attacker.token;
    const path = `/agents/${agent.slug}/services`;
    await Promise.all(
      names.map(async (slug, number) => {
        const own = crowd.addEndpoint(crowd.reactions.get(hang) ?? good);
        // Half of them are at one host that never accepted an order.
        const execution = { endpoint: number % 2 ? hang : own, timeout_seconds: 300 };
        const body = { slug, title: slug, price: "1", delivery_time_hours: 1, execution };
        const { id } = expectStatus(201, await crowd.api.request("POST", path, { token, body }));
        expectStatus(200, await crowd.api.request("POST", `${path}/${slug}/publish`, { token }));
        const order = await place(crowd, { service_id: id });
        await indexer(crowd, await rowOf(crowd, order.id)).funded();
      }),
    );
    await settleNow(crowd);
    expect(await crowd.db.$count(execution)).toBe(names.length);
    // The tasks of that host are the oldest, and take no slot of the account's other tasks.
    await crowd.db.execute(sql`
      update earnest.execution set next_attempt_at = now() - interval '1 hour'
      from earnest.service where service.id = service_id and execution_url = ${hang}`);

    // Only a few of them may be in flight at once, although all of them are due.
    crowd.startExecutor({
      slots: { held: 8, careful: 5 },
      graceMs: 0,
      pace: { ...usualPace, trialSeconds: 0.2 },
    });
    await until(async () => atOnce >= 2, "slow requests");
    const honest = crowd.addEndpoint(good, { address: "127.0.0.2" });
    const { service } = await crowd.offer(honest);
    const began = performance.now();
    const orders = [];
    for (let number = 0; number < 3; number++)
      orders.push(await placeFunded(crowd, { service_id: service.id }));
    for (const { id } of orders) await crowd.untilStatus(id, "delivered");
    // The hanging ones take 300 seconds.
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(most).toBeLessThanOrEqual(4);
    const ofHost = crowd.requests.filter(({ url }) => url === hang);
    expect(ofHost.length).toBeLessThanOrEqual(1);
    const [shown] = await crowd.db
      .select()
      .from(executionEndpoint)
      .where(eq(executionEndpoint.serviceId, service.id));
    expect(shown).toMatchObject({ url: honest, failingSince: null });
  } finally {
    await crowd.close();
  }
});

test("an order whose attempts all died with their workers is given up, its attempts are deleted after 30 days, and the metrics count it", async () => {
  const { id } = await buy(bench.addEndpoint(answers(500)));
  const { id: executionId } = await bench.untilStatus(id, "pending", 1);
  await bench.db.update(execution).set({ attempts: 10 }).where(eq(execution.orderId, id));
  await bench.makeDue(id);
  expect((await bench.untilStatus(id, "failed")).reason).toBe("attempts_used_up");
  expect(bench.requestsFor(id)).toHaveLength(1);

  const old = new Date(Date.now() - 31 * 86_400_000);
  await bench.db
    .update(executionAttempt)
    .set({ startedAt: old })
    .where(eq(executionAttempt.executionId, executionId));
  expect((await removeOldRows(bench.db)).executionAttempts).toBe(1);
  expect((await bench.executions(id)).map((one: { attempts: unknown[] }) => one.attempts)).toEqual([[]]);
  // The orders of earlier tests may be due again.
  const later = { nextAttemptAt: sql`now() + interval '1 hour'` };
  await bench.db.update(execution).set(later).where(eq(execution.status, "pending"));
  const metrics = await bench.api.metrics();
  expect(metrics).toMatch(/earnest_executions_last_hour\{outcome="failed"\} [1-9]/);
  expect(metrics).toMatch(/earnest_executions_pending\{state="due"\} 0/);
});

test("the attempts are bounded: ten without an answer over hours, three with an unusable one", () => {
  const delays = (isRejection: boolean) =>
    Array.from({ length: 10 }, (_, number) =>
      delayAfter({ attempts: number + 1, rejections: number + 1 }, { isRejection }, 0.5),
    );
  expect(delays(false).filter((delay) => delay !== null)).toHaveLength(9);
  expect(delays(true).filter((delay) => delay !== null)).toEqual([30_000, 600_000]);
  expect(delayAfter({ attempts: 1, rejections: 0 }, { isRejection: false, retryAfter: 1e12 }, 0)).toBe(
    3_600_000,
  );
});
