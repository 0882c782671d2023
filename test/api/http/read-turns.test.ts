import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createReadTurns, exportBounds, readBounds, readTime } from "../../../api/http/read-turns.ts";
import { createTestApi, type Session, signIn, type TestApi } from "../../harness/api.ts";

let api: TestApi;
let busy: Session;
let other: Session;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api?.close());
beforeEach(async () => {
  [busy, other] = await Promise.all([signIn(api), signIn(api)]);
});

const get = (path: string, { token }: Session) => api.request("GET", path, { token });
const searches = [
  "/search?q=words",
  "/orders?q=words",
  "/orders/received?q=words",
  "/orders/counts?q=words",
  "/orders/received/counts?q=words",
];

/** Makes every search of words wait, as a slow statement does, until the lock is given back. */
async function withSlowSearches(act: () => Promise<void>): Promise<void> {
  const locker = new pg.Client({ connectionString: api.config.databaseUrl });
  await locker.connect();
  try {
    await locker.query("begin; lock table earnest.traded_service in access exclusive mode");
    await act();
  } finally {
    await locker.end();
  }
}

const readWaiting = async () => {
  const { rows } = await api.db.execute<{ waiting: number }>(
    "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.waiting ?? 0;
};

describe("expensive reads", () => {
  test.each(searches)("of one account take few connections: a flood of GET %s", async (path) => {
    let flood: ReturnType<typeof get>[] = [];
    await withSlowSearches(async () => {
      flood = Array.from({ length: 40 }, () => get(path, busy));
      const early = await Promise.race(flood);
      expect([early.status, early.body.error.code]).toEqual([429, "rate_limited"]);
      expect(early.headers.get("retry-after")).toBe("1");
      await expect.poll(readWaiting).toBe(readBounds.account);
      // Reads that an index answers, and other accounts, do not wait.
      expect((await get("/orders?limit=5", busy)).status).toBe(200);
      expect((await get("/orders?min_amount=5&currency=TUSD", other)).status).toBe(200);
    });
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    const count = (status: number) => statuses.filter((each) => each === status).length;
    expect([count(200), count(429)]).toEqual([readBounds.account + readBounds.waiting, 28]);
  });

  test("of many accounts leave connections for other requests", async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => signIn(api)));
    let flood: ReturnType<typeof get>[] = [];
    await withSlowSearches(async () => {
      flood = many.flatMap((session) => searches.slice(0, 3).map((path) => get(path, session)));
      await expect.poll(readWaiting).toBe(readBounds.process);
      expect((await get("/me", other)).status).toBe(200);
    });
    for (const { status } of await Promise.all(flood)) expect(status).toBe(200);
  });

  test("let accounts take turns: one with many reads delays another by one read", async () => {
    const turns = createReadTurns();
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const start = (account: string) =>
      turns.take(account, () => {
        order.push(account);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const filling = ["a", "a", "b", "b", "c", "c"].map(start);
    const waiting = ["a", "a", "a", "b", "d"].map(start);
    for (let at = 0; at < 11; at += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(at);
      ends[at]?.();
    }
    await Promise.all([...filling, ...waiting]);
    expect(order.slice(6)).toEqual(["a", "d", "b", "a", "a"]);
  });
});

test("an account whose reads take long waits, and others do not", async () => {
  let time = 0;
  const turns = createReadTurns(() => time);
  const readFor = (account: string, milliseconds: number) =>
    turns.take(account, async () => {
      time += milliseconds;
    });
  await readFor("a", readTime.most);
  await readFor("a", 10_000);
  await expect(readFor("a", 1)).rejects.toMatchObject({ code: "rate_limited", retryAfter: 10 });
  await readFor("b", 1);
  time += 10_000;
  await readFor("a", 100);
  await expect(readFor("a", 1)).rejects.toMatchObject({ code: "rate_limited" });
});

describe("exports", () => {
  const open = (session: Session) =>
    api.app.request("/exports/orders.csv", { headers: { authorization: `Bearer ${session.token}` } });

  test("of one account are few at once, until one is read or dropped", async () => {
    const opened = await Promise.all(Array.from({ length: exportBounds.account }, () => open(busy)));
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
    expect((await open(busy)).status).toBe(429);
    expect((await open(other)).status).toBe(200);
    await opened[0]?.text();
    const next = await open(busy);
    expect([next.status, (await open(busy)).status]).toEqual([200, 429]);
    await opened[1]?.body?.cancel();
    expect((await open(busy)).status).toBe(200);
  });
});
