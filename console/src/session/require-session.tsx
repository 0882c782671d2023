import { type ParsedLocation, redirect } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { currentSession, useSession } from "./session.ts";
import { sessionReady } from "./session-check.ts";

/** Redirects to the sign-in page, which leads back, unless the user is signed in. */
export async function requireSession({ location }: { location: ParsedLocation }): Promise<void> {
  // A browser that did not keep the stored session may still have its cookie.
  if (!currentSession()) await sessionReady;
  if (!currentSession()) throw redirect({ to: "/sign-in", search: { next: location.href }, replace: true });
}

/** Hides a page of the account as soon as the session has ended. */
export function SignedIn({ children }: { children: ReactNode }) {
  return useSession() ? children : null;
}
