import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request as ask, type IncomingHttpHeaders } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveMetrics } from "../../../api/metrics/index.ts";
import { readConfig } from "../../../config/config.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { type Child, findFreePort } from "../../../tools/stack/process.ts";
import { startApi } from "../../../tools/stack/services.ts";
import { ourProgram } from "../../harness/programs.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

let stack: TestStack;
/** The API without the indexer. */
let api: Child;
let ports: { api: number; apiMetrics: number; indexer: number; indexerMetrics: number };

beforeAll(async () => {
  stack = await startStack({ worker: false, isKept: true });
  const [apiPort, apiMetrics] = await Promise.all([findFreePort(), findFreePort()]);
  ports = {
    api: apiPort,
    apiMetrics,
    indexer: stack.config.port,
    indexerMetrics: Number(stack.env.METRICS_PORT),
  };
  api = await startApi(
    { ...stack.env, PORT: String(apiPort), METRICS_PORT: String(apiMetrics) },
    join(stack.indexer.logFile, "../../api.log"),
  );
});
afterAll(async () => {
  await api?.stop(10_000);
  await stack?.close();
});

test.runIf(existsSync("/proc/self/fdinfo"))("the API watches no files", () => {
  const open = readdirSync(`/proc/${api.pid}/fdinfo`).map((file) => {
    try {
      return readFileSync(`/proc/${api.pid}/fdinfo/${file}`, "utf8");
    } catch {
      return "";
    }
  });
  expect(open.join("")).toContain("pos:");
  expect(open.filter((text) => text.includes("inotify wd:"))).toEqual([]);
});

type Got = { status: number; headers: IncomingHttpHeaders; body: string };

/** The path as it is; `fetch` would normalise it. */
function get(
  port: number,
  path: string,
  { host, ...options }: { host?: string; method?: string; address?: string } = {},
): Promise<Got> {
  const { method = "GET", address = "127.0.0.1" } = options;
  return new Promise((resolve, reject) => {
    const headers = { origin: "https://elsewhere.example", ...(host === undefined ? {} : { host }) };
    const request = ask({ host: address, port, path, method, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part) => {
        body += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    request.on("error", reject).end();
  });
}

const isMetrics = ({ body }: Got) => /^# (HELP|TYPE)|ponder_|earnest_/m.test(body);

describe("a caller of the public port", () => {
  const spellings = [
    "/metrics",
    "/metrics?a=b",
    "/metrics/",
    "/metrics/earnest",
    "/metrics/earnest/",
    "/metrics#a",
    "/METRICS",
    "/%6Detrics",
    "/%6detrics/%65arnest",
    "/%6D%65%74%72%69%63%73",
    "/%256Detrics",
    "/metrics%2Fearnest",
    "/metrics;a",
    "//metrics",
    "///metrics/earnest",
    "/./metrics",
    "/x/../metrics",
    "/x/%2e%2E/metrics",
    "/x/.%2e/%6Detrics/./earnest",
    "/api/v1/../../metrics",
    "/%C3%28/../metrics",
    "/%09metrics",
    "http://elsewhere.example/metrics",
    "http://elsewhere.example/x/../%6Detrics",
    "https://elsewhere.example/metrics/earnest",
  ];

  test("gets no metrics, with any spelling of the path", async () => {
    const unknown = await get(ports.api, "/unknown");
    for (const path of spellings) {
      const got = await get(ports.api, path);
      expect([path, isMetrics(got)]).toEqual([path, false]);
      expect([path, got.status]).toEqual([path, 404]);
      const { error } = JSON.parse(got.body);
      expect(error).toEqual({ ...JSON.parse(unknown.body).error, request_id: error.request_id });
      expect(Object.keys(got.headers)).toEqual(Object.keys(unknown.headers));
    }
  });

  test("gets none by a path in the place of the host, by a backslash or by another method", async () => {
    for (const host of ["x/metrics?", "éüöäßñç/metrics?", "éüöäßñç/metrics#", "a.éüöäßñç/metrics?"]) {
      const got = await get(ports.api, "/unknown", { host });
      expect([host, isMetrics(got)]).toEqual([host, false]);
      expect(got.status).toBeGreaterThanOrEqual(400);
    }
    for (const path of [
      "/\\metrics",
      "\\metrics",
      "/x\\..\\metrics",
      "HTTP://elsewhere.example/metrics",
      "/metrics%00",
    ]) {
      expect(isMetrics(await get(ports.api, path))).toBe(false);
    }
    for (const method of ["HEAD", "POST", "PUT"]) {
      const [got, unknown] = [
        await get(ports.api, "/metrics", { method }),
        await get(ports.api, "/unknown", { method }),
      ];
      expect([method, got.status, got.headers["content-type"]]).toEqual([
        method,
        unknown.status,
        unknown.headers["content-type"],
      ]);
    }
  });

  test("gets an envelope for a malformed request", async () => {
    for (const [path, host] of [
      ["/\\me"],
      ["/me", "a b"],
      ["/me", "[::1"],
      ["ftp://elsewhere.example/me"],
    ] as const) {
      const got = await get(ports.api, path, host === undefined ? {} : { host });
      expect([path, got.status, got.headers["cache-control"]]).toEqual([path, 400, "no-store"]);
      expect(JSON.parse(got.body).error).toEqual({
        code: "invalid_request",
        message: expect.stringContaining("Host"),
        request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      });
    }
  });

  test("sees that the service is up, ready, and at which block", async () => {
    expect((await get(ports.api, "/health")).status).toBe(200);
    expect((await get(ports.api, "/ready")).status).toBe(200);
    const status = JSON.parse((await get(ports.api, "/status")).body);
    expect(Object.values(status)).toEqual([
      {
        id: 31_337,
        block: { number: expect.any(Number), timestamp: expect.any(Number) },
        incomplete: false,
      },
      // No worker ever ran here, so there is no log.
      null,
    ]);
    // Any text may be a slug.
    const agent = await get(ports.api, "/api/v1/agents/metrics");
    expect(JSON.parse(agent.body).error.message).toContain("agent");
  });

  test("reaches an API whose indexer has restarted and is not ready yet", async () => {
    const setReady = (ready: 0 | 1) =>
      stack.db.execute(sql`
        update ${sql.identifier(deploymentSchema(stack.config))}._ponder_meta
        set value = jsonb_set(value, '{is_ready}', to_jsonb(${ready}::int))`);
    await setReady(0);
    try {
      // An answer is cached for half a second.
      await sleep(600);
      expect((await get(ports.api, "/ready")).status).toBe(200);
      expect((await get(ports.api, "/api/v1/marketplace/services")).status).toBe(200);
    } finally {
      await setReady(1);
    }
  });
});

test("gets Ponder's own pages and the API from the indexer's public port", async () => {
  for (const [path, name] of [
    ["/health", ""],
    ["/ready", ""],
    ["/metrics", "ponder_"],
    ["/status", "chain_31337"],
    ["/api/v1/chain/status", "indexed_block"],
  ] as const) {
    const got = await get(ports.indexer, path);
    expect([path, got.status]).toEqual([path, 200]);
    expect(got.body).toContain(name);
    expect(got.body).not.toContain("earnest_");
  }
});

describe("the operator on the metrics port of the indexer", () => {
  test.each([
    ["/metrics", "earnest_http_request_duration_seconds"],
    ["/metrics/earnest", "earnest_relays"],
    ["/metrics/earnest?a=b", "earnest_relays"],
  ])("reads %s, which pages of other origins cannot", async (path, name) => {
    const got = await get(ports.indexerMetrics, path);
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toMatch(/^text\/plain;/);
    expect(got.body).toContain(name);
    const { date: _, ...headers } = got.headers;
    expect(Object.keys(headers).filter((header) => header.startsWith("access-control-"))).toEqual([]);
    expect((await get(ports.indexerMetrics, path, { method: "HEAD" })).status).toBe(200);
  });

  test("reads, of the API without the indexer, its request counts and the database's metrics", async () => {
    const count =
      /^earnest_http_request_duration_seconds_count\{method="GET",path="\/api\/v1\/categories",status="2XX"\} (\d+)$/m;
    for (let requestCount = 0; requestCount < 9; requestCount++)
      expect((await get(ports.api, "/api/v1/categories")).status).toBe(200);
    expect(count.exec((await get(ports.apiMetrics, "/metrics")).body)?.[1]).toBe("9");
    expect((await get(ports.apiMetrics, "/metrics/earnest")).body).toContain("earnest_relays");
  });

  test("gets nothing else there, and pages get no access", async () => {
    for (const path of [
      "/",
      "/api/v1/chain/status",
      "/__proto__",
      "/metrics/../status",
      "/%6Detrics",
      "//metrics",
    ]) {
      expect([path, (await get(ports.indexerMetrics, path)).status]).toEqual([path, 404]);
    }
    for (const method of ["OPTIONS", "POST"]) {
      const got = await get(ports.indexerMetrics, "/metrics", { method });
      expect([method, got.status]).toEqual([method, 405]);
      expect(got.headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  test("is refused where the name of another site resolves to this machine", async () => {
    for (const host of [
      "elsewhere.example",
      `elsewhere.example:${ports.indexerMetrics}`,
      "127.0.0.1.elsewhere.example",
    ]) {
      expect([host, (await get(ports.indexerMetrics, "/metrics", { host })).status]).toEqual([host, 403]);
    }
    for (const host of ["localhost", `localhost:${ports.indexerMetrics}`, "[::1]:80"]) {
      expect([host, (await get(ports.indexerMetrics, "/metrics", { host })).status]).toEqual([host, 200]);
    }
  });

  test("reaches it on the loopback address only, unless configured", async () => {
    // Every address of 127.0.0.0/8 is this machine's: a port open on all of them answers on each.
    await expect(get(ports.indexerMetrics, "/metrics", { address: "127.0.0.2" })).rejects.toThrow(
      "ECONNREFUSED",
    );
    expect((await get(ports.api, "/ready", { address: "127.0.0.2" })).status).toBe(200);
  });
});

describe("an unavailable port", () => {
  test.each([
    [
      "indexer",
      "METRICS_PORT",
      "Port %, for the metrics, is taken by another program: stop that program, or set METRICS_PORT to a free port (0 for no metrics).\n",
    ],
    ["api", "PORT", "Port % is taken by another program: stop that program, or set PORT to a free port.\n"],
  ])("ends the %s with a message, and no other port is used", async (program, variable, sentence) => {
    const taken = createServer().listen(0);
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const free = { PORT: String(await findFreePort()), METRICS_PORT: "0", METRICS_HOST: "0.0.0.0" };
    const env = { ...stack.env, ...free, [variable]: String(port) };
    const child = spawn(process.execPath, ourProgram(`scripts/${program}.ts`), { env });
    let text = "";
    child.stderr.on("data", (part) => {
      text += part;
    });
    const [code] = await once(child, "close");
    taken.close();
    expect([code, text]).toEqual([1, sentence.replace("%", String(port))]);
  });

  test("is refused where the address is not this machine's, or the port is the API's", async () => {
    await expect(serveMetrics({ host: "192.0.2.1", port: ports.api }, {})).rejects.toThrow(
      /^The metrics cannot be served on METRICS_HOST 192\.0\.2\.1, METRICS_PORT \d+: /,
    );
    const same = { ...stack.env, METRICS_PORT: String(ports.indexer) };
    expect(() => readConfig(same)).toThrow(`METRICS_PORT is PORT, ${ports.indexer}: set it to another`);
  });
});
