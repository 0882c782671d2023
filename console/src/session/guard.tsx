import { type ParsedLocation, redirect } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { currentSession, useSession } from "./session.ts";

/** Before an own page is gone to: whoever is not signed in signs in first, and comes back. */
export function requireSession({ location }: { location: ParsedLocation }): void {
  if (!currentSession()) throw redirect({ to: "/sign-in", search: { next: location.href }, replace: true });
}

/** What only somebody who is signed in sees, until the page is left. */
export function SignedIn({ children }: { children: ReactNode }) {
  return useSession() ? children : null;
}
