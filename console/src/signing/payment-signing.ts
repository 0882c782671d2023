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
 * What pays an order: one signature on the rail x402, two calls of the wallet on the rail escrow. Everything in it is
 * written here from the agreement, and the service's own instructions are compared with it.
 *
 * @throws UntrustedOrderError where anything differs
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
      effect: `You sign that ${amountOf(checked)} may move to the order's own deposit address, once. Only the escrow contract can take it from there, for exactly these terms. The service sends it, and you pay no gas.`,
      facts: [
        ...factsOf(checked),
        { label: "Deposit address", value: agreed.depositAddress },
        { label: "Signature good until", value: timeText(Number(data.message.validBefore)) },
        ...termsOf(checked),
      ],
      steps: [{ kind: "signature", name: `Sign the payment of ${amountOf(checked)}`, data }],
      finish: async ([signature]) => {
        await client.orders.pay(orderId, { signature, authorization: data.message });
      },
      done: "The payment is on its way. The order is funded as soon as the chain has confirmed it.",
    };
  }
  const [approve, create] = payingCalls(agreed, shown);
  const steps: Step[] = [
    { kind: "call", name: "Put the money into the escrow (createEscrow)", call: create },
  ];
  if (!(await hasAllowed(agreed, signer))) {
    steps.unshift({
      kind: "call",
      name: `Let the escrow take ${amountOf(checked)} (approve)`,
      call: approve,
    });
  }
  // Paid before this page was opened again: the contract would refuse the second one, after the gas was spent.
  if (await hasEscrow(agreed, signer)) steps.length = 0;
  return {
    ...common,
    effect: `Your wallet puts ${amountOf(checked)} into the escrow contract, by ${steps.length === 1 ? "one transaction" : "two transactions"}. The contract pays it to the provider, or back to you, and to nobody else.`,
    facts: [...factsOf(checked), ...termsOf(checked)],
    steps,
    done: "The escrow holds the money. The order is funded as soon as the chain has confirmed it.",
  };
}

/** What the terms say of times and of who decides. */
function termsOf({ agreed: { terms } }: CheckedOrder): Fact[] {
  return [
    { label: "To be paid by", value: timeText(terms.fundBy) },
    { label: "Time to deliver", value: `${durationText(terms.deliveryWindow)} from payment` },
    { label: "Time to accept", value: `${durationText(terms.acceptanceWindow)} from the recorded delivery` },
    {
      label: "Disputes are decided by",
      value: terms.arbiter === zeroAddress ? "nobody: only time ends them" : terms.arbiter,
    },
  ];
}
