import { Link } from "@tanstack/react-router";
import type { EventType, FeedEvent } from "earnest-client";
import type { ReactNode } from "react";
import { i18n } from "../text/i18n.ts";
import { eventPath, eventText } from "./event-text.tsx";

type Notice = { content: ReactNode; link: ReactNode };

/** The types that are shown as a notice when they happen. The page of notifications has the others, too. */
const noticed: ReadonlySet<EventType> = new Set([
  "order.approval_requested",
  "order.funded",
  "order.started",
  "order.delivered",
  "order.released",
  "order.refunded",
  "order.disputed",
  "order.execution_failed",
  "order.message",
  "fact.reverted",
  "quote.received",
  "review.received",
  "review.answered",
] as const);

/** The notice of an event: what happened to which service, with a link to the order or the request. Most events have none. */
export function noticeOf(event: FeedEvent): Notice | null {
  if (!noticed.has(event.type)) return null;
  if ("message" in event.data && !event.data.message.notifies) return null;
  const text = event.type === "quote.received" ? i18n.t("View request") : i18n.t("View order");
  return { content: eventText(event), link: <Link to={eventPath(event)}>{text}</Link> };
}
