import { base64 } from "@scure/base";
import { LogRejection } from "./errors.ts";

/** Decodes UTF-8 and keeps a byte order mark. Throws `malformed` for other bytes. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new LogRejection("malformed", "The bytes are not UTF-8.");
  }
}

/** Reads a bounded text, given as text or UTF-8. Throws `too_large`, or `malformed` for half a surrogate pair. */
export function readText(input: string | Uint8Array, maxLength: number): string {
  if (input.length > maxLength) throw new LogRejection("too_large", `The limit is ${maxLength}.`);
  const text = typeof input === "string" ? input : decodeText(input);
  if (!text.isWellFormed()) throw new LogRejection("malformed", "The text has half a surrogate pair.");
  return text;
}

/** Decodes canonical base64 (RFC 4648, section 4). Throws `malformed`. */
export function decodeBase64(text: string): Uint8Array {
  try {
    return base64.decode(text);
  } catch {
    throw new LogRejection(
      "malformed",
      `The text is not canonical base64: ${JSON.stringify(text.slice(0, 60))}.`,
    );
  }
}

/** Decodes the base64 of a hash. Throws `malformed`. */
export function decodeHash(text: string): Uint8Array {
  const hash = text.length === 44 ? decodeBase64(text) : new Uint8Array();
  if (hash.length !== 32) throw new LogRejection("malformed", "A hash must be the base64 of 32 bytes.");
  return hash;
}

/** Parses a decimal integer without leading zeros. Throws `malformed`, or `size_too_large` beyond 2^53 - 1. */
export function parseDecimal(text: string): number {
  if (!/^(?:0|[1-9][0-9]{0,19})$/.test(text)) {
    throw new LogRejection(
      "malformed",
      `The text is not a decimal integer: ${JSON.stringify(text.slice(0, 30))}.`,
    );
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new LogRejection("size_too_large", `The value is ${text}.`);
  return value;
}
