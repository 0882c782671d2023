import { Address } from "../parts/address.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import type { OrderView } from "./order-queries.ts";
import { escrowText } from "./order-words.ts";

/** The addresses of an order and the state of its escrow. */
export function ChainDetails({
  view: { order },
  isVerified,
}: {
  view: OrderView;
  /** whether the order equals its signed agreement, as this page recomputed it; null until then */
  isVerified: boolean | null;
}) {
  const { escrow } = order;
  return (
    <LabelledValues
      rows={[
        [
          i18n.t("Agreement"),
          isVerified === null
            ? i18n.t("Checking…")
            : isVerified
              ? i18n.t("Verified: matches the signed agreement")
              : i18n.t("Does not match the signed agreement"),
        ],
        [i18n.t("Network"), nameOfChain(escrow.chain_id)],
        [i18n.t("Buyer"), <Address key="buyer" of={order.buyer_address} />],
        [i18n.t("Provider"), <Address key="provider" of={order.provider_address} />],
        [i18n.t("Escrow contract"), <Address key="escrow" of={escrow.contract_address} />],
        [i18n.t("Escrow status"), escrowText(escrow.status)],
      ]}
    />
  );
}
