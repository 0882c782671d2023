import { Earnest } from "earnest-client";
import { serviceUrl } from "../settings.ts";
import { type Session, useSession } from "./session.ts";

let cached: { session: Session | null; client: Earnest } | undefined;

/** Returns the client of a session, or of a visitor without one. */
export function clientOf(session: Session | null): Earnest {
  if (cached?.session !== session) cached = { session, client: createClient(session) };
  return cached.client;
}

function createClient(session: Session | null): Earnest {
  return new Earnest({
    baseUrl: serviceUrl,
    ...(session ? { accessToken: session.token, organisation: session.organisation } : {}),
    timeoutMs: 30_000,
  });
}

export const useClient = (): Earnest => clientOf(useSession());
