import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { laterOf, positionNow, readWithin } from "../../../db/standby.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { runStatement } from "../../../stack/postgres.ts";
import { createTestApi, publishService, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { startStreamedPostgres } from "../../harness/streamed-postgres.ts";

let asked = 0;
const patiently = { timeout: 5000 };
let servers: Awaited<ReturnType<typeof startStreamedPostgres>>;
let api: TestApi;
let owner: Session;
let slug: string;

beforeAll(async () => {
  servers = await startStreamedPostgres();
  api = await createTestApi({
    database: servers.database,
    env: { DATABASE_READ_URL: servers.standbyUrl, ANSWER_CACHE_MB: "8" },
  });
  owner = await signIn(api);
  slug = (await publishService(api, owner)).service.agent.slug;
});
afterAll(async () => {
  await api?.close();
});

/** What the API's connections to the standby were last asked, but for its position. */
async function readAtStandby(): Promise<string[]> {
  const rows = (await runStatement(
    servers.standbyUrl,
    "select query from pg_stat_activity where application_name = 'earnest'",
  )) as { query: string }[];
  return rows.map(({ query }) => query).filter((query) => !query.includes("pg_last_wal_replay_lsn"));
}

async function rename(tagline: string): Promise<string | null> {
  const { status, headers } = await api.request("PATCH", `/agents/${slug}`, {
    token: owner.token,
    body: { tagline },
  });
  expect(status).toBe(200);
  return headers.get("earnest-position");
}

test("a read with a token has the write before it, whether the standby follows, stands still or is dead", async () => {
  for (const step of ["follows", "paused", "resumed", "dead", "alive"]) {
    if (step === "paused") await servers.pause();
    if (step === "resumed") await servers.resume();
    if (step === "dead") await servers.killStandby();
    if (step === "alive") await servers.startStandby();
    for (const one of [`${step} 1`, `${step} 2`, `${step} 3`]) {
      expect(await rename(one)).toMatch(/^1-[0-9A-F]+\/[0-9A-F]+$/);
      const shown = await api.request("GET", `/agents/${slug}`, { token: owner.token });
      expect([shown.status, shown.body.tagline]).toEqual([200, one]);
      const mine = await api.request("GET", "/agents/mine", { token: owner.token });
      expect([mine.status, mine.body[0].tagline]).toEqual([200, one]);
    }
  }
});

test("the standby answers what it has: reads with a token and without", async () => {
  // After its death it is left alone for a second.
  await expect
    .poll(async () => {
      await servers.catchUp();
      await api.request("GET", "/agents/mine", { token: owner.token });
      return (await readAtStandby()).join();
    }, patiently)
    .toMatch('"payout_wallet"');
  await expect
    .poll(async () => {
      await servers.catchUp();
      await api.request("GET", `/agents/${slug}/services?limit=${50 + (asked++ % 50)}`);
      return (await readAtStandby()).join();
    }, patiently)
    .toMatch('"delivery_time_hours"');
});

test("kept answers are never made anew from a standby that lacks what dropped them", async () => {
  const read = () => api.request("GET", `/agents/${slug}`);
  await servers.catchUp();
  await read();
  await servers.pause();
  try {
    for (const one of ["kept 1", "kept 2"]) {
      await rename(one);
      for (let n = 0; n < 5; n++) expect((await read()).body.tagline).toBe(one);
    }
  } finally {
    await servers.resume();
  }
});

test("without a token, another process reads what is a second old at the most, and at once what it names", async () => {
  const other = createContext({ ...api.config, answerCacheBytes: 0 });
  const app = createApp(other);
  const read = async (headers: Record<string, string> = {}) =>
    ((await (await app.request(`/api/v1/agents/${slug}`, { headers })).json()) as { tagline: string })
      .tagline;
  await rename("before");
  await servers.catchUp();
  await read();
  await servers.pause();
  try {
    const position = await rename("after");
    expect(await read({ "Earnest-Position": position ?? "" })).toBe("after");
    for (const forged of ["1-FFFFFFFF/FFFFFFFF", "9-0/0", "x", ""]) {
      expect(await read({ "Earnest-Position": forged })).toMatch(/before|after/);
    }
    await expect.poll(read, { timeout: 1900 }).toBe("after");
  } finally {
    await servers.resume();
    await other.db.$client.end();
  }
});

test("an answer that another process has kept is not given to whoever names a later position", async () => {
  const other = createContext(api.config);
  const app = createApp(other);
  const read = async (headers: Record<string, string> = {}) =>
    ((await (await app.request(`/api/v1/agents/${slug}`, { headers })).json()) as { tagline: string })
      .tagline;
  let turn = 0;
  /** Writes what nobody is told of. */
  const writeInSilence = async () => {
    turn += 1;
    const tagline = `silent ${turn}`;
    await inTransaction(api.db, async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`update earnest.agent set tagline = ${tagline}`);
    });
    const { rows } = await api.db.$client.query<{ position: string }>(`select ${positionNow} as position`);
    return { tagline, position: rows[0]?.position ?? "" };
  };
  try {
    await vi.waitFor(
      async () => {
        const kept = await read();
        const { tagline, position } = await writeInSilence();
        expect(await read()).toBe(kept);
        expect(await read({ "Earnest-Position": position })).toBe(tagline);
      },
      { timeout: 10_000, interval: 20 },
    );
  } finally {
    await other.db.$client.end();
  }
});

test("a request that wrote, or opened a transaction, reads from the primary from then on", async () => {
  const db = api.context.db;
  await servers.catchUp();
  const { rows } = await db.$client.query<{ position: string }>(`select ${positionNow} as position`);
  const place = async () => {
    const { rows: found } = await db.execute<{ is: boolean }>(sql`select pg_is_in_recovery() as is`);
    return found[0]?.is ? "standby" : "primary";
  };
  const within = <T>(work: () => Promise<T>) => readWithin(rows[0]?.position ?? "", { waits: true }, work);
  expect(await place()).toBe("primary");
  expect(await within(place)).toBe("standby");
  const wrote = async () => [await place(), await db.execute(sql`select pg_notify('x', '')`), await place()];
  expect(await within(wrote)).toEqual(["standby", expect.anything(), "primary"]);
  const traded = async () => [await place(), await inTransaction(db, async () => 1), await place()];
  expect(await within(traded)).toEqual(["standby", 1, "primary"]);
  const outlives = await within(async () => ({ later: place }));
  expect(await outlives.later()).toBe("primary");
  // Whatever it cannot answer, the primary is asked.
  await within(async () => db.execute(sql`select count(*) from earnest.rate_limit`));
  await expect(within(() => db.execute(sql`select 1 / 0`))).rejects.toThrow(/division by zero/);
});

test("what a caller names counts where the primary may have said it", () => {
  expect(laterOf("2-0/A0", undefined)).toBe("2-0/A0");
  expect(laterOf("2-0/A0", "2-0/9F")).toBe("2-0/A0");
  expect(laterOf("2-0/A0", "2-1/0")).toBe("2-1/0");
  expect(laterOf("2-0/A0", "1-F/0")).toBe("2-0/A0");
  for (const wrong of ["3-0/0", "2-0/A0 ", "2-0/a0", "-1-0/0", "2-0/123456789", ""])
    expect(laterOf("2-0/A0", wrong)).toBeNull();
});

test("a standby that was made a primary of its own is not read from", async () => {
  await servers.promote();
  await rename("promoted");
  const shown = await api.request("GET", "/agents/mine", { token: owner.token });
  expect(shown.body[0].tagline).toBe("promoted");
  const { rows } = await api.context.db.$client.query<{ position: string }>(
    `select '1-' || pg_lsn('0/1') as position`,
  );
  const place = () => api.context.db.execute<{ is: number }>(sql`select inet_server_port() as is`);
  const found = await readWithin(rows[0]?.position ?? "", { waits: true }, place);
  expect(String(found.rows[0]?.is)).toBe(new URL(servers.database.url).port);
});
