import { errors } from "undici";
import { type Asked, ask } from "./ask.ts";
import { type Connections, maxHeaderBytes, openReceiver, type Receiver } from "./connections.ts";
import { codeOf, Failure, type SendErrorCode } from "./failure.ts";
import { checkAddress, checkUrl, type UrlPolicy } from "./guard.ts";
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

export interface Answer {
  ok: true;
  status: number;
  /** Where it came from. */
  address: string | null;
  /** Names in lower case; a header that came several times is joined by ", ". */
  headers: Record<string, string>;
  /** As UTF-8, with U+FFFD for what is not, and for NUL, which PostgreSQL does not store: text to show. */
  body: string;
  /** The same as it came. */
  bytes: Uint8Array;
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
    phase: "resolve",
    address: null,
    isSecure: false,
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
    const { status, headers, body, bytes, truncated } = await exchange(url, options, attempt);
    const { address } = attempt;
    const latencyMs = since(performance.now());
    const headersMs = since(attempt.headersAt ?? began);
    return { ok: true, status, address, headers, body, bytes, truncated, latencyMs, headersMs };
  } catch (error) {
    const failure = attempt.isAborted ? describeAbort(attempt, timeoutMs) : describe(error, attempt);
    const { status, headersAt, phase, isSecure } = attempt;
    return {
      ok: false,
      ...failure,
      status,
      latencyMs: since(performance.now()),
      headersMs: headersAt && since(headersAt),
      isSecure: isSecure && phase === "request",
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

const nothing = () => {};

/** How far an attempt came, for what is said when it fails. */
interface Attempt {
  phase: "resolve" | "connect" | "request";
  /** the one that is spoken to; null until every address is checked */
  address: string | null;
  /** whether it goes by TLS */
  isSecure: boolean;
  status: number | null;
  /** `performance.now()` of when that came */
  headersAt: number | null;
  late: boolean;
  isAborted: boolean;
  /** Breaks off what it waits for now. */
  stop: () => void;
}

async function exchange(text: string, options: SendOptions, attempt: Attempt): Promise<Asked> {
  const checked = checkUrl(text, options.policy);
  if (!checked.allowed) throw new Failure(checked.code, checked.message);
  const { url } = checked;
  attempt.isSecure = url.protocol === "https:";
  expectGoingOn(attempt);
  const found = checked.addresses ?? (await findAddresses(url.hostname, options, attempt));
  const addresses = [...admit(found, options)];
  for (;;) {
    const address = addresses.shift() ?? "";
    try {
      return await speakTo(address, url, options, attempt);
    } catch (error) {
      const isUnreached =
        error instanceof Failure && ["connection_refused", "connection_failed"].includes(error.error);
      if (!isUnreached || addresses.length === 0) throw error;
    }
  }
}

/** The checked addresses of a name, as connections know them or as the DNS has them now. */
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
  throw new Failure("address_busy", "As much is being sent to this address as it takes at once.");
}

/** One request at one address, by a connection that is kept or by one of its own. */
async function speakTo(address: string, url: URL, options: SendOptions, attempt: Attempt): Promise<Asked> {
  const { connections, ca } = options;
  if (connections && !connections.isClosed) {
    const receiver = connections.receiverAt(address, ca);
    const { opened } = receiver;
    try {
      return await speak(receiver, url, options, attempt);
    } catch (error) {
      // The other side may close a kept connection just when it is used again: that is no failure of the request.
      const wasKept = receiver.opened === opened;
      if (!wasKept || attempt.isAborted || attempt.status !== null || !isBroken(error)) throw error;
      return await speak(receiver, url, options, attempt);
    }
  }
  const ending = new AbortController();
  const receiver = openReceiver(address, { ca, idleMs: 0, signal: ending.signal });
  try {
    return await speak(receiver, url, options, attempt);
  } finally {
    ending.abort();
    receiver.agent.destroy().catch(() => {});
  }
}

async function speak(
  { agent, address }: Receiver,
  url: URL,
  options: SendOptions,
  attempt: Attempt,
): Promise<Asked> {
  expectGoingOn(attempt);
  attempt.address = address;
  attempt.phase = "connect";
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: options.method ?? "POST",
    headers: options.headers ?? null,
    body: options.body ?? null,
    // Says "Connection: close".
    reset: options.connections === undefined,
  };
  const asking = ask(agent, request, options.maxResponseBytes ?? 4096, {
    started: () => {
      attempt.phase = "request";
    },
    heard: (status) => {
      attempt.status = status;
      attempt.headersAt = performance.now();
    },
  });
  attempt.stop = asking.stop;
  try {
    return await asking.answer;
  } finally {
    attempt.stop = nothing;
  }
}

function expectGoingOn({ isAborted }: Attempt): void {
  if (isAborted) throw new Failure("aborted", "The request was broken off on this side.");
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
    if (isAbsence(codeOf(error)))
      throw new Failure("name_not_found", `The DNS has no address of ${hostname}.`);
    throw new Failure("dns_failed", `The DNS did not answer for ${hostname} (${codeOf(error)}).`);
  }
  if (addresses.length === 0) throw new Failure("name_not_found", `The DNS has no address of ${hostname}.`);
  for (const address of addresses) {
    const refusal = checkAddress(address, policy);
    // What it resolves to is not said: names of the network this runs in may resolve here and nowhere else.
    if (refusal) throw new Failure(refusal.code, `${hostname} resolves to an address that is not public.`);
  }
  return addresses.slice(0, maxAddresses);
}

const systemLookup = createLookup();

type Described = Pick<SendError, "error" | "message">;

function describeAbort({ phase, late }: Attempt, timeoutMs: number): Described {
  if (!late) return { error: "aborted", message: "The request was broken off on this side." };
  const missing = {
    resolve: "no answer of the DNS",
    connect: "no connection",
    request: "no whole answer",
  };
  return { error: "timeout", message: `There was ${missing[phase]} within ${timeoutMs} ms.` };
}

/** What an error of undici or of a socket means. Its text is not repeated: the other side has a say in it. */
function describe(error: unknown, { status }: Attempt): Described {
  if (error instanceof Failure) return { error: error.error, message: error.message };
  const code = codeOf(error);
  // Ours: a header or a body that cannot be sent.
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") throw error;
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
