import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { probeTally, probeTarget } from "../../../db/schema.ts";
import {
  findDue,
  type ProbeResult,
  postponeLate,
  recordResults,
  targetLeases,
} from "../../../jobs/probes/due-targets.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { until } from "../../harness/jobs/ledger.ts";
import {
  addAccount,
  addAgent,
  assignAll,
  startProber,
  targetOf,
  untilProbed,
} from "../../harness/jobs/probes.ts";
import { createAuthority, type Receiver, startReceiver } from "../../harness/outbound/receiver.ts";
import { makeParty } from "../../harness/party.ts";

const interval = { intervalSeconds: 900 };
const hour = 3_600_000;

let database: TestDatabase;
let authority: Awaited<ReturnType<typeof createAuthority>>;
const receivers: Receiver[] = [];
beforeAll(async () => {
  [database, authority] = await Promise.all([createTestDatabase(), createAuthority()]);
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
  await database?.close();
});

type Seen = { paths: string[]; now: number; most: number; release(): void };

/** A server that answers at once, or once it is released. */
async function serve(host: string, { hangs = false } = {}): Promise<{ url: string; seen: Seen }> {
  const released = Promise.withResolvers<void>();
  const seen: Seen = { paths: [], now: 0, most: 0, release: released.resolve };
  const receiver = await startReceiver(await authority.issue([host]), async (request, response) => {
    seen.paths.push(request.url ?? "");
    seen.most = Math.max(seen.most, ++seen.now);
    if (hangs) await released.promise;
    seen.now--;
    response.end("{}");
  });
  receivers.push(receiver);
  return { url: `https://${host}:${receiver.port}`, seen };
}

/** Targets that no prober knows yet: their agents' URLs lead nowhere. */
async function addTargets(host: string, count: number): Promise<string[]> {
  const accountId = await addAccount(database.db);
  const ids = [];
  for (let index = 0; index < count; index++) {
    const agentId = await addAgent(database.db, { accountId, apiEndpoint: `https://${host}/${index}` });
    ids.push(agentId);
  }
  await assignAll(database.db);
  return Promise.all(ids.map(async (id) => (await targetOf(database.db, id))?.id ?? ""));
}

/** Takes the due targets. */
const claim = async () => {
  await postponeLate(database.db, interval.intervalSeconds);
  const due = await findDue(database.db, []);
  return targetLeases.take(
    database.db,
    due.map(({ id }) => id),
  );
};

const finding = (id: string, until: string, fields: Partial<ProbeResult> = {}): ProbeResult => ({
  id,
  until,
  checkedAt: new Date(),
  ok: true,
  reachable: true,
  statusCode: 200,
  latencyMs: 5,
  tlsValid: true,
  bodyIsJson: true,
  ...fields,
});

async function read(id: string) {
  const [row] = await database.db.select().from(probeTarget).where(eq(probeTarget.id, id));
  if (!row) throw new Error(`There is no target ${id}.`);
  return row;
}

/** Moves the targets of other tests out of the way. */
async function settleAll() {
  await database.db.update(probeTarget).set({
    nextProbeAt: sql`now() + interval '1 day'`,
    lastCheckedAt: sql`coalesce(last_checked_at, now())`,
  });
}

test("every target has a turn of its own within the interval, and keeps it", async () => {
  const ids = await addTargets("phases.example", 60);
  await database.db.update(probeTarget).set({ nextProbeAt: sql`now()` });
  const claimed = await claim();
  expect(claimed.length).toBeGreaterThanOrEqual(60);
  await recordResults(
    database.db,
    claimed.map(({ id, until }) => finding(id, until)),
    interval,
  );
  const turns = (await Promise.all(ids.map(read))).map(({ nextProbeAt }) => nextProbeAt.getTime());
  for (const turn of turns) {
    expect(turn - Date.now()).toBeGreaterThan(55_000);
    expect(turn - Date.now()).toBeLessThanOrEqual(965_000);
  }
  // Sixty over fifteen minutes: each third of these has some.
  for (const third of [0, 300_000, 600_000]) {
    expect(
      turns.filter((turn) => turn % 900_000 >= third && turn % 900_000 < third + 300_000).length,
    ).toBeGreaterThan(8);
  }
  const again = (await Promise.all(ids.map(read))).map(({ phase }) => Math.round(phase * 900_000));
  expect(turns.map((turn) => turn % 900_000)).toEqual(again.map((phase) => expect.closeTo(phase, -1)));
  await settleAll();
});

test("unproven accounts share a part of all probes, and each network a part of that; a party of funded orders has its own", async () => {
  const [id = ""] = await addTargets("shared.example", 1);
  const due = async (...full: string[][]) => (await findDue(database.db, full)).map((one) => one.id);
  const make = async () => {
    await database.db
      .update(probeTarget)
      .set({ nextProbeAt: sql`now()`, network: "198.51.100.0/24" })
      .where(eq(probeTarget.id, id));
  };
  await make();
  expect((await findDue(database.db, [])).find((one) => one.id === id)?.keys).toEqual([
    "shared.example",
    "unproven",
    "network 198.51.100.0/24",
  ]);
  expect(await due([], ["unproven"])).not.toContain(id);
  expect(await due([], [], ["network 198.51.100.0/24"])).not.toContain(id);
  const { rows } = await database.db.execute<{ account_id: string }>(sql`
    select agent.account_id from earnest.agent join earnest.agent_probe on agent_probe.agent_id = agent.id
    where agent_probe.target_id = ${id}`);
  await makeParty(database.db, rows[0]?.account_id ?? "");
  // From its next probe on.
  const [claimed] = await targetLeases.take(database.db, [id]);
  if (!claimed) throw new Error("Nothing was taken.");
  await recordResults(database.db, [finding(id, claimed.until)], interval);
  await make();
  expect(await due([], ["unproven"], ["network 198.51.100.0/24"])).toContain(id);
  await settleAll();
});

test("after an outage overdue targets wait for their turns, and only new ones are probed at once", async () => {
  const ids = await addTargets("outage.example", 40);
  const [fresh = "", ...known] = ids;
  await database.db.execute(sql`
    update earnest.probe_target
    set next_probe_at = now() - interval '1 hour', last_checked_at = case when id <> ${fresh} then now() - interval '2 hours' end
    where host = 'outage.example'`);
  expect((await claim()).map(({ id }) => id)).toEqual([fresh]);
  const turns = (await Promise.all(known.map(read))).map(
    ({ nextProbeAt }) => nextProbeAt.getTime() - Date.now(),
  );
  expect(Math.min(...turns)).toBeGreaterThan(50_000);
  expect(Math.max(...turns)).toBeLessThanOrEqual(965_000);
  expect(Math.max(...turns) - Math.min(...turns)).toBeGreaterThan(300_000);
  await settleAll();
});

test("a killed worker's probes in progress are repeated by another after its lease", async () => {
  const { url, seen } = await serve("killed.example");
  const agentId = await addAgent(database.db, { apiEndpoint: `${url}/` });
  await assignAll(database.db);
  const [held] = await claim();
  expect(held?.url).toBe(`${url}/`);
  expect(await claim()).toEqual([]);
  const leasedFor = (await read(held?.id ?? "")).nextProbeAt.getTime() - Date.now();
  expect(leasedFor).toBeGreaterThan(0);
  expect(leasedFor).toBeLessThanOrEqual(30_000);
  await database.db.execute(sql`
    update earnest.probe_target set next_probe_at = next_probe_at - interval '30 seconds' where id = ${held?.id}`);
  const prober = startProber(database.db, { ca: authority.ca });
  expect(await untilProbed(database.db, agentId)).toMatchObject({ reachable: true, checks7d: 1 });
  await prober.stop();
  expect(seen.paths).toEqual(["/"]);
  // The dead worker's result comes too late.
  await recordResults(
    database.db,
    [finding(held?.id ?? "", held?.until ?? "", { statusCode: 418 })],
    interval,
  );
  expect(await read(held?.id ?? "")).toMatchObject({ statusCode: 200, checks7d: 1 });
});

test("two workers probe nothing twice, of a host two at once, and its many targets block no other", async () => {
  const flooded = await serve("flooded.example", { hangs: true });
  const quiet = await serve("quiet.example");
  const accountId = await addAccount(database.db);
  for (let index = 0; index < 30; index++) {
    await addAgent(database.db, { accountId, apiEndpoint: `${flooded.url}/${index}` });
  }
  const others: string[] = [];
  for (let index = 0; index < 2; index++) {
    others.push(await addAgent(database.db, { apiEndpoint: `${quiet.url}/${index}` }));
  }
  await assignAll(database.db);
  await database.db.execute(sql`
    update earnest.probe_target set next_probe_at = now() - interval '10 seconds' where host = 'flooded.example'`);
  const workers = [1, 2].map(() => startProber(database.db, { ca: authority.ca, timeoutMs: 60_000 }));
  for (const id of others) await untilProbed(database.db, id);
  await until(async () => flooded.seen.now === 4, "two of each worker");
  flooded.seen.release();
  await until(async () => flooded.seen.paths.length === 30, "all of them");
  for (const worker of workers) await worker.stop();
  expect(flooded.seen.most).toBe(4);
  expect(new Set(flooded.seen.paths).size).toBe(30);
  expect(quiet.seen.paths.sort()).toEqual(["/0", "/1"]);
});

test("a stopped worker aborts its probes and leaves them to others at once", async () => {
  const hanging = await serve("hanging.example", { hangs: true });
  const agentId = await addAgent(database.db, { apiEndpoint: hanging.url });
  const prober = startProber(database.db, { ca: authority.ca });
  await until(async () => hanging.seen.now === 1, "a request");
  await prober.stop();
  expect(await targetOf(database.db, agentId)).toMatchObject({ lastCheckedAt: null });
  expect((await claim()).map(({ url }) => url)).toEqual([hanging.url]);
  hanging.seen.release();
  await settleAll();
});

test("an agent published while a worker runs is probed within seconds, and a paused one is forgotten", async () => {
  const { url, seen } = await serve("published.example");
  // The first check of all agents is over once this one is probed.
  const before = await addAgent(database.db, { apiEndpoint: "https://10.0.0.1/" });
  const prober = startProber(database.db, { ca: authority.ca });
  await untilProbed(database.db, before);
  const agentId = await addAgent(database.db, { apiEndpoint: url });
  const began = Date.now();
  const found = await untilProbed(database.db, agentId);
  expect(Date.now() - began).toBeLessThan(40_000);
  await database.db.execute(
    sql`update earnest.agent set status = 'paused', updated_at = now() where id = ${agentId}`,
  );
  await until(async () => !(await targetOf(database.db, agentId)), "no target");
  await prober.stop();
  expect(await database.db.select().from(probeTarget).where(eq(probeTarget.id, found.id))).toEqual([]);
  expect(await database.db.select().from(probeTally).where(eq(probeTally.targetId, found.id))).toEqual([]);
  expect(seen.paths).toEqual(["/"]);
});

test("availability covers the seven days before the last probe, by the hour, and older hours are deleted", async () => {
  const [id = ""] = await addTargets("week.example", 1);
  const start = Date.UTC(2026, 2, 1, 10);
  const record = async (at: number, ok: boolean) => {
    const { rows } = await database.db.execute<{ until: string }>(
      sql`select next_probe_at::text as until from earnest.probe_target where id = ${id}`,
    );
    const found = finding(id, rows[0]?.until ?? "", {
      checkedAt: new Date(at),
      ok,
      statusCode: ok ? 200 : 500,
    });
    await recordResults(database.db, [found], interval);
    return read(id);
  };
  // Four probes an hour for two days, every fourth of which fails.
  for (let quarter = 0; quarter < 192; quarter++)
    await record(start + quarter * (hour / 4), quarter % 4 !== 3);
  expect(await read(id)).toMatchObject({ checks7d: 192, ok7d: 144, consecutiveFailures: 1 });
  const day = 24 * hour;
  // Within seven days of the first hour, all probes count. After that, the first hour does not.
  expect(await record(start + 7 * day - 1, true)).toMatchObject({
    checks7d: 193,
    ok7d: 145,
    consecutiveFailures: 0,
  });
  expect(await record(start + 7 * day, false)).toMatchObject({ checks7d: 190, ok7d: 142 });
  expect(await record(start + 8 * day, false)).toMatchObject({
    checks7d: 3 + 92,
    ok7d: 1 + 69,
    consecutiveFailures: 2,
  });
  const tallies = await database.db.select().from(probeTally).where(eq(probeTally.targetId, id));
  expect(Math.min(...tallies.map((row) => row.hour.getTime()))).toBe(start + day + hour);
  expect(tallies.reduce((sum, { checks }) => sum + checks, 0)).toBe(3 + 92);
  const row = await record(start + 30 * day, true);
  expect(row).toMatchObject({ checks7d: 1, ok7d: 1, lastOkAt: new Date(start + 30 * day) });
});
