import { useSyncExternalStore } from "react";

/** Who is signed in, in this tab and until it is closed. */
export type Session = {
  /** the access token; nothing else is secret */
  token: string;
  /** the wallet that signed in */
  address: string;
  accountId: string;
  /** RFC 3339 */
  expiresAt: string;
  /** the organisation that is acted for; null: the account's own */
  organisation: string | null;
};

const place = "earnest.session";
const listeners = new Set<() => void>();
let session = read();
let ending: string | null = null;

function read(): Session | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place) ?? "null") as Session | null;
    return kept && Date.parse(kept.expiresAt) > Date.now() ? kept : null;
  } catch {
    return null;
  }
}

function change(next: Session | null): void {
  session = next;
  if (next) sessionStorage.setItem(place, JSON.stringify(next));
  else sessionStorage.removeItem(place);
  for (const tell of listeners) tell();
}

/** The session as it is now. */
export const currentSession = (): Session | null => session;

export function beginSession(next: Session): void {
  ending = null;
  change(next);
}

/**
 * Forgets the session.
 *
 * @param why a sentence for the page to sign in on; null where its owner asked for it
 */
export function endSession(why: string | null): void {
  if (!session) return;
  ending = why;
  change(null);
}

/** Acts for an organisation from now on; null: for the account itself. */
export function actFor(organisation: string | null): void {
  if (session) change({ ...session, organisation });
}

/** Why the last session ended, where nobody asked for it. */
export const endReason = (): string | null => ending;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The session, and a new rendering when it changes. */
export const useSession = (): Session | null => useSyncExternalStore(subscribe, currentSession);
