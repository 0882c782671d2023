import type { Earnest, RefusedPayout } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { withdrawCall } from "../../../protocol/settlement/index.ts";
import { i18n } from "../text/i18n.ts";
import { checkOrder, frameOf, signingValuesOf } from "./checked-order.ts";
import { bySender, compareCall } from "./prepare-act.ts";
import type { Signing } from "./signing.ts";

/**
 * Prepares the withdrawal of what the escrow contract owes to a wallet, sent by that wallet. The call is computed from the
 * order's agreement and compared with what the service shows.
 *
 * @throws UntrustedOrderError if anything differs
 */
export async function prepareWithdrawal(client: Earnest, payout: RefusedPayout): Promise<Signing> {
  const { order_id: orderId, recipient } = payout;
  const checked = await checkOrder(client, orderId, recipient);
  const { escrowContract, terms } = checked.agreed;
  const payee = [terms.provider, terms.buyer].find((party) => party === recipient);
  if (!payee) throw new UntrustedOrderError(orderId, "payout.recipient", terms.provider, recipient);
  const call = withdrawCall(escrowContract, { token: terms.token, payee });
  compareCall(checked, "payout.call", call, payout.call);
  return {
    title: i18n.t("Withdraw: order {reference}", { reference: checked.order.reference }),
    ...frameOf(checked, recipient),
    effect: `${i18n.t("The contract pays your wallet all that it owes to it in this token.")} ${bySender()}`,
    values: signingValuesOf(checked),
    steps: [{ kind: "call", name: i18n.t("Send: withdraw"), call }],
    done: i18n.t("Included in a block. This page updates once it is confirmed."),
  };
}
