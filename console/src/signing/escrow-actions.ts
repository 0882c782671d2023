import type { Earnest, SettlementAction } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { nowOf } from "earnest-client/buying/paying";
import {
  type Call,
  digestOf,
  plainCall,
  returnDepositCall,
  signedActData,
  type TypedData,
} from "../../../protocol/settlement/index.ts";
import { timeText } from "../parts/time-text.ts";
import { amountOf, type CheckedOrder, checkOrder, factsOf, frameOf } from "./checked-order.ts";
import type { Signing } from "./signing.ts";

/** The exits of an escrow that a button of the order's page takes. Disputes and deliveries have pages of their own. */
export const acts = ["release", "refund", "settleDispute", "returnDeposit"] as const;
export type Act = (typeof acts)[number];

/** The longest that a signature given instead of a call may stay good, in seconds: the service asks for a day. */
const longestDeadline = 2n * 86_400n;

/**
 * What takes one exit of an order's escrow: a signature, which the service sends without cost, where it offers one, or else
 * the wallet's own call. It is written here from the agreement and compared with what the service shows.
 *
 * @throws UntrustedOrderError where anything differs
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
  const amount = amountOf(checked);
  const common = {
    title: `${titles[act]}: order ${order.reference}`,
    ...frameOf(checked, account),
    facts: [...factsOf(checked)],
  };
  if (bySignature && shown.typed_data && (act === "release" || act === "refund")) {
    const deadline = readDeadline(orderId, shown.typed_data.message.deadline, await nowOf(checked.signer));
    const data = signedActData(act, agreed, { deadline });
    compareData(checked, `actions.${act}.typed_data`, data, shown.typed_data);
    return {
      ...common,
      effect: `${effects[act](amount)} You sign it, the service sends it, and you pay no gas.`,
      facts: [...common.facts, { label: "Signature good until", value: timeText(deadline) }],
      steps: [{ kind: "signature", name: `Sign: ${titles[act].toLowerCase()}`, data }],
      finish: async ([signature]) => {
        await client.orders[act](orderId, { signature: String(signature), deadline: String(deadline) });
      },
      done: "It is on its way to the chain. This page shows it as soon as it is confirmed.",
    };
  }
  const call = act === "returnDeposit" ? returnDepositCall(agreed) : plainCall(agreed, act);
  compareCall(checked, `actions.${act}.call`, call, shown.call);
  return {
    ...common,
    effect: `${effects[act](amount)} Your wallet sends the transaction and pays its gas.`,
    steps: [{ kind: "call", name: `Send: ${titles[act].toLowerCase()} (${call.function})`, call }],
    done: "It is in a block. This page shows it as soon as it is confirmed.",
  };
}

export const titles: Record<Act, string> = {
  release: "Pay the provider",
  refund: "Refund the buyer",
  settleDispute: "Settle the dispute",
  returnDeposit: "Send the deposit back to the buyer",
};

const effects: Record<Act, (amount: string) => string> = {
  release: (amount) => `The escrow pays ${amount} to the provider. This cannot be undone.`,
  refund: (amount) => `The escrow pays ${amount} back to the buyer. This cannot be undone.`,
  settleDispute: (amount) => `The escrow divides ${amount} as the dispute came out. This cannot be undone.`,
  returnDeposit: () => "What lies at the order's deposit address goes back to the buyer.",
};

/**
 * Reads until when a signature given now is good, as the service asks for it.
 *
 * @throws UntrustedOrderError where it is none, or further off than two days
 */
export function readDeadline(orderId: string, shown: unknown, now: bigint): bigint {
  const deadline = /^\d{1,12}$/.test(String(shown)) ? BigInt(String(shown)) : 0n;
  if (deadline > 0n && deadline <= now + longestDeadline) return deadline;
  throw new UntrustedOrderError(orderId, "typed_data.message.deadline", "within two days", String(shown));
}

/** @throws UntrustedOrderError where the service shows another text to sign */
export function compareData({ agreed }: CheckedOrder, field: string, own: TypedData, shown: unknown): void {
  if (digestOf(own) !== digestOf(shown)) throw new UntrustedOrderError(agreed.orderId, field, own, shown);
}

/** @throws UntrustedOrderError where the service shows another call */
export function compareCall({ agreed }: CheckedOrder, field: string, own: Call, shown: unknown): void {
  if (digestOf(own) !== digestOf(shown)) throw new UntrustedOrderError(agreed.orderId, field, own, shown);
}
