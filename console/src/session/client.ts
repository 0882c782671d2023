import { Earnest } from "earnest-client";
import { serviceUrl } from "../settings.ts";
import { type Session, useSession } from "./session.ts";

let made: { session: Session | null; client: Earnest } | undefined;

/** The client of the session, or of a visitor. */
export function clientOf(session: Session | null): Earnest {
  if (made?.session !== session) made = { session, client: createClient(session) };
  return made.client;
}

function createClient(session: Session | null): Earnest {
  return new Earnest({
    baseUrl: serviceUrl,
    ...(session ? { accessToken: session.token, organisation: session.organisation } : {}),
    timeoutMs: 30_000,
  });
}

export const useClient = (): Earnest => clientOf(useSession());
