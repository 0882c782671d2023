import { durationText, timeText } from "../parts/time-text.ts";
import type { OrderView } from "./order-queries.ts";

/** A deadline of an order, and what happens at it. */
export type Deadline = { at: string; what: string };

/** Returns the open deadlines of an order. A finished order has none. */
export function deadlinesOf({ order, options }: Pick<OrderView, "order" | "options">): Deadline[] {
  const deadlines: Deadline[] = [];
  const recorded = order.delivery_record === "matched";
  switch (order.status) {
    case "created":
      deadlines.push({
        at: order.funding_deadline,
        what: "The order expires unless it is paid by then.",
      });
      break;
    case "funded":
    case "started":
    case "delivered":
      if (!recorded && order.delivery_deadline) {
        deadlines.push({
          at: order.delivery_deadline,
          what: "If delivery isn't confirmed on-chain by then, the buyer can reclaim the full amount.",
        });
      }
      if (recorded && order.auto_release_at) {
        deadlines.push({
          at: order.auto_release_at,
          what: "Payment releases to the provider automatically unless the buyer opens a dispute.",
        });
      }
      break;
    case "disputed": {
      const settle = options.actions.find(({ action }) => action === "settleDispute");
      if (settle?.available_at) {
        deadlines.push({ at: settle.available_at, what: settle.reason ?? "The dispute can be settled." });
      }
      break;
    }
    default:
  }
  return deadlines;
}

/** Formats the time until a deadline, such as `in 2 days 3 hours`. */
export function untilText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  return seconds > 0 ? `in ${durationText(seconds)}` : `since ${timeText(at)}`;
}
