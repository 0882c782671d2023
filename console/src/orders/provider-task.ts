import type { OrderView } from "./order-queries.ts";

/** The next task of an order's provider, or null. */
export function providerTask({ order, options }: OrderView): "start" | "deliver" | "record" | null {
  // The calls of a session are answered at the provider's endpoint.
  if (!options.your_roles.includes("provider") || order.pricing_model === "per_call") return null;
  if (order.status === "funded") return "start";
  const record = options.actions.find(({ action }) => action === "recordDelivery");
  if (order.status !== "started" && record?.available) return "record";
  const inTime = Date.parse(order.delivery_deadline ?? "") > Date.now();
  return order.status === "started" || (order.status === "disputed" && inTime) ? "deliver" : null;
}
