import { base64 } from "@scure/base";
import { LogRejection } from "./errors.ts";

/** Text from UTF-8. Throws `malformed` for other bytes; a byte order mark is a character like any other. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new LogRejection("malformed", "It is not UTF-8.");
  }
}

/** A bounded text, from a text or its UTF-8. Throws `too_large`, or `malformed` for half a surrogate pair. */
export function readText(input: string | Uint8Array, maxLength: number): string {
  if (input.length > maxLength) throw new LogRejection("too_large", `It is longer than ${maxLength}.`);
  const text = typeof input === "string" ? input : decodeText(input);
  if (!text.isWellFormed()) throw new LogRejection("malformed", "It has half a surrogate pair.");
  return text;
}

/** Bytes from the one base64 (RFC 4648, section 4) that they have. Throws `malformed`. */
export function decodeBase64(text: string): Uint8Array {
  try {
    return base64.decode(text);
  } catch {
    throw new LogRejection("malformed", `It is not base64: ${JSON.stringify(text.slice(0, 60))}.`);
  }
}

/** A hash of 32 bytes from its base64. Throws `malformed`. */
export function decodeHash(text: string): Uint8Array {
  const hash = text.length === 44 ? decodeBase64(text) : new Uint8Array();
  if (hash.length !== 32) throw new LogRejection("malformed", "A hash is base64 of 32 bytes.");
  return hash;
}

/** A whole number written in decimal without leading zeros. Throws `malformed`, or `size_too_large` beyond 2^53 - 1. */
export function parseDecimal(text: string): number {
  if (!/^(?:0|[1-9][0-9]{0,19})$/.test(text)) {
    throw new LogRejection("malformed", `It is no decimal number: ${JSON.stringify(text.slice(0, 30))}.`);
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new LogRejection("size_too_large", `It is ${text}.`);
  return value;
}
