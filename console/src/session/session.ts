import type { BrowserSession } from "earnest-client";
import { useSyncExternalStore } from "react";
import { basePath } from "../settings.ts";

/** The session of this browser, as this tab uses it. Its secret is a cookie that no script can read. */
export type TabSession = {
  id: string;
  /** the wallet that signed in */
  address: string;
  accountId: string;
  /** RFC 3339; use prolongs the session */
  expiresAt: string;
  /** the organisation that this tab acts for; null for the own account */
  organisation: string | null;
};

/** The part of the session that all tabs share. */
type SharedSession = Omit<TabSession, "organisation">;

const sessionKey = `earnest.session ${basePath}`;
const organisationKey = `earnest.organisation ${basePath}`;

/** Tells the other tabs that the browser's session began or ended. */
const tabs = new BroadcastChannel(sessionKey);
type Message = { kind: "begun"; shared: SharedSession } | { kind: "ended"; why: string };

const listeners = new Set<() => void>();
let session = readStored();
let reason: string | null = null;

tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === "begun") return adopt(data.shared);
  reason = data.why;
  change(null);
};

function readStored(): TabSession | null {
  try {
    const shared = JSON.parse(localStorage.getItem(sessionKey) ?? "null") as SharedSession | null;
    if (!shared || Date.parse(shared.expiresAt) <= Date.now()) return null;
    return { ...shared, organisation: storedOrganisation(shared.accountId) };
  } catch {
    return null;
  }
}

/** The organisation of this tab, or the one that another tab acted for last. */
function storedOrganisation(accountId: string): string | null {
  const stored = sessionStorage.getItem(organisationKey) ?? localStorage.getItem(organisationKey) ?? "";
  const [person, organisation] = stored.split(" ");
  return person === accountId ? organisation || null : null;
}

function change(next: TabSession | null): void {
  session = next;
  for (const notify of listeners) notify();
}

/** Stores a value of the session for the next start, and for tabs that open. A browser may refuse to store. */
function store(key: string, value: string | null, places: readonly Storage[]): void {
  try {
    for (const place of places) {
      if (value === null) place.removeItem(key);
      else place.setItem(key, value);
    }
  } catch {
    // The cookie alone keeps the session.
  }
}

/** Takes over what the service says of the session. Another session than before also changes the data of the page. */
function adopt(shared: SharedSession): void {
  if (session && JSON.stringify(sharedOf(session)) === JSON.stringify(shared)) return;
  reason = null;
  change({ ...shared, organisation: storedOrganisation(shared.accountId) });
}

const sharedOf = ({ organisation: _, ...shared }: TabSession): SharedSession => shared;

function readShared({ session: started, account }: BrowserSession): SharedSession {
  return {
    id: started.id,
    address: started.address ?? account.primary_address,
    accountId: account.id,
    expiresAt: started.expires_at,
  };
}

/** Returns the current session. */
export const currentSession = (): TabSession | null => session;

/** Begins the session whose cookie the service has set, in all tabs. */
export function beginSession(begun: BrowserSession): void {
  const shared = readShared(begun);
  store(sessionKey, JSON.stringify(shared), [localStorage]);
  adopt(shared);
  tabs.postMessage({ kind: "begun", shared } satisfies Message);
}

/** Keeps what the service says of the session, in this tab. */
export function refreshSession(current: BrowserSession): void {
  const shared = readShared(current);
  store(sessionKey, JSON.stringify(shared), [localStorage]);
  adopt(shared);
}

/**
 * Ends the session in all tabs.
 *
 * @param why a sentence for the sign-in page; null if the user signed out here
 * @param elsewhere the sentence for the other tabs
 */
export function endSession(why: string | null, elsewhere: string): void {
  if (!session) return;
  reason = why;
  store(sessionKey, null, [localStorage]);
  change(null);
  tabs.postMessage({ kind: "ended", why: elsewhere } satisfies Message);
}

/** Switches this tab to an organisation; null switches to the own account. New tabs begin there too. */
export function actFor(organisation: string | null): void {
  if (!session) return;
  store(organisationKey, `${session.accountId} ${organisation ?? ""}`, [sessionStorage, localStorage]);
  change({ ...session, organisation });
}

/** Why the last session ended; null if the user signed out. */
export const endReason = (): string | null => reason;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session and renders again when it changes. */
export const useSession = (): TabSession | null => useSyncExternalStore(subscribe, currentSession);
