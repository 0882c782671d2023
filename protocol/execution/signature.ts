import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";

/** The label of the signature in a request, and the `tag` of its purpose (RFC 9421, 2.3). */
export const label = "earnest";
export const tag = "earnest-execution";

/** The components that a signature covers, in this order. No other part of the request has a meaning. */
export const components = [
  "@method",
  "@target-uri",
  "content-digest",
  "content-type",
  "idempotency-key",
] as const;

/** Seconds for which a signature is valid. */
export const validSeconds = 300;

/**
 * The parts of a request that a signature can cover. `header` returns the value of a field, or of its member that a component's
 * name with `;key="..."` names; null without it.
 */
export type SignedMessage = { method: string; url: string; header: (name: string) => string | null };

/** Thrown for a component that the message lacks or that cannot be signed. */
export class ComponentError extends Error {}

/**
 * Builds the signature base of RFC 9421 (2.5): the signed text.
 *
 * The text is never a text that the same key signs for receipts. It begins with a quotation mark, so it is no JWS
 * signing input. It is longer than 64 bytes, so it is no proof input of `eddsa-jcs-2022`, which has exactly 64.
 *
 * @param params the signature's parameters as in `Signature-Input`, from the inner list on
 * @throws ComponentError
 */
export function signatureBase(names: readonly string[], params: string, message: SignedMessage): string {
  const lines = names.map((name) => `${quote(name)}: ${componentOf(name, message)}`);
  return [...lines, `"@signature-params": ${params}`].join("\n");
}

/** Writes the inner list with its parameters, canonical by RFC 8941. The texts must have no quotation marks and backslashes. */
export function writeParams(names: readonly string[], params: Record<string, string | number>): string {
  const list = names.map(quote).join(" ");
  const rest = Object.entries(params).map(([name, value]) =>
    typeof value === "number" ? `;${name}=${value}` : `;${name}="${value}"`,
  );
  return `(${list})${rest.join("")}`;
}

/** Quotes a component's name. Its parameters, as `;key="bot"`, follow the quotation marks (RFC 9421, 2.1). */
const quote = (name: string) => name.replace(/^[^;]+/, '"$&"');

/** Computes the `Content-Digest` (RFC 9530) of a body. */
export function contentDigest(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? utf8ToBytes(body) : body;
  return `sha-256=:${base64.encode(sha256(bytes))}:`;
}

/** Returns a component's value (RFC 9421, 2.1 and 2.2). */
function componentOf(name: string, { method, url, header }: SignedMessage): string {
  switch (name) {
    case "@method":
      return method;
    case "@target-uri":
      return url;
    case "@authority":
      return new URL(url).host;
    case "@path":
      return new URL(url).pathname;
    default: {
      const value = name.startsWith("@") ? null : header(name);
      if (value === null) throw new ComponentError(`The request has no ${name}.`);
      if (/[\r\n]/.test(value)) throw new ComponentError(`The header ${name} has a line break.`);
      return value.replace(/^[ \t]+|[ \t]+$/g, "");
    }
  }
}
