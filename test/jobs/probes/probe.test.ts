import { createPublicKey, verify } from "node:crypto";
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureBase } from "../../../protocol/execution/signature.ts";
import { createLookup } from "../../../untrusted/outbound/dns-lookup.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { addAgent, probeKeys, startProber, untilProbed } from "../../harness/jobs/probes.ts";
import { startNameServer } from "../../harness/outbound/dns.ts";
import {
  type Authority,
  createAuthority,
  listen,
  type Receiver,
  startReceiver,
} from "../../harness/outbound/receiver.ts";

const day = 86_400_000;

let database: TestDatabase;
let authority: Authority;
let outsider: Authority;
const receivers: Receiver[] = [];

beforeAll(async () => {
  [database, authority, outsider] = await Promise.all([
    createTestDatabase(),
    createAuthority(),
    createAuthority(),
  ]);
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.close();
  await database?.close();
});

function keep(receiver: Receiver): Receiver {
  receivers.push(receiver);
  return receiver;
}

/** An HTTPS server of a host, with a good certificate by default. */
async function serve(
  host: string,
  answer: RequestListener,
  credentials = authority.issue([host]),
): Promise<string> {
  const { port } = keep(await startReceiver(await credentials, answer));
  return `https://${host}:${port}/`;
}

/** Returns the result of a probe of a URL. */
async function probe(url: string, send: Parameters<typeof startProber>[1] = {}) {
  const agentId = await addAgent(database.db, { apiEndpoint: url });
  const prober = startProber(database.db, { ca: authority.ca, ...send });
  const found = await untilProbed(database.db, agentId).finally(prober.stop);
  return { ...found, isOk: found.lastOkAt !== null };
}

const json: RequestListener = (_, response) =>
  response.writeHead(200, { "Content-Type": "application/json" }).end('{"status":"up"}');

test("a probe is signed as a request of this service, by Web Bot Auth", async () => {
  const seen: IncomingMessage[] = [];
  const url = await serve("signed.example", (request, response) => {
    seen.push(request);
    json(request, response);
  });
  await probe(url);
  const [{ headers }] = seen as [IncomingMessage];
  expect(headers["signature-agent"]).toBe('bot="https://earnest.example"');
  const [, params = ""] = /^bot=(.*)$/.exec(String(headers["signature-input"])) ?? [];
  const [, signature = ""] = /^bot=:(.*):$/.exec(String(headers.signature)) ?? [];
  const base = signatureBase(["@method", "@target-uri", 'signature-agent;key="bot"'], params, {
    method: "GET",
    url,
    header: () => '"https://earnest.example"',
  });
  const { x } = probeKeys[0]?.jwk ?? {};
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: String(x) }, format: "jwk" });
  expect(verify(null, Buffer.from(base), key, Buffer.from(signature, "base64"))).toBe(true);
});

describe("a probe reports", () => {
  test("an endpoint that answers JSON ok, with its latency", async () => {
    const found = await probe(await serve("json.example", json));
    expect(found).toMatchObject({
      isOk: true,
      reachable: true,
      statusCode: 200,
      tlsValid: true,
      bodyIsJson: true,
      consecutiveFailures: 0,
      checks7d: 1,
      ok7d: 1,
    });
    expect(found.latencyMs).toBeGreaterThan(0);
    expect(found.lastOkAt).toEqual(found.lastCheckedAt);
  });

  test.each([
    [200, "<html>up</html>", "text/html", { isOk: true, bodyIsJson: false }],
    [200, "not JSON", "application/json", { isOk: true, bodyIsJson: false }],
    [200, '{"a":1}', "text/plain", { isOk: true, bodyIsJson: true }],
    [204, "", "text/plain", { isOk: true, bodyIsJson: false }],
    [401, "{}", "application/json", { isOk: true, bodyIsJson: true }],
    [404, "nothing here", "text/plain", { isOk: true, bodyIsJson: false }],
    [405, "POST alone", "text/plain", { isOk: true, bodyIsJson: false }],
    [500, "{}", "application/json", { isOk: false, bodyIsJson: true, consecutiveFailures: 1, ok7d: 0 }],
    [503, "down", "text/plain", { isOk: false, bodyIsJson: false, consecutiveFailures: 1, ok7d: 0 }],
  ])("a status of %i with the body %j of %s", async (status, body, type, expected) => {
    const url = await serve(`s${status}.example`, (_, response) =>
      response.writeHead(status, { "Content-Type": type }).end(status === 204 ? undefined : body),
    );
    expect(await probe(url)).toMatchObject({
      reachable: true,
      statusCode: status,
      tlsValid: true,
      checks7d: 1,
      ...expected,
    });
  });

  test("a body that is not UTF-8 no JSON", async () => {
    const body = Buffer.from('{"a":"\xe9"}', "latin1");
    const url = await serve("latin.example", (_, response) => response.writeHead(200).end(body));
    expect(await probe(url)).toMatchObject({ isOk: true, bodyIsJson: false });
  });

  test("a redirect, and does not follow it", async () => {
    let requestCount = 0;
    const elsewhere = await serve("elsewhere.example", (_, response) => {
      requestCount++;
      response.end();
    });
    const url = await serve("moved.example", (_, response) =>
      response.writeHead(302, { Location: elsewhere }).end(),
    );
    expect(await probe(url)).toMatchObject({ isOk: true, reachable: true, statusCode: 302 });
    expect(requestCount).toBe(0);
  });

  test("a server that takes the request and never answers unreachable", async () => {
    const url = await serve("slow.example", () => {});
    expect(await probe(url, { timeoutMs: 2000 })).toMatchObject({
      isOk: false,
      reachable: false,
      statusCode: null,
      latencyMs: null,
      tlsValid: true,
      bodyIsJson: null,
    });
  });

  test("a stream of events that never ends ok, as soon as its headers came", async () => {
    const url = await serve("stream.example", (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": hello\n\n");
    });
    const found = await probe(url, { timeoutMs: 8000 });
    expect(found).toMatchObject({ isOk: true, reachable: true, statusCode: 200, bodyIsJson: null });
    expect(found.latencyMs).toBeLessThan(8000);
  });

  test("a body without end by its beginning, and reads no more", async () => {
    let sent = 0;
    const url = await serve("huge.example", (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const more = () => {
        while (!response.destroyed) {
          sent += 16_384;
          if (!response.write("1".repeat(16_384))) break;
        }
      };
      response.on("drain", more);
      more();
    });
    expect(await probe(url)).toMatchObject({ isOk: true, statusCode: 200, bodyIsJson: null });
    // The data in the sockets' buffers is sent too.
    expect(sent).toBeLessThan(32_000_000);
  });

  test.each([
    [
      "that is over",
      () =>
        authority.issue(["tls.example"], {
          notBefore: new Date(Date.now() - 2 * day),
          notAfter: new Date(Date.now() - day),
        }),
    ],
    ["of another host", () => authority.issue(["other.example"])],
    ["of an authority that nobody knows", () => outsider.issue(["tls.example"])],
  ])("a certificate %s invalid, and sends no request over it", async (_, issue) => {
    let requestCount = 0;
    const url = await serve(
      "tls.example",
      (_request, response) => {
        requestCount++;
        response.end();
      },
      issue(),
    );
    expect(await probe(url)).toMatchObject({
      isOk: false,
      reachable: false,
      statusCode: null,
      latencyMs: null,
      tlsValid: false,
      bodyIsJson: null,
      consecutiveFailures: 1,
    });
    expect(requestCount).toBe(0);
  });

  test("a port without a listener unreachable, and reports nothing of its TLS", async () => {
    const closed = await listen(createServer());
    await closed.close();
    expect(await probe(`https://closed.example:${closed.port}/`)).toMatchObject({
      isOk: false,
      reachable: false,
      statusCode: null,
      tlsValid: null,
    });
  });

  test("a name without an address unreachable", async () => {
    const lookup = async () => [];
    expect(await probe("https://nowhere.example/", { lookup })).toMatchObject({
      isOk: false,
      reachable: false,
      tlsValid: null,
    });
  });
});

describe("a probe never contacts", () => {
  test.each([
    ["a private address", "https://10.0.0.1/"],
    ["the metadata address of a cloud", "https://169.254.169.254/latest/meta-data/"],
    ["localhost", "https://localhost/"],
    ["plain http", "http://plain.example/"],
    ["a URL with a password", "https://me:secret@password.example/"],
  ])("%s", async (_, url) => {
    const paths: string[] = [];
    const lookup = async (name: string) => {
      paths.push(name);
      return ["127.0.0.1"];
    };
    expect(await probe(url, { lookup })).toMatchObject({
      reachable: false,
      statusCode: null,
      tlsValid: null,
    });
    expect(paths).toEqual([]);
  });

  test("a name that resolves to a private address, the first time or later", async () => {
    const receiver = keep(await startReceiver(await authority.issue(["rebinding.example"]), json));
    const agentId = await addAgent(database.db, {
      apiEndpoint: `https://rebinding.example:${receiver.port}/`,
    });
    // 127.0.0.1 is a public address to these probers, and 127.0.0.2 is not.
    let address = "127.0.0.1";
    const dns = await startNameServer(() => [address]);
    const lookup = createLookup({ servers: [dns.server] });
    const first = startProber(database.db, { ca: authority.ca, lookup });
    expect(await untilProbed(database.db, agentId).finally(first.stop)).toMatchObject({ reachable: true });
    expect(receiver.connections).toBe(1);
    address = "127.0.0.2";
    const again = await probe(`https://rebinding.example:${receiver.port}/again`, {
      ca: authority.ca,
      lookup,
    });
    expect(again).toMatchObject({ reachable: false, statusCode: null });
    expect(receiver.connections).toBe(1);
    await dns.close();
  });
});

test("a probe is a GET with its own user agent and signature and nothing else, even after cookies were set", async () => {
  const seen: IncomingMessage[] = [];
  const url = await serve("polite.example", (request, response) => {
    seen.push(request);
    response.writeHead(200, { "Set-Cookie": "a=1; Path=/" }).end("{}");
  });
  await probe(`${url}agent?x=1`);
  await probe(`${url}again`);
  expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual(["GET /agent?x=1", "GET /again"]);
  for (const { headers } of seen) {
    expect(headers).toEqual({
      host: new URL(url).host,
      connection: "close",
      signature: expect.any(String),
      "signature-agent": expect.any(String),
      "signature-input": expect.any(String),
      accept: expect.any(String),
      "user-agent": "Earnest-Probe/1 (+https://earnest.example)",
    });
  }
});

test("http at localhost is probed where the service itself is at localhost, and nowhere else", async () => {
  const server = keep(await listen(createPlainServer((_, response) => response.writeHead(200).end("{}"))));
  const url = `http://localhost:${server.port}/`;
  const agentId = await addAgent(database.db, { apiEndpoint: url });
  const prober = startProber(
    database.db,
    { policy: { allowsLocalhost: true } },
    { publicUrl: "http://localhost:42069" },
  );
  expect(await untilProbed(database.db, agentId).finally(prober.stop)).toMatchObject({
    reachable: true,
    statusCode: 200,
    tlsValid: null,
    bodyIsJson: true,
  });
  expect(await probe(`${url}elsewhere`)).toMatchObject({ reachable: false });
});
