import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eq, inArray, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyFile } from "../../../config/keys/signing-key.ts";
import { webhookDelivery, webhookEndpoint } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { startWorker } from "../../../tools/stack/services.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { createAuthority, startReceiver } from "../../harness/outbound/receiver.ts";

let bench: DeliverBench;
beforeAll(async () => {
  bench = await startDeliverBench();
});
afterAll(() => bench?.close());

/** An endpoint that gets no more events, so that the tests are independent. */
async function retire(endpointId: string) {
  await bench.db.update(webhookEndpoint).set({ status: "revoked" }).where(eq(webhookEndpoint.id, endpointId));
}

test("one receiver that hangs delays none of a thousand that answer", async () => {
  const hanging = await bench.addEndpoint({}, bench.receiver.hang);
  // It has a queue of its own before the others have anything.
  await bench.tell(30);
  // An account has at most 50 endpoints.
  const accounts: string[] = [bench.accountId];
  while (accounts.length < 20) accounts.push(await bench.addAccount());
  const ids = Array.from({ length: 1000 }, () => typeid("whe").toString());
  await bench.db.insert(webhookEndpoint).values(
    ids.map((id, index) => ({
      id,
      accountId: accounts[index % accounts.length] ?? "",
      url: `${bench.receiver.url}/many/${id}`,
      host: "localhost",
      acknowledgedAt: new Date(),
      events: ["*"],
    })),
  );
  for (const account of accounts) await bench.tell(1, undefined, undefined, account);
  // A delivery that waited for it would wait longer than the test.
  const deliverer = bench.startDeliverer({ timeoutSeconds: 60 });
  const answered = () => bench.receiver.received.filter(({ path }) => path.startsWith("/many/"));
  await until(async () => answered().length >= 1000, "1000 deliveries");
  // All arrive while it still hangs.
  expect((await bench.deliveries(hanging.id)).every(({ attempts }) => attempts === 0)).toBe(true);
  expect(new Set(answered().map(({ path }) => path)).size).toBe(1000);
  // The hanging endpoint has the maximum of concurrent requests.
  expect(bench.received(hanging.path).length).toBeLessThanOrEqual(4);
  // The hanging endpoint answers from here on: a stopping worker waits for its requests in flight.
  bench.receiver.reactions.delete(hanging.path);
  bench.receiver.release();
  await retire(hanging.id);
  await bench.db.update(webhookEndpoint).set({ status: "revoked" }).where(inArray(webhookEndpoint.id, ids));
  await deliverer.stop();
});

test("an endpoint that timed out is tried one request at a time", async () => {
  let open = 0;
  /** The number of open requests when each came, itself included. */
  const atOnce: number[] = [];
  const endpoint = await bench.addEndpoint({}, (response) => {
    atOnce.push(++open);
    response.once("close", () => {
      open -= 1;
    });
  });
  await bench.tell(12);
  const deliverer = bench.startDeliverer({ timeoutSeconds: 1 });
  await until(async () => atOnce.length >= 7, "four that timed out and three more");
  expect(atOnce.slice(4, 7)).toEqual([1, 1, 1]);
  const timedOut = async () =>
    (await bench.deliveries(endpoint.id)).filter(({ lastError }) => lastError?.startsWith("timeout: "));
  await until(async () => (await timedOut()).length >= 6, "the six that ended, as timed out");
  await retire(endpoint.id);
  await deliverer.stop();
});

test("two workers send nothing twice", async () => {
  const endpoints = [await bench.addEndpoint(), await bench.addEndpoint(), await bench.addEndpoint()];
  await bench.tell(100);
  const workers = [bench.startDeliverer(), bench.startDeliverer()];
  const sent = () => endpoints.flatMap(({ path }) => bench.received(path));
  await until(async () => sent().length >= 300, "300 deliveries");
  for (const worker of workers) await worker.stop();
  expect(sent()).toHaveLength(300);
  const [first] = endpoints;
  const owners = await bench.deliveries(first?.id ?? "");
  expect(owners.every(({ status, attempts }) => status === "succeeded" && attempts === 1)).toBe(true);
  for (const { id } of endpoints) await retire(id);
});

test("a stopped worker finishes its requests in flight, and begins none", async () => {
  const endpoint = await bench.addEndpoint({}, bench.receiver.hang);
  await bench.tell(10);
  const deliverer = bench.startDeliverer();
  await until(async () => bench.received(endpoint.path).length === 4, "four under way");
  let stopped = false;
  const stopping = deliverer.stop().then(() => {
    stopped = true;
  });
  await sleep(300);
  expect(stopped).toBe(false);
  bench.receiver.release();
  await stopping;
  const rows = await bench.deliveries(endpoint.id);
  expect(rows.filter(({ status }) => status === "succeeded")).toHaveLength(4);
  expect(rows.filter(({ status, leaseOwner }) => status === "pending" && leaseOwner === null)).toHaveLength(
    6,
  );
  expect(bench.received(endpoint.path)).toHaveLength(4);
  await retire(endpoint.id);
});

test("a killed worker's deliveries are taken over by another within a minute", async () => {
  const endpoint = await bench.addEndpoint({}, bench.receiver.hang);
  const env = {
    DATABASE_URL: bench.url,
    PUBLIC_URL: "http://localhost:42069",
    SIGNING_KEY_FILE: join(bench.folder, "signing.json"),
    WEBHOOK_KEY_FILE: bench.webhookKeyFile,
    // A lease is three of these.
    WEBHOOK_TIMEOUT_SECONDS: "2",
    ...(await baseChainSettings()),
  };
  createKeyFile(env.SIGNING_KEY_FILE);
  const killed = await startWorker(env, join(bench.folder, "killed.log"));
  await bench.tell();
  await until(async () => bench.received(endpoint.path).length === 1, "the first try");
  killed.kill("SIGKILL");
  await killed.exited;
  const diedAt = performance.now();
  const [held] = await bench.deliveries(endpoint.id);
  expect(held).toMatchObject({ status: "pending", attempts: 0, leaseOwner: expect.any(String) });
  bench.receiver.reactions.delete(endpoint.path);

  const other = await startWorker(env, join(bench.folder, "other.log"));
  await bench.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
  expect(performance.now() - diedAt).toBeLessThan(60_000);
  const [first, second] = bench.received(endpoint.path);
  expect(second?.raw).toBe(first?.raw);
  // The default lease is as long, and shorter than a minute.
  expect((held?.leasedUntil?.getTime() ?? 0) - (held?.createdAt.getTime() ?? 0)).toBeGreaterThan(5500);

  // Endpoints without their key are refused with a message: no receiver could verify the signatures.
  rmSync(bench.webhookKeyFile);
  const blind = await startWorker(env, join(bench.folder, "blind.log")).catch(
    (error: Error) => error.message,
  );
  expect(blind).toMatch(/There is no webhook key at .*restore the file from its copy/s);
  expect((await other.stop()).signal).toBeNull();
});

test("a receiver with a certificate of its own gets deliveries by TLS, and its name is checked", async () => {
  const secure = await startDeliverBench();
  try {
    const authority = await createAuthority();
    const seen: string[] = [];
    const credentials = await authority.issue(["hooks.example.org"]);
    const receiver = await startReceiver(credentials, (request, response) => {
      seen.push(`${request.method} ${request.headers.host}${request.url}`);
      response.writeHead(204).end();
    });
    secure.startDeliverer({
      send: {
        ca: authority.ca,
        policy: { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] },
        lookup: async () => ["127.0.0.1"],
      },
    });
    const good = await secure.addEndpoint({ url: `https://hooks.example.org:${receiver.port}/a` });
    const wrong = await secure.addEndpoint({ url: `https://other.example.org:${receiver.port}/b` });
    await secure.tell();
    await secure.untilDelivery(good.id, ({ status }) => status === "succeeded");
    const refused = await secure.untilDelivery(wrong.id, ({ attempts }) => attempts === 1);
    expect(refused.lastError).toMatch(/^tls_failed: /);
    expect(seen).toEqual([`POST hooks.example.org:${receiver.port}/a`]);
    await receiver.close();
  } finally {
    await secure.close();
  }
});

test("an answer that comes while the database is down is stored when it is back, and nothing is sent twice", async () => {
  const own = await startDeliverBench();
  try {
    const endpoint = await own.addEndpoint({}, own.receiver.hang);
    own.startDeliverer();
    await own.tell();
    await until(async () => own.received(endpoint.path).length === 1, "a request");
    const lock = inTransaction(own.db, async (tx) => {
      // No write succeeds, and each waiting connection is cut repeatedly.
      await tx.execute(sql`lock table earnest.webhook_attempt in access exclusive mode`);
      own.receiver.release();
      for (let times = 0; times < 4; times++) {
        await sleep(250);
        await tx.execute(sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`);
      }
    });
    await lock;
    const row = await own.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
    expect(row.attempts).toBe(1);
    expect(own.received(endpoint.path)).toHaveLength(1);
    expect(await own.attempts(row.id)).toHaveLength(1);
  } finally {
    await own.close();
  }
});

test("a delivery that was cancelled in flight counts as delivered if it arrived", async () => {
  const secure = await startDeliverBench();
  try {
    const endpoint = await secure.addEndpoint({}, secure.receiver.hang);
    const worker = secure.startDeliverer();
    await secure.tell();
    await until(async () => secure.received(endpoint.path).length === 1, "a request");
    await secure.db.update(webhookDelivery).set({ status: "cancelled" });
    secure.receiver.release();
    await secure.untilDelivery(endpoint.id, ({ status }) => status === "succeeded");
    await worker.stop();
  } finally {
    await secure.close();
  }
});
