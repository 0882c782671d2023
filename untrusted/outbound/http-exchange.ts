import { type ClientRequest, type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import type { Receiver } from "./connection-pool.ts";
import { codeOf, Failure } from "./send-failure.ts";

/** Milliseconds until an address counts as one that does not answer, and until TLS counts as not agreed on. */
const connectMs = 5000;
const handshakeMs = 15_000;
export const maxHeaderBytes = 16_384;
/** A receiver sends one or two interim answers (1xx), or one every few seconds while it works. */
const maxInterim = 100;

/** A request as it is sent. */
export interface Outgoing {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

/** An answer: its status, its headers, and its body up to the limit or to where it broke off. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL: text to show. */
  body: string;
  /** The body as received. */
  bytes: Uint8Array;
  /** Whether the body is incomplete: cut at the limit, or interrupted. */
  isTruncated: boolean;
  /** The error that interrupted the body; null if it is whole or was cut at the limit. */
  fault: Error | null;
}

/** A request in progress. */
export interface HttpExchange {
  /** Rejects if no status arrives. */
  answer: Promise<HttpAnswer>;
  /** Aborts the request and closes its connection. */
  stop(): void;
}

/**
 * The request target: path and query as `href` writes them. `pathname` and `search` lose the question mark of an empty
 * query.
 */
function targetOf(url: URL): string {
  return url.href.slice(url.origin.length);
}

/**
 * Sends one request, and reads the answer as it comes. Interim answers (1xx) are skipped, up to a limit.
 *
 * The request is never sent again: a receiver that closes a reused connection may have read the request first.
 *
 * @param limit.bytes the most bytes of the body that are read
 * @param limit.until time (`performance.now()`) at which an answered but unfinished request is closed
 * @param on.connected called when the request has a connection
 * @param on.answered called when status and headers are there
 * @throws TypeError if a header is invalid
 */
export function sendRequest(
  { agent, address, isSecure }: Receiver,
  { url, method, headers, body }: Outgoing,
  limit: { bytes: number; until: number },
  on: { connected(): void; answered(): void },
): HttpExchange {
  const { promise: answer, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const send = isSecure ? requestByHttps : requestByHttp;
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const request = send({
    agent,
    // The connection goes to the checked address, and the certificate must be valid for the URL's host.
    host: address,
    ...(isSecure ? { servername: isIP(name) ? "" : name } : {}),
    port: Number(url.port) || (isSecure ? 443 : 80),
    path: targetOf(url),
    method,
    headers: { Host: url.host, ...headers },
    maxHeaderSize: maxHeaderBytes,
  });
  const connecting = watchConnecting(request, isSecure, on.connected);
  request.on("error", (error) => reject(connecting.describe(error)));
  // Node reports no error of an answer that changes the protocol.
  request.once("close", () => reject(connecting.describe(closed)));
  let interim = 0;
  request.on("information", () => {
    interim += 1;
    if (interim <= maxInterim) return;
    reject(new Failure("invalid_response", `More than ${maxInterim} interim answers (1xx) came.`));
    request.destroy();
  });
  request.once("response", (response) => {
    on.answered();
    resolve(readAnswer(request, response, limit.bytes));
    response.once("close", () => endUnsent(request, limit.until));
  });
  request.end(body);
  return { answer, stop: () => request.destroy(new Error("The request was stopped.")) };
}

/** Closes an answered request whose body the receiver never takes whole. */
function endUnsent(request: ClientRequest, until: number): void {
  if (request.writableFinished || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), until - performance.now());
  request.once("close", () => clearTimeout(timer));
}

/** Limits the time of each step of a new connection, and names the step in errors. */
function watchConnecting(request: ClientRequest, isSecure: boolean, connected: () => void) {
  let step: "connect" | "handshake" | "done" = "connect";
  let timer: NodeJS.Timeout | undefined;
  const begin = (next: typeof step, ms?: number) => {
    clearTimeout(timer);
    step = next;
    if (ms !== undefined) timer = setTimeout(() => request.destroy(late), ms);
    if (next === "done") connected();
  };
  request.once("close", () => clearTimeout(timer));
  request.once("socket", (socket: Socket) => {
    if (request.reusedSocket) return begin("done");
    begin("connect", connectMs);
    socket.once("connect", () => (isSecure ? begin("handshake", handshakeMs) : begin("done")));
    socket.once("secureConnect", () => begin("done"));
  });
  return {
    describe(error: Error): Error {
      const code = codeOf(error);
      if (step === "handshake") return new Failure("tls_failed", `TLS was not agreed on (${code}).`);
      if (step === "done") return error;
      return code === "ECONNREFUSED"
        ? new Failure("connection_refused", "The host refuses connections on this port.")
        : new Failure("connection_failed", `The host could not be connected to (${code}).`);
    },
  };
}

const late = Object.assign(new Error("The receiver does not answer."), { code: "ETIMEDOUT" });
const closed = Object.assign(new Error("The receiver closed the connection."), { code: "ECONNRESET" });

/** Resolves when the body is whole, reached the limit or broke off. */
function readAnswer(request: ClientRequest, response: IncomingMessage, limit: number): Promise<HttpAnswer> {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>();
  // Pieces are copied into one array: a list of single bytes would take many times the size of the body.
  let buffer = new Uint8Array();
  let size = 0;
  const append = (piece: Uint8Array) => {
    const whole = size + piece.length;
    if (whole > buffer.length) {
      const larger = new Uint8Array(size === 0 ? whole : Math.min(limit, 2 * whole));
      larger.set(buffer.subarray(0, size));
      buffer = larger;
    }
    buffer.set(piece, size);
    size = whole;
  };
  const end = ({ isTruncated, fault = null }: { isTruncated: boolean; fault?: Error | null }) => {
    const bytes = buffer.subarray(0, size);
    // A partial character at the end of a cut body is left out.
    const body = new TextDecoder().decode(bytes, { stream: isTruncated }).replaceAll("\0", "\ufffd");
    const { statusCode: status = 0 } = response;
    resolve({ status, headers: headersOf(response), body, bytes, isTruncated, fault });
  };
  response.on("data", (chunk: Buffer) => {
    const room = limit - size;
    append(chunk.subarray(0, room));
    if (chunk.length <= room) return;
    end({ isTruncated: true });
    // The unread rest of the body makes the connection unusable.
    request.destroy();
  });
  let fault: Error | null = null;
  const noteFault = (error: Error) => {
    fault ??= error;
  };
  request.on("error", noteFault);
  response.on("error", noteFault);
  // Bytes after a whole answer are an error of the connection, not of the answer.
  response.once("close", () =>
    response.complete ? end({ isTruncated: false }) : end({ isTruncated: true, fault: fault ?? closed }),
  );
  return promise;
}

/** Each header as one text: a header that came several times is joined by ", ". */
function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(", ")]),
  );
}
