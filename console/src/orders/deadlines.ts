import { durationText, timeText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import { currentStageOf } from "./current-stage.ts";
import type { OrderView } from "./order-queries.ts";

/** A deadline of an order, and what happens at it. */
export type Deadline = { at: string; effect: string };

/** Returns the open deadlines of an order. A finished order has none. */
export function deadlinesOf({ order, options }: Pick<OrderView, "order" | "options">): Deadline[] {
  const isRecorded = order.delivery_record === "matched";
  switch (order.status) {
    case "created":
      return [{ at: order.funding_deadline, effect: i18n.t("The order expires unless it is paid by then.") }];
    case "funded":
    case "started":
    case "delivered":
      if (order.stages) return stageDeadlines(order);
      if (order.pricing_model === "per_call" && order.delivery_deadline) {
        return [
          {
            at: order.delivery_deadline,
            effect: i18n.t("The session ends. What its calls have not cost goes back to the buyer."),
          },
        ];
      }
      if (!isRecorded && order.delivery_deadline) {
        return [
          {
            at: order.delivery_deadline,
            effect: i18n.t(
              "If delivery isn't confirmed on-chain by then, the buyer can reclaim the full amount.",
            ),
          },
        ];
      }
      if (isRecorded && order.auto_release_at) {
        return [
          {
            at: order.auto_release_at,
            effect: i18n.t(
              "Payment releases to the provider automatically unless the buyer opens a dispute.",
            ),
          },
        ];
      }
      return [];
    case "disputed": {
      const settle = options.actions.find(({ action }) => action === "settleDispute");
      if (!settle?.available_at) return [];
      return [{ at: settle.available_at, effect: i18n.t("From then on, anyone can pay out the dispute.") }];
    }
    default:
      return [];
  }
}

/** The deadlines of an order in stages: of the stage that waits for the buyer, and of all the work. */
function stageDeadlines(order: OrderView["order"]): Deadline[] {
  const stage = currentStageOf(order);
  const isRecorded = order.delivery_record === "matched";
  const isLast = stage?.number === order.stages?.length;
  return [
    ...(stage && isRecorded && order.auto_release_at
      ? [
          {
            at: order.auto_release_at,
            effect: i18n.t(
              "The payment of stage {number} releases to the provider automatically unless the buyer opens a dispute.",
              { number: stage.number },
            ),
          },
        ]
      : []),
    ...(order.delivery_deadline && !(isRecorded && isLast)
      ? [
          {
            at: order.delivery_deadline,
            effect: i18n.t(
              "If not all stages are confirmed on-chain by then, the buyer can reclaim the amount of the others.",
            ),
          },
        ]
      : []),
  ];
}

/** Formats the time until a deadline, such as `in 2 days 3 hours`. */
export function untilText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  return seconds > 0
    ? i18n.t("in {duration}", { duration: durationText(seconds) })
    : i18n.t("since {time}", { time: timeText(at) });
}
