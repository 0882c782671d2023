import type { Earnest } from "earnest-client";
import {
  authorize,
  compareInstructions,
  hasAllowed,
  hasEscrow,
  payingCalls,
} from "earnest-client/buying/paying";
import { zeroAddress } from "viem";
import { durationText, timeText } from "../parts/time-text.ts";
import { amountOf, type CheckedOrder, checkOrder, factsOf, frameOf } from "./checked-order.ts";
import type { Fact, Signing, Step } from "./signing.ts";

/**
 * Prepares the payment of an order: one signature on the rail x402, or two calls of the wallet on the rail escrow.
 * The data is computed from the agreement and compared with the service's instructions.
 *
 * @throws UntrustedOrderError if anything differs
 */
export async function preparePayment(client: Earnest, orderId: string, account: string): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, decimals, signer, order } = checked;
  const shown = await client.orders.getPaymentInstructions(orderId);
  const rail = order.settlement_rail;
  compareInstructions(shown, { agreed, decimals, rail });
  const common = { title: `Pay order ${order.reference}`, ...frameOf(checked, account) };
  if (rail === "x402") {
    const data = await authorize({ agreed, signer }, shown);
    return {
      ...common,
      effect: `You authorise one transfer of ${amountOf(checked)} into escrow for this order. Only the escrow contract can use the deposit address, for exactly these terms. Earnest sends it, and you pay no gas.`,
      facts: [
        ...factsOf(checked),
        { label: "Deposit address", value: agreed.depositAddress },
        { label: "Signature expires", value: timeText(Number(data.message.validBefore)) },
        ...termsOf(checked),
      ],
      steps: [{ kind: "signature", name: `Sign the payment of ${amountOf(checked)}`, data }],
      finish: async ([signature]) => {
        await client.orders.pay(orderId, { signature, authorization: data.message });
      },
      done: "Payment sent. The order updates once it is confirmed on the chain.",
    };
  }
  const [approve, create] = payingCalls(agreed, shown);
  const steps: Step[] = [{ kind: "call", name: "Pay into escrow (createEscrow)", call: create }];
  if (!(await hasAllowed(agreed, signer))) {
    steps.unshift({
      kind: "call",
      name: `Allow the escrow to take ${amountOf(checked)} (approve)`,
      call: approve,
    });
  }
  // The escrow exists if the page was reloaded after the payment. The contract would refuse a second one and waste the gas.
  if (await hasEscrow(agreed, signer)) steps.length = 0;
  return {
    ...common,
    effect: `Your wallet pays ${amountOf(checked)} into the escrow contract in ${steps.length === 1 ? "one transaction" : "two transactions"}. The contract can only pay the provider or refund you.`,
    facts: [...factsOf(checked), ...termsOf(checked)],
    steps,
    done: "Paid into escrow. The order updates once it is confirmed on the chain.",
  };
}

/** The deadlines and the arbiter of the terms. */
function termsOf({ agreed: { terms } }: CheckedOrder): Fact[] {
  return [
    { label: "Pay by", value: timeText(terms.fundBy) },
    { label: "Delivery time", value: `${durationText(terms.deliveryWindow)} from payment` },
    { label: "Review period", value: `${durationText(terms.acceptanceWindow)} from the recorded delivery` },
    {
      label: "Arbiter",
      value: terms.arbiter === zeroAddress ? "None (deadlines only)" : terms.arbiter,
    },
  ];
}
