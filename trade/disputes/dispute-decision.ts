import { getAddress, type Hex } from "viem";
import { type Call, decideDisputeCall } from "../../protocol/settlement/calls.ts";
import { decidableAmounts } from "../../protocol/settlement/dispute.ts";
import { formatAmount, parseAmount } from "../../protocol/settlement/money.ts";
import type { TypedData } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Caller, Context } from "../context.ts";
import type { SharedOrder } from "../orders/order-access.ts";
import { readAsSigner, readTypedData, sendSignedAct } from "../orders/send-signed-act.ts";
import { refuseField } from "../refusal.ts";
import type { RelayRow } from "../relay/relay-queue.ts";
import { readTextHash, textRecorder } from "./dispute-statements.ts";

/** An arbiter's decision; `providerAmount` is a decimal in the order's token. */
export type DecisionRequest = { providerAmount: string; rulingHash?: Hex | undefined };

/** A signed decision; the deadline is unix seconds. */
export type SignedDecision = DecisionRequest & {
  ruling?: string | undefined;
  deadline: bigint;
  signature: Hex;
};

/**
 * Builds the typed data of an arbiter's decision, and the equivalent call for the arbiter's own wallet.
 *
 * @throws Refusal `invalid_request` for the amount, or as `readAsSigner` and `readTypedData`
 */
export async function readDecision(
  context: Context,
  caller: Caller,
  orderId: string,
  { providerAmount, rulingHash }: DecisionRequest,
): Promise<{ typedData: TypedData; call: Call }> {
  const own = await readAsSigner(context.db, caller, "decision", orderId);
  const { row } = own;
  const read = () => ({
    providerAmount: readProviderAmount(own, providerAmount),
    rulingHash: readTextHash("ruling", undefined, rulingHash),
  });
  const typedData = await readTypedData(context, "decision", own, (deadline) => ({ ...read(), deadline }));
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  return { typedData, call: decideDisputeCall(escrow, read()) };
}

/**
 * Decides a dispute by the arbiter's signature.
 *
 * @returns the relay
 * @throws Refusal `invalid_request` for the amount or the ruling's hash, or as `readAsSigner` and `sendSignedAct`
 */
export async function decideDispute(
  context: Context,
  caller: Caller,
  orderId: string,
  { providerAmount, ruling, rulingHash, deadline, signature }: SignedDecision,
): Promise<RelayRow> {
  const own = await readAsSigner(context.db, caller, "decision", orderId);
  const content = {
    providerAmount: readProviderAmount(own, providerAmount),
    rulingHash: readTextHash("ruling", ruling, rulingHash),
    deadline,
  };
  const act = { name: "decision", own, content, signature } as const;
  return sendSignedAct(context, caller, act, textRecorder(ruling));
}

/** @throws Refusal `invalid_request` unless the text is an amount that the contract lets the arbiter give the provider */
function readProviderAmount({ row, escrow }: SharedOrder, text: string): bigint {
  const amount = parseAmount(text, row.tokenDecimals);
  if (amount === null) {
    throw refuseField(
      "provider_amount",
      "decimal",
      `Field provider_amount: use a decimal with at most ${row.tokenDecimals} decimals.`,
    );
  }
  const shown = (units: bigint) => `${formatAmount(units, row.tokenDecimals)} ${row.tokenSymbol}`;
  if (amount > row.amount) {
    throw refuseField(
      "provider_amount",
      "maximum",
      `Field provider_amount: the escrow holds ${shown(row.amount)}; use at most this amount.`,
    );
  }
  const { least, most } = decidableAmounts({ escrow, terms: termsOf(row) });
  if (amount > most) {
    const message = `Field provider_amount: the provider's final record claims ${shown(most)}; use at most this amount.`;
    throw refuseField("provider_amount", "maximum", message);
  }
  if (amount < least) {
    const message = `Field provider_amount: the provider has earned ${shown(least)} by parts; use at least this amount.`;
    throw refuseField("provider_amount", "minimum", message);
  }
  return amount;
}
