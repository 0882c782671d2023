import { z } from "zod";

/** The most characters of a client's name, and of a redirect URI; and the most redirect URIs. */
const longestName = 100;
const longestUri = 1000;
const mostRedirects = 10;

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** A scheme of an installed program: one with a dot, or of a well-known editor (RFC 8252, section 7.1). */
const ownScheme = /^(?:[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+|cursor|vscode|vscode-insiders|windsurf|zed):$/;

/** Whether a code may be sent to this URI: https, http to this machine, or a scheme of an installed program. */
export function isSafeRedirect(text: string): boolean {
  const url = URL.parse(text);
  if (url?.hash !== "" || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return loopbackHosts.includes(url.hostname);
  return ownScheme.test(url.protocol);
}

/**
 * The receiver of a code, as the consent shows it. A host has its ASCII form, which makes look-alike letters visible. An
 * installed program has its scheme.
 */
export function receiverOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** Whether a receiver is a program on the person's own machine. */
export const isLocalReceiver = (redirectUri: string): boolean => {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== "https:" || loopbackHosts.includes(hostname);
};

const redirectUris = z
  .array(
    z.string().max(longestUri).refine(isSafeRedirect, {
      message:
        "must be an https URL, an http URL of this machine, or a private scheme of an installed program",
    }),
  )
  .min(1)
  .max(mostRedirects);

/** The members of a registration (RFC 7591) that count. Others are left out, as the RFC allows. */
const registration = z.object({
  redirect_uris: redirectUris,
  client_name: z.string().max(longestName).optional(),
  application_type: z.enum(["web", "native"]).optional(),
});

/**
 * Reads a registration. Every client is public: it has no secret and proves itself by PKCE.
 *
 * @returns the metadata to register, or the fault of the request
 */
export function readRegistration(body: unknown): { metadata: object } | { fault: string } {
  const { success, data, error } = registration.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    return { fault: `${issue?.path.join(".") || "the body"}: ${issue?.message}` };
  }
  // Installed programs listen on another port each time (RFC 8252, section 7.3).
  const type = data.redirect_uris.every(isLocalReceiver) ? "native" : "web";
  return {
    metadata: {
      application_type: type,
      ...data,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  };
}
