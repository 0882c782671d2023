import type { UrlRefusalCode } from "./url-guard.ts";

export type SendErrorCode =
  | UrlRefusalCode
  /** the DNS says that the name has no address */
  | "name_not_found"
  /** the DNS gave no answer, or no useful one */
  | "dns_failed"
  | "connection_refused"
  /** not reachable, or broken off */
  | "connection_failed"
  /** the certificate is not valid for this host, or no TLS was agreed on */
  | "tls_failed"
  /** the response is not HTTP/1.x, or has too many interim answers */
  | "invalid_response"
  | "headers_too_large"
  | "timeout"
  | "aborted"
  /** `admit` allowed no address */
  | "address_busy";

/** Thrown within `sendGuarded`, which returns it as a `SendError`. */
export class Failure extends Error {
  readonly error: SendErrorCode;
  constructor(error: SendErrorCode, message: string) {
    super(message);
    this.error = error;
  }
}

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}
