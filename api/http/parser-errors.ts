import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { createRequestId } from "./access-log.ts";
import type { ErrorCode } from "./api-error.ts";

/** Milliseconds for a client to send the headers, and the whole request. */
export const defaultTimeouts = { headers: 15_000, request: 60_000 };
/** Milliseconds for a client to read a refusal and close its side. */
const refusalTimeout = 5000;

type Refused = { status: number; code: ErrorCode; message: string };

/** The refusals by Node's error code. */
const faults: Readonly<Record<string, Refused>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "invalid_request",
    message: "The request was not complete in time. Send it again.",
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "invalid_request",
    message: "The headers have more than 16 KiB. Send fewer or shorter headers.",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "payload_too_large",
    message:
      "The extensions of the body's chunks have more than 16 KiB. Send the body without chunk extensions.",
  },
};
const malformed: Refused = {
  status: 400,
  code: "invalid_request",
  message: "The request is not valid HTTP/1.1.",
};
const unmet: Refused = {
  status: 417,
  code: "invalid_request",
  message: "Header Expect: only `100-continue` is supported.",
};
const noProxy: Refused = {
  status: 405,
  code: "method_not_allowed",
  message: "This service is not a proxy: CONNECT is not supported.",
};

/**
 * Answers with the error envelope if Node refuses a request before it reaches the API. Node refuses invalid HTTP, requests
 * that are too large or too slow, unsupported expectations, and CONNECT. Each of these answers closes its connection. A request to
 * upgrade the connection is answered like any other request (RFC 9110, section 7.8).
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
    // The refusal must follow the answer to the previous request. A client would take it for that answer otherwise.
    if (before.req.complete) return void before.once("finish", () => refuse(socket, refusal));
    if (before.headersSent) return void socket.destroy();
    refuse(socket, refusal);
  });
  server.on("checkExpectation", (request, response) => {
    const { head, body } = write(unmet);
    response.writeHead(unmet.status, head).end(body);
    request.socket.setTimeout(refusalTimeout, () => request.socket.destroy());
  });
  server.on("connect", (_, socket) => refuse(socket, noProxy));
}

function refuse(
  socket: Duplex & { setTimeout?(ms: number, then: () => void): void },
  refused: Refused,
): void {
  socket.on("error", () => socket.destroy());
  socket.setTimeout?.(refusalTimeout, () => socket.destroy());
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
