import { QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError, type Earnest } from "earnest-client";
import { announce } from "../parts/toasts.ts";
import { i18n } from "../text/i18n.ts";
import { asPerson } from "./as-person.ts";
import { clientOf } from "./client.ts";
import { actFor, currentSession, subscribe } from "./session.ts";
import { checkSession } from "./session-check.ts";

/** The query cache. The client retries reads, so queries do not. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: endExpiredSession }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});

/** Ends the session, or leaves the organisation, if an error says that the session or the membership has ended. */
export function endExpiredSession(error: unknown): void {
  if (!(error instanceof ApiError)) return;
  // The request may have had an earlier session than this browser has now.
  if (error.code === "unauthenticated") checkSession().catch(() => {});
  // A role without the permission for one action causes the same code.
  if (error.code === "insufficient_role") checkMembership().catch(() => {});
}

/** Switches to the user's own account if they are not a member of the current organisation. */
async function checkMembership(): Promise<void> {
  const session = currentSession();
  if (!session?.organisation) return;
  const { items } = await clientOf(session).organisations.list(asPerson);
  if (currentSession() !== session || items.some(({ id }) => id === session.organisation)) return;
  actFor(null);
  announce(i18n.t("You're no longer a member of that organisation. You now act for yourself."));
}

/** Identifies the session and organisation whose data the cache holds. A change of either clears the cache. */
const ownerOf = () => `${currentSession()?.id} ${currentSession()?.organisation}`;
let owner = ownerOf();
subscribe(() => {
  if (ownerOf() === owner) return;
  owner = ownerOf();
  void queries.cancelQueries();
  queries.clear();
});

/** The organisations that the user may act for, their own account first. */
export const organisationsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["organisations"],
    queryFn: async () => (await client.organisations.list(asPerson)).items,
    staleTime: 60_000,
  });
