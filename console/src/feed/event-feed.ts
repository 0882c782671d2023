import { useQueryClient } from "@tanstack/react-query";
import type { EventType, FeedEvent } from "earnest-client";
import { useEffect } from "react";
import { announce } from "../parts/notices.tsx";
import { renew } from "../parts/paging.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { endExpiredSession } from "../session/session-queries.ts";

/**
 * Follows the account's feed for as long as somebody is signed in: whatever an event is about is read anew. The one place
 * that listens; pages read their data and need not know.
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
          for (const key of keysOf(event)) void renew(queries, key);
          const said = noticeOf(event);
          if (said) announce(said);
        }
      } catch (error) {
        endExpiredSession(error);
      }
    })();
    return () => ended.abort();
  }, [isSignedIn, client, queries]);
}

/** What was read of the thing that an event is about. */
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

const reviewNotices: Partial<Record<EventType, string>> = {
  "review.received": "A buyer reviewed an order of yours.",
  "review.answered": "The provider answered your review.",
};

const notices: Partial<Record<EventType, string>> = {
  "order.approval_requested": "waits for your approval",
  "order.funded": "is funded: the escrow holds the money",
  "order.started": "was started",
  "order.delivered": "was delivered",
  "order.released": "is released: the provider has the money",
  "order.refunded": "is refunded: the buyer has the money back",
  "order.disputed": "is disputed",
  "order.execution_failed": "was not delivered by your endpoint: deliver it yourself",
  "fact.reverted": "lost a step: the chain took a block back",
};

function noticeOf({ type, data }: FeedEvent): string | null {
  if ("review_id" in data) return reviewNotices[type] ?? null;
  const said = notices[type];
  return said && "order" in data ? `Order ${data.order.reference} ${said}.` : null;
}
