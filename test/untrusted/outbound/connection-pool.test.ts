import type { RequestListener } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type ConnectionsOptions, createConnections } from "../../../untrusted/outbound/connection-pool.ts";
import { type SendOptions, sendGuarded } from "../../../untrusted/outbound/guarded-request.ts";
import type { UrlPolicy } from "../../../untrusted/outbound/url-guard.ts";
import {
  type Authority,
  createAuthority,
  type Receiver,
  startRawReceiver,
  startReceiver,
} from "../../harness/outbound/receiver.ts";

const name = "hooks.example.com";
const policy: UrlPolicy = { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] };

let authority: Authority;
let credentials: Awaited<ReturnType<Authority["issue"]>>;
const started: { close(): unknown }[] = [];

beforeAll(async () => {
  authority = await createAuthority();
  credentials = await authority.issue([name]);
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
});

/** A sender that keeps connections, and the number of its lookups of the name. */
function createSender(options: ConnectionsOptions = {}) {
  const connections = createConnections({ maxAgeMs: 60_000, ...options });
  started.push(connections);
  const sender = {
    connections,
    lookups: 0,
    /** The addresses of the name. */
    address: "127.0.0.1",
    send: ({ port }: Receiver, rest: Partial<SendOptions> = {}) => {
      const lookup = async () => {
        sender.lookups++;
        return [sender.address];
      };
      const url = `https://${name}:${port}/`;
      return sendGuarded(url, { policy, lookup, ca: authority.ca, connections, timeoutMs: 5000, ...rest });
    },
  };
  return sender;
}

async function startServer(
  answer: RequestListener = (_request, response) => response.end("ok"),
): Promise<Receiver> {
  const receiver = await startReceiver(credentials, answer);
  started.push(receiver);
  return receiver;
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 300 && !isSo(); turn++) await wait(10);
  expect(isSo()).toBe(true);
}

test("sequential requests share a connection, and the check of its address", async () => {
  const receiver = await startServer((request, response) => response.end(request.headers.connection));
  const sender = createSender();
  for (let turn = 0; turn < 5; turn++) {
    expect(await sender.send(receiver, { body: "{}" })).toMatchObject({ ok: true, body: "keep-alive" });
  }
  // The connection is free only a moment after the answer.
  expect(receiver.connections).toBeLessThanOrEqual(2);
  expect(sender.lookups).toBe(1);
});

test("concurrent requests have a connection each", async () => {
  let requests = 0;
  const receiver = await startServer((_request, response) => {
    if (++requests > 1) response.end();
  });
  const sender = createSender();
  const hanging = sender.send(receiver, { timeoutMs: 1000 });
  await waitUntil(() => requests === 1);
  const others = await Promise.all(Array.from({ length: 5 }, () => sender.send(receiver)));
  expect(others.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  expect(await hanging).toMatchObject({ ok: false, error: "timeout" });
  expect(receiver.connections).toBe(6);
  // The connection that hung is not used again either.
  await waitUntil(() => receiver.open === 5);
});

test("a name is looked up again once its check is too old, and no connection to its old address is used", async () => {
  const receiver = await startServer();
  const sender = createSender({ maxAgeMs: 200 });
  expect(await sender.send(receiver)).toMatchObject({ ok: true });
  sender.address = "10.0.0.1";
  await wait(250);
  expect(await sender.send(receiver)).toMatchObject({ ok: false, error: "forbidden_address" });
  expect([receiver.connections, sender.lookups]).toEqual([1, 2]);
});

test("the name of a busy connection is checked again and again", async () => {
  const receiver = await startServer();
  const sender = createSender({ maxAgeMs: 300 });
  const begun = performance.now();
  while (performance.now() - begun < 1000) expect(await sender.send(receiver)).toMatchObject({ ok: true });
  expect(sender.lookups).toBeGreaterThanOrEqual(3);
  // The name still has the address.
  expect(receiver.connections).toBeLessThanOrEqual(2);
  sender.address = "10.0.0.1";
  await wait(350);
  expect(await sender.send(receiver)).toMatchObject({ ok: false, error: "forbidden_address" });
});

test("the URL is checked each time, with or without connections", async () => {
  const receiver = await startServer();
  const sender = createSender();
  const url = `https://localhost:${receiver.port}/`;
  const local = { policy: { allowsLocalhost: true }, ca: authority.ca, connections: sender.connections };
  // The certificate is for another name, so TLS refuses it.
  expect(await sendGuarded(url, local)).toMatchObject({ error: "tls_failed" });
  expect(await sendGuarded(url, { ...local, policy })).toMatchObject({ error: "forbidden_host" });
});

test("a connection that the receiver closed meanwhile is replaced", async () => {
  const receiver = await startRawReceiver(credentials, (socket) =>
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
  );
  started.push(receiver);
  const sender = createSender();
  for (let turn = 0; turn < 3; turn++) {
    expect(await sender.send(receiver)).toMatchObject({ ok: true, body: "ok" });
    await waitUntil(() => receiver.open === 0);
  }
  expect([receiver.connections, sender.lookups]).toEqual([3, 1]);
});

test("a request that a receiver may have read before it closed is not sent again", async () => {
  const bodies: string[] = [];
  const receiver = await startRawReceiver(credentials, (socket) => {
    let requests = 0;
    socket.on("data", (data) => {
      bodies.push(data.toString().split("\r\n\r\n")[1] ?? "");
      // Reads the second request of a connection, and closes it.
      if (++requests > 1) return socket.destroy();
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
  started.push(receiver);
  const sender = createSender();
  expect(await sender.send(receiver, { body: "a" })).toMatchObject({ ok: true });
  await wait(50);
  expect(await sender.send(receiver, { body: "b" })).toMatchObject({ ok: false, error: "connection_failed" });
  expect(await sender.send(receiver, { body: "c" })).toMatchObject({ ok: true });
  expect(bodies).toEqual(["a", "b", "c"]);
  expect([receiver.connections, sender.lookups]).toEqual([2, 1]);
});

test.each([
  ["Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a body of 204", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nmore"],
  ["more than its length", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore"],
  ["Keep-Alive: timeout=0", "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 0\r\n\r\n"],
])("a connection is not used again after %s", async (_what, text) => {
  const receiver = await startRawReceiver(credentials, (socket) =>
    socket.on("data", () => socket.write(text)),
  );
  started.push(receiver);
  const sender = createSender();
  for (const count of [1, 2]) {
    expect(await sender.send(receiver)).toMatchObject({ ok: true, broken: null });
    await waitUntil(() => receiver.open === 0);
    expect(receiver.connections).toBe(count);
  }
});

test("interim answers leave a connection usable", async () => {
  const receiver = await startServer((_request, response) => {
    response.writeContinue();
    response.writeProcessing();
    response.end("ok");
  });
  const sender = createSender();
  for (let turn = 0; turn < 3; turn++) {
    expect(await sender.send(receiver)).toMatchObject({ ok: true, status: 200, body: "ok" });
    await wait(20);
  }
  expect(receiver.connections).toBe(1);
});

test("a new connection that the receiver closes is a failure, and is not retried", async () => {
  const receiver = await startRawReceiver(credentials, (socket) =>
    socket.once("data", () => socket.destroy()),
  );
  started.push(receiver);
  const sender = createSender();
  expect(await sender.send(receiver)).toMatchObject({ ok: false, error: "connection_failed" });
  expect(receiver.connections).toBe(1);
});

test.each([
  ["at once", 0],
  ["later", 50],
])("an answer before the request is not accepted: %s", async (_what, delay) => {
  let requests = 0;
  const receiver = await startRawReceiver(credentials, (socket) =>
    socket.on("data", () => {
      requests++;
      const answer = (status: number) => `HTTP/1.1 ${status} Said\r\nContent-Length: 0\r\n\r\n`;
      if (requests > 1) socket.write(answer(503));
      else if (delay === 0) socket.write(answer(500) + answer(200));
      else {
        socket.write(answer(500));
        setTimeout(() => socket.write(answer(200)), delay);
      }
    }),
  );
  started.push(receiver);
  const sender = createSender();
  expect(await sender.send(receiver)).toMatchObject({ ok: true, status: 500 });
  await waitUntil(() => receiver.open === 0);
  expect(await sender.send(receiver)).toMatchObject({ ok: true, status: 503 });
  expect([requests, receiver.connections]).toEqual([2, 2]);
});

test("a cut or malformed answer closes its connection", async () => {
  const receiver = await startServer((_request, response) => response.end("a".repeat(100_000)));
  const sender = createSender();
  expect(await sender.send(receiver, { maxResponseBytes: 10 })).toMatchObject({
    ok: true,
    isTruncated: true,
  });
  await waitUntil(() => receiver.open === 0);
  expect(await sender.send(receiver, { maxResponseBytes: 200_000 })).toMatchObject({
    ok: true,
    isTruncated: false,
  });
  expect([receiver.connections, receiver.open]).toEqual([2, 1]);
});

test("an unused connection is closed: after a while, and at the end", async () => {
  const receiver = await startServer();
  const brief = createSender({ idleMs: 100 });
  await brief.send(receiver);
  expect(receiver.open).toBe(1);
  await waitUntil(() => receiver.open === 0);

  const few = createSender();
  await Promise.all(Array.from({ length: 6 }, () => few.send(receiver)));
  expect(receiver.open).toBe(6);

  few.connections.close();
  await waitUntil(() => receiver.open === 0);
  // After the end it still sends, and keeps no connection.
  expect(await few.send(receiver)).toMatchObject({ ok: true });
  await waitUntil(() => receiver.open === 0);
});
