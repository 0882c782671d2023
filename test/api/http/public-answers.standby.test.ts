import { afterAll, beforeAll, expect, test } from "vitest";
import { runStatement } from "../../../tools/stack/postgres.ts";
import { createTestApi, publishService, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { startStreamedPostgres } from "../../harness/streamed-postgres.ts";

const longTimeout = { timeout: 120_000 };
let servers: Awaited<ReturnType<typeof startStreamedPostgres>>;
let api: TestApi;
let owner: Session;
let slug: string;

beforeAll(async () => {
  servers = await startStreamedPostgres();
  api = await createTestApi({
    database: servers.database,
    env: { DATABASE_READ_URL: servers.standbyUrl },
  });
  owner = await signIn(api);
  slug = (await publishService(api, owner)).service.agent.slug;
});
afterAll(async () => {
  await api?.close();
});

/** The statements that the API's connections to the standby ran last. */
async function readAtStandby(): Promise<string> {
  const rows = (await runStatement(
    servers.standbyUrl,
    "select query from pg_stat_activity where application_name = 'earnest'",
  )) as { query: string }[];
  return rows.map(({ query }) => query).join();
}

async function rename(tagline: string): Promise<void> {
  const { status, headers } = await api.request("PATCH", `/agents/${slug}`, {
    token: owner.token,
    body: { tagline },
  });
  expect([status, headers.get("earnest-position")]).toEqual([200, null]);
}

const openTagline = async () => (await api.request("GET", `/agents/${slug}`)).body.tagline;

test("a read with a token sees earlier writes, and never uses the standby", async () => {
  await servers.pause();
  try {
    for (const one of ["one", "two"]) {
      await rename(one);
      const shown = await api.request("GET", `/agents/${slug}`, { token: owner.token });
      expect([shown.status, shown.body.tagline]).toEqual([200, one]);
      const mine = await api.request("GET", "/agents/mine", { token: owner.token });
      expect([mine.status, mine.body[0].tagline]).toEqual([200, one]);
    }
    expect(await readAtStandby()).toBe("");
  } finally {
    await servers.resume();
  }
});

test("a public read of the market is answered by the standby, as far as it has replayed", async () => {
  await rename("before");
  await servers.catchUp();
  await servers.pause();
  try {
    await rename("after");
    expect(await openTagline()).toBe("before");
    const found = await api.request("GET", "/marketplace/agents");
    expect(found.body.items[0].tagline).toBe("before");
    expect(await readAtStandby()).toContain('"payout_wallet"');
  } finally {
    await servers.resume();
  }
  await servers.catchUp();
  expect(await openTagline()).toBe("after");
});

test("a row that the standby lacks is read from the primary", async () => {
  await servers.catchUp();
  await servers.pause();
  try {
    const { agent } = await publishService(api, owner);
    const { status, body } = await api.request("GET", `/agents/${agent.slug}`);
    expect([status, body.slug]).toEqual([200, agent.slug]);
    expect((await api.request("GET", "/agents/there-is-none")).status).toBe(404);
  } finally {
    await servers.resume();
  }
});

test("a dead standby leaves reads to the primary, and is used again some time after it is back", async () => {
  await servers.catchUp();
  await servers.killStandby();
  for (const one of ["dead 1", "dead 2", "dead 3"]) {
    await rename(one);
    expect(await openTagline()).toBe(one);
  }
  await servers.startStandby();
  await servers.catchUp();
  await expect
    .poll(async () => {
      await openTagline();
      return readAtStandby();
    }, longTimeout)
    .toContain('"payout_wallet"');
});
