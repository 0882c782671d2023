import { useSyncExternalStore } from "react";

/** The session of this tab. It ends with the tab. */
export type Session = {
  /** the access token, the only secret */
  token: string;
  /** the wallet that signed in */
  address: string;
  accountId: string;
  /** RFC 3339 */
  expiresAt: string;
  /** the organisation that the user acts for; null for the own account */
  organisation: string | null;
};

const storageKey = "earnest.session";
const listeners = new Set<() => void>();
let session = read();
let reason: string | null = null;

function read(): Session | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Session | null;
    return stored && Date.parse(stored.expiresAt) > Date.now() ? stored : null;
  } catch {
    return null;
  }
}

function change(next: Session | null): void {
  session = next;
  if (next) sessionStorage.setItem(storageKey, JSON.stringify(next));
  else sessionStorage.removeItem(storageKey);
  for (const notify of listeners) notify();
}

/** Returns the current session. */
export const currentSession = (): Session | null => session;

export function beginSession(next: Session): void {
  reason = null;
  change(next);
}

/**
 * Ends the session in this tab.
 *
 * @param why a sentence for the sign-in page; null if the user signed out
 */
export function endSession(why: string | null): void {
  if (!session) return;
  reason = why;
  change(null);
}

/** Switches to an organisation; null switches to the own account. */
export function actFor(organisation: string | null): void {
  if (session) change({ ...session, organisation });
}

/** Why the last session ended; null if the user signed out. */
export const endReason = (): string | null => reason;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session and renders again when it changes. */
export const useSession = (): Session | null => useSyncExternalStore(subscribe, currentSession);
