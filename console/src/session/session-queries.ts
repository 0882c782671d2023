import { QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError, type Earnest } from "earnest-client";
import { announce } from "../parts/notices.tsx";
import { clientOf } from "./client.ts";
import { actFor, currentSession, endSession, subscribe } from "./session.ts";

/** Everything that was read. Reads are repeated by the client, not here. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: endExpiredSession }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});

/** The service knows the token no more, or the person belongs no more to the organisation that is acted for. */
export function endExpiredSession(error: unknown): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === "unauthenticated") endSession("Your session has ended. Sign in again.");
  // A role that is too small for one thing says the same.
  if (error.code === "insufficient_role") checkMembership().catch(() => {});
}

/** Goes back to the person's own account where they may act for the organisation no more. */
async function checkMembership(): Promise<void> {
  const session = currentSession();
  if (!session?.organisation) return;
  const { items } = await clientOf(session).organisations.list({ organisation: null });
  if (currentSession() !== session || items.some(({ id }) => id === session.organisation)) return;
  actFor(null);
  announce("You belong to that organisation no more. You act for yourself now.");
}

/** Whose data it is: nothing of it outlives a session or another organisation's. */
const ownerOf = () => `${currentSession()?.token} ${currentSession()?.organisation}`;
let owner = ownerOf();
subscribe(() => {
  if (ownerOf() === owner) return;
  owner = ownerOf();
  void queries.cancelQueries();
  queries.clear();
});

/** The organisations that the person may act for, their own account first. */
export const organisationsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["organisations"],
    queryFn: async () => (await client.organisations.list({ organisation: null })).items,
    staleTime: 60_000,
  });
