import { errors } from "undici";
import { type Asked, ask } from "./ask.ts";
import { type Connection, maxHeaderBytes, openConnection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { checkAddress, checkUrlOnce, type RefusalCode, type UrlPolicy } from "./guard.ts";
import { createLookup, isAbsence, type Lookup } from "./resolve.ts";

export interface SendOptions {
  policy: UrlPolicy;
  /** POST unless told. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For everything: names, connection, TLS, headers, body. 15 seconds unless told. */
  timeoutMs?: number;
  /** The rest of a longer answer is not waited for. 4096 unless told. */
  maxResponseBytes?: number;
  /** Breaks the request off; the result is then the error `aborted`. */
  signal?: AbortSignal;
  /** Says which of these addresses a request may go to; the error is `address_busy` where that is none. */
  admit?: (addresses: readonly string[]) => readonly string[];
  /** Where a connection is taken from and kept for the next request; without it, each has one of its own. */
  connections?: Connections;
  /** The system's DNS servers unless told. */
  lookup?: Lookup;
  /** Certificates (PEM) trusted instead of Node's own: those of the tests' receivers. */
  ca?: string;
}

export type SendErrorCode =
  | RefusalCode
  /** the DNS says that the name has no address */
  | "name_not_found"
  /** the DNS gave no answer, or no useful one */
  | "dns_failed"
  | "connection_refused"
  /** not reachable, or broken off */
  | "connection_failed"
  /** the certificate is not valid for this host, or no TLS was agreed on */
  | "tls_failed"
  /** what came back is not HTTP/1.x */
  | "invalid_response"
  | "headers_too_large"
  | "timeout"
  | "aborted"
  /** `admit` allowed none */
  | "address_busy";

export interface Answer {
  ok: true;
  status: number;
  /** Where it came from. */
  address: string | null;
  /** Names in lower case; a header that came several times is joined by ", ". */
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL, which PostgreSQL does not store. */
  body: string;
  /** Whether the body went on after `maxResponseBytes`. */
  truncated: boolean;
  latencyMs: number;
  /** Of that, until the status and headers came. */
  headersMs: number;
}

export interface SendError {
  ok: false;
  error: SendErrorCode;
  /** A sentence for the owner of the URL. */
  message: string;
  /** Set where the status came, but not the whole answer. */
  status: number | null;
  latencyMs: number;
  headersMs: number | null;
  /** Whether TLS was agreed on, with a certificate that is valid for the host. */
  isSecure: boolean;
}

export type SendResult = Answer | SendError;

/** A receiver with more addresses than these is tried at the first of them. */
const maxAddresses = 8;

/**
 * One request to a URL that a stranger gave. The name is resolved once, every address it has is checked, and only a checked
 * one is connected to; the certificate must be valid for the name. No redirect is followed and no proxy is used. Whatever the other side does is a result: it throws only where the caller's own input is wrong.
 */
export async function sendGuarded(url: string, options: SendOptions): Promise<SendResult> {
  const began = performance.now();
  const { timeoutMs = 15_000 } = options;
  const attempt: Attempt = {
    connection: null,
    status: null,
    headersAt: null,
    late: false,
    isAborted: options.signal?.aborted ?? false,
    stop: nothing,
  };
  const abort = () => {
    attempt.isAborted = true;
    attempt.stop();
  };
  const timer = setTimeout(() => {
    attempt.late = true;
    abort();
  }, timeoutMs);
  options.signal?.addEventListener("abort", abort, { once: true });
  const since = (time: number) => Math.round(time - began);
  try {
    const { status, headers, body, truncated } = await exchange(url, options, attempt);
    const address = attempt.connection?.address ?? null;
    const latencyMs = since(performance.now());
    const headersMs = since(attempt.headersAt ?? began);
    return { ok: true, status, address, headers, body, truncated, latencyMs, headersMs };
  } catch (error) {
    const failure = attempt.isAborted ? describeAbort(attempt, timeoutMs) : describe(error, attempt);
    const { connection, status, headersAt } = attempt;
    return {
      ok: false,
      ...failure,
      status,
      latencyMs: since(performance.now()),
      headersMs: headersAt && since(headersAt),
      isSecure: connection?.phase === "request" && connection.isSecure,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

const nothing = () => {};

/** How far an attempt came, for what is said when it fails. */
interface Attempt {
  /** null until every address is checked */
  connection: Connection | null;
  status: number | null;
  /** `performance.now()` of when that came */
  headersAt: number | null;
  late: boolean;
  isAborted: boolean;
  /** Breaks off what it waits for now. */
  stop: () => void;
}

type Failure = Pick<SendError, "error" | "message">;

/** Carries a result from where it is found to where it is answered. */
class Stop extends Error {
  readonly failure: Failure;
  constructor(error: SendErrorCode, message: string) {
    super(message);
    this.failure = { error, message };
  }
}

async function exchange(text: string, options: SendOptions, attempt: Attempt): Promise<Asked> {
  const checked = checkUrlOnce(text, options.policy);
  if (!checked.allowed) throw new Stop(checked.code, checked.message);
  const { url } = checked;
  expectGoingOn(attempt);
  const { connections, ca } = options;
  const { origin } = url;
  const kept = connections?.take(origin);
  if (kept) {
    try {
      admit([kept.address ?? ""], options);
      return await speak(kept, url, options, attempt);
    } catch (error) {
      // The other side may close a connection just when it is used again: that is no failure of the request.
      if (attempt.isAborted || attempt.status !== null || !isBroken(error)) throw error;
      attempt.connection = null;
    }
  }
  const addresses = checked.addresses ?? (await resolvePublic(url.hostname, options, attempt));
  const connection = openConnection(origin, admit(addresses, options), {
    ca,
    idleMs: connections?.idleMs ?? 0,
  });
  return await speak(connection, url, options, attempt);
}

function admit(addresses: readonly string[], options: SendOptions): readonly string[] {
  const admitted = options.admit?.(addresses) ?? addresses;
  if (admitted.length > 0) return admitted;
  throw new Stop("address_busy", "As much is being sent to this address as it takes at once.");
}

/** One request on a connection, which is then kept or closed. */
async function speak(
  connection: Connection,
  url: URL,
  options: SendOptions,
  attempt: Attempt,
): Promise<Asked> {
  const { connections } = options;
  attempt.connection = connection;
  // Not by undici's own `signal`, which waits for a connection before it is heard.
  attempt.stop = connection.close;
  let isReusable = false;
  try {
    expectGoingOn(attempt);
    const request = {
      path: url.pathname + url.search,
      method: options.method ?? "POST",
      headers: options.headers ?? null,
      body: options.body ?? null,
      // Says "Connection: close".
      reset: connections === undefined,
    };
    const answer = await ask(connection.client, request, options.maxResponseBytes ?? 4096, (status) => {
      attempt.status = status;
      attempt.headersAt = performance.now();
    });
    isReusable = !answer.truncated && !attempt.isAborted;
    return answer;
  } finally {
    attempt.stop = nothing;
    if (isReusable && connections) connections.keep(connection);
    else connection.close();
  }
}

function expectGoingOn({ isAborted }: Attempt): void {
  if (isAborted) throw new Stop("aborted", "The request was broken off on this side.");
}

/** All addresses of a name, if every one of them may be spoken to. */
async function resolvePublic(hostname: string, options: SendOptions, attempt: Attempt): Promise<string[]> {
  const { lookup = systemLookup, policy } = options;
  const control = new AbortController();
  attempt.stop = () => control.abort();
  let addresses: string[];
  try {
    addresses = await lookup(hostname, control.signal);
  } catch (error) {
    if (isAbsence(codeOf(error))) throw new Stop("name_not_found", `The DNS has no address of ${hostname}.`);
    throw new Stop("dns_failed", `The DNS did not answer for ${hostname} (${codeOf(error)}).`);
  }
  if (addresses.length === 0) throw new Stop("name_not_found", `The DNS has no address of ${hostname}.`);
  for (const address of addresses) {
    const refusal = checkAddress(address, policy);
    // What it resolves to is not said: names of the network this runs in may resolve here and nowhere else.
    if (refusal) throw new Stop(refusal.code, `${hostname} resolves to an address that is not public.`);
  }
  return addresses.slice(0, maxAddresses);
}

const systemLookup = createLookup();

function describeAbort({ connection, late }: Attempt, timeoutMs: number): Failure {
  if (!late) return { error: "aborted", message: "The request was broken off on this side." };
  const missing = {
    resolve: "no answer of the DNS",
    connect: "no connection",
    handshake: "no TLS connection",
    request: "no whole answer",
  };
  return {
    error: "timeout",
    message: `There was ${missing[connection?.phase ?? "resolve"]} within ${timeoutMs} ms.`,
  };
}

/** What an error of undici or of a socket means. Its text is not repeated: the other side has a say in it. */
function describe(error: unknown, { connection, status }: Attempt): Failure {
  if (error instanceof Stop) return error.failure;
  const code = codeOf(error);
  const phase = connection?.phase;
  // Ours: a header or a body that cannot be sent.
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") throw error;
  if (phase === "handshake") return { error: "tls_failed", message: `TLS was not agreed on (${code}).` };
  if (phase === "connect") {
    return code === "ECONNREFUSED"
      ? { error: "connection_refused", message: "The host refuses connections on this port." }
      : { error: "connection_failed", message: `The host could not be connected to (${code}).` };
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      error: "headers_too_large",
      message: `The answer's headers are larger than ${maxHeaderBytes} bytes.`,
    };
  }
  if (error instanceof errors.HTTPParserError || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return { error: "invalid_response", message: "What came back is not valid HTTP/1.1." };
  }
  const when = status === null ? "before an answer" : "in the middle of the answer";
  return { error: "connection_failed", message: `The connection was closed ${when} (${code}).` };
}

/** Whether an error is of the connection, and not of what came over it or of what was to be sent. */
function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || /^E[A-Z]+$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}
