import { afterAll, beforeAll, expect, test } from "vitest";
import { agentProbe, probeTarget } from "../../../db/schema.ts";
import { assignTargets } from "../../../jobs/probes/probe-targets.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { addAccount, addAgent, assignAll, changeAgent, targetOf } from "../../harness/jobs/probes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

/** Agents of one account, one for each endpoint, in the order of their publication. */
async function publish(...endpoints: string[]): Promise<string[]> {
  const accountId = await addAccount(database.db);
  const ids: string[] = [];
  for (const apiEndpoint of endpoints) ids.push(await addAgent(database.db, { accountId, apiEndpoint }));
  await assignAll(database.db);
  return ids;
}

/** Returns which of these agents are probed. */
async function probed(ids: string[]): Promise<boolean[]> {
  return Promise.all(ids.map(async (id) => (await targetOf(database.db, id)) !== undefined));
}

const urlsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `https://${name}-${index + 1}.example/`);

test("five hosts of an account are probed, in the order in which their agents were published", async () => {
  const ids = await publish(
    ...urlsOf("six", 6),
    "https://six-2.example:8443/other",
    "https://SIX-1.example/",
  );
  expect(await probed(ids)).toEqual([true, true, true, true, true, false, true, true]);
});

test("another account has five hosts of its own, even the same ones", async () => {
  await publish(...urlsOf("shared", 5));
  const others = await publish(...urlsOf("shared", 5));
  expect(await probed(others)).toEqual([true, true, true, true, true]);
});

test("the host that waited longest replaces a removed one, and a returning host waits", async () => {
  const ids = await publish(...urlsOf("turn", 7));
  const [first = ""] = ids;
  await changeAgent(database.db, first, { status: "paused" });
  await assignAll(database.db);
  expect(await probed(ids)).toEqual([false, true, true, true, true, true, false]);
  await changeAgent(database.db, first, { status: "published" });
  await assignAll(database.db);
  expect(await probed(ids)).toEqual([false, true, true, true, true, true, false]);
});

test("an agent that moves to a sixth host waits, and one that moves within its host does not", async () => {
  const ids = await publish(...urlsOf("move", 5), "https://move-1.example/also");
  const [first = "", second = ""] = ids;
  await changeAgent(database.db, first, { apiEndpoint: "https://move-6.example/" });
  await changeAgent(database.db, second, { apiEndpoint: "https://move-2.example/elsewhere" });
  await assignAll(database.db);
  expect(await probed(ids)).toEqual([false, true, true, true, true, true]);
  expect((await targetOf(database.db, second))?.url).toBe("https://move-2.example/elsewhere");
});

test("agents with one URL share one target, which is removed with the last of them and starts anew", async () => {
  const url = "https://together.example/";
  const [one = ""] = await publish(url);
  const [two = ""] = await publish(url);
  const target = await targetOf(database.db, one);
  expect(await targetOf(database.db, two)).toEqual(target);
  await database.db.update(probeTarget).set({ lastCheckedAt: new Date(), checks7d: 1 });
  await changeAgent(database.db, one, { apiEndpoint: null });
  await assignAll(database.db);
  expect(await targetOf(database.db, one)).toBeUndefined();
  expect(await targetOf(database.db, two)).toMatchObject({ checks7d: 1 });
  await changeAgent(database.db, two, { apiEndpoint: "https://together.example/new" });
  await assignAll(database.db);
  await changeAgent(database.db, two, { apiEndpoint: url });
  await assignAll(database.db);
  expect(await targetOf(database.db, two)).toMatchObject({ url, lastCheckedAt: null, checks7d: 0 });
});

test("drafts, paused and retired agents have none", async () => {
  const accountId = await addAccount(database.db);
  const ids = [];
  for (const status of ["draft", "paused", "retired", "published"] as const) {
    ids.push(await addAgent(database.db, { accountId, apiEndpoint: "https://states.example/", status }));
  }
  await assignAll(database.db);
  expect(await probed(ids)).toEqual([false, false, false, true]);
});

test("a check of one account sees its changes", async () => {
  const [accountId, otherId] = [await addAccount(database.db), await addAccount(database.db)];
  const id = await addAgent(database.db, { accountId, apiEndpoint: "https://later.example/" });
  await assignTargets(database.db, otherId);
  expect(await probed([id])).toEqual([false]);
  await assignTargets(database.db, accountId);
  expect(await probed([id])).toEqual([true]);
  await changeAgent(database.db, id, { status: "retired" });
  await assignTargets(database.db, accountId);
  expect(await probed([id])).toEqual([false]);
});

test("two concurrent checks agree", async () => {
  const accountId = await addAccount(database.db);
  const ids: string[] = [];
  for (const apiEndpoint of urlsOf("race", 8))
    ids.push(await addAgent(database.db, { accountId, apiEndpoint }));
  await Promise.all([1, 2, 3, 4].map(() => assignAll(database.db)));
  expect((await probed(ids)).filter(Boolean)).toHaveLength(5);
});

test("an endpoint that is no URL, or a long one, blocks no other", async () => {
  const ids = await publish("no URL", `https://long.example/${"é".repeat(2000)}`, "https://plain.example/");
  expect(await probed(ids)).toEqual([false, true, true]);
});

test("three hundred new agents are assigned at once and begun over half a minute", async () => {
  const accountId = await addAccount(database.db);
  await database.db.delete(agentProbe);
  for (let index = 0; index < 300; index++) {
    await addAgent(database.db, { accountId, apiEndpoint: `https://many.example/${index}` });
  }
  await assignAll(database.db);
  const targets = (await database.db.select().from(probeTarget)).filter(
    ({ host }) => host === "many.example",
  );
  expect(targets).toHaveLength(300);
  const times = targets.map(({ nextProbeAt }) => nextProbeAt.getTime()).sort((a, b) => a - b);
  const spread = (times.at(-1) ?? 0) - (times[0] ?? 0);
  expect(spread).toBeGreaterThan(20_000);
  expect(spread).toBeLessThan(31_000);
});
