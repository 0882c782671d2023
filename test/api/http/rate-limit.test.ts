import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { networkOf, wideNetworkOf } from "../../../api/http/client-address.ts";
import { createRateLimitStore } from "../../../api/http/rate-limit-store.ts";
import { readConfig } from "../../../config/config.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createKey, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { countUntilRefused, expectAbout } from "../../harness/rate-limits.ts";

const limits =
  "credential=5,account=12,address=4,sign_in=1000,search=3,schema=2,payment=2,verify=2,balances=2";

let api: TestApi;
let second: ReturnType<typeof createApp>;
let secondContext: ReturnType<typeof createContext>;
beforeAll(async () => {
  api = await createDocumentedApi({ env: { RATE_LIMITS: limits, TRUSTED_PROXIES: "10.0.0.0/8" } });
  // Another replica on the same database.
  secondContext = createContext(api.config);
  second = createApp(secondContext);
});
afterAll(async () => {
  await secondContext.db.$client.end();
  await api.close();
});

type RequestOptions = {
  app?: typeof second;
  token?: string;
  method?: string;
  forwarded?: string;
  path?: string;
  /** the path that all paths are below */
  base?: string | undefined;
};

/** Sends a request from this address. */
async function ask(from: string, path: string, options: RequestOptions = {}) {
  const { app = api.app, token, method = "GET", forwarded, base = "/api/v1" } = options;
  const response = await app.request(
    `${base}${path}`,
    {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(forwarded ? { "x-forwarded-for": forwarded } : {}),
        ...(method === "GET" ? {} : { "content-type": "application/json" }),
      },
      ...(method === "GET" ? {} : { body: "{}" }),
    },
    { incoming: { socket: { remoteAddress: from } } },
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}

let used = 0;
/** An address that no other test uses. */
const freshAddress = () => `203.0.113.${++used}`;

/**
 * Repeats the work until the database counted for both replicas. On a loaded machine the database may answer too late: a
 * replica then counts alone for five seconds, which another test checks.
 */
async function untilShared<T>(work: () => Promise<T>): Promise<T> {
  const alone: object[] = [];
  for (const { log } of [api.context, secondContext])
    log.error = ((fields: object) => alone.push(fields)) as typeof log.error;
  for (;;) {
    const result = await work();
    if (alone.splice(0).length === 0) return result;
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}

async function signInElsewhere(): Promise<Session> {
  await api.db.execute(sql`delete from earnest.rate_limit`);
  return signIn(api);
}

describe("without a token", () => {
  test("requests are limited by address, and another address is not affected", async () => {
    const address = freshAddress();
    expectAbout(await countUntilRefused(() => ask(address, "/categories")), 4);
    expect((await ask(freshAddress(), "/categories")).status).toBe(200);
  });

  test("every address of an IPv6 /64 is one client, and the next /64 another", async () => {
    let host = 0;
    expectAbout(
      await countUntilRefused(() => ask(`2001:db8:1:2:${(++host).toString(16)}::${host}`, "/categories")),
      4,
    );
    expect((await ask("2001:db8:1:3::1", "/categories")).status).toBe(200);
  });

  test("an IPv4 address is the same whether wrapped in IPv6 or not", async () => {
    const address = freshAddress();
    let turn = 0;
    const send = () => ask(turn++ % 2 ? address : `::ffff:${address}`, "/categories");
    expectAbout(await countUntilRefused(send), 4);
  });

  test("made-up tokens are limited by address, also on routes that read no token", async () => {
    for (const path of ["/me", "/categories"]) {
      const address = freshAddress();
      let turn = 0;
      expectAbout(await countUntilRefused(() => ask(address, path, { token: `est_${++turn}` })), 4);
    }
  });

  test("a valid token is accepted from an address that is refused", async () => {
    const session = await signInElsewhere();
    const address = freshAddress();
    await countUntilRefused(() => ask(address, "/categories"));
    expect((await ask(address, "/me", { token: session.token })).status).toBe(200);
  });
});

describe("X-Forwarded-For", () => {
  test("is not believed from a client, which could otherwise choose its address", async () => {
    const address = freshAddress();
    let turn = 0;
    const send = () => ask(address, "/categories", { forwarded: `198.51.100.${++turn}` });
    expectAbout(await countUntilRefused(send), 4);
  });

  test("is believed from a trusted proxy, up to the address that this proxy saw", async () => {
    const address = freshAddress();
    let turn = 0;
    const send = () =>
      ask("10.0.0.1", "/categories", { forwarded: `198.51.100.${++turn}, ${address}, 10.0.0.2` });
    expectAbout(await countUntilRefused(send), 4);
    expect((await ask("10.0.0.1", "/categories", { forwarded: freshAddress() })).status).toBe(200);
  });

  test("is counted back by the number of trusted proxies", async () => {
    const config = { ...api.config, trustedProxies: { hops: 2 } };
    const context = createContext(config);
    try {
      const app = createApp(context);
      const address = freshAddress();
      let turn = 0;
      const forwarded = () => `198.51.100.${++turn}, ${address}, 192.0.2.1`;
      const send = () => ask("192.0.2.2", "/categories", { app, forwarded: forwarded() });
      expectAbout(await countUntilRefused(send), 4);
    } finally {
      await context.db.$client.end();
    }
  });

  test("with an invalid address ends at the last valid one", async () => {
    const address = freshAddress();
    let turn = 0;
    const send = () =>
      ask("10.0.0.1", "/categories", { forwarded: `made-up-${++turn}, unknown, ${address}:4711` });
    expectAbout(await countUntilRefused(send), 4);
  });

  test("is read no further than it is believed, however many addresses a client makes up", async () => {
    let parsed = 0;
    vi.stubGlobal(
      "URL",
      class extends URL {
        constructor(url: string, base?: string) {
          super(url, base);
          parsed += 1;
        }
      },
    );
    const countParsed = async (forwarded: string) => {
      const before = parsed;
      await ask("10.0.0.1", "/categories", { forwarded });
      return parsed - before;
    };
    try {
      const few = await countParsed(`::1, 2001:db8:7::${++used}`);
      expect(few).toBeGreaterThan(0);
      expect(await countParsed(`${"::1,".repeat(3500)} 2001:db8:7::${++used}`)).toBeLessThanOrEqual(few);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("with a token", () => {
  test("requests are limited by key, from any address", async () => {
    const session = await signInElsewhere();
    const token = await createKey(api, session, ["orders:read"]);
    await api.db.execute(sql`delete from earnest.rate_limit`);
    expectAbout(await countUntilRefused(() => ask(freshAddress(), "/me", { token })), 5);
    expect((await ask(freshAddress(), "/me", { token: session.token })).status).toBe(200);
  });

  test("requests are limited by session", async () => {
    const first = await signInElsewhere();
    const other = await signIn(api, first.account);
    const taken = await countUntilRefused(() => ask(freshAddress(), "/me", first));
    // The sign-in already counted one request.
    expectAbout(taken, 4, { perMinute: 5 });
    expect((await ask(freshAddress(), "/me", other)).status).toBe(200);
  });

  test("many keys of one account are limited together", async () => {
    const session = await signInElsewhere();
    const keys: string[] = [];
    for (let at = 0; at < 4; at += 1) keys.push(await createKey(api, session, ["orders:read"]));
    await api.db.execute(sql`delete from earnest.rate_limit where bucket like 'account %'`);
    let turn = 0;
    const send = () => ask(freshAddress(), "/me", { token: keys[turn++ % keys.length] as string });
    expectAbout(await countUntilRefused(send), 12);
    const { body } = await ask(freshAddress(), "/me", { token: keys[1] as string });
    expect(body.error.message).toMatch(/^The limit is 12 requests of one account within 60 seconds\./);
  });
});

describe("a client with frequent requests", () => {
  const limit = { bucket: "fast", perWindow: 200 };
  const stores = () => [api.context, secondContext].map((context) => createRateLimitStore(context));

  test("gets exactly its limit from all replicas together", async () => {
    let turn = 0;
    while (turn < 3) {
      const [passed, cameBack] = await untilShared(async () => {
        const [one, other] = stores();
        const asked = { ...limit, bucket: `fast ${++turn}` };
        const began = Date.now();
        let count = 0;
        const askAll = (store: typeof one) =>
          Promise.all(
            Array.from({ length: 8 }, async () => {
              while ((await store?.take([asked]))?.[0]?.isAllowed) count += 1;
            }),
          );
        await Promise.all([askAll(one), askAll(other)]);
        return [count, ((Date.now() - began) / 60_000) * asked.perWindow] as const;
      });
      expect(passed).toBeLessThanOrEqual(limit.perWindow + cameBack + 1);
      // Tokens that one replica has reserved stay usable there when the other replica has none left.
      expect(passed).toBeGreaterThanOrEqual(limit.perWindow - 1);
    }
  });

  test("learns to the microsecond when its limit is full again", async () => {
    const [store] = stores();
    const waits = new Set<number | undefined>();
    // The error of a floating-point sum depends on the clock: a tenth of all requests have one.
    for (let n = 0; n < 200; n += 1) {
      const [taken] = (await store?.take([{ bucket: `exact ${n}`, perWindow: 4 }])) ?? [];
      waits.add(taken?.fullIn);
    }
    expect([...waits]).toEqual([15]);
  });

  test("is counted exactly, with one statement for several requests", async () => {
    const [store] = stores();
    const { $client } = api.context.db;
    const { query } = $client;
    let statements = 0;
    $client.query = ((...all: unknown[]) => {
      statements += 1;
      return Reflect.apply(query, $client, all);
    }) as typeof query;
    try {
      const left: number[] = [];
      for (let n = 0; n < 100; n += 1) left.push((await store?.take([limit]))?.[0]?.remaining ?? 0);
      expect(left[0]).toBe(199);
      expect(left.at(-1)).toBeGreaterThanOrEqual(100);
      expect(left.at(-1)).toBeLessThanOrEqual(110);
      expect(statements).toBeLessThan(25);
    } finally {
      $client.query = query;
    }
    // The replicas reserve at most a twentieth of the limit.
    const [, other] = stores();
    const seen = (await other?.take([limit]))?.[0]?.remaining ?? 0;
    expect(seen).toBeGreaterThanOrEqual(99 - 10);
    expect(seen).toBeLessThanOrEqual(110);
  });
});

describe("an expensive operation", () => {
  test.each([
    ["search", "GET", "/marketplace/services?q=a", 3],
    ["verify", "POST", "/receipts/verify", 2],
    ["payment", "POST", "/facilitator/verify", 2, ""],
    ["payment", "POST", "/facilitator/settle", 2, ""],
    ["search", "GET", "/discovery/resources", 3, ""],
    ["search", "GET", "/facilitator/discovery/resources", 3, ""],
    ["search", "GET", "/facilitator/discovery/search", 3, ""],
  ])("has a limit of its own: %s, %s %s", async (policy, method, path, limit, base?: string) => {
    const address = freshAddress();
    let last: Awaited<ReturnType<typeof ask>> | undefined;
    const count = await countUntilRefused(async () => {
      last = await ask(address, path, { method, base });
      return last;
    });
    expectAbout(count, limit);
    expect(last?.headers.get("ratelimit-policy")).toContain(`"${policy}";q=${limit};w=60`);
  });

  test("counts payments, transfers, searches, balances and service writes of a client by its account", async () => {
    for (const [method, path, limit] of [
      ["POST", "/orders/ord_0/payment", 2],
      ["POST", "/auth/me/wallets/wal_0/transfer", 2],
      ["POST", "/auth/me/wallets/wal_0/deployment", 2],
      ["POST", "/agents/nobody/services", 2],
      ["GET", "/search?q=a", 3],
      ["GET", "/balances", 2],
    ] as const) {
      const session = await signInElsewhere();
      await api.db.execute(
        sql`delete from earnest.rate_limit where bucket like any ('{credential %,account %}')`,
      );
      const send = () => ask(freshAddress(), path, { method, token: session.token });
      expectAbout(await countUntilRefused(send), limit);
    }
  });

  test("counts sign-ins by address, even with a valid token", async () => {
    const context = createContext({ ...api.config, rateLimits: { ...usual(), sign_in: 2 } });
    try {
      const app = createApp(context);
      const session = await signInElsewhere();
      const address = freshAddress();
      const send = () => ask(address, "/auth/nonce", { app, method: "POST", token: session.token });
      expectAbout(await countUntilRefused(send), 2);
    } finally {
      await context.db.$client.end();
    }
  });
});

test("two replicas count together", async () => {
  const address = freshAddress();
  let turn = 0;
  const send = () => ask(address, "/categories", { app: turn++ % 2 ? second : api.app });
  expectAbout(await countUntilRefused(send), 4);
});

test("a client within its limit is accepted also when the machine's clock is set back", async () => {
  const address = freshAddress();
  expect((await ask(address, "/categories")).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  try {
    expect((await ask(address, "/categories")).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test("a hundred requests at once to two replicas let through no more than the limit", async () => {
  const [answers, seconds] = await untilShared(async () => {
    const address = freshAddress();
    const began = performance.now();
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, at) => ask(address, "/categories", { app: at % 2 ? second : api.app })),
    );
    return [all, (performance.now() - began) / 1000] as const;
  });
  expectAbout({ count: answers.filter(({ status }) => status === 200).length, seconds }, 4);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

describe("every answer", () => {
  test("shows the remaining limit, and a refusal shows when to retry", async () => {
    const address = freshAddress();
    const first = await ask(address, "/categories");
    expect(first.headers.get("ratelimit-policy")).toBe('"address";q=4;w=60');
    expect(first.headers.get("ratelimit")).toBe('"address";r=3;t=15');
    expect(first.headers.get("retry-after")).toBeNull();

    let refused = first;
    await countUntilRefused(async () => {
      refused = await ask(address, "/categories");
      return refused;
    });
    expect(refused.body.error.code).toBe("rate_limited");
    expect(refused.headers.get("ratelimit")).toMatch(/^"address";r=0;t=\d+$/);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(15);
    expect(refused.headers.get("x-request-id")).toBe(refused.body.error.request_id);
  });

  test("shows a Retry-After that holds: one more request is accepted then", async () => {
    const context = createContext({ ...api.config, rateLimits: { ...usual(), address: 12 } });
    try {
      const app = createApp(context);
      const address = freshAddress();
      let retryAfter = 0;
      await countUntilRefused(async () => {
        const { status, headers } = await ask(address, "/categories", { app });
        retryAfter = Number(headers.get("retry-after"));
        return { status };
      });
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(5);
      await expect.poll(async () => (await ask(address, "/categories", { app })).status).toBe(200);
    } finally {
      await context.db.$client.end();
    }
  });
});

describe("when the shared count is unreachable", () => {
  test("reads continue, and each process counts alone", async () => {
    const context = createContext(api.config);
    const lines: object[] = [];
    context.log.error = ((fields: object) => lines.push(fields)) as typeof context.log.error;
    await api.db.execute(sql`alter table earnest.rate_limit rename to rate_limit_away`);
    try {
      const app = createApp(context);
      const address = freshAddress();
      expectAbout(await countUntilRefused(() => ask(address, "/categories", { app })), 4);
      expect(lines).toEqual([expect.objectContaining({ alert: "rate_limits_alone" })]);
    } finally {
      await api.db.execute(sql`alter table earnest.rate_limit_away rename to rate_limit`);
      await context.db.$client.end();
    }
  });

  test("a hanging count delays requests for a second, and none afterwards", async () => {
    const context = createContext(api.config);
    const lines: object[] = [];
    context.log.error = ((fields: object) => lines.push(fields)) as typeof context.log.error;
    try {
      const app = createApp(context);
      const address = freshAddress();
      await inTransaction(api.db, async (tx) => {
        await tx.execute(sql`lock table earnest.rate_limit in access exclusive mode`);
        const answers = [1, 2, 3].map(() => ask(address, "/categories", { app }));
        for (const { status } of [
          ...(await Promise.all(answers)),
          await ask(address, "/categories", { app }),
        ]) {
          expect(status).toBe(200);
        }
        expect(lines.length).toBeGreaterThanOrEqual(1);
        expect(lines.length).toBeLessThanOrEqual(3);
      });
    } finally {
      await context.db.$client.end();
    }
  });
});

describe("the settings", () => {
  const read = (RATE_LIMITS: string) => readConfig({ RATE_LIMITS }).rateLimits;

  test("change some limits, or disable all", () => {
    expect(read("search=7, address = 9")).toMatchObject({ search: 7, address: 9, credential: 600 });
    expect(read("content=536870912,content_in_all=107374182400")).toMatchObject({
      content: 536_870_912,
      content_in_all: 107_374_182_400,
      credential: 600,
    });
    expect(read("off")).toBeNull();
    expect(read("")).toMatchObject({ credential: 600 });
  });

  test.each(["none", "search", "search=0", "search=-1", "toString=5", "search=1.5", "search=5,,"])(
    "are refused as %s",
    (text) => {
      expect(() => read(text)).toThrow(/RATE_LIMITS: must be off, or a list/);
    },
  );

  test("set trusted proxies by number or network, and refuse other values", () => {
    const trusted = (TRUSTED_PROXIES: string) => readConfig({ TRUSTED_PROXIES }).trustedProxies;
    expect(trusted("2")).toEqual({ hops: 2 });
    expect(trusted("0")).toBeNull();
    expect(trusted("10.0.0.0/8, ::1")).toEqual({ networks: ["10.0.0.0/8", "::1"] });
    for (const text of ["all", "10.0.0.0/33", "-1", "10.0.0.0/8,proxy.example"]) {
      expect(() => trusted(text)).toThrow(/TRUSTED_PROXIES/);
    }
  });
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:ffff::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
])("the network of %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ["192.0.2.7", "192.0.2.0/24"],
  ["2001:db8:1:2::1", "2001:db8:1::/48"],
  ["2001:db8:1:ffff::1", "2001:db8:1::/48"],
])("in limits of all accounts, the network of %s is %s", (address, network) => {
  expect(wideNetworkOf(address)).toBe(network);
});

function usual() {
  return readConfig({ RATE_LIMITS: "account=1000" }).rateLimits as NonNullable<
    ReturnType<typeof readConfig>["rateLimits"]
  >;
}
