import { spawn } from "node:child_process";
import { once } from "node:events";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { deploymentSchema } from "../../tools/indexer/deployment-schema.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { expectStatus, publishService, requesterOf, signIn } from "../harness/api.ts";
import { ourProgram } from "../harness/programs.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { openStream } from "../harness/streams.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ isKept: true, env: { NODE_ENV: "production" } });
});
afterAll(() => stack?.close());

test("npm run indexer -- --reindex is refused while an indexer runs, and drops nothing", async () => {
  const env = { ...stack.env, PORT: String(await findFreePort()), METRICS_PORT: "0" };
  const child = spawn(process.execPath, ourProgram("scripts/indexer.ts", "--reindex"), { env });
  let text = "";
  child.stderr.on("data", (part) => {
    text += part;
  });
  const [code] = await once(child, "close");
  expect([code, text]).toEqual([
    1,
    expect.stringMatching(
      /^An indexer runs on the schema ponder_[0-9a-f]{12}, or was killed .*: stop it, and try again\.\n$/,
    ),
  ]);
});

test("a second indexer waits, and its end leaves the lock of the first", async () => {
  const env = { ...stack.env, PORT: String(await findFreePort()), METRICS_PORT: "0", LOG_LEVEL: "info" };
  const child = spawn(process.execPath, ourProgram("scripts/indexer.ts"), { env });
  let text = "";
  const read = (part: Buffer) => {
    text += part.toString();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  await vi.waitFor(() => expect(text).toMatch(/another indexer runs|locked by a different/), {
    timeout: 60_000,
  });
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  expect(await readLock()).toBe("1");
  expect(code).toBe(0);
});

async function readLock(): Promise<string | undefined> {
  const schema = sql.identifier(deploymentSchema(stack.config));
  const { rows } = await stack.db.execute<{ locked: string }>(
    sql`select value ->> 'is_locked' as locked from ${schema}._ponder_meta`,
  );
  return rows[0]?.locked;
}

test("a party gets the funding by the stream, and SIGTERM ends the stream and the indexer in order", async () => {
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [await signIn(api), await signIn(api)];
  await stack.chain.fund(buyer.account);
  const { service } = await publishService(api, provider, { price: "1" });
  const stream = await openStream(stack.baseUrl, provider.token);
  const types = () => stream.received.map(({ data }) => data.type);
  const { id } = expectStatus(
    201,
    await api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id } }),
  );
  const { calls } = expectStatus(
    200,
    await api.request("GET", `/orders/${id}/payment-instructions`, { token: buyer.token }),
  );
  for (const { to, data } of calls) {
    const hash = await stack.chain.wallet(buyer.account).sendTransaction({ to, data });
    await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  }
  await vi.waitFor(() => expect(types()).toEqual(["order.created", "order.funded"]), { timeout: 60_000 });
  // An orderly end closes the stream. A cut connection would fail its reader.
  const ended = stream.ended.then(() => stream.failure());
  expect((await stack.indexer.stop(10_000)).code).toBe(0);
  expect(await ended).toBeNull();
  // Ponder has freed its schema, so the next indexer need not wait for it.
  expect(await readLock()).toBe("0");
});
