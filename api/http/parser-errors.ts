import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { createRequestId } from "./access-log.ts";
import type { ErrorCode } from "./api-error.ts";

/** Milliseconds for a client to send a request's headers, and the whole request. An incomplete body is held that long. */
export const usualPatience = { headers: 15_000, request: 60_000 };
/** Milliseconds for a client to read a refusal, and to close its side. */
const lastPatience = 5000;

type Refused = { status: number; code: ErrorCode; message: string };

/** By Node's code of the error. */
const faults: Readonly<Record<string, Refused>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    ...{ status: 408, code: "invalid_request" },
    message: "The request did not come in time.",
  },
  HPE_HEADER_OVERFLOW: {
    ...{ status: 431, code: "invalid_request" },
    message: "The request's headers are over 16 KiB.",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    ...{ status: 413, code: "payload_too_large" },
    message: "The extensions of the body's chunks are over 16 KiB.",
  },
};
const malformed: Refused = {
  ...{ status: 400, code: "invalid_request" },
  message: "This is no request of HTTP/1.1.",
};
const unmet: Refused = {
  ...{ status: 417, code: "invalid_request" },
  message: "The header Expect may be `100-continue`, and nothing else.",
};
const noProxy: Refused = {
  ...{ status: 405, code: "method_not_allowed" },
  message: "This service is no proxy: it takes no CONNECT.",
};

/**
 * Answers with the error envelope where Node refuses a request before it reaches the API: bytes that are not HTTP, requests
 * that are too large or too slow, expectations that cannot be met, and CONNECT. Each of these answers ends its connection. A
 * request to upgrade the connection is answered like any other request (RFC 9110, 7.8).
 */
export function answerUnparsed(server: Server): void {
  /** the newest answer of a connection */
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (request, response) => answers.set(request.socket, response));

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const refusal = faults[error.code ?? ""] ?? malformed;
    const before = answers.get(socket);
    if (!before || before.writableFinished) return refuse(socket, refusal);
    // The refusal comes after the answer to the request before. A client would take an earlier one for that answer.
    if (before.req.complete) return void before.once("finish", () => refuse(socket, refusal));
    if (before.headersSent) return void socket.destroy();
    refuse(socket, refusal);
  });
  server.on("checkExpectation", (request, response) => {
    const { head, body } = write(unmet);
    response.writeHead(unmet.status, head).end(body);
    request.socket.setTimeout(lastPatience, () => request.socket.destroy());
  });
  server.on("connect", (_, socket) => refuse(socket, noProxy));
}

function refuse(
  socket: Duplex & { setTimeout?(ms: number, then: () => void): void },
  refused: Refused,
): void {
  socket.on("error", () => socket.destroy());
  socket.setTimeout?.(lastPatience, () => socket.destroy());
  const { head, body } = write(refused);
  const lines = [
    `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
    ...Object.entries(head).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

function write({ status, code, message }: Refused) {
  const requestId = createRequestId();
  const body = JSON.stringify({ error: { code, message, request_id: requestId } });
  const head = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-ID": requestId,
    ...(status === 405 ? { Allow: "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT" } : {}),
    Connection: "close",
  };
  return { head, body };
}
