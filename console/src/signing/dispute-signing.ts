import type { Earnest } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { nowOf } from "earnest-client/buying/escrow-on-chain";
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
import { WalletProblem } from "../problems/problem.ts";
import { i18n } from "../text/i18n.ts";
import {
  amountOf,
  type CheckedOrder,
  checkOrder,
  frameOf,
  moneyOf,
  signingValuesOf,
} from "./checked-order.ts";
import { bySender, bySigner, compareCall, compareData, readDeadline } from "./prepare-act.ts";
import type { Signing, SigningValue } from "./signing.ts";

/** The wallet that acts, and whether it signs for the service or sends its own transaction. */
type Signer = { account: string; bySignature: boolean };

/**
 * Prepares the opening of a dispute. The chain gets the reason's hash; the service gets the reason.
 *
 * @throws UntrustedOrderError if the service shows different data; nothing is signed
 */
export async function prepareDispute(
  client: Earnest,
  orderId: string,
  reason: string,
  { account, bySignature }: Signer,
): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order } = checked;
  const reasonHash = hashOrZero(reason);
  const common = {
    title: i18n.t("Open a dispute: order {reference}", { reference: order.reference }),
    ...frameOf(checked, account),
    values: [
      ...signingValuesOf(checked),
      ...arbiterFacts(checked),
      { label: i18n.t("Hash of the reason"), value: reasonHash },
    ],
  };
  const effect = i18n.t(
    "The escrow holds {amount} until the dispute ends. The other party and the arbiter can read your reason.",
    { amount: amountOf(checked) },
  );
  if (!bySignature) {
    const call = disputeCall(agreed, reasonHash);
    return {
      ...common,
      effect: `${effect} ${bySender()}`,
      steps: [{ kind: "call", name: i18n.t("Send: open the dispute (dispute)"), call }],
      done: i18n.t("Included in a block. Once it is confirmed, publish your reason here."),
    };
  }
  const { typed_data: shown } = await client.disputes.get(orderId, { reason_hash: reasonHash });
  const deadline = readDeadline(orderId, shown?.message.deadline, await nowOf(checked.signer));
  const data = signedActData("dispute", agreed, { deadline, reasonHash });
  compareData(checked, "dispute.typed_data", data, shown);
  return {
    ...common,
    effect: `${effect} ${bySigner()}`,
    values: [...common.values, { label: i18n.t("Signature expires"), value: timeText(deadline) }],
    steps: [{ kind: "signature", name: i18n.t("Sign: open the dispute"), data }],
    finish: async ([signature]) => {
      await client.disputes.open(orderId, {
        ...(reason === "" ? {} : { reason }),
        signature: String(signature),
        deadline: String(deadline),
      });
    },
    done: i18n.t("Sent. This page updates once the dispute is confirmed on the chain."),
  };
}

/**
 * Prepares the decision of a dispute: the provider's share and the ruling's hash.
 *
 * @param decision.providerAmount a decimal amount in the order's token; the buyer gets the rest
 * @throws UntrustedOrderError if the service shows different data, WalletProblem if the amount is invalid
 */
export async function prepareDecision(
  client: Earnest,
  orderId: string,
  { providerAmount: text, ruling }: { providerAmount: string; ruling: string },
  { account, bySignature }: Signer,
): Promise<Signing> {
  const checked = await checkOrder(client, orderId, account);
  const { agreed, order, decimals } = checked;
  const { terms } = agreed;
  if (terms.arbiter.toLowerCase() !== account.toLowerCase()) {
    throw new UntrustedOrderError(orderId, "agreement.arbiter", account, terms.arbiter);
  }
  const providerAmount = parseAmount(text, decimals);
  if (providerAmount === null || providerAmount > terms.amount) {
    throw new WalletProblem(
      "input",
      i18n.t("Enter a provider's share from 0 to {amount}.", { amount: amountOf(checked) }),
    );
  }
  const rulingHash = hashOrZero(ruling);
  const shown = await client.disputes.getDecisionToSign(orderId, {
    provider_amount: formatAmount(providerAmount, decimals),
    ruling_hash: rulingHash,
  });
  const shares = {
    provider: moneyOf(providerAmount, checked),
    buyer: moneyOf(terms.amount - providerAmount, checked),
  };
  const common = {
    title: i18n.t("Decide the dispute: order {reference}", { reference: order.reference }),
    ...frameOf(checked, account),
    values: [
      { label: i18n.t("Provider gets"), value: shares.provider },
      { label: i18n.t("Buyer gets"), value: shares.buyer },
      { label: i18n.t("Hash of the ruling"), value: rulingHash },
      {
        label: i18n.t("Paid out"),
        value: i18n.t("{duration} after the decision", { duration: durationText(terms.appealWindow) }),
      },
      ...signingValuesOf(checked),
    ],
  };
  const effect = i18n.t(
    "The provider gets {provider}, the buyer {buyer}. Nobody can change the decision.",
    shares,
  );
  const call = decideDisputeCall(agreed, { providerAmount, rulingHash });
  compareCall(checked, "decision.call", call, shown.call);
  if (!bySignature) {
    return {
      ...common,
      effect: `${effect} ${bySender()}`,
      steps: [{ kind: "call", name: i18n.t("Send: decide the dispute (decideDispute)"), call }],
      done: i18n.t("Included in a block. Once it is confirmed, publish the ruling here."),
    };
  }
  const deadline = readDeadline(orderId, shown.typed_data.message.deadline, await nowOf(checked.signer));
  const data = decisionData(agreed, { providerAmount, rulingHash, deadline });
  compareData(checked, "decision.typed_data", data, shown.typed_data);
  return {
    ...common,
    effect: `${effect} ${bySigner()}`,
    values: [...common.values, { label: i18n.t("Signature expires"), value: timeText(deadline) }],
    steps: [{ kind: "signature", name: i18n.t("Sign: decide the dispute"), data }],
    finish: async ([signature]) => {
      await client.disputes.decide(orderId, {
        provider_amount: formatAmount(providerAmount, decimals),
        ...(ruling === "" ? {} : { ruling }),
        signature: String(signature),
        deadline: String(deadline),
      });
    },
    done: i18n.t("Sent. This page updates once the decision is confirmed on the chain."),
  };
}

/** Hashes a text for the chain. No text has the zero hash. */
const hashOrZero = (text: string): Hex => (text === "" ? zeroHash : hashOfText(text));

function arbiterFacts({ agreed: { terms } }: CheckedOrder): SigningValue[] {
  if (terms.arbiter === zeroAddress) {
    return [{ label: i18n.t("Arbiter"), value: i18n.t("None (deadlines only)") }];
  }
  return [
    { label: i18n.t("Decided by"), value: i18n.t("{address} (arbiter)", { address: terms.arbiter }) },
    { label: i18n.t("Time to decide"), value: durationText(terms.disputeWindow) },
    { label: i18n.t("Time to appeal"), value: durationText(terms.appealWindow) },
  ];
}
