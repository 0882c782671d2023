import type { Order } from "earnest-client";
import { Check } from "lucide-react";
import { Time } from "../parts/time.tsx";
import { i18n } from "../text/i18n.ts";
import type { OrderView } from "./order-queries.ts";
import { orderStatusText } from "./order-words.ts";

/** The step of the delivery. An order in stages counts those that are accepted. */
function deliveryStep({ stages, delivered_at, completed_at }: Order): { title: string; at: string | null } {
  if (!stages) return { title: i18n.t("Delivered"), at: delivered_at };
  const accepted = stages.filter(({ state }) => state === "accepted").length;
  return {
    title: i18n.t("{accepted} of {total} stages", { accepted, total: stages.length }),
    at: accepted > 0 ? completed_at : null,
  };
}

/** The steps of an order from placing to its end. Each has its time once it is done. */
export function OrderSteps({ view: { order } }: { view: OrderView }) {
  const end = ["released", "refunded", "expired"].includes(order.status) ? order.status : "released";
  // The work of a session is its calls, which this service does not see.
  const isSession = order.pricing_model === "per_call";
  const steps = [
    { title: i18n.t("Placed"), at: order.created_at },
    ...(end === "expired" ? [] : [{ title: i18n.t("Paid into escrow"), at: order.funded_at }]),
    ...(!isSession && (end === "released" || order.started_at)
      ? [{ title: i18n.t("Started"), at: order.started_at }]
      : []),
    ...(!isSession && (end === "released" || order.delivered_at) ? [deliveryStep(order)] : []),
    ...(order.disputed_at ? [{ title: orderStatusText("disputed"), at: order.disputed_at }] : []),
    { title: orderStatusText(end as typeof order.status), at: order.completed_at },
  ];
  const isOver = order.completed_at !== null;
  const current = isOver ? -1 : steps.findIndex(({ at }) => at === null);
  return (
    <ol className="steps-line" aria-label={i18n.t("Progress")}>
      {steps.map(({ title, at }, index) => (
        <li
          key={title}
          data-progress={at ? "done" : index === current ? "current" : "open"}
          aria-current={index === current ? "step" : undefined}
        >
          <span className="dot" aria-hidden>
            {at && <Check size={12} />}
          </span>
          <span>
            {title}
            {at && (
              <span className="quiet">
                <Time at={at} isRelative />
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
