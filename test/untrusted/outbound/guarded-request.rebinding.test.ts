import type { RequestListener } from "node:http";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLookup } from "../../../untrusted/outbound/dns-lookup.ts";
import { sendGuarded } from "../../../untrusted/outbound/guarded-request.ts";
import type { UrlPolicy } from "../../../untrusted/outbound/url-guard.ts";
import { type NameServer, startNameServer, type Zone } from "../../harness/outbound/dns.ts";
import {
  type Authority,
  createAuthority,
  type Receiver,
  startReceiver,
} from "../../harness/outbound/receiver.ts";

const name = "hooks.example.com";
const outside = "127.0.0.2";
const inside = "127.0.0.1";
/** 127.0.0.2 stands for the attacker's public address; 127.0.0.1 is the victim. */
const policy: UrlPolicy = { allowsLocalhost: false, publicAddresses: [outside] };

let authority: Authority;
let credentials: Awaited<ReturnType<Authority["issue"]>>;
let outsider: Receiver;
/** A server at the same port of the loopback, with an equally good certificate. */
let victim: Receiver;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  authority = await createAuthority();
  credentials = await authority.issue([name]);
});
beforeEach(async () => {
  const answer =
    (who: string): RequestListener =>
    (_request, response) =>
      response.end(who);
  // Retries until a port is free at both addresses.
  for (let pair: [Receiver, Receiver] | undefined; !pair; ) {
    const first = await startReceiver(credentials, answer("outsider"), { host: outside });
    opened.push(first);
    const second = startReceiver(credentials, answer("victim"), { host: inside, port: first.port });
    pair = await second.then(
      (other): [Receiver, Receiver] => [first, other],
      () => undefined,
    );
    if (pair) [outsider, victim] = pair;
  }
  opened.push(victim);
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function serve(zone: Zone): Promise<NameServer> {
  const server = await startNameServer(zone);
  opened.push(server);
  return server;
}

function send({ server }: NameServer, options: { timeoutMs?: number } = {}) {
  const lookup = createLookup({ servers: [server], timeoutMs: 200 });
  return sendGuarded(`https://${name}:${outsider.port}/`, {
    policy,
    lookup,
    ca: authority.ca,
    timeoutMs: 5000,
    ...options,
  });
}

/** Public in the first lookup, the loopback in every later one. */
const rebinding: Zone = (_name, type, questions) =>
  type === "AAAA"
    ? []
    : questions.filter((question) => question.type === "A").length === 1
      ? [outside]
      : [inside];

describe("a name that is public when it is checked and the loopback in the next lookup", () => {
  test("is looked up once, and connected to at the checked address", async () => {
    const dns = await serve(rebinding);
    expect(await send(dns)).toMatchObject({ ok: true, body: "outsider" });
    expect(dns.questions.map(({ type }) => type).sort()).toEqual(["A", "AAAA"]);
    expect([outsider.connections, victim.connections]).toEqual([1, 0]);
  });

  test("is refused the next time", async () => {
    const dns = await serve(rebinding);
    await send(dns);
    expect(await send(dns)).toMatchObject({ ok: false, error: "forbidden_address" });
    expect([outsider.connections, victim.connections]).toEqual([1, 0]);
  });

  test("would reach the victim by a sender that checks first and connects by name", async () => {
    const dns = await serve(rebinding);
    const lookup = createLookup({ servers: [dns.server] });
    const { signal } = new AbortController();
    expect(await lookup(name, signal)).toEqual([outside]);
    const careless: UrlPolicy = { allowsLocalhost: false, publicAddresses: [outside, inside] };
    const url = `https://${name}:${outsider.port}/`;
    expect(await sendGuarded(url, { policy: careless, lookup, ca: authority.ca })).toMatchObject({
      body: "victim",
    });
    expect([outsider.connections, victim.connections]).toEqual([0, 1]);
  });
});

describe("a name with several addresses", () => {
  test.each<[string, string[]]>([
    ["the loopback last", [outside, inside]],
    ["the loopback first", [inside, outside]],
    ["the loopback of IPv6", [outside, "::1"]],
    ["metadata among them", [outside, outside, "169.254.169.254"]],
  ])("is refused for one that is not public: %s", async (_what, addresses) => {
    const dns = await serve(() => addresses);
    expect(await send(dns)).toMatchObject({ ok: false, error: "forbidden_address" });
    expect([outsider.connections, victim.connections]).toEqual([0, 0]);
  });

  test("is reached at the address that answers", async () => {
    const second: UrlPolicy = { allowsLocalhost: false, publicAddresses: [outside, "127.0.0.3"] };
    const dns = await serve(() => ["127.0.0.3", outside]);
    const lookup = createLookup({ servers: [dns.server] });
    const url = `https://${name}:${outsider.port}/`;
    expect(await sendGuarded(url, { policy: second, lookup, ca: authority.ca })).toMatchObject({
      body: "outsider",
    });
  });
});

describe("a name server", () => {
  test("that does not know the name", async () => {
    expect(await send(await serve(() => "NXDOMAIN"))).toMatchObject({ ok: false, error: "name_not_found" });
    expect(await send(await serve(() => []))).toMatchObject({ ok: false, error: "name_not_found" });
  });

  test("that fails", async () => {
    expect(await send(await serve(() => "SERVFAIL"))).toMatchObject({ ok: false, error: "dns_failed" });
  });

  test("that fails for one family is good for the other", async () => {
    const dns = await serve((_name, type) => (type === "A" ? [outside] : "SERVFAIL"));
    expect(await send(dns)).toMatchObject({ ok: true, body: "outsider" });
  });

  test("that fails for one family, and has nothing in the other, leaves the name undecided", async () => {
    const dns = await serve((_name, type) => (type === "A" ? "SERVFAIL" : []));
    expect(await send(dns)).toMatchObject({ ok: false, error: "dns_failed" });
  });

  test("that is silent costs its own time limit, or the request's", async () => {
    const dns = await serve(() => "silence");
    expect(await send(dns)).toMatchObject({ ok: false, error: "dns_failed" });
    expect(await send(dns, { timeoutMs: 100 })).toMatchObject({ ok: false, error: "timeout" });
  });
});

test("is used, and the machine's own hosts file is not", async () => {
  const dns = await serve(() => "NXDOMAIN");
  const lookup = createLookup({ servers: [dns.server] });
  await expect(lookup("localhost.localdomain", new AbortController().signal)).rejects.toMatchObject({
    code: "ENOTFOUND",
  });
});
