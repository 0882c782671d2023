import type { Service } from "../generated/types.ts";
import { type PayWith, readHeld, unitsWithin } from "./tokens.ts";

/** The options of a purchase that decide its quantity. */
type QuantityOptions = {
  quantity?: number | undefined;
  maxAmount?: string | undefined;
  payWith?: PayWith | undefined;
};

/** Whether an order of the service has to name its quantity. */
export const needsQuantity = ({ pricing_model, max_quantity }: Service) =>
  isMeasured(pricing_model) && max_quantity === null;

const isMeasured = (model: Service["pricing_model"]) => model === "metered" || model === "per_call";

/**
 * Returns the quantity of a purchase. Without one, a metered service and a session are bought with their maximum, or else
 * with as many units as `maxAmount` pays.
 *
 * @throws TypeError if the maximum pays no unit
 */
export function chooseQuantity(service: Service, { quantity, maxAmount, payWith }: QuantityOptions): number {
  const { pricing_model, min_quantity, max_quantity } = service;
  if (quantity !== undefined) return quantity;
  if (!isMeasured(pricing_model)) return min_quantity;
  if (max_quantity !== null) return max_quantity;
  const most = readHeld(payWith)?.[0]?.maxAmount ?? maxAmount ?? "0";
  const units = unitsWithin(most, service.price);
  if (units > 0) return units;
  throw new TypeError(`maxAmount ${most} is below the price of one unit, which is ${service.price}.`);
}
