import { Earnest } from "earnest-client";
import { serviceUrl } from "../settings.ts";
import { type TabSession, useSession } from "./session.ts";

/** The header of the console's requests, without which the service ignores the session's cookie. */
export const consoleHeaders = { "earnest-console": "1" };

let cached: { session: TabSession | null; client: Earnest } | undefined;

/** Returns the client of a session, or of a visitor without one. */
export function clientOf(session: TabSession | null): Earnest {
  if (cached?.session !== session) cached = { session, client: createClient(session) };
  return cached.client;
}

function createClient(session: TabSession | null): Earnest {
  return new Earnest({
    baseUrl: serviceUrl,
    ...(session ? { headers: consoleHeaders, organisation: session.organisation } : {}),
    timeoutMs: 30_000,
  });
}

/**
 * The client for the session itself: it sends the cookie, whatever the page knows of the session. It sends each request
 * once, because a repeated answer has no cookie.
 */
export const sessionClient = new Earnest({
  baseUrl: serviceUrl,
  headers: consoleHeaders,
  timeoutMs: 30_000,
  maxRetries: 0,
});

export const useClient = (): Earnest => clientOf(useSession());
