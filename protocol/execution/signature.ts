import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";

/** The name of our signature among those of a request, and the `tag` that says what it is for (RFC 9421, 2.3). */
export const label = "earnest";
export const tag = "earnest-execution";

/** The components that a signature covers, in this order. Together they are all of the request that has a meaning. */
export const components = [
  "@method",
  "@target-uri",
  "content-digest",
  "content-type",
  "idempotency-key",
] as const;

/** How long a signature is good, in seconds. */
export const goodFor = 300;

/** A request as far as a signature looks at it. `header` gives a field's value, or null where it has none. */
export type SignedMessage = { method: string; url: string; header: (name: string) => string | null };

/** A component that the message does not have, or that cannot be signed. */
export class ComponentError extends Error {}

/**
 * The signature base of RFC 9421 (2.5): the text that is signed.
 *
 * It can never be what the same key signs for receipts. It begins with a quotation mark, which neither base64url nor a dot
 * is, so it is no JWS signing input. It names itself in its last line and is longer than 64 bytes, so it is no proof
 * input of `eddsa-jcs-2022`, which has exactly 64.
 *
 * @param params the signature's parameters as `Signature-Input` has them, from the inner list on
 * @throws ComponentError
 */
export function signatureBase(names: readonly string[], params: string, message: SignedMessage): string {
  const lines = names.map((name) => `"${name}": ${componentOf(name, message)}`);
  return [...lines, `"@signature-params": ${params}`].join("\n");
}

/** The inner list with its parameters, in the one spelling of RFC 8941. The texts are ours: no quotation marks, no backslashes. */
export function writeParams(names: readonly string[], params: Record<string, string | number>): string {
  const list = names.map((name) => `"${name}"`).join(" ");
  const rest = Object.entries(params).map(([name, value]) =>
    typeof value === "number" ? `;${name}=${value}` : `;${name}="${value}"`,
  );
  return `(${list})${rest.join("")}`;
}

/** `Content-Digest` (RFC 9530) of a body. */
export function contentDigest(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? utf8ToBytes(body) : body;
  return `sha-256=:${base64.encode(sha256(bytes))}:`;
}

/** A component's value (RFC 9421, 2.1 and 2.2). */
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
      if (/[\r\n]/.test(value)) throw new ComponentError(`The header ${name} has a line break in it.`);
      return value.replace(/^[ \t]+|[ \t]+$/g, "");
    }
  }
}
