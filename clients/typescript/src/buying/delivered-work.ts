// The worth of a delivery by the agreement: the charge of a metered order, and the sum of its stages so far.

import type { Hex } from "viem";
import { claimOfStage, digestOf, type StageClaim, sumUpTo } from "../../../../protocol/settlement/index.ts";
import type { Order } from "../generated/types.ts";
import { type AgreedOrder, createComparison } from "./agreement-check.ts";
import { UntrustedOrderError } from "./errors.ts";

/** A delivery as its buyer gets it, after the output was compared with its hash. */
export interface Delivery {
  output: Record<string, unknown> | null;
  /** The SHA-256 of the output's canonical JSON, which the order's trail has too. */
  outputHash: string;
  note: string | null;
  /** The units that a metered order is charged for; null for other orders. */
  units: number | null;
  /** The stage of the work that was delivered; null for an order without stages, and after the last payment. */
  stage: WaitingStage | null;
  order: Order;
}

/**
 * Computes the charge of a metered order's delivery from the agreement's unit price and the delivered units.
 *
 * @returns null for an order that is not metered, or not delivered
 * @throws UntrustedOrderError if the service shows more units than agreed, or another charge
 */
export function chargeOf(
  { orderId, agreement }: Pick<AgreedOrder, "orderId" | "agreement">,
  { units, charge_base_units }: Pick<Order, "units" | "charge_base_units">,
): { units: number; charge: bigint } | null {
  if (agreement.pricing_model !== "metered" || units === null) return null;
  const most = Number(agreement.quantity);
  if (!Number.isSafeInteger(units) || units < 1 || units > most) {
    throw new UntrustedOrderError(orderId, "order.units", `from 1 to ${most}`, units);
  }
  const charge = BigInt(String(agreement.unit_price_base_units)) * BigInt(units);
  createComparison(orderId)("order.charge_base_units", String(charge), charge_base_units);
  return { units, charge };
}

/** A stage of the agreement that waits for the buyer, with the sum that its delivery claims. */
export type WaitingStage = StageClaim & { number: number; title: string; amount: bigint };

/**
 * Finds the delivered stage of an order, with its sum by the agreement. The service alone says which stage is delivered.
 *
 * @returns null for an order without stages, or while no stage waits
 * @throws UntrustedOrderError if the stages of the order are not those of the agreement
 */
export function waitingStageOf(
  { orderId, agreement }: Pick<AgreedOrder, "orderId" | "agreement">,
  order: Pick<Order, "stages">,
): WaitingStage | null {
  const stages = agreement.stages as { title: string; amount_base_units: string }[] | undefined;
  if (!stages) return null;
  const agreed = stages.map(({ amount_base_units: amount }) => ({ amount }));
  const shown = order.stages ?? [];
  createComparison(orderId)("order.stages", stages.length, shown.length);
  for (const [index, { amount }] of agreed.entries()) {
    createComparison(orderId)(
      `order.stages[${index}].amount_base_units`,
      amount,
      shown[index]?.amount_base_units,
    );
  }
  const index = shown.findIndex(({ state }) => state === "delivered" || state === "disputed");
  if (index < 0) return null;
  createComparison(orderId)("order.stages", index, shown.filter(({ state }) => state === "accepted").length);
  const number = index + 1;
  const claim = claimOfStage(agreed, number);
  const amount = claim.sum - sumUpTo(agreed, index);
  return { number, title: String(stages[index]?.title), amount, ...claim };
}

/**
 * Returns the voucher that releases a metered order or a stage: its charge or the sum of the stages so far, for its output. A
 * plain release could pay the whole amount.
 *
 * @returns null for an order that is not paid in parts
 * @throws UntrustedOrderError if nothing of such an order waits for its payment, or as `chargeOf` and `waitingStageOf`
 */
export function releaseVoucherOf(
  agreed: Pick<AgreedOrder, "orderId" | "agreement">,
  order: Pick<Order, "units" | "charge_base_units" | "output_payload" | "stages">,
): { cumulativeAmount: bigint; workHash: Hex } | null {
  if (agreed.agreement.stages !== undefined) {
    const stage = waitingStageOf(agreed, order);
    if (!stage) throw new UntrustedOrderError(agreed.orderId, "order.stages", "a delivered stage", null);
    return { cumulativeAmount: stage.sum, workHash: digestOf(order.output_payload) };
  }
  if (agreed.agreement.pricing_model !== "metered") return null;
  const charged = chargeOf(agreed, order);
  if (!charged) throw new UntrustedOrderError(agreed.orderId, "order.units", "the delivered units", null);
  return { cumulativeAmount: charged.charge, workHash: digestOf(order.output_payload) };
}

/** Compares an output with its hash in the order's trail. A recorded delivery has the same hash on the chain. */
export function compareOutput(orderId: string, output: unknown, hash: unknown): string {
  const found = digestOf(output);
  createComparison(orderId)("order.output_payload", hash, found);
  return found;
}
