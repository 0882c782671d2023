import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "vitest";

const host = "Host: localhost\r\n";
const long = "a".repeat(20_000);

/**
 * The requests that Node refuses before they reach the API, on every server: the status line and the bytes.
 */
export const unparsed: [status: string, code: string, bytes: string][] = [
  ["400 Bad Request", "invalid_request", "no request\r\n\r\n"],
  ["405 Method Not Allowed", "method_not_allowed", `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`],
  [
    "413 Payload Too Large",
    "payload_too_large",
    `POST /api/v1/auth/nonce HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;${long}\r\n`,
  ],
  [
    "417 Expectation Failed",
    "invalid_request",
    `GET /api/v1/categories HTTP/1.1\r\n${host}Expect: tea\r\n\r\n`,
  ],
  [
    "431 Request Header Fields Too Large",
    "invalid_request",
    `GET / HTTP/1.1\r\n${host}X-Long: ${long}\r\n\r\n`,
  ],
];

/** Asserts the error envelope, and the end of the connection. */
export async function expectRefused(
  port: number,
  status: string,
  code: string,
  bytes: string,
): Promise<void> {
  const [head = "", body = ""] = (await sendBytes(port, bytes)).split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
  expect(head).toMatch(/^connection: close$/im);
  const { error } = JSON.parse(body);
  expect(error).toEqual({
    code,
    message: expect.any(String),
    request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
  });
  expect(head.toLowerCase()).toContain(`x-request-id: ${error.request_id}`);
}

/** Sends bytes over a new connection. Returns the answer until the connection closes. */
export async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "localhost");
  let answer = "";
  socket.on("data", (piece) => {
    answer += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  return answer;
}
