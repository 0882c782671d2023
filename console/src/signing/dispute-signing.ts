import type { Earnest } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { nowOf } from "earnest-client/buying/paying";
import { type Hex, zeroAddress, zeroHash } from "viem";
import {
  decideDisputeCall,
  decisionData,
  disputeCall,
  formatAmount,
  hashOfText,
  parseAmount,
  signedActData,
} from "../../../protocol/settlement/index.ts";
import { durationText, timeText } from "../parts/time-text.ts";
import { WalletProblem } from "../wallet/problems.ts";
import { amountOf, type CheckedOrder, checkOrder, factsOf, frameOf } from "./checked-order.ts";
import { compareCall, compareData, readDeadline } from "./escrow-actions.ts";
import type { Fact, Signing } from "./signing.ts";

/** Who signs, and how: a signature that the service sends, or a transaction of the wallet's own. */
type Way = { account: string; bySignature: boolean };

/**
 * What opens a dispute with a reason: the chain gets the reason's hash, the service the reason.
 *
 * @throws UntrustedOrderError where the service shows something else; nothing is signed then
 */
export async function prepareDispute(
  client: Earnest,
  orderId: string,
  reason: string,
  { account, bySignature }: Way,
): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order } = checked;
  const reasonHash = hashOfNote(reason);
  const common = {
    title: `Open a dispute: order ${order.reference}`,
    ...frameOf(checked, account),
    facts: [...factsOf(checked), ...deciderOf(checked), { label: "Reason's hash", value: reasonHash }],
  };
  const effect = `The escrow keeps ${amountOf(checked)} until the dispute ends. Everybody who is part of it can read your reason.`;
  if (!bySignature) {
    const call = disputeCall(agreed, reasonHash);
    return {
      ...common,
      effect: `${effect} Your wallet sends the transaction and pays its gas.`,
      steps: [{ kind: "call", name: "Send: open the dispute (dispute)", call }],
      done: "The dispute is in a block. Publish your reason here as soon as it is confirmed.",
    };
  }
  const { typed_data: shown } = await client.disputes.get(orderId, { reason_hash: reasonHash });
  const deadline = readDeadline(orderId, shown?.message.deadline, await nowOf(checked.signer));
  const data = signedActData("dispute", agreed, { deadline, reasonHash });
  compareData(checked, "dispute.typed_data", data, shown);
  return {
    ...common,
    effect: `${effect} You sign it, the service sends it, and you pay no gas.`,
    facts: [...common.facts, { label: "Signature good until", value: timeText(deadline) }],
    steps: [{ kind: "signature", name: "Sign: open the dispute", data }],
    finish: async ([signature]) => {
      await client.disputes.open(orderId, {
        ...(reason === "" ? {} : { reason }),
        signature: String(signature),
        deadline: String(deadline),
      });
    },
    done: "The dispute is on its way to the chain. This page shows it as soon as it is confirmed.",
  };
}

/**
 * What decides a dispute: the provider's share, and the hash of the ruling.
 *
 * @param decision.providerAmount a decimal in the order's token; the rest is the buyer's
 * @throws UntrustedOrderError where the service shows something else; WalletProblem for an amount that is none
 */
export async function prepareDecision(
  client: Earnest,
  orderId: string,
  { providerAmount: text, ruling }: { providerAmount: string; ruling: string },
  { account, bySignature }: Way,
): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order, decimals, symbol } = checked;
  const { terms } = agreed;
  if (terms.arbiter.toLowerCase() !== account.toLowerCase()) {
    throw new UntrustedOrderError(orderId, "agreement.arbiter", account, terms.arbiter);
  }
  const providerAmount = parseAmount(text, decimals);
  if (providerAmount === null || providerAmount > terms.amount) {
    throw new WalletProblem("input", `The provider's share is a number from 0 to ${amountOf(checked)}.`);
  }
  const rulingHash = hashOfNote(ruling);
  const shown = await client.disputes.getDecisionToSign(orderId, {
    provider_amount: formatAmount(providerAmount, decimals),
    ruling_hash: rulingHash,
  });
  const shares = {
    provider: `${formatAmount(providerAmount, decimals)} ${symbol}`,
    buyer: `${formatAmount(terms.amount - providerAmount, decimals)} ${symbol}`,
  };
  const common = {
    title: `Decide the dispute: order ${order.reference}`,
    ...frameOf(checked, account),
    facts: [
      { label: "Provider gets", value: shares.provider },
      { label: "Buyer gets", value: shares.buyer },
      { label: "Ruling's hash", value: rulingHash },
      { label: "Can be settled", value: `${durationText(terms.appealWindow)} after the decision` },
      ...factsOf(checked),
    ],
  };
  const effect = `The provider gets ${shares.provider}, the buyer ${shares.buyer}. Nobody can change the decision.`;
  const call = decideDisputeCall(agreed, { providerAmount, rulingHash });
  compareCall(checked, "decision.call", call, shown.call);
  if (!bySignature) {
    return {
      ...common,
      effect: `${effect} Your wallet sends the transaction and pays its gas.`,
      steps: [{ kind: "call", name: "Send: decide the dispute (decideDispute)", call }],
      done: "The decision is in a block. Publish the ruling here as soon as it is confirmed.",
    };
  }
  const deadline = readDeadline(orderId, shown.typed_data.message.deadline, await nowOf(checked.signer));
  const data = decisionData(agreed, { providerAmount, rulingHash, deadline });
  compareData(checked, "decision.typed_data", data, shown.typed_data);
  return {
    ...common,
    effect: `${effect} You sign it, the service sends it, and you pay no gas.`,
    facts: [...common.facts, { label: "Signature good until", value: timeText(deadline) }],
    steps: [{ kind: "signature", name: "Sign: decide the dispute", data }],
    finish: async ([signature]) => {
      await client.disputes.decide(orderId, {
        provider_amount: formatAmount(providerAmount, decimals),
        ...(ruling === "" ? {} : { ruling }),
        signature: String(signature),
        deadline: String(deadline),
      });
    },
    done: "The decision is on its way to the chain. This page shows it as soon as it is confirmed.",
  };
}

/** What the chain gets for a text; all zero where there is none. */
const hashOfNote = (text: string): Hex => (text === "" ? zeroHash : hashOfText(text));

function deciderOf({ agreed: { terms } }: CheckedOrder): Fact[] {
  if (terms.arbiter === zeroAddress) {
    return [{ label: "Decided by", value: "nobody: only time ends the dispute" }];
  }
  return [
    { label: "Decided by", value: `${terms.arbiter} (arbiter)` },
    { label: "Time to decide", value: durationText(terms.disputeWindow) },
    { label: "Time to appeal", value: durationText(terms.appealWindow) },
  ];
}
