import { type Earnest, UntrustedOrderError } from "earnest-client";
import { hasAllowed, hasEscrow } from "earnest-client/buying/escrow-on-chain";
import {
  type AccountPayment,
  accountPayment,
  authorize,
  compareInstructions,
  payingCalls,
} from "earnest-client/buying/payment-instructions";
import { getAddress, zeroAddress } from "viem";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { vouchersOnly } from "../../../protocol/settlement/terms.ts";
import { moneyText } from "../parts/money.tsx";
import { durationText, timeText } from "../parts/time-text.ts";
import { findToken } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { keyPlaceOf } from "../wallet/key-place.ts";
import { amountOf, type CheckedOrder, checkOrder, frameOf, signingValuesOf } from "./checked-order.ts";
import { needsPermit, preparePermit } from "./permit-signing.ts";
import type { Signing, SigningStep, SigningValue } from "./signing.ts";

/**
 * Prepares the payment of an order: one signature on the rail x402, or two calls of the wallet on the rail escrow.
 * The data is computed from the agreement and compared with the service's instructions.
 *
 * @throws UntrustedOrderError if anything differs
 */
export async function preparePayment(client: Earnest, orderId: string, account: string): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, decimals, signer, order } = checked;
  // A refund goes to the buyer of the agreement, so only that wallet may pay.
  if (getAddress(account) !== agreed.terms.buyer)
    throw new UntrustedOrderError(orderId, "agreement.terms.buyer", account, agreed.terms.buyer);
  if (!findToken(agreed.chainId, agreed.terms.token))
    throw new UntrustedOrderError(
      orderId,
      "agreement.token.address",
      "a token of this service",
      agreed.terms.token,
    );
  const shown = await client.orders.getPaymentInstructions(orderId);
  const amount = amountOf(checked);
  const rail = order.settlement_rail;
  compareInstructions(shown, { agreed, decimals, rail });
  const common = {
    title: i18n.t("Pay order {reference}", { reference: order.reference }),
    ...frameOf(checked, account),
  };
  // A passkey account sends no transactions: its calls are signed, and the service sends them.
  const byCalls = keyPlaceOf(account) === "passkey" ? accountPayment(agreed, shown) : null;
  if (byCalls) return { ...common, ...signCalls(client, checked, byCalls) };
  if (rail === "x402") {
    const permit = needsPermit(shown) ? await preparePermit(checked, shown) : null;
    const data = permit?.data ?? (await authorize({ agreed, signer }, shown));
    const expiry = Number(data.message[permit ? "deadline" : "validBefore"]);
    return {
      ...common,
      effect: effectOf(amount, permit !== null && permit.steps.length > 1),
      values: [
        ...signingValuesOf(checked),
        { label: i18n.t("Deposit address"), value: agreed.depositAddress, isTechnical: true },
        { label: i18n.t("Signature expires"), value: timeText(expiry) },
        ...termsOf(checked),
      ],
      steps: permit?.steps ?? [
        { kind: "signature", name: i18n.t("Sign the payment of {amount}", { amount }), data },
      ],
      finish: async (results) => {
        const signature = results.at(-1);
        await client.orders.pay(
          orderId,
          permit
            ? { signature, permit2Authorization: { ...data.message, from: signer.address } }
            : { signature, authorization: data.message },
        );
      },
      done: i18n.t("Payment sent. The order updates once it is confirmed on the chain."),
    };
  }
  const [approve, create] = payingCalls(agreed, shown);
  const steps: SigningStep[] = [
    { kind: "call", name: i18n.t("Pay into escrow (createEscrow)"), call: create },
  ];
  if (!(await hasAllowed(agreed, signer))) {
    steps.unshift({
      kind: "call",
      name: i18n.t("Allow the escrow to take {amount} (approve)", { amount }),
      call: approve,
    });
  }
  // The escrow exists if the page was reloaded after the payment. The contract would refuse a second one and waste the gas.
  const isPaid = await hasEscrow(agreed, signer);
  if (isPaid) steps.length = 0;
  return {
    ...common,
    effect: isPaid
      ? i18n.t("This order is already paid into escrow. Your wallet sends nothing.")
      : i18n.t(
          "Your wallet pays {amount} into the escrow contract in {count, plural, one {one transaction} other {# transactions}}. The contract can only pay the provider or refund you.",
          { amount, count: steps.length },
        ),
    values: [...signingValuesOf(checked), ...termsOf(checked)],
    steps,
    done: i18n.t("Paid into escrow. The order updates once it is confirmed on the chain."),
  };
}

/** Prepares the payment by calls of a passkey account. One signature allows the amount and creates the escrow. */
function signCalls(
  client: Earnest,
  checked: CheckedOrder,
  payment: AccountPayment,
): Pick<Signing, "effect" | "values" | "steps" | "finish" | "done"> {
  const { agreed } = checked;
  const amount = amountOf(checked);
  const { nonce, deadline } = payment;
  return {
    effect: i18n.t(
      "Your account pays {amount} into the escrow contract. One signature allows exactly this amount and creates the escrow, which can only pay the provider or refund you. Earnest sends it, and you pay no gas.",
      { amount },
    ),
    values: [
      ...signingValuesOf(checked),
      { label: i18n.t("Signature expires"), value: timeText(Number(deadline)) },
      ...termsOf(checked),
    ],
    steps: [{ kind: "account-calls", name: i18n.t("Sign the payment of {amount}", { amount }), payment }],
    finish: async ([signature]) => {
      const accountCalls = { account: agreed.terms.buyer, nonce, deadline };
      await client.orders.pay(agreed.orderId, { signature, accountCalls });
    },
    done: i18n.t("Payment sent. The order updates once it is confirmed on the chain."),
  };
}

/** Describes a payment by signature. */
function effectOf(amount: string, sendsApproval: boolean): string {
  return sendsApproval
    ? i18n.t(
        "Your wallet first allows Permit2 to take {amount}, by a transaction that costs gas. Then you sign one transfer of {amount} into escrow for this order, which Earnest sends.",
        { amount },
      )
    : i18n.t(
        "You authorise one transfer of {amount} into escrow for this order. Only the escrow contract can use the deposit address, for exactly these terms. Earnest sends it, and you pay no gas.",
        { amount },
      );
}

/** The deadlines and the arbiter of the terms. */
function termsOf({ agreed: { terms, agreement }, decimals, symbol }: CheckedOrder): SigningValue[] {
  const stages = agreement.stages as { amount_base_units: string }[] | undefined;
  const amounts = stages?.map(({ amount_base_units: amount }) => formatAmount(BigInt(amount), decimals));
  return [
    ...(amounts
      ? [{ label: i18n.t("Stages"), value: `${amounts.map(moneyText).join(" + ")} ${symbol}` }]
      : []),
    { label: i18n.t("Pay by"), value: timeText(terms.fundBy) },
    {
      label: i18n.t("Delivery time"),
      value: i18n.t("{duration} from payment", { duration: durationText(terms.deliveryWindow) }),
    },
    {
      label: i18n.t("Review period"),
      value:
        terms.acceptanceWindow === vouchersOnly
          ? i18n.t("None (each call is paid by itself)")
          : i18n.t("{duration} from the recorded delivery", {
              duration: durationText(terms.acceptanceWindow),
            }),
    },
    {
      label: i18n.t("Arbiter"),
      value: terms.arbiter === zeroAddress ? i18n.t("None (deadlines only)") : terms.arbiter,
    },
  ];
}
