import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Hex } from "viem";
import {
  passingErrors,
  type SessionErrorCode,
  sessionErrorCodes,
  sessionHeader,
  statementHeader,
  statementOf,
} from "../../../../protocol/sessions/index.ts";
import { pause } from "../core/retry.ts";
import { CallUnansweredError, UntrustedSessionError } from "./errors.ts";
import { sha256 } from "./held-session.ts";
import type { SessionTerms } from "./session-terms.ts";

export interface SendOptions {
  /** The HTTP client. Default: the global `fetch`, which keeps connections. */
  fetch?: typeof fetch | undefined;
  /** The most milliseconds until a call is answered, over all attempts. Default: 120,000. */
  timeoutMs?: number | undefined;
  /** The most bytes of an output. Default: 8 MiB. */
  maxOutputBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A call as it is sent, and sent again. */
export type SentCall = {
  amount: bigint;
  workHash: Hex;
  headers: Record<string, string>;
  body: Uint8Array | null;
};

export type NewestVoucher = { cumulativeAmount: bigint; workHash: Hex; signature: Hex };

export type Outcome =
  | { kind: "answered"; bytes: Buffer; contentType: string; statement: string }
  | {
      kind: "refused";
      code: SessionErrorCode;
      status: number;
      message: string;
      newest: NewestVoucher | null;
      expected: bigint | null;
    };

/** The longest time of one attempt, and the pauses between attempts, in milliseconds. */
const attemptMs = 60_000;
const [firstPause, longestPause] = [100, 5_000];

/** Sends calls to a provider's endpoint until they have a definite answer. */
export class CallSender {
  readonly #terms: SessionTerms;
  readonly #options: SendOptions;
  readonly #key: KeyObject;

  constructor(terms: SessionTerms, options: SendOptions) {
    this.#terms = terms;
    this.#options = options;
    const jwk = { kty: "OKP", crv: "Ed25519", x: terms.sessionKey };
    this.#key = createPublicKey({ key: jwk, format: "jwk" });
  }

  /**
   * Sends a call until it is answered or refused.
   *
   * @throws CallUnansweredError; UntrustedSessionError if the statement is not that of the session's key
   */
  async send(call: SentCall): Promise<Outcome> {
    const { timeoutMs = 120_000, signal } = this.#options;
    const { orderId } = this.#terms;
    const end = Date.now() + timeoutMs;
    let wait = firstPause;
    for (;;) {
      let reason: string;
      let cause: unknown;
      try {
        const outcome = await this.#sendOnce(call, Math.min(attemptMs, Math.max(1, end - Date.now())));
        if (typeof outcome !== "string") return outcome;
        reason = outcome;
      } catch (error) {
        if (error instanceof UntrustedSessionError) throw error;
        signal?.throwIfAborted();
        cause = error;
        reason = "the endpoint cannot be reached";
      }
      if (Date.now() + wait > end) throw new CallUnansweredError(orderId, reason, { cause });
      await pause(wait * (0.5 + Math.random() / 2), signal);
      wait = Math.min(2 * wait, longestPause);
    }
  }

  /** Sends a call once. Returns the reason, as a text, if the same call has to be sent again. */
  async #sendOnce({ amount, workHash, headers, body }: SentCall, within: number): Promise<Outcome | string> {
    const { fetch: send = fetch, signal, maxOutputBytes = 8 * 1024 * 1024 } = this.#options;
    const { endpointUrl, escrowId, orderId } = this.#terms;
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), within);
    try {
      const response = await send(endpointUrl, {
        method: "POST",
        headers: { ...headers, [sessionHeader]: escrowId },
        body: body as RequestInit["body"],
        // Another address would get the voucher and the input.
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, timer.signal]) : timer.signal,
      });
      const bytes = await readBounded(response, maxOutputBytes);
      if (response.status !== 200 && response.status !== 202) return readRefusal(response.status, bytes);
      const contentType = response.headers.get("content-type") ?? "application/octet-stream";
      const statement = response.headers.get(statementHeader) ?? "";
      if (response.status === 202) return { kind: "answered", bytes, contentType, statement };
      const text = statementOf({ escrowId, cumulativeAmount: amount, workHash, outputHash: sha256(bytes) });
      if (!verify(null, Buffer.from(text), this.#key, Buffer.from(statement, "base64url"))) {
        throw new UntrustedSessionError(orderId, "The answer is not signed by the session's key.");
      }
      return { kind: "answered", bytes, contentType, statement };
    } catch (error) {
      if (error instanceof OutputTooLarge) {
        throw new UntrustedSessionError(orderId, `The output has more than ${maxOutputBytes} bytes.`);
      }
      throw error;
    } finally {
      clearTimeout(timeout);
    }
  }
}

class OutputTooLarge extends Error {}

async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const length = response.headers.get("content-length");
  if (length !== null && Number(length) > maxBytes) {
    await response.body?.cancel();
    throw new OutputTooLarge();
  }
  if (length !== null) return Buffer.from(await response.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new OutputTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a refusal. A text means that the same call is sent again: the refusal ends by itself, or a proxy answered. */
function readRefusal(status: number, bytes: Buffer): Outcome | string {
  const error = readError(bytes);
  const code = sessionErrorCodes.find((one) => one === error?.code);
  if (!code || passingErrors.includes(code)) return code ?? `the status ${status}`;
  const newest = readNewest(error?.newest);
  const message = typeof error?.message === "string" ? error.message.slice(0, 500) : code;
  const expected = readInteger(error?.expected_amount);
  return { kind: "refused", code, status, message, newest, expected };
}

function readError(bytes: Buffer): Record<string, unknown> | null {
  try {
    const { error } = JSON.parse(bytes.toString("utf8")) as { error?: unknown };
    return typeof error === "object" ? (error as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function readNewest(value: unknown): NewestVoucher | null {
  if (typeof value !== "object" || value === null) return null;
  const { cumulative_amount, work_hash, signature } = value as Record<string, unknown>;
  const cumulativeAmount = readInteger(cumulative_amount);
  if (cumulativeAmount === null || !isHex(work_hash, 64) || !isHex(signature, 130)) return null;
  return { cumulativeAmount, workHash: work_hash, signature };
}

function readInteger(value: unknown): bigint | null {
  return typeof value === "string" && /^[0-9]{1,39}$/.test(value) ? BigInt(value) : null;
}

function isHex(value: unknown, digits: number): value is Hex {
  return typeof value === "string" && value.length === digits + 2 && /^0x[0-9a-f]+$/.test(value);
}
