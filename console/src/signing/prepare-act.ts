import type { Earnest, SettlementAction } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { releaseVoucherOf, waitingStageOf } from "earnest-client/buying/delivered-work";
import { nowOf } from "earnest-client/buying/escrow-on-chain";
import {
  type Call,
  digestOf,
  plainCall,
  returnDepositCall,
  signatureDeadline,
  signedActData,
  type TypedData,
  voucherCall,
  voucherData,
} from "../../../protocol/settlement/index.ts";
import { timeText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import {
  amountOf,
  type CheckedOrder,
  chargeValues,
  checkOrder,
  frameOf,
  moneyOf,
  signingValuesOf,
  stageValues,
} from "./checked-order.ts";
import { type Act, exitTitle } from "./escrow-acts.ts";
import type { Signing } from "./signing.ts";

/** The longest validity of a signature, in seconds. The service asks for one day. */
const longestDeadline = 2n * 86_400n;

/**
 * Prepares one exit of an order's escrow: a signature that the service sends, or a call that the wallet sends.
 * The data is computed from the agreement and compared with what the service shows.
 *
 * @throws UntrustedOrderError if anything differs
 */
export async function prepareAct(
  client: Earnest,
  orderId: string,
  shown: SettlementAction,
  account: string,
  bySignature = shown.typed_data !== null,
): Promise<Signing> {
  const act = shown.action as Act;
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order } = checked;
  const voucher = act === "release" ? releaseVoucherOf(agreed, order) : null;
  const stage = voucher ? waitingStageOf(agreed, order) : null;
  const released = stage?.amount ?? voucher?.cumulativeAmount;
  const amount = released === undefined ? amountOf(checked) : moneyOf(released, checked);
  const action = exitTitle(shown, stage);
  const common = {
    title: i18n.t("{action}: order {reference}", { action, reference: order.reference }),
    ...frameOf(checked, account),
    values: [
      ...signingValuesOf(checked),
      ...(voucher ? [...chargeValues(checked), ...stageValues(checked)] : []),
    ],
  };
  if (bySignature && shown.typed_data && (act === "release" || act === "refund")) {
    const now = await nowOf(checked.signer);
    // A voucher has no deadline of its own.
    const deadline = voucher
      ? signatureDeadline(now)
      : readDeadline(orderId, shown.typed_data.message.deadline, now);
    const data = voucher ? voucherData(agreed, voucher) : signedActData(act, agreed, { deadline });
    compareData(checked, `actions.${act}.typed_data`, data, shown.typed_data);
    return {
      ...common,
      effect: `${effectOf(act, amount)} ${bySigner()}`,
      values: voucher
        ? common.values
        : [...common.values, { label: i18n.t("Signature expires"), value: timeText(deadline) }],
      steps: [{ kind: "signature", name: i18n.t("Sign: {action}", { action }), data }],
      finish: async ([signature]) => {
        await client.orders[act](orderId, { signature: String(signature), deadline: String(deadline) });
      },
      done: i18n.t("Sent. This page updates once it is confirmed on the chain."),
    };
  }
  const call =
    act === "returnDeposit"
      ? returnDepositCall(agreed)
      : voucher && shown.function === "useVoucher"
        ? voucherCall(agreed, voucher)
        : plainCall(agreed, stage && shown.function === "releasePart" ? "releasePart" : act);
  compareCall(checked, `actions.${act}.call`, call, shown.call);
  return {
    ...common,
    effect: `${effectOf(act, amount)} ${bySender()}`,
    steps: [
      {
        kind: "call",
        name: i18n.t("Send: {action} ({function})", { action, function: call.function }),
        call,
      },
    ],
    done: i18n.t("Included in a block. This page updates once it is confirmed."),
  };
}

/** Sentences on the sender of an act and on its gas. */
export const bySigner = (): string => i18n.t("You sign it, Earnest sends it, and you pay no gas.");
export const bySender = (): string => i18n.t("Your wallet sends the transaction and pays its gas.");

function effectOf(act: Act, amount: string): string {
  const texts: Record<Act, string> = {
    release: i18n.t("The escrow pays {amount} to the provider. This cannot be undone.", { amount }),
    refund: i18n.t("The escrow pays {amount} back to the buyer. This cannot be undone.", { amount }),
    settleDispute: i18n.t("The escrow divides {amount} by the dispute's outcome. This cannot be undone.", {
      amount,
    }),
    returnDeposit: i18n.t("The money at the order's deposit address goes back to the buyer."),
  };
  return texts[act];
}

/**
 * Reads the deadline that the service asks a signature to have.
 *
 * @throws UntrustedOrderError if it is missing or more than two days away
 */
export function readDeadline(orderId: string, shown: unknown, now: bigint): bigint {
  const deadline = /^\d{1,12}$/.test(String(shown)) ? BigInt(String(shown)) : 0n;
  if (deadline > 0n && deadline <= now + longestDeadline) return deadline;
  throw new UntrustedOrderError(orderId, "typed_data.message.deadline", "within two days", String(shown));
}

/** @throws UntrustedOrderError if the service shows different typed data */
export function compareData({ agreed }: CheckedOrder, field: string, own: TypedData, shown: unknown): void {
  if (digestOf(own) !== digestOf(shown)) throw new UntrustedOrderError(agreed.orderId, field, own, shown);
}

/** @throws UntrustedOrderError if the service shows a different call */
export function compareCall({ agreed }: CheckedOrder, field: string, own: Call, shown: unknown): void {
  if (digestOf(own) !== digestOf(shown)) throw new UntrustedOrderError(agreed.orderId, field, own, shown);
}
