import { useQueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "earnest-client";
import { useEffect } from "react";
import { renew } from "../parts/paging.ts";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { endExpiredSession } from "../session/session-queries.ts";
import { noticeOf } from "./event-notice.tsx";

/**
 * Follows the account's event feed while a session lasts. Each event refreshes the queries about its subject.
 * Pages only read their data.
 */
export function useFeed(): void {
  const session = useSession();
  const client = useClient();
  const queries = useQueryClient();
  const isSignedIn = session !== null;
  useEffect(() => {
    if (!isSignedIn) return;
    const ended = new AbortController();
    void (async () => {
      try {
        const stream = client.events.stream({ from: "now", signal: ended.signal });
        for await (const event of stream) {
          for (const key of [...keysOf(event), ["events"], ["notifications"]]) void renew(queries, key);
          const notice = noticeOf(event);
          if (notice) announce(notice.content, notice.link);
        }
      } catch (error) {
        endExpiredSession(error);
      }
    })();
    return () => ended.abort();
  }, [isSignedIn, client, queries]);
}

/** Returns the query keys of an event's subject. */
function keysOf({ data }: FeedEvent): string[][] {
  if ("order" in data) return [["order", data.order.id], ["orders"], ["keys"]];
  if ("review_id" in data)
    return [
      ["order", data.order_id],
      ["reviews", data.agent.slug],
    ];
  if ("quote_id" in data) return [["request", data.request_id], ["quotes"]];
  if ("subscription_id" in data) return [["subscription", data.subscription_id], ["subscriptions"]];
  return [["requests"]];
}
