import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiServer, startServer } from "../../api/server.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { createTestApi, type TestApi } from "../harness/api.ts";
import { expectRefused, sendBytes, unparsed } from "../harness/unparsed.ts";

let api: TestApi;
let server: ApiServer;
beforeAll(async () => {
  api = await createTestApi();
  const config = { ...api.config, port: await findFreePort() };
  server = await startServer(config, { headers: 300, request: 600 });
});
afterAll(async () => {
  await server?.stop();
  await api?.close();
});

test.each([
  ["headers", "POST /api/v1/auth/nonce HTTP/1.1\r\nHost: localhost\r\n"],
  [
    "a body of no told length",
    "POST /api/v1/auth/nonce HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
  ],
  ["a body", "POST /api/v1/auth/nonce HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"],
])("a client that never finishes %s is answered 408, and its connection is closed", async (_, bytes) => {
  expect(await send(bytes)).toMatch(/^HTTP\/1.1 408 /);
});

test.each([
  ...unparsed,
  ["400 Bad Request", "invalid_request", "GET /api/v1/categories HTTP/1.1\r\n\r\n"],
  ["408 Request Timeout", "invalid_request", "POST /api/v1/auth/nonce HTTP/1.1\r\n"],
])("an incomplete request is refused in the envelope: %s, %s", async (status, code, bytes) => {
  await expectRefused(server.context.config.port, status, code, bytes);
});

test("bytes after a complete request are refused after that request's own answer", async () => {
  const answers = await send("GET /api/v1/categories HTTP/1.1\r\nHost: localhost\r\n\r\nno request\r\n\r\n");
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
});

test("a request to upgrade the connection is answered as any other", async () => {
  const answer = await send(
    "GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(answer).toContain('"unauthenticated"');
});

const send = (bytes: string) => sendBytes(server.context.config.port, bytes);
