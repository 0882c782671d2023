import { type Connections, openReceiver, type Receiver } from "./connection-pool.ts";
import { createLookup, isAbsence, type Lookup } from "./dns-lookup.ts";
import { type HttpAnswer, maxHeaderBytes, sendRequest } from "./http-exchange.ts";
import { codeOf, Failure, type SendErrorCode } from "./send-failure.ts";
import { checkAddress, checkUrl, type UrlPolicy } from "./url-guard.ts";

export interface SendOptions {
  policy: UrlPolicy;
  /** POST by default. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For everything: names, connection, TLS, headers, body. 15 seconds by default. */
  timeoutMs?: number;
  /** The most bytes of the body that are read; 4096 by default. */
  maxResponseBytes?: number;
  /** Aborts the request; the result is then the error `aborted`. */
  signal?: AbortSignal;
  /** Selects the addresses that a request may go to. The error is `address_busy` if none is left. */
  admit?: (addresses: readonly string[]) => readonly string[];
  /** Cache of connections; without it, each request has a connection of its own. */
  connections?: Connections;
  /** The system's DNS servers by default. */
  lookup?: Lookup;
  /** Certificates (PEM) trusted instead of Node's own, for tests. */
  ca?: string;
}

/** An answer with status and headers. Its body may be incomplete. */
export interface Answer {
  ok: true;
  status: number;
  /** Address of the receiver. */
  address: string | null;
  /** Names in lower case; a header that came several times is joined by ", ". */
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL, which PostgreSQL does not store: text to show. */
  body: string;
  /** The body as received. */
  bytes: Uint8Array;
  /** Whether the body is incomplete: cut at `maxResponseBytes`, or interrupted. */
  isTruncated: boolean;
  /** The error that interrupted the body; null if it is whole or was cut at `maxResponseBytes`. */
  broken: { error: SendErrorCode; message: string } | null;
  latencyMs: number;
  /** Milliseconds until status and headers came. */
  headersMs: number;
}

/** The failure of a request that got no status. */
export interface SendError {
  ok: false;
  error: SendErrorCode;
  /** A sentence for the owner of the URL. */
  message: string;
  status: null;
  latencyMs: number;
  headersMs: null;
  /** Whether TLS was agreed on, with a certificate that is valid for the host. */
  isSecure: boolean;
}

export type SendResult = Answer | SendError;

/** Addresses of a name that are tried at most. */
const maxAddresses = 8;

/**
 * Sends one request to an untrusted URL. The name is resolved once, every address of it is checked, and only checked
 * addresses are connected to. The certificate must be valid for the name. No redirect is followed and no proxy is used. The
 * request is sent once. Every behaviour of the receiver is a result. The function throws only for wrong input of the caller.
 */
export async function sendGuarded(url: string, options: SendOptions): Promise<SendResult> {
  const began = performance.now();
  const { timeoutMs = 15_000 } = options;
  const attempt: Attempt = {
    until: began + timeoutMs,
    phase: "resolve",
    address: null,
    isSecure: false,
    headersAt: null,
    isTimedOut: false,
    isAborted: options.signal?.aborted ?? false,
    stop: nothing,
  };
  const abort = () => {
    attempt.isAborted = true;
    attempt.stop();
  };
  const timer = setTimeout(() => {
    attempt.isTimedOut = true;
    abort();
  }, timeoutMs);
  options.signal?.addEventListener("abort", abort, { once: true });
  const since = (time: number) => Math.round(time - began);
  try {
    const { fault, ...answer } = await exchange(url, options, attempt);
    const { address } = attempt;
    const broken = fault && explain(fault, attempt, timeoutMs);
    const latencyMs = since(performance.now());
    const headersMs = since(attempt.headersAt ?? began);
    return { ok: true, ...answer, broken, address, latencyMs, headersMs };
  } catch (error) {
    const failure = explain(error, attempt, timeoutMs);
    const isSecure = attempt.isSecure && attempt.phase === "request";
    const latencyMs = since(performance.now());
    return { ok: false, ...failure, status: null, latencyMs, headersMs: null, isSecure };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

const nothing = () => {};

/** The progress of an attempt, for the message of a failure. */
interface Attempt {
  /** `performance.now()` of when its time is over */
  until: number;
  phase: "resolve" | "connect" | "request";
  /** the address of the current attempt; null until every address is checked */
  address: string | null;
  /** whether the connection uses TLS */
  isSecure: boolean;
  /** `performance.now()` of when the status came */
  headersAt: number | null;
  isTimedOut: boolean;
  isAborted: boolean;
  /** Aborts the current step. */
  stop: () => void;
}

async function exchange(text: string, options: SendOptions, attempt: Attempt): Promise<HttpAnswer> {
  const checked = checkUrl(text, options.policy);
  if (!checked.isAllowed) throw new Failure(checked.code, checked.message);
  const { url } = checked;
  attempt.isSecure = url.protocol === "https:";
  requireNotAborted(attempt);
  const found = checked.addresses ?? (await findAddresses(url.hostname, options, attempt));
  const addresses = [...admit(found, options)];
  for (;;) {
    const address = addresses.shift() ?? "";
    try {
      return await sendTo(address, url, options, attempt);
    } catch (error) {
      const isUnreached =
        error instanceof Failure && ["connection_refused", "connection_failed"].includes(error.error);
      if (!isUnreached || addresses.length === 0) throw error;
    }
  }
}

/** Finds the checked addresses of a name in the cache or in the DNS. */
async function findAddresses(
  hostname: string,
  options: SendOptions,
  attempt: Attempt,
): Promise<readonly string[]> {
  const { connections } = options;
  const known = connections?.checked.get(hostname);
  if (known) return known;
  const addresses = await resolvePublic(hostname, options, attempt);
  connections?.checked.set(hostname, addresses);
  return addresses;
}

function admit(addresses: readonly string[], options: SendOptions): readonly string[] {
  const admitted = options.admit?.(addresses) ?? addresses;
  if (admitted.length > 0) return admitted;
  throw new Failure("address_busy", "Too many requests to this address are in progress. Try again later.");
}

/** Sends the request to one address, by a cached connection or by one of its own. */
async function sendTo(
  address: string,
  url: URL,
  options: SendOptions,
  attempt: Attempt,
): Promise<HttpAnswer> {
  const { connections, ca } = options;
  if (connections && !connections.isClosed) {
    return sendBy(connections.receiverAt(address, attempt.isSecure, ca), url, options, attempt);
  }
  return sendBy(openReceiver(address, attempt.isSecure, { ca, idleMs: 0 }), url, options, attempt);
}

async function sendBy(
  receiver: Receiver,
  url: URL,
  options: SendOptions,
  attempt: Attempt,
): Promise<HttpAnswer> {
  requireNotAborted(attempt);
  attempt.address = receiver.address;
  attempt.phase = "connect";
  const { method = "POST", headers = {}, body } = options;
  const limit = { bytes: options.maxResponseBytes ?? 4096, until: attempt.until };
  const pending = sendRequest(receiver, { url, method, headers, body }, limit, {
    connected: () => {
      attempt.phase = "request";
    },
    answered: () => {
      attempt.headersAt = performance.now();
    },
  });
  attempt.stop = pending.stop;
  try {
    return await pending.answer;
  } finally {
    attempt.stop = nothing;
  }
}

function requireNotAborted({ isAborted }: Attempt): void {
  if (isAborted) throw new Failure("aborted", "The request was aborted by the service.");
}

/** Resolves a name, and requires that all of its addresses are public. */
async function resolvePublic(hostname: string, options: SendOptions, attempt: Attempt): Promise<string[]> {
  const { lookup = systemLookup, policy } = options;
  const control = new AbortController();
  attempt.stop = () => control.abort();
  let addresses: string[];
  try {
    addresses = await lookup(hostname, control.signal);
  } catch (error) {
    if (isAbsence(codeOf(error)))
      throw new Failure("name_not_found", `The DNS has no address of ${hostname}.`);
    throw new Failure("dns_failed", `The DNS did not answer for ${hostname} (${codeOf(error)}).`);
  }
  if (addresses.length === 0) throw new Failure("name_not_found", `The DNS has no address of ${hostname}.`);
  for (const address of addresses) {
    const refusal = checkAddress(address, policy);
    // The message does not name the address: internal names may resolve only here.
    if (refusal) throw new Failure(refusal.code, `${hostname} resolves to an address that is not public.`);
  }
  return addresses.slice(0, maxAddresses);
}

const systemLookup = createLookup();

type Described = Pick<SendError, "error" | "message">;

function explain(error: unknown, attempt: Attempt, timeoutMs: number): Described {
  return attempt.isAborted ? describeAbort(attempt, timeoutMs) : describe(error, attempt);
}

function describeAbort({ phase, isTimedOut }: Attempt, timeoutMs: number): Described {
  if (!isTimedOut) return { error: "aborted", message: "The request was aborted by the service." };
  const missing = {
    resolve: "no answer of the DNS",
    connect: "no connection",
    request: "no whole answer",
  };
  return { error: "timeout", message: `There was ${missing[phase]} within ${timeoutMs} ms.` };
}

/** The meaning of an error of Node's HTTP client or of a socket. The error's text is omitted: the receiver may influence it. */
function describe(error: unknown, { headersAt }: Attempt): Described {
  if (error instanceof Failure) return { error: error.error, message: error.message };
  // The caller gave an invalid header.
  if (error instanceof TypeError) throw error;
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW") {
    return {
      error: "headers_too_large",
      message: `The answer's headers are larger than ${maxHeaderBytes} bytes.`,
    };
  }
  if (code.startsWith("HPE_")) {
    return { error: "invalid_response", message: "The response is not valid HTTP/1.1." };
  }
  const when = headersAt === null ? "before an answer" : "in the middle of the answer";
  return { error: "connection_failed", message: `The connection was closed ${when} (${code}).` };
}
