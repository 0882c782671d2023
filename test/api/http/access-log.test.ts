import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createLog } from "../../../config/log.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  type RequestOptions,
  type Session,
  signIn,
} from "../../harness/api.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";

let market: Market;
let app: ReturnType<typeof createApp>;
let lines: string[];

type Signed = { signature: string };

/** The log of the program, collected in a list. */
function createKeptLog(level: Logger["level"] = "trace"): Logger {
  const config = { ...market.api.config, logLevel: level as "trace" };
  return createLog(config, "api", { write: (line: string) => void lines.push(line) });
}

beforeAll(async () => {
  market = await createMarket();
  lines = [];
  app = createApp({ ...market.api.context, log: createKeptLog() });
});
afterAll(() => market.api.close());

const logged = () => lines.map((line) => JSON.parse(line));

async function ask(
  method: string,
  path: string,
  options: RequestOptions & { id?: string } = {},
): Promise<Answer> {
  const { token, body, id } = options;
  const response = await app.request(`/api/v1${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(id ? { "x-request-id": id } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  };
}

test("each request is one line with the route's pattern and the caller, never the path", async () => {
  lines = [];
  const { token, accountId } = market.buyer;
  const answer = await ask("GET", "/orders/ord_secret?q=private", { token });
  expect(logged()).toEqual([
    expect.objectContaining({
      level: 30,
      process: "api",
      msg: "request",
      method: "GET",
      route: "/api/v1/orders/:id",
      status: 400,
      ms: expect.any(Number),
      account_id: accountId,
      credential_id: expect.stringMatching(/^ses_/),
      request_id: answer.headers.get("x-request-id"),
    }),
  ]);
  expect(lines.join()).not.toMatch(/ord_secret|private/);

  lines = [];
  await ask("GET", "/nowhere/at-all");
  await ask("PUT", "/me");
  expect(logged().map(({ route, status }) => [route, status])).toEqual([
    [null, 404],
    [null, 405],
  ]);
});

test("a valid request id of the caller is logged beside the service's own", async () => {
  for (const [id, shown] of [
    ["trace-7.a_B", "trace-7.a_B"],
    ["x".repeat(65), undefined],
    ["a b", undefined],
    ['a"}', undefined],
  ] as const) {
    lines = [];
    const { headers } = await ask("GET", "/categories", { id });
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(logged()[0]).toMatchObject({ request_id: headers.get("x-request-id") });
    expect(logged()[0].caller_request_id).toBe(shown);
  }
});

test("a day's work writes no secret to the log at its most verbose level, with everything failing", async () => {
  lines = [];
  const secrets: string[] = ["a-private-payload", "a-private-query"];
  const overApp = {
    request: async (method: string, path: string, options?: RequestOptions) => {
      const answer = await ask(method, path, options);
      for (const part of [answer.body?.tokens?.access_token, answer.body?.token, answer.body?.secret]) {
        if (part) secrets.push(part);
      }
      if (path === "/auth/signin") secrets.push(String((options?.body as Signed | undefined)?.signature));
      return answer;
    },
  };
  const someone: Session = await signIn(overApp);
  const { token } = someone;
  await createKey(overApp, someone, ["orders:write"]);
  await overApp.request("POST", "/webhooks", { token, body: { url: "http://localhost:9/", events: ["*"] } });
  const payload = { service_id: market.service.id, input_payload: { text: "a-private-payload" } };
  const order = expectStatus(201, await overApp.request("POST", "/orders", { token, body: payload }));
  await overApp.request("GET", "/marketplace/services?q=a-private-query", {});
  await overApp.request("GET", "/me", { token: "est_a-made-up-token-that-nobody-has" });
  secrets.push("est_a-made-up-token-that-nobody-has");
  const signature = `0x${"5e".repeat(65)}`;
  secrets.push(signature.slice(2));
  await overApp.request("POST", `/orders/${order.id}/release`, { token, body: { signature } });

  // The same with a database that fails midway and puts rows into its messages.
  await market.api.db.execute(
    sql`alter table earnest."order" add constraint refused check (input_payload->>'text' <> 'a-private-payload') not valid`,
  );
  try {
    const failed = await overApp.request("POST", "/orders", { token, body: payload });
    expect(failed.status).toBe(500);
  } finally {
    await market.api.db.execute(sql`alter table earnest."order" drop constraint refused`);
  }

  expect(logged().filter(({ msg }) => msg === "request").length).toBeGreaterThanOrEqual(10);
  expect(logged().some(({ level, err }) => level === 50 && err.code === "23514")).toBe(true);
  expect(secrets.length).toBeGreaterThanOrEqual(7);
  for (const secret of secrets) expect(lines.join("\n")).not.toContain(secret);
});

describe("an error", () => {
  test("is logged without the key of a node and without the request to it", () => {
    lines = [];
    const url = "http://node.example/v2/the-node-key";
    const config = { ...market.api.config, chains: [{ ...market.chain, rpc_url: url }] };
    const log = createLog({ ...config, logLevel: "info" }, "api", { write: (line) => void lines.push(line) });
    const cause = new Error(`fetch failed: postgres://earnest:the-password@db/earnest est_${"a".repeat(43)}`);
    const error = new Error(`HTTP request failed.\n\nURL: ${url}\nRequest body: {"params":["0xfeed"]}\n`, {
      cause,
    });
    log.error({ err: error }, "it failed");
    const text = lines.join();
    expect(text).toContain("http://node.example");
    expect(text).toContain("HTTP request failed.");
    expect(text).not.toMatch(/the-node-key|0xfeed|the-password|aaaa/);
  });

  test("is logged as one line of text, whatever its message contains", () => {
    lines = [];
    const text = "caf\u00e9 \u65e5\u672c \u200d\u001b[2J\u007f\u009b31m\u2028\u202egnp\u2066\ud800";
    createKeptLog().error({ err: new Error(text), name: text }, text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\p{Cc}\u202e\u2066\u2028]+\n$/u);
    expect(lines[0]).toContain("caf\u00e9 \u65e5\u672c \u200d\\u001b[2J\\u007f\\u009b31m");
    expect(logged()[0]).toMatchObject({ name: text, msg: text, err: { message: text } });
  });

  test("is logged with its code and the chain of its causes", () => {
    lines = [];
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED", detail: "Key (a)=(b)" });
    createKeptLog().error({ err: new TypeError("outer", { cause }) }, "it failed");
    expect(logged()[0].err).toMatchObject({
      type: "TypeError",
      message: "outer",
      cause: { message: "refused", code: "ECONNREFUSED" },
    });
    expect(lines.join()).not.toContain("Key (a)");
  });
});

test("is left out at a higher level", async () => {
  lines = [];
  const quiet = createApp({ ...market.api.context, log: createKeptLog("warn") });
  expect((await quiet.request("/api/v1/categories")).status).toBe(200);
  expect(lines).toEqual([]);
});
