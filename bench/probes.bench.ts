import { createServer } from "node:https";
import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { Agent, request } from "undici";
import { afterAll, beforeAll, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../test/harness/database.ts";
import { until } from "../test/harness/jobs/ledger.ts";
import { assignAll, startProber } from "../test/harness/jobs/probes.ts";
import { createAuthority, listen, type Receiver } from "../test/harness/outbound/receiver.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const hosts = 1000;
const rounds = 3;
/** One host in so many refuses connections, one never answers. */
const refusing = 10;
const hanging = 20;
const domain = "probes.example";

let authority: Awaited<ReturnType<typeof createAuthority>>;
let receiver: Receiver;
let closedPort: number;
beforeAll(async () => {
  authority = await createAuthority();
  const credentials = await authority.issue([`*.${domain}`]);
  receiver = await listen(
    createServer(credentials, ({ headers }, response) => {
      if (!headers.host?.startsWith("hanging")) response.end('{"status":"up"}');
    }),
  );
  const closed = await listen(createServer(credentials));
  closedPort = closed.port;
  await closed.close();
});
afterAll(() => receiver?.close());

type Kind = "answering" | "refusing" | "hanging";

test(`probes a minute in one worker, ${hosts} hosts, beside undici alone`, async () => {
  const [healthy, mixed] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    await Promise.all([
      addHosts(healthy, () => "answering"),
      addHosts(mixed, (n) => (n % refusing === 0 ? "refusing" : n % hanging === 1 ? "hanging" : "answering")),
    ]);
    const ways: [string, () => Promise<number>][] = [
      ["undici, 64 at once, a connection each", fetchPlainly],
      ["the prober, all hosts answer", () => probeAll(healthy)],
      [
        `the prober, 1 in ${refusing} refuses and 1 in ${hanging} hangs: those that answer`,
        () => probeAll(mixed),
      ],
    ];
    const rates = ways.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, [, measure]] of ways.entries()) rates[index]?.push(await measure());
    }
    const medians = rates.map((each) => quantile(each, 0.5));
    for (const [index, [name]] of ways.slice(1).entries())
      reportFigure({
        name: `probes: ${name}`,
        of: "bare undici",
        value: (medians[index + 1] as number) / (medians[0] as number),
        better: "higher",
      });
    printTable(`Probes a minute to local TLS servers, ${hosts} hosts, median of ${rounds}`, [
      ["", "a minute", "of the first"],
      ...ways.map(([name], index) => {
        const rate = medians[index] as number;
        return [name, rate, (rate / (medians[0] as number)).toFixed(2)];
      }),
    ]);
  } finally {
    await healthy.close();
    await mixed.close();
  }
});

/** A published agent for each host, five to an account. */
async function addHosts({ db }: TestDatabase, kindOf: (n: number) => Kind): Promise<void> {
  const agents = Array.from({ length: hosts }, (_, n) => {
    const kind = kindOf(n);
    const port = kind === "refusing" ? closedPort : receiver.port;
    return {
      id: typeid("agt").toString(),
      account_id: `acc_${Math.floor(n / 5)}`,
      api_endpoint: `https://${kind}-${n}.${domain}:${port}/`,
    };
  });
  await db.execute(
    sql`insert into earnest.account (id) select 'acc_' || n from generate_series(0, ${hosts / 5}::int) as n`,
  );
  await db.execute(sql`
    insert into earnest.agent (id, account_id, slug, name, capabilities, status, published_at, api_endpoint)
    select id, account_id, id, 'An agent', '{}', 'published', now(), api_endpoint
    from jsonb_to_recordset(${JSON.stringify(agents)}::jsonb) as one(id text, account_id text, api_endpoint text)`);
  await assignAll(db);
}

/** @returns requests a minute */
async function fetchPlainly(): Promise<number> {
  const dispatcher = new Agent({
    connect: {
      ca: authority.ca,
      maxCachedSessions: 0,
      lookup: (_, { all }, answer) =>
        all ? answer(null, [{ address: "127.0.0.1", family: 4 }]) : answer(null, "127.0.0.1", 4),
    },
  });
  let left = hosts;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) {
        const { body } = await request(`https://answering-${left + 1}.${domain}:${receiver.port}/`, {
          dispatcher,
          reset: true,
        });
        JSON.parse(await body.text());
      }
    }),
  );
  const rate = hosts / ((performance.now() - began) / 60_000);
  await dispatcher.close();
  return rate;
}

/** @returns probes of hosts that answer a minute, all of them due at once, until they are written down */
async function probeAll({ db }: TestDatabase): Promise<number> {
  await db.execute(sql`update earnest.probe_target set last_checked_at = null, next_probe_at = now()`);
  const count = async () => {
    const { rows } = await db.execute<{ waiting: number; answering: number }>(sql`
      select
        count(*) filter (where last_checked_at is null)::int as waiting,
        count(*)::int as answering
      from earnest.probe_target where host like 'answering%'`);
    return rows[0] ?? { waiting: 0, answering: 0 };
  };
  const prober = startProber(db, { ca: authority.ca });
  const began = performance.now();
  await until(async () => (await count()).waiting === 0, "all that answer", 300);
  const took = performance.now() - began;
  await prober.stop();
  return (await count()).answering / (took / 60_000);
}
