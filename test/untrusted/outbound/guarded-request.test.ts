import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type SendOptions, sendGuarded } from "../../../untrusted/outbound/guarded-request.ts";
import type { UrlPolicy } from "../../../untrusted/outbound/url-guard.ts";
import {
  type Authority,
  createAuthority,
  listen,
  type Receiver,
  startRawReceiver,
  startReceiver,
} from "../../harness/outbound/receiver.ts";

const name = "hooks.example.com";
/** The receivers of this test have a good certificate, and an address that counts as public. */
const policy: UrlPolicy = { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] };
const lookup = async () => ["127.0.0.1"];

let authority: Authority;
let credentials: Awaited<ReturnType<Authority["issue"]>>;
const started: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  authority = await createAuthority();
  credentials = await authority.issue([name]);
});
afterEach(async () => {
  for (const receiver of started.splice(0)) await receiver.close();
});

function keep<T extends { close(): Promise<void> }>(receiver: T): T {
  started.push(receiver);
  return receiver;
}

function send(receiver: Receiver, options: Partial<SendOptions> & { path?: string } = {}) {
  const { path = "/hook", ...rest } = options;
  return sendGuarded(`https://${name}:${receiver.port}${path}`, {
    policy,
    lookup,
    ca: authority.ca,
    timeoutMs: 5000,
    ...rest,
  });
}

/** A receiver that sends these bytes after a request, and then closes. */
async function startSpeaker(text: string): Promise<Receiver> {
  return keep(
    await startRawReceiver(credentials, (socket) => socket.once("data", () => socket.end(text, "latin1"))),
  );
}

/** Tells whether a receiver soon has no open connection. */
async function isLeft(receiver: Receiver): Promise<boolean> {
  for (let turn = 0; turn < 100 && receiver.open > 0; turn++) await wait(10);
  return receiver.open === 0;
}

test("a receiver over TLS gets the bytes, the headers and its own name, on a connection of their own", async () => {
  const seen: { request: IncomingMessage; body: Buffer; servername: unknown }[] = [];
  const receiver = keep(
    await startReceiver(credentials, async (request, response) => {
      const { servername } = request.socket as TLSSocket;
      seen.push({ request, body: await buffer(request), servername });
      response.writeHead(202, { "Retry-After": "7", "Set-Cookie": ["a=1", "b=2"] }).end("taken ü");
    }),
  );
  const body = '{"id":"evt_1","text":"ü"}';
  const headers = { "Content-Type": "application/json", "X-Service-Event": "order.funded" };
  const result = await send(receiver, { path: "/hook?tenant=7", headers, body });
  expect(result).toMatchObject({
    ok: true,
    status: 202,
    headers: { "retry-after": "7", "set-cookie": "a=1, b=2" },
    body: "taken ü",
    isTruncated: false,
  });
  expect(result.latencyMs).toBeGreaterThan(0);
  expect(seen).toHaveLength(1);
  const [{ request, ...got } = expect.fail("nothing came")] = seen;
  expect(request).toMatchObject({ method: "POST", url: "/hook?tenant=7" });
  expect(request.headers).toMatchObject({
    host: `${name}:${receiver.port}`,
    connection: "close",
    "content-length": String(Buffer.byteLength(body)),
    "x-service-event": "order.funded",
  });
  // Headers keep their upper case for receivers that compare it.
  expect(request.rawHeaders).toContain("X-Service-Event");
  expect(got.servername).toBe(name);
  expect(got.body.toString()).toBe(body);

  await send(receiver);
  expect(receiver.connections).toBe(2);
  expect(await isLeft(receiver)).toBe(true);
});

test.each([
  ["/a?", "/a?"],
  ["", "/"],
  ["?", "/?"],
  ["/a%2Fb/%7e/;p=1//?x=%41&y='\u{e9}'&z", "/a%2Fb/%7e/;p=1//?x=%41&y=%27%C3%A9%27&z"],
  ["/a/./b/%2e%2e/c?d/../e", "/a/c?d/../e"],
])("the target of %j is sent as %j", async (written, sent) => {
  let head = "";
  const receiver = keep(
    await startRawReceiver(credentials, (socket) =>
      socket.once("data", (data) => {
        head = data.toString("latin1");
        socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      }),
    ),
  );
  // The spelling of the host does not change the destination either.
  const url = `HTTPS://Hooks.Example.com:${receiver.port}${written}`;
  expect(await sendGuarded(url, { policy, lookup, ca: authority.ca })).toMatchObject({ status: 204 });
  const [line, ...headers] = head.split("\r\n");
  expect([line, headers]).toEqual([
    `POST ${sent} HTTP/1.1`,
    expect.arrayContaining([`Host: ${name}:${receiver.port}`]),
  ]);
  const [, host] = headers.find((one) => one.startsWith("Host: "))?.split("Host: ") ?? [];
  expect(`https://${host}${sent}`).toBe(new URL(url).href);
});

test("a receiver at localhost gets it by http where the policy allows it, and only there", async () => {
  const server = createHttpServer((_request, response) => response.end("hello"));
  const receiver = keep(await listen(server));
  const url = `http://localhost:${receiver.port}/`;
  expect(await sendGuarded(url, { policy: { allowsLocalhost: true } })).toMatchObject({
    ok: true,
    status: 200,
    body: "hello",
  });
  expect(await sendGuarded(url, { policy })).toMatchObject({ ok: false, error: "insecure_scheme" });
  expect(receiver.connections).toBe(1);
});

describe("certificates", () => {
  test.each<[string, () => Promise<Awaited<ReturnType<Authority["issue"]>>>]>([
    ["for another name", () => authority.issue(["other.example.com"])],
    ["for another level of the name", () => authority.issue(["*.hooks.example.com", "*.com"])],
    ["of an authority nobody trusts", async () => (await createAuthority()).issue([name])],
    [
      "that has expired",
      () =>
        authority.issue([name], {
          notBefore: new Date(Date.now() - 9e8),
          notAfter: new Date(Date.now() - 1000),
        }),
    ],
    [
      "that is not valid yet",
      () =>
        authority.issue([name], {
          notBefore: new Date(Date.now() + 1e8),
          notAfter: new Date(Date.now() + 9e8),
        }),
    ],
    ["for the address only", () => authority.issue(["127.0.0.1"])],
  ])("one %s is refused before anything is sent", async (_what, issue) => {
    let requests = 0;
    const receiver = keep(
      await startReceiver(await issue(), (_request, response) => {
        requests++;
        response.end();
      }),
    );
    expect(await send(receiver, { body: "secret" })).toMatchObject({
      ok: false,
      error: "tls_failed",
      status: null,
    });
    expect(requests).toBe(0);
    expect(receiver.connections).toBe(1);
  });

  test("Node's own authorities count, and NODE_TLS_REJECT_UNAUTHORIZED does not", async () => {
    const receiver = keep(await startReceiver(credentials, (_request, response) => response.end()));
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(await send(receiver, { ca: undefined })).toMatchObject({ ok: false, error: "tls_failed" });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test("one for an address is valid for a URL with that address", async () => {
    const own = await authority.issue(["127.0.0.1"]);
    const receiver = keep(await startReceiver(own, (_request, response) => response.end("here")));
    const url = `https://127.0.0.1:${receiver.port}/`;
    const options = { policy, lookup: () => expect.fail("nothing to look up"), ca: authority.ca };
    expect(await sendGuarded(url, options)).toMatchObject({ ok: true, body: "here" });
  });
});

describe("time", () => {
  test("a receiver that accepts the connection and sends nothing costs the limit and no more", async () => {
    const silent = keep(await listen(createTcpServer((socket) => socket.resume())));
    const result = await send(silent, { timeoutMs: 300 });
    expect(result).toMatchObject({ ok: false, error: "timeout", status: null });
    expect(result).toMatchObject({ message: "There was no connection within 300 ms." });
    expect(result.latencyMs).toBeGreaterThanOrEqual(295);
    expect(result.latencyMs).toBeLessThan(10_000);
    expect(await isLeft(silent)).toBe(true);
  });

  test("a receiver that never answers", async () => {
    const receiver = keep(await startReceiver(credentials, () => {}));
    const result = await send(receiver, { timeoutMs: 300 });
    expect(result).toMatchObject({ ok: false, error: "timeout", status: null });
    expect(await isLeft(receiver)).toBe(true);
  });

  test.each([
    ["headers", "HTTP/1.1 200 OK\r\nX-Slow: ", null],
    ["body", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", 200],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200],
  ])("a receiver whose %s come byte by byte", async (what, start, status) => {
    const receiver = keep(
      await startRawReceiver(credentials, (socket) => {
        socket.once("data", () => socket.write(start));
        const timer = setInterval(() => socket.write(what === "chunks" ? "1\r\na\r\n" : "a"), 20);
        socket.once("close", () => clearInterval(timer));
      }),
    );
    const result = await send(receiver, { timeoutMs: 1000 });
    // With a status, the answer has a body that broke off.
    const late = { error: "timeout", message: "There was no whole answer within 1000 ms." };
    expect(result).toMatchObject(status ? { ok: true, status, broken: late } : { ok: false, ...late });
    expect(result.latencyMs).toBeLessThan(10_000);
    expect(await isLeft(receiver)).toBe(true);
  });

  test("names whose lookup never ends", async () => {
    const never: SendOptions["lookup"] = async (_name, signal) => {
      await once(signal, "abort");
      throw new Error("given up");
    };
    const receiver = keep(await startReceiver(credentials, () => {}));
    const result = await send(receiver, { timeoutMs: 200, lookup: never });
    expect(result).toMatchObject({
      ok: false,
      error: "timeout",
      message: "There was no answer of the DNS within 200 ms.",
    });
    expect(receiver.connections).toBe(0);
  });

  test("the caller may abort it, before and meanwhile", async () => {
    const receiver = keep(await startReceiver(credentials, () => {}));
    expect(await send(receiver, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: "aborted",
    });
    expect(receiver.connections).toBe(0);
    const control = new AbortController();
    const result = send(receiver, { signal: control.signal });
    while (receiver.open === 0) await wait(5);
    control.abort();
    expect(await result).toMatchObject({ ok: false, error: "aborted", status: null });
    expect(await isLeft(receiver)).toBe(true);
  });
});

describe("answers", () => {
  test("a body without end is cut, and not waited for", async () => {
    const receiver = keep(
      await startReceiver(credentials, (_request, response) => {
        const more = () => {
          while (!response.destroyed && response.write("a".repeat(16_384)));
        };
        response.on("drain", more);
        more();
      }),
    );
    const result = await send(receiver, { maxResponseBytes: 4096 });
    expect(result).toMatchObject({ ok: true, status: 200, isTruncated: true, body: "a".repeat(4096) });
    expect(await isLeft(receiver)).toBe(true);
  });

  test("a receiver that answers and reads the rest of the request too late gets no more of it", async () => {
    const body = new Uint8Array(32_000_000);
    let taken = 0;
    let ended = Promise.resolve();
    let goOn = () => {};
    const receiver = keep(
      await startRawReceiver(credentials, (socket) => {
        ended = once(socket, "close").then(() => {});
        goOn = () => socket.resume();
        socket.on("data", (data) => (taken += data.length));
        socket.once("data", () => socket.pause().write("HTTP/1.1 204 No Content\r\n\r\n"));
      }),
    );
    // A loaded machine takes some hundred milliseconds for the TLS handshake.
    const timeoutMs = 1500;
    const result = await send(receiver, { body, timeoutMs });
    expect(result).toMatchObject({ ok: true, status: 204, broken: null });
    await wait(timeoutMs);
    goOn();
    await ended;
    expect(taken).toBeLessThan(body.length);
  });

  test("interim answers without end are counted", async () => {
    const receiver = keep(
      await startRawReceiver(credentials, (socket) => {
        const speak = () => {
          while (socket.writable && socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)));
        };
        socket.once("data", speak).on("drain", speak);
      }),
    );
    const result = await send(receiver, { body: "{}" });
    expect(result).toMatchObject({ ok: false, error: "invalid_response" });
    expect(await isLeft(receiver)).toBe(true);
  });

  test("a body that exceeds the limit and then hangs is cut at once", async () => {
    const receiver = keep(
      await startReceiver(credentials, (_request, response) => {
        response.write("a".repeat(11));
      }),
    );
    const result = await send(receiver, { maxResponseBytes: 10 });
    expect(result).toMatchObject({ ok: true, isTruncated: true, body: "a".repeat(10) });
    expect(result.latencyMs).toBeLessThan(15_000);
  });

  test("a body of exactly the limit is whole; a cut leaves no half character, and nothing that a text column refuses", async () => {
    const bodies = ["a".repeat(10), "aaaaaaaaaü", "a\0b", Buffer.from([0xff, 0x41])];
    const receiver = keep(
      await startReceiver(credentials, (_request, response) => response.end(bodies.shift())),
    );
    const limit = { maxResponseBytes: 10 };
    expect(await send(receiver, limit)).toMatchObject({ body: "a".repeat(10), isTruncated: false });
    expect(await send(receiver, limit)).toMatchObject({ body: "a".repeat(9), isTruncated: true });
    expect(await send(receiver, limit)).toMatchObject({ body: "a\ufffdb", isTruncated: false });
    expect(await send(receiver, limit)).toMatchObject({ body: "\ufffdA", isTruncated: false });
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect (%i) is an ordinary answer, and is not followed",
    async (status) => {
      const target = keep(await startReceiver(credentials, (_request, response) => response.end("followed")));
      const location = `https://${name}:${target.port}/`;
      const receiver = keep(
        await startReceiver(credentials, (_request, response) =>
          response.writeHead(status, { location }).end(),
        ),
      );
      expect(await send(receiver)).toMatchObject({ ok: true, status, headers: { location }, body: "" });
      expect(target.connections).toBe(0);
    },
  );

  test("HTTP/1.0 is supported, with a body that ends when the connection does", async () => {
    const receiver = await startSpeaker("HTTP/1.0 200 Fine\r\nServer: old\r\n\r\nthe old way");
    expect(await send(receiver)).toMatchObject({ ok: true, status: 200, body: "the old way" });
  });

  test.each([
    ["one that was not asked for", ["100 Continue"]],
    ["a hint", ["103 Early Hints"]],
    ["several", ["100 Continue", "102 Processing", "103 Early Hints", "103 Early Hints", "100 Continue"]],
    ["one that nobody knows", ["199 Miscellaneous"]],
  ])("interim answers are skipped: %s", async (_what, interim) => {
    const texts = interim.map((one) => `HTTP/1.1 ${one}\r\nLink: </a>\r\n\r\n`);
    const answer = "HTTP/1.1 201 Created\r\nContent-Length: 4\r\nX-Own: 1\r\n\r\ndone";
    const whole = await startSpeaker(texts.join("") + answer);
    const inParts = keep(
      await startRawReceiver(credentials, (socket) =>
        socket.once("data", async () => {
          for (const text of [...texts, answer]) await new Promise((written) => socket.write(text, written));
          socket.end();
        }),
      ),
    );
    for (const receiver of [whole, inParts]) {
      const result = await send(receiver, { body: "{}" });
      expect(result).toMatchObject({ ok: true, status: 201, body: "done", broken: null });
      expect(result.ok && result.headers).toEqual({ "content-length": "4", "x-own": "1" });
      expect(receiver.connections).toBe(1);
    }
  });

  const head = "HTTP/1.1 200 OK\r\n";
  test.each([
    ["a length that is not reached", `${head}Content-Length: 100\r\n\r\nhalf`, "connection_failed"],
    ["chunks without an end", `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`, "connection_failed"],
    ["half a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n20\r\nhalf`, "connection_failed"],
    [
      "a chunk that is none",
      `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n`,
      "invalid_response",
    ],
  ])("a body that breaks off is marked so in the answer: %s", async (_what, text, error) => {
    const receiver = await startSpeaker(text);
    const result = await send(receiver);
    expect(result).toMatchObject({
      ok: true,
      status: 200,
      body: "half",
      isTruncated: true,
      broken: { error },
    });
    expect(result.ok && result.address).toBe("127.0.0.1");
    expect([receiver.connections, await isLeft(receiver)]).toEqual([1, true]);
  });

  test.each([
    ["trailers", `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`, 200, "ok"],
    ["extensions of chunks", `${head}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\n\r\n`, 200, "ok"],
    ["more than its length", `${head}Content-Length: 2\r\n\r\nok and more`, 200, "ok"],
    ["a body of 204", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nmore", 204, ""],
    ["a body of 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nmore", 304, ""],
    ["a body of 205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nmore", 205, "more"],
    ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 200, "ok"],
    [
      "HTTP/1.0 that would go on",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
      200,
      "ok",
    ],
    ["no length, and the end", `${head}\r\nok`, 200, "ok"],
  ])("an answer with %s is whole", async (_what, text, status, body) => {
    const receiver = await startSpeaker(text);
    expect(await send(receiver)).toMatchObject({ ok: true, status, body, isTruncated: false, broken: null });
    expect(await isLeft(receiver)).toBe(true);
  });

  test.each([
    ["a folded header", `${head}X-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n`, "invalid_response"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "invalid_response"],
    ["bytes", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "invalid_response"],
    ["HTTP/1.0 junk", "HTTP/1.0 junk\r\n\r\n", "invalid_response"],
    ["a status that is none", "HTTP/1.1 99999 What\r\n\r\n", "invalid_response"],
    ["HTTP/0.9", "<html>hello</html>", "invalid_response"],
    ["HTTP/2 unasked", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "invalid_response"],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "invalid_response",
    ],
    [
      "another protocol from here on",
      "HTTP/1.1 101 Switching\r\nUpgrade: raw\r\nConnection: upgrade\r\n\r\n",
      "connection_failed",
    ],
    ["nothing", "", "connection_failed"],
    ["half a header", "HTTP/1.1 200 OK\r\nX-Half", "connection_failed"],
    ["interim answers alone", "HTTP/1.1 100 Continue\r\n\r\n".repeat(3), "connection_failed"],
  ])("a malformed answer is a typed error: %s", async (_what, text, error) => {
    const receiver = await startSpeaker(text);
    const result = await send(receiver);
    expect(result).toMatchObject({ ok: false, error });
    expect(await isLeft(receiver)).toBe(true);
  });

  test.each([
    ["one that is huge", `X-Huge: ${"a".repeat(1_000_000)}\r\n`],
    ["many that are small", "X-Small: a\r\n".repeat(20_000)],
  ])("headers over 16 kB are not read: %s", async (_what, headers) => {
    const receiver = await startSpeaker(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
    expect(await send(receiver)).toMatchObject({ ok: false, error: "headers_too_large", status: null });
    expect(await isLeft(receiver)).toBe(true);
  });

  test("a receiver that closes the connection, at each step", async () => {
    const gone = await listen(createTcpServer());
    await gone.close();
    expect(await send(gone)).toMatchObject({ ok: false, error: "connection_refused" });
    const hasty = keep(await listen(createTcpServer((socket) => socket.destroy())));
    expect(await send(hasty)).toMatchObject({ ok: false, error: "tls_failed" });
    const rude = keep(
      await startRawReceiver(credentials, (socket) => socket.once("data", () => socket.destroy())),
    );
    expect(await send(rude)).toMatchObject({ ok: false, error: "connection_failed", status: null });
    const plain = keep(await listen(createHttpServer()));
    expect(await send(plain)).toMatchObject({ ok: false, error: "tls_failed" });
  });

  test("no message repeats the receiver's text", async () => {
    const receiver = await startSpeaker("HTTP/1.1 <script>\r\n\r\n");
    const result = await send(receiver);
    expect(result).toMatchObject({ ok: false, message: expect.not.stringContaining("script") });
  });
});

test("no proxy of the environment is used", async () => {
  const proxy = keep(await listen(createHttpServer()));
  const receiver = keep(await startReceiver(credentials, (_request, response) => response.end("direct")));
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
  const before = names.map((variable) => process.env[variable]);
  for (const variable of names) process.env[variable] = `http://127.0.0.1:${proxy.port}`;
  try {
    expect(await send(receiver)).toMatchObject({ ok: true, body: "direct" });
  } finally {
    for (const [at, variable] of names.entries()) {
      if (before[at] === undefined) delete process.env[variable];
      else process.env[variable] = before[at];
    }
  }
  expect(proxy.connections).toBe(0);
});

test("a request that cannot be sent throws, as the caller's fault", async () => {
  const receiver = keep(await startReceiver(credentials, (_request, response) => response.end()));
  await expect(send(receiver, { headers: { "X-Bad": "a\r\nb: c" } })).rejects.toThrow(/header/);
  expect(await isLeft(receiver)).toBe(true);
});
