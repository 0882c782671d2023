import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { count } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestCounts } from "../../../api/http/request-counts.ts";
import { account, agent, apiKey, service, session, signInNonce } from "../../../db/schema.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi, type Operation, operationsOf } from "../../harness/documented.ts";
import { serveApi } from "../../harness/streams.ts";

let api: TestApi;
let owner: Session;
let writes: Operation[];
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  writes = operationsOf(api).filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method));
});
afterAll(() => api.close());

/** Sends raw bytes; the harness itself only sends valid JSON. */
async function send(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  options: SendOptions = {},
): Promise<Answer> {
  const { method = "POST", path = "/agents", type = "application/json" } = options;
  const response = await api.app.request(`/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.token}`, ...(type ? { "content-type": type } : {}) },
    body,
    duplex: "half",
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}
type SendOptions = { method?: string; path?: string; type?: string | null };

const tables = [account, agent, apiKey, service, session, signInNonce];
const countRows = () => Promise.all(tables.map((table) => api.db.select({ rows: count() }).from(table)));

/** Asserts that the request is refused and leaves no row behind. */
async function expectRefused(attempt: () => Promise<Answer>, status: number, code: string) {
  const before = await countRows();
  const { status: answered, body, headers } = await attempt();
  expect([answered, body.error.code]).toEqual([status, code]);
  expect(body.error.request_id).toBe(headers.get("x-request-id"));
  expect(await countRows()).toEqual(before);
  return body.error;
}

const placeOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, "nothing-like-it");
const agentWith = (fields: object) => JSON.stringify({ slug: "never-made", name: "Never made", ...fields });

describe("every operation with a body", () => {
  test("is 400 for malformed JSON, with the position of the fault", async () => {
    expect(writes.length).toBeGreaterThan(15);
    for (const operation of writes) {
      const { method } = operation;
      const error = await expectRefused(
        () => send('{"a":1,}', { method, path: placeOf(operation) }),
        400,
        "invalid_request",
      );
      expect(error.message).toMatch(/^The body is not JSON: .*position 7/);
    }
  });

  test("is 415 for another content type, or none", async () => {
    for (const operation of writes) {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", null]) {
        const { method } = operation;
        const path = placeOf(operation);
        const bytes = new TextEncoder().encode("{}");
        await expectRefused(() => send(bytes, { method, path, type }), 415, "unsupported_media_type");
      }
    }
  });

  test("is 413 for a body over 256 KiB, with and without a length", async () => {
    const large = agentWith({ description: "x".repeat(256 * 1024) });
    const stream = () => new Blob([large]).stream();
    for (const operation of writes) {
      const options = { method: operation.method, path: placeOf(operation) };
      await expectRefused(() => send(large, options), 413, "payload_too_large");
      await expectRefused(() => send(stream(), options), 413, "payload_too_large");
    }
  });
});

test("takes an empty body of any content type as none", async () => {
  for (const type of [null, "application/x-www-form-urlencoded", "text/plain"]) {
    const answer = await send("", { type });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
  }
});

test("accepts a body of exactly 256 KiB", async () => {
  const padding = 256 * 1024 - Buffer.byteLength(agentWith({ description: "" }));
  const body = agentWith({ description: "x".repeat(padding) });
  expect(Buffer.byteLength(body)).toBe(256 * 1024);
  const error = await expectRefused(() => send(body), 400, "invalid_request");
  expect(error.details).toEqual([expect.objectContaining({ path: "/description", keyword: "too_big" })]);
});

test.each([
  "Application/JSON; charset=utf-8",
  "application/json ; charset=utf-8",
  "application/json;charset=utf-8;",
  "application/json;",
  'application/json\t;\tcharset="utf-8" ; x=y',
])("accepts the content type %s, over the network and without", async (type) => {
  const slug = () => `typed-${randomUUID()}`;
  const body = () => JSON.stringify({ slug: slug(), name: "x" });
  expectStatus(201, await send(body(), { type }));
  const { url, close } = await serveApi(api);
  const headers = { authorization: `Bearer ${owner.token}`, "content-type": type };
  const response = await fetch(`${url}/api/v1/agents`, { method: "POST", headers, body: body() });
  expect(response.status).toBe(201);
  await close();
});

describe("a body", () => {
  test.each([
    ["empty", ""],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "12"],
    ["a text", '"x"'],
    ["of nothing", "{}"],
  ])("that is %s: 400", async (_, body) => {
    await expectRefused(() => send(body), 400, "invalid_request");
  });

  test.each([
    ["NUL in a text", '{"slug":"a","name":"a\\u0000b"}', "/name", "character"],
    [
      "NUL deep inside",
      '{"slug":"a","name":"b","capabilities":{"skills":["x\\u0000"]}}',
      "/capabilities/skills/0",
      "character",
    ],
    ["NUL in a member's name", '{"slug":"a","name":"b","x\\u0000":1}', "", "character"],
    ["half of a surrogate pair", '{"slug":"a","name":"\\ud83d"}', "/name", "character"],
    ["the other half", '{"slug":"a","name":"\\ude00x"}', "/name", "character"],
    ["a member named __proto__", '{"slug":"a","name":"b","__proto__":{"role":"admin"}}', "", "name"],
    ["one deep inside", '{"slug":"a","name":"b","capabilities":{"__proto__":{}}}', "/capabilities", "name"],
    ["a number that loses digits", '{"slug":"a","name":"b","n":9007199254740993}', "/n", "number"],
    ["a number without end", '{"slug":"a","name":"b","n":1e400}', "/n", "number"],
    ["a decimal that loses digits", '{"slug":"a","n":[0.1000000000000000055]}', "/n/0", "number"],
    ["a whole number beyond 2^53", '{"slug":"a","name":"b","n":123456789012345680000}', "/n", "number"],
    ["a member named twice", '{"slug":"a","name":"b","slug":"c"}', "/slug", "duplicate"],
    ["one named twice by an escape", '{"x":[{"a":1,"\\u0061":1}]}', "/x/0/a", "duplicate"],
    [
      "nesting without end",
      `{"slug":"a","name":"b","n":${"[".repeat(65)}${"]".repeat(65)}}`,
      `/n${"/0".repeat(63)}`,
      "depth",
    ],
  ])("with %s: 400 with its path", async (_, body, path, keyword) => {
    const error = await expectRefused(() => send(body), 400, "invalid_request");
    expect(error.details).toEqual([{ path, keyword, message: expect.any(String) }]);
  });

  test("that is not UTF-8: 400 with the byte, in every operation", async () => {
    const body = Buffer.from('{"name":"caf\xe9"}', "latin1");
    for (const operation of writes) {
      const { method } = operation;
      const error = await expectRefused(
        () => send(new Uint8Array(body), { method, path: placeOf(operation) }),
        400,
        "invalid_request",
      );
      expect(error.details).toEqual([
        { path: "", keyword: "utf-8", message: "is not UTF-8 at byte 12, counted from 0" },
      ]);
    }
  });

  test("nested a hundred thousand times: 400, and the server stays up", async () => {
    const deep = `{"n":${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}}`;
    await expectRefused(() => send(deep), 400, "invalid_request");
    expect((await api.request("GET", "/me", owner)).status).toBe(200);
  });

  test("with member names of Object.prototype: they are ordinary members", async () => {
    const error = await expectRefused(
      () => send('{"slug":"a","name":"b","constructor":1,"toString":2}'),
      400,
      "invalid_request",
    );
    expect(error.details[0]).toMatchObject({ path: "", keyword: "unrecognized_keys" });
  });

  test("with a surrogate pair and every other character: stored unchanged", async () => {
    const title = "Ünïcödé 翻訳 🦆 \u202e \u0001";
    const { service } = await publishService(api, owner, { input_schema: { title } });
    expect(service.input_schema).toEqual({ title });
  });

  test.each([
    ["a change of direction", "\u202egnirts", "U+202E"],
    ["an escape sequence", "\u001b[2J", "U+001B"],
    ["a tag", "Fine.\u{e0070}", "U+E0070"],
    ["marks that pile up", `Z${"\u0301".repeat(9)}`, "combining marks"],
  ])("with %s in a name that others read: 400 with its path", async (_, name, named) => {
    const { body } = await api.request("POST", "/agents", { token: owner.token, body: { slug: "a", name } });
    expect(body.error.details).toMatchObject([{ path: "/name", message: expect.stringContaining(named) }]);
  });

  test("with a name of any language, joined emoji, tabs or line breaks: accepted", async () => {
    const name = "می‌خواهم ཧཱུྃ བྷྲཱུྃ שָׁל֑וֹם 👩‍🚀 a\tb\nc\r\nd";
    const slug = "any-language";
    expectStatus(201, await api.request("POST", "/agents", { token: owner.token, body: { slug, name } }));
    expect((await api.request("GET", `/agents/${slug}`, owner)).body.name).toBe(name);
  });

  test("stores a schema member by member, whatever the names", async () => {
    const input_schema = {
      type: "object",
      properties: { "a/b": { const: 1 }, "~": {}, constructor: { type: "string" }, "": {} },
      required: ["constructor"],
      "x-mine": [null, true, 0.1, 1e-7, { deep: [[]] }],
    };
    const { service: made } = await publishService(api, owner, { input_schema });
    expect(made.input_schema).toEqual(input_schema);
  });
});

describe("a URL", () => {
  test.each(["/agents/a%00b", "/marketplace/services?q=a%00b", "/agents/a/services/%00"])(
    "with NUL, as %s: 400",
    async (path) => {
      const { status, body } = await api.request("GET", path);
      expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    },
  );

  test.each([
    ["GET", "/nothing"],
    ["GET", "/"],
    ["GET", ""],
    ["GET", "/agents/a/b/c/d"],
    ["GET", "/../../etc/passwd"],
  ])("of no route, as %s %s: 404 in the envelope, with a request id", async (method, path) => {
    const { status, body, headers } = await api.request(method, path);
    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        code: "not_found",
        message: "There is nothing at this path.",
        request_id: headers.get("x-request-id"),
      },
    });
    expect(body.error.request_id).toMatch(/^req_[0-9a-f]{32}$/);
  });

  test("with other methods is 405, and lists them", async () => {
    for (const [method, path, allow] of [
      ["POST", "/me", "GET, HEAD, OPTIONS"],
      ["DELETE", "/agents", "OPTIONS, POST"],
      ["PUT", "/api-keys", "GET, HEAD, OPTIONS, POST"],
    ] as const) {
      const { status, body, headers } = await api.request(method, path);
      expect([status, body.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", allow]);
    }
  });

  test("of a route without a body does not read one", async () => {
    const headers = { "content-type": "application/json" };
    for (const [path, status] of [
      ["/", 405],
      ["/nothing", 404],
      ["/docs", 405],
      ["/api/v1/nothing", 404],
      ["/api/v1/me", 405],
    ] as const) {
      const response = await api.app.request(path, { method: "POST", headers, body: "no JSON" });
      expect([path, response.status]).toEqual([path, status]);
    }
  });

  test("of more than 8192 characters, or a request with over 100 headers: 400", async () => {
    expect((await api.request("GET", `/marketplace/services?q=${"a".repeat(8192)}`)).status).toBe(400);
    const headers = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, "1"]));
    expect((await api.request("GET", "/categories", { headers })).status).toBe(400);
  });

  test("with thousands of unknown parameters: 400, naming a few and the number of the rest", async () => {
    const names = Array.from({ length: 1300 }, (_, at) => `x${at}`);
    const { status, body } = await api.request("GET", `/marketplace/services?${names.join("&")}`);
    expect([status, body.error.code, body.error.details.length]).toEqual([400, "invalid_request", 10]);
    expect(body.error.details.at(-1)).toEqual({
      path: "",
      keyword: "unrecognized_keys",
      message: "1291 other parameters are unknown too",
    });
  });

  test("answers HEAD as GET, without the body", async () => {
    const { status, body, headers } = await api.request("HEAD", "/categories");
    expect([status, body]).toEqual([200, ""]);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
  });

  test("outside /api/v1 is 404 in the same envelope", async () => {
    const response = await api.app.request("/me");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
  });
});

test("gets a new request id in every answer", async () => {
  const answers = await Promise.all([1, 2].map(() => api.request("GET", "/categories")));
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(ids).toEqual([expect.stringMatching(/^req_/), expect.stringMatching(/^req_/)]);
  expect(ids[0]).not.toBe(ids[1]);
});

describe("over a connection", () => {
  let served: Awaited<ReturnType<typeof serveApi>>;
  beforeAll(async () => {
    served = await serveApi(api);
  });
  afterAll(() => served.close());

  const write = (slug: string, name = "Named") => Buffer.from(agentWith({ slug, name }));
  const isMade = async (slug: string) => {
    const { status } = await api.request("GET", `/agents/${slug}`, { token: owner.token });
    return status === 200;
  };

  /** Sends the pieces one by one, each after the one before has left, and returns the answer. */
  async function sendPieces(headers: string[], pieces: Uint8Array[], isWhole = true): Promise<string> {
    const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
    socket.setNoDelay();
    const lines = [
      "POST /api/v1/agents HTTP/1.1",
      "Host: localhost",
      "Connection: close",
      "Content-Type: application/json",
      `Authorization: Bearer ${owner.token}`,
      ...headers,
    ];
    let answer = "";
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    const closed = once(socket, "close");
    for (const piece of [Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), ...pieces]) {
      await new Promise<void>((done) => socket.write(piece, () => done()));
      await setImmediate();
    }
    if (!isWhole) socket.end();
    await closed;
    return answer;
  }
  const contentLength = (bytes: number) => [`Content-Length: ${bytes}`];

  test("a body is the same however it is cut into pieces, with and without a length", async () => {
    const name = "Übersetzung 翻訳";
    const bytes = write("in-pieces", name);
    const at = bytes.indexOf("翻") + 1;
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    const answer = await sendPieces(contentLength(bytes.length), pieces);
    expect(answer).toMatch(/^HTTP\/1.1 201 /);
    expect(answer).toContain(name);

    const chunked = write("in-chunks", name);
    const chunk = Buffer.from(`${chunked.length.toString(16)}\r\n${chunked}\r\n0\r\n\r\n`);
    expect(await sendPieces(["Transfer-Encoding: chunked"], [chunk])).toContain(name);
  });

  test("a byte order mark is removed, and invalid UTF-8 is refused", async () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), write("with-mark")]);
    expect(await sendPieces(contentLength(marked.length), [marked])).toMatch(/^HTTP\/1.1 201 /);
    const broken = write("broken-name", "a?b");
    broken[broken.indexOf("?")] = 0xff;
    const answer = await sendPieces(contentLength(broken.length), [broken]);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain(`is not UTF-8 at byte ${broken.indexOf(0xff)}, `);
  });

  test("a body with too large a length is refused before it is sent", async () => {
    const answer = await sendPieces(contentLength(256 * 1024 + 1), [Buffer.from("{")]);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test("a body that ends early creates nothing, and other requests are served", async () => {
    const bytes = write("cut-short");
    await sendPieces(contentLength(bytes.length + 10), [bytes], false);
    expect(await isMade("cut-short")).toBe(false);
    const after = write("after-the-cut");
    expect(await sendPieces(contentLength(after.length), [after])).toMatch(/^HTTP\/1.1 201 /);
  });

  test.each([
    ["told, and ends early", contentLength(100), '{"slug":'],
    ["not told, and ends early", ["Transfer-Encoding: chunked"], '8\r\n{"slug":'],
    ["not told, and no chunks", ["Transfer-Encoding: chunked"], '8\r\n{"slug":\r\nzz\r\n'],
  ])("a body that is %s counts as the client's fault, not as an outage", async (_, headers, bytes) => {
    const before = await countAnswers();
    await sendPieces(headers, [Buffer.from(bytes)], false);
    await expect.poll(countAnswers).toEqual({ ...before, "4XX": before["4XX"] + 1 });
  });

  /** The number of answers of each status that the route has given. */
  async function countAnswers() {
    const text = await requestCounts.metrics();
    const of = (kind: string) =>
      Number(
        new RegExp(`_count{method="POST",path="/api/v1/agents",status="${kind}"} (\\d+)`).exec(text)?.[1] ??
          0,
      );
    return { "4XX": of("4XX"), "5XX": of("5XX") };
  }
});
