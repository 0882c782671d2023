import { digestOf, recordDeliveryData, type TypedData } from "../../../../protocol/settlement/index.ts";
import type { AgreedOrder } from "../buying/agreement-check.ts";
import { chargeOf, waitingStageOf } from "../buying/delivered-work.ts";
import { UntrustedOrderError } from "../buying/errors.ts";
import type { Order } from "../generated/types.ts";

/**
 * Builds the delivery record that the provider signs. It names only this order's escrow, this output and, of a metered order,
 * this charge, or the sum of the stages so far. Only the delivery's number and its stage are taken from the service.
 *
 * @param shown the typed data that the service wants signed
 * @throws UntrustedOrderError if the service shows different data
 */
export function deliveryRecordOf(
  agreed: AgreedOrder,
  order: Pick<Order, "delivery_deadline" | "output_payload" | "units" | "charge_base_units" | "stages">,
  shown: { message: Record<string, unknown> },
): TypedData {
  const { delivery_deadline, output_payload } = order;
  const deliveryDeadline = BigInt(Date.parse(delivery_deadline ?? "") / 1000);
  const deliveryCount = Number(shown.message.number) - 1;
  const stage = waitingStageOf(agreed, order);
  const data = recordDeliveryData({
    ...agreed,
    escrow: { deliveryCount, deliveryDeadline },
    outputHash: digestOf(output_payload),
    charge: stage?.sum ?? chargeOf(agreed, order)?.charge ?? null,
    isFinal: stage?.isFinal ?? true,
  });
  if (data && digestOf(data) === digestOf(shown)) return data;
  throw new UntrustedOrderError(agreed.orderId, "delivery_record.typed_data", data, shown);
}
