import type { Earnest } from "earnest-client";
import { compareOutput } from "earnest-client/buying/delivered-work";
import { deliveryRecordOf } from "earnest-client/serving/delivery-record";
import { timeText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import { chargeValues, checkOrder, frameOf, signingValuesOf, stageValues } from "./checked-order.ts";
import type { Signing } from "./signing.ts";

/**
 * Prepares the on-chain delivery record: one signature of the provider's wallet. It names the escrow and the output's hash,
 * both recomputed here.
 *
 * @param deliveredHash the output's hash in the order's trail
 * @throws UntrustedOrderError if anything differs
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
    title: i18n.t("Confirm delivery on-chain: order {reference}", { reference: order.reference }),
    effect: i18n.t(
      "You sign that you delivered this output. Earnest sends it, and you pay no gas. The review period starts then; afterwards payment releases automatically.",
    ),
    values: [
      ...signingValuesOf(checked),
      { label: i18n.t("Output (SHA-256)"), value: outputHash },
      ...chargeValues(checked),
      ...stageValues(checked),
      { label: i18n.t("Delivery number"), value: String(data.message.number) },
      { label: i18n.t("Signature expires"), value: timeText(String(order.delivery_deadline)) },
    ],
    ...frameOf(checked, account),
    steps: [{ kind: "signature", name: i18n.t("Sign the delivery record"), data }],
    finish: async ([signature]) => {
      await client.orders.recordDelivery(orderId, { signature: String(signature) });
    },
    done: i18n.t("Sent. This page updates once the delivery is confirmed on the chain."),
  };
}
