import type { Earnest } from "earnest-client";
import { compareOutput } from "earnest-client/buying/agreed";
import { deliveryRecordOf } from "earnest-client/serving/record";
import { timeText } from "../parts/time-text.ts";
import { checkOrder, factsOf, frameOf } from "./checked-order.ts";
import type { Signing } from "./signing.ts";

/**
 * What records a delivery on the chain: one signature of the provider's wallet. It names this order's escrow and the output
 * that was delivered, both recomputed here.
 *
 * @param deliveredHash of the output, as the order's trail has it
 * @throws UntrustedOrderError where anything differs
 */
export async function prepareRecord(
  client: Earnest,
  orderId: string,
  account: string,
  deliveredHash: unknown,
): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order } = checked;
  const outputHash = compareOutput(orderId, order.output_payload, deliveredHash);
  const { typed_data: shown } = await client.orders.getDeliveryRecordToSign(orderId);
  const data = deliveryRecordOf(agreed, order, shown);
  return {
    title: `Record the delivery: order ${order.reference}`,
    effect:
      "You sign that you delivered this output. The service sends it to the chain, and you pay no gas. The buyer's time to accept begins then, and after it you are paid without the buyer.",
    facts: [
      ...factsOf(checked),
      { label: "Output (SHA-256)", value: outputHash },
      { label: "Delivery", value: `number ${data.message.number}` },
      { label: "Signature good until", value: timeText(String(order.delivery_deadline)) },
    ],
    ...frameOf(checked, account),
    steps: [{ kind: "signature", name: "Sign the record of the delivery", data }],
    finish: async ([signature]) => {
      await client.orders.recordDelivery(orderId, { signature: String(signature) });
    },
    done: "The record is on its way to the chain. This page shows it as soon as it is confirmed.",
  };
}
