import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Hex } from "viem";
import {
  type SessionErrorCode,
  sessionErrorCodes,
  sessionHeader,
  statementHeader,
  statementOf,
  temporaryErrors,
} from "../../../../protocol/sessions/index.ts";
import { pause } from "../core/retry.ts";
import { CallUnansweredError, UntrustedSessionError } from "./errors.ts";
import { post, ResponseTooLarge } from "./post.ts";
import { sha256 } from "./provider-session.ts";
import { PrivateAddressError } from "./public-addresses.ts";
import type { SessionTerms } from "./session-terms.ts";

export interface SendOptions {
  /** The most milliseconds until a call is answered, over all attempts. Default: 120,000. */
  timeoutMs?: number | undefined;
  /** The most bytes of an output. Default: 8 MiB. */
  maxOutputBytes?: number | undefined;
  /**
   * Whether the provider's endpoint may be in a private network, such as localhost. Otherwise no request goes there. Default: only
   * if the service itself is there.
   */
  allowPrivate?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A call as it is sent, and sent again. */
export type SentCall = {
  amount: bigint;
  workHash: Hex;
  headers: Record<string, string>;
  body: Uint8Array;
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
  readonly #url: URL;

  constructor(terms: SessionTerms, options: SendOptions) {
    this.#terms = terms;
    this.#options = options;
    this.#url = new URL(terms.endpointUrl);
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
        if (error instanceof PrivateAddressError) {
          throw new CallUnansweredError(orderId, error.message, { cause: error });
        }
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
  async #sendOnce(
    { amount, workHash, headers, body }: SentCall,
    timeoutMs: number,
  ): Promise<Outcome | string> {
    const { signal, allowPrivate = false, maxOutputBytes = 8 * 1024 * 1024 } = this.#options;
    const { escrowId, orderId } = this.#terms;
    const limits = { maxBytes: maxOutputBytes, timeoutMs, allowPrivate, signal };
    const posted = await post(this.#url, { ...headers, [sessionHeader]: escrowId }, body, limits).catch(
      (error: unknown) => {
        if (!(error instanceof ResponseTooLarge)) throw error;
        throw new UntrustedSessionError(orderId, `The output has more than ${maxOutputBytes} bytes.`);
      },
    );
    const { status, header, bytes } = posted;
    if (status !== 200 && status !== 202) return readRefusal(status, bytes);
    const contentType = header("content-type") || "application/octet-stream";
    const statement = header(statementHeader);
    if (status === 202) return { kind: "answered", bytes, contentType, statement };
    const text = statementOf({ escrowId, cumulativeAmount: amount, workHash, outputHash: sha256(bytes) });
    if (!verify(null, Buffer.from(text), this.#key, Buffer.from(statement, "base64url"))) {
      throw new UntrustedSessionError(orderId, "The answer is not signed by the session's key.");
    }
    return { kind: "answered", bytes, contentType, statement };
  }
}

/** Reads a refusal. A text means that the same call is sent again: the refusal ends by itself, or a proxy answered. */
function readRefusal(status: number, bytes: Buffer): Outcome | string {
  const error = readError(bytes);
  const code = sessionErrorCodes.find((one) => one === error?.code);
  if (!code || temporaryErrors.includes(code)) return code ?? `the status ${status}`;
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
