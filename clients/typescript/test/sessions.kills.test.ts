import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../../../tools/stack/process.ts";
import { startApi } from "../../../tools/stack/services.ts";
import { sessionKeyOf } from "../src/sessions.ts";
import { type OwnMarket, runProgram, startMarket } from "./market.fixture.ts";
import { newFolder } from "./sessions.fixture.ts";

/** `SESSION_CALLS=10000` makes the long run. */
const calls = Number(process.env.SESSION_CALLS ?? 200);
/** The longest time between two kills, in milliseconds. */
const longestLife = 2_500;
/** A slow machine answers no call between two kills, so the kills have an end. */
const mostKills = Math.ceil(calls / 4);

let market: OwnMarket;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.close());

test(`${calls} calls, with both ends and the service killed at random, cost exactly their price in at most three transactions`, {
  timeout: 1_800_000,
}, async () => {
  const [buyer, provider] = await Promise.all([market.join(), market.join()]);
  const [folder, port] = [newFolder(), await findFreePort()];
  const session = { endpoint_url: `http://localhost:${port}/calls`, session_key: sessionKeyOf(folder) };
  const service = await market.publish(provider, {
    pricing_model: "per_call",
    price: "0.001",
    session,
    input_schema: null,
    output_schema: null,
  });
  // The service's API is a process of its own, as in production.
  const apiPort = String(await findFreePort());
  const env = { ...market.stack.env, PORT: apiPort, METRICS_PORT: String(await findFreePort()) };
  const startKilledApi = () => startApi(env, join(market.stack.folder, "killed-api.log"));
  let api = startKilledApi();
  await api;
  const shared = {
    BASE_URL: `http://localhost:${apiPort}`,
    RPC_URL: market.stack.chain.rpcUrl,
    AGENT: service.agent.slug,
    ISSUER: market.issuer,
    CALLS: String(calls),
  };
  const files = { FILE: join(newFolder(), "session.jsonl"), ANSWERS: join(newFolder(), "answers") };
  const startBuyer = () =>
    runProgram("session-buyer", { ...shared, ...files, TOKEN: buyer.token, WALLET_KEY: buyer.key });
  const startProvider = () =>
    runProgram("session-provider", {
      ...shared,
      FOLDER: folder,
      ENDPOINT_PORT: String(port),
      TOKEN: provider.token,
      WALLET_KEY: provider.key,
    });
  const before = await Promise.all([buyer, provider].map(({ wallet }) => market.balanceOf(wallet.address)));
  let [caller, endpoint, worker] = [startBuyer(), startProvider(), market.stack.worker];
  let [kills, handled] = [0, 0];
  const count = () => endpoint.printed().split("\n").filter(Boolean).length;
  const isDone = () => answers().length >= calls;
  const answers = () => {
    try {
      return readFileSync(files.ANSWERS, "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };
  while (!isDone()) {
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * longestLife));
    if (isDone()) break;
    if (kills === mostKills) continue;
    kills += 1;
    const victim = kills % 6;
    if (victim === 3) {
      await (await api).stop(0);
      // Calls go on without the service.
      api = startKilledApi();
    } else if (victim === 0) {
      await worker?.stop(0);
      worker = await market.stack.startWorker();
    } else if (victim % 2 === 0) {
      await caller.kill();
      caller = startBuyer();
    } else {
      await endpoint.kill();
      handled += count();
      endpoint = startProvider();
    }
  }
  await api;
  const orderId = (await caller.end()).trim();
  await expect.poll(async () => (await buyer.client.orders.get(orderId)).status).toBe("released");
  handled += count();
  await endpoint.kill();
  await (await api).stop(10_000);

  expect(answers().map(Number)).toEqual(Array.from({ length: calls }, (_, index) => index + 1));
  const after = await Promise.all([buyer, provider].map(({ wallet }) => market.balanceOf(wallet.address)));
  const price = 1_000n * BigInt(calls);
  expect([(before[0] ?? 0n) - (after[0] ?? 0n), (after[1] ?? 0n) - (before[1] ?? 0n)]).toEqual([
    price,
    price,
  ]);
  // A handler runs again only for a call that a kill interrupted.
  expect(handled - calls).toBeLessThanOrEqual(kills);
  const transactions = new Set<string>();
  for await (const { transaction } of buyer.client.orders.listTrail(orderId)) {
    if (transaction) transactions.add(transaction.hash);
  }
  expect(transactions.size).toBeLessThanOrEqual(3);
  console.log(`${calls} calls, ${kills} kills, ${handled - calls} handlers ran again.`);
});
