import { durationText, timeText } from "../parts/time-text.ts";
import type { OrderView } from "./order-queries.ts";

/** What happens by itself next: when, and what. */
export type Deadline = { at: string; what: string };

/** What time alone does with an order, the soonest first; nothing where it has ended. */
export function deadlinesOf({ order, options }: Pick<OrderView, "order" | "options">): Deadline[] {
  const turns: Deadline[] = [];
  const recorded = order.delivery_record === "matched";
  switch (order.status) {
    case "created":
      turns.push({
        at: order.funding_deadline,
        what: "The order expires unless it is paid. Nothing is owed then.",
      });
      break;
    case "funded":
    case "started":
    case "delivered":
      if (!recorded && order.delivery_deadline) {
        turns.push({
          at: order.delivery_deadline,
          what: "The buyer gets all of it back unless a delivery is recorded on the chain.",
        });
      }
      if (recorded && order.auto_release_at) {
        turns.push({
          at: order.auto_release_at,
          what: "The provider is paid unless the buyer disputes before.",
        });
      }
      break;
    case "disputed": {
      const settle = options.actions.find(({ action }) => action === "settleDispute");
      if (settle?.available_at) {
        turns.push({ at: settle.available_at, what: settle.reason ?? "The dispute can be settled." });
      }
      break;
    }
    default:
  }
  return turns;
}

/** How long it is until then, as in `in 2 days 3 hours`. */
export function untilText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  return seconds > 0 ? `in ${durationText(seconds)}` : `since ${timeText(at)}`;
}
