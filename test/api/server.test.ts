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
  const socket = connect(server.context.config.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (piece) => {
    answer += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
});
