import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJson } from "../../../../protocol/json/parse.ts";
import {
  closeHeader,
  KeySignatures,
  readCloseRequest,
  readVoucher,
  sessionHeader,
  voucherHeader,
} from "../../../../protocol/sessions/index.ts";
import { digestToSign, typedDataOf } from "../../../../protocol/settlement/index.ts";
import { DeclinedError } from "../serving/errors.ts";
import { CallRefusal, type Reply, refusalReply } from "./call-refusal.ts";
import { nativeRecovery } from "./native-keys.ts";
import type { Output, ProviderSession, Work } from "./provider-session.ts";

/** The call that a handler works on. */
export interface CallContext {
  orderId: string;
  /** The call's own name, the same when it is sent again: a handler that a crash interrupted is called again with it. */
  callId: string;
  buyer: string;
  bytes: Uint8Array;
  contentType: string;
}

/**
 * The work of a call. A JSON input is parsed, another input is its bytes. An output of bytes is sent as it is, any other as
 * JSON. A call whose handler throws is not paid for; the message of a `DeclinedError` goes to the buyer.
 */
export type CallHandler<Input = unknown> = (input: Input, call: CallContext) => unknown;

export interface CallLimits {
  /** The most bytes of an input. Default: 1 MiB. */
  maxInputBytes?: number;
  /** The most bytes of an output, which is stored until the next one. Default: 1 MiB. */
  maxOutputBytes?: number;
  /** The most milliseconds until an input has arrived. Default: 30,000. */
  inputTimeoutMs?: number;
  /** The most requests at once. Default: 1,000. */
  maxRequests?: number;
}

/** The provider behind an endpoint. */
export interface CallServerParts<Input> extends CallLimits {
  handler: CallHandler<Input>;
  find: (escrowId: string) => ProviderSession | undefined;
  /** Called for a session that is not known, as often as somebody asks. */
  onUnknown: () => void;
  /** Unix milliseconds after which a session takes no call. */
  lastCallAt: (session: ProviderSession) => number;
  onClose: (session: ProviderSession) => void;
  onError?: ((error: unknown, orderId: string) => void) | undefined;
}

type Incoming = {
  header: (name: string) => string;
  read: (maxBytes: number, timeoutMs: number) => Promise<Buffer>;
};

const escrowForm = /^0x[0-9a-f]{64}$/;

/** The endpoint of a provider's sessions. */
export class CallServer<Input> {
  readonly #parts: CallServerParts<Input>;
  #requests = 0;

  constructor(parts: CallServerParts<Input>) {
    this.#parts = parts;
  }

  /** Answers a request of Node's `http`, also as a handler of Express. */
  readonly handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await this.#reply({
      header: (name) => String(request.headers[name] ?? ""),
      read: (maxBytes, timeoutMs) => readRequest(request, maxBytes, timeoutMs),
    });
    response.writeHead(reply.status, { ...reply.headers, "content-length": reply.body.length });
    response.end(reply.body);
  };

  /** Answers a request of the Fetch API, as Hono, Deno and Bun have it. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const reply = await this.#reply({
      header: (name) => request.headers.get(name) ?? "",
      read: (maxBytes, timeoutMs) => readBody(request.body, maxBytes, timeoutMs),
    });
    return new Response(new Uint8Array(reply.body), { status: reply.status, headers: reply.headers });
  };

  async #reply(incoming: Incoming): Promise<Reply> {
    const { maxRequests = 1_000, onError } = this.#parts;
    let orderId = "";
    this.#requests += 1;
    try {
      if (this.#requests > maxRequests)
        throw new CallRefusal("busy", "Too many calls are at work. Send the call again.");
      const session = this.#find(incoming);
      orderId = session.terms.orderId;
      const close = incoming.header(closeHeader);
      return close === "" ? await this.#call(session, incoming) : await this.#close(session, close);
    } catch (error) {
      if (error instanceof CallRefusal) {
        if (error.cause !== undefined) onError?.(error.cause, orderId);
        return refusalReply(error);
      }
      onError?.(error, orderId);
      return refusalReply(new CallRefusal("handler_failed", "The call failed. It is not paid for."));
    } finally {
      this.#requests -= 1;
    }
  }

  #find({ header }: Incoming): ProviderSession {
    const escrowId = header(sessionHeader);
    if (!escrowForm.test(escrowId)) {
      throw new CallRefusal("malformed", `Header ${sessionHeader}: send the escrow's id in lower case.`);
    }
    const session = this.#parts.find(escrowId);
    if (session) return session;
    this.#parts.onUnknown();
    throw new CallRefusal("unknown_session", "The session is not known here, not funded yet, or over.");
  }

  async #call(session: ProviderSession, { header, read }: Incoming): Promise<Reply> {
    const { maxInputBytes = 1024 * 1024, inputTimeoutMs = 30_000, lastCallAt } = this.#parts;
    const voucher = readVoucher(header(voucherHeader));
    if (!voucher) {
      throw new CallRefusal(
        "malformed",
        `Header ${voucherHeader}: send amount;work hash;signature, in lower case.`,
      );
    }
    const contentType = header("content-type") || "application/octet-stream";
    const work: Work = async (bytes) => await this.#work(session, bytes, contentType, voucher.workHash);
    return await session.answer(
      voucher,
      () => read(maxInputBytes, inputTimeoutMs),
      work,
      lastCallAt(session),
    );
  }

  async #work(session: ProviderSession, bytes: Buffer, contentType: string, callId: string): Promise<Output> {
    const { handler, maxOutputBytes = 1024 * 1024, onError } = this.#parts;
    const { orderId, buyer } = session.terms;
    const input = isJson(contentType) ? readJson(bytes) : bytes;
    let output: unknown;
    try {
      output = await handler(input as Input, { orderId, callId, buyer, bytes, contentType });
    } catch (error) {
      onError?.(error, orderId);
      const message = error instanceof DeclinedError ? error.message : "The handler failed.";
      throw new CallRefusal("handler_failed", `${message} The call is not paid for.`);
    }
    const written =
      output instanceof Uint8Array
        ? { bytes: Buffer.from(output), contentType: "application/octet-stream" }
        : { bytes: Buffer.from(JSON.stringify(output ?? null)), contentType: "application/json" };
    if (written.bytes.length <= maxOutputBytes) return written;
    onError?.(new RangeError(`The output has more than ${maxOutputBytes} bytes.`), orderId);
    throw new CallRefusal("handler_failed", "The output is too large. The call is not paid for.");
  }

  async #close(session: ProviderSession, text: string): Promise<Reply> {
    const request = readCloseRequest(text);
    if (!request) {
      throw new CallRefusal(
        "malformed",
        `Header ${closeHeader}: send amount;deadline;signature, in lower case.`,
      );
    }
    const { terms, newest } = session;
    const { providerAmount, deadline } = request;
    const digest = digestToSign(
      typedDataOf(terms, "Close", { escrowId: terms.escrowId, providerAmount, deadline }),
    );
    const signature = await new KeySignatures(terms.buyer, nativeRecovery()).read(digest, request.signature);
    if (!signature) {
      throw new CallRefusal(
        "wrong_signature",
        `The close request is not signed by the key of ${terms.buyer}.`,
      );
    }
    const answered = newest?.cumulativeAmount ?? 0n;
    if (providerAmount !== answered || session.isBusy) {
      throw new CallRefusal("wrong_amount", `The amount of all calls is ${answered} base units.`, {
        expected_amount: String(answered),
        newest: newest && {
          cumulative_amount: String(newest.cumulativeAmount),
          work_hash: newest.workHash,
          signature: newest.signature,
        },
      });
    }
    await session.close({ ...request, signature });
    this.#parts.onClose(session);
    const body = Buffer.from(JSON.stringify({ status: "closing", amount: String(answered) }));
    return { status: 202, headers: { "content-type": "application/json" }, body };
  }
}

function isJson(contentType: string): boolean {
  return /^application\/([a-z.+-]+\+)?json\s*(;|$)/i.test(contentType);
}

function readJson(bytes: Buffer): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new CallRefusal("malformed", "The input is not JSON, as its Content-Type says.");
  }
}

async function readRequest(request: IncomingMessage, maxBytes: number, timeoutMs: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => stop(tooSlow()), timeoutMs);
    const stop = (refusal: CallRefusal) => {
      clearTimeout(timer);
      request.removeAllListeners("data");
      request.resume();
      reject(refusal);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    request.once("end", () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once("close", () => {
      clearTimeout(timer);
      if (!request.complete) reject(tooSlow());
    });
  });
}

async function readBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  timeoutMs: number,
): Promise<Buffer> {
  if (!body) return Buffer.alloc(0);
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), timeoutMs);
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks);
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maxBytes: number): CallRefusal {
  return new CallRefusal("input_too_large", `The input has more than ${maxBytes} bytes.`);
}

function tooSlow(): CallRefusal {
  return new CallRefusal("input_too_slow", "The input did not arrive in time.");
}
