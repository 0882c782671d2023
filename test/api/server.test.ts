import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiServer, startServer } from "../../api/server.ts";
import { findFreePort } from "../../stack/process.ts";
import { createTestApi, type TestApi } from "../harness/api.ts";

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
])("whoever never sends the end of %s is answered 408, and its connection is closed", async (_, bytes) => {
  expect(await send(bytes)).toMatch(/^HTTP\/1.1 408 /);
});

test.each([
  ["408 Request Timeout", "POST /api/v1/auth/nonce HTTP/1.1\r\n"],
  ["400 Bad Request", "no request\r\n\r\n"],
  [
    "431 Request Header Fields Too Large",
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`,
  ],
])("what is no whole request is told so in the envelope: %s", async (status, bytes) => {
  const [head = "", body = ""] = (await send(bytes)).split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
  const { error } = JSON.parse(body);
  expect(error).toEqual({
    code: "invalid_request",
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
  });
  expect(head).toContain(`X-Request-ID: ${error.request_id}`);
});

/** Sends bytes over a connection of their own. Returns what is answered until it is closed. */
async function send(bytes: string): Promise<string> {
  const socket = connect(server.context.config.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (piece) => {
    answer += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  return answer;
}
