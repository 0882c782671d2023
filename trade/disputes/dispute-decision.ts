import { getAddress, type Hex } from "viem";
import type { OrderRow } from "../../db/order-rows.ts";
import { type Call, decideDisputeCall } from "../../protocol/settlement/calls.ts";
import { formatAmount, parseAmount } from "../../protocol/settlement/money.ts";
import type { TypedData } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Caller, Context } from "../context.ts";
import { readAsSigner, readTypedData, sendSignedAct } from "../orders/send-signed-act.ts";
import { refuseField } from "../refusal.ts";
import type { RelayRow } from "../relay/relay-queue.ts";
import { readTextHash, textRecorder } from "./dispute-statements.ts";

/** The decision of an arbiter; `providerAmount` is a decimal in the order's token. */
export type DecisionRequest = { providerAmount: string; rulingHash?: Hex | undefined };

/** The same, signed; the deadline is unix seconds. */
export type SignedDecision = DecisionRequest & {
  ruling?: string | undefined;
  deadline: bigint;
  signature: Hex;
};

/**
 * Reads the typed data by which an arbiter decides a dispute, and the equal call for the arbiter's own wallet.
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
    providerAmount: readProviderAmount(row, providerAmount),
    rulingHash: readTextHash("ruling", undefined, rulingHash),
  });
  const typedData = await readTypedData(context, "decision", own, (deadline) => ({ ...read(), deadline }));
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  return { typedData, call: decideDisputeCall(escrow, read()) };
}

/**
 * Has a dispute decided by the arbiter's signature.
 *
 * @returns the relay
 * @throws Refusal `invalid_request` for the amount and the ruling's hash, or as `readAsSigner` and `sendSignedAct`
 */
export async function decideDispute(
  context: Context,
  caller: Caller,
  orderId: string,
  { providerAmount, ruling, rulingHash, deadline, signature }: SignedDecision,
): Promise<RelayRow> {
  const own = await readAsSigner(context.db, caller, "decision", orderId);
  const content = {
    providerAmount: readProviderAmount(own.row, providerAmount),
    rulingHash: readTextHash("ruling", ruling, rulingHash),
    deadline,
  };
  const act = { name: "decision", own, content, signature } as const;
  return sendSignedAct(context, caller, act, textRecorder(ruling));
}

/** @throws Refusal `invalid_request` for an amount that is none, finer than the token, or more than the escrow holds */
function readProviderAmount(row: OrderRow, text: string): bigint {
  const amount = parseAmount(text, row.tokenDecimals);
  if (amount === null) {
    throw refuseField(
      "provider_amount",
      "decimal",
      `provider_amount must be a decimal of at most ${row.tokenDecimals} places.`,
    );
  }
  if (amount > row.amount) {
    throw refuseField(
      "provider_amount",
      "maximum",
      `The escrow holds ${formatAmount(row.amount, row.tokenDecimals)} ${row.tokenSymbol}, and provider_amount cannot be more.`,
    );
  }
  return amount;
}
