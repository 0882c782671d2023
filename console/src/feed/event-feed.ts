import { useQueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "earnest-client";
import { useEffect } from "react";
import { refreshQueries } from "../parts/paging.ts";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { endExpiredSession } from "../session/session-queries.ts";
import { noticeOf } from "./event-notice.tsx";
import { followEvents } from "./shared-stream.ts";

/**
 * Follows the account's event feed while a session lasts. Each event refreshes the queries about its subject.
 * Pages only read their data.
 */
export function useFeed(): void {
  const session = useSession();
  const client = useClient();
  const queries = useQueryClient();
  const owner = session && `${session.id} ${session.organisation ?? ""}`;
  useEffect(() => {
    if (owner === null) return;
    const ended = new AbortController();
    const handle = (event: FeedEvent) => {
      for (const key of [...keysOf(event), ["events"], ["notifications"]]) void refreshQueries(queries, key);
      const notice = noticeOf(event);
      if (notice) announce(notice.content, notice.link);
    };
    followEvents(client, owner, handle, ended.signal).catch(endExpiredSession);
    return () => ended.abort();
  }, [owner, client, queries]);
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
