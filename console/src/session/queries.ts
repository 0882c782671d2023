import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "earnest-client";
import { currentSession, endSession, subscribe } from "./session.ts";

/** Everything that was read. Reads are repeated by the client, not here. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnding }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});

/** The service knows the token no more. */
export function noteEnding(error: unknown): void {
  if (error instanceof ApiError && error.code === "unauthenticated") {
    endSession("Your session has ended. Sign in again.");
  }
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
