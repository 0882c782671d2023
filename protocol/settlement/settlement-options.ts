import { zeroAddress, zeroHash } from "viem";
import type { ExitState, Situation, Taker } from "./actions.ts";
import * as actions from "./actions.ts";
import {
  type Call,
  createEscrowCall,
  decideDisputeCall,
  disputeCall,
  plainCall,
  recordDeliveryCall,
  returnDepositCall,
  voucherCall,
} from "./calls.ts";
import { decidableAmounts, decideDispute, settleDispute } from "./dispute.ts";
import {
  decisionData,
  recordDeliveryData,
  signatureDeadline,
  signedActData,
  type TypedData,
  voucherData,
} from "./signatures.ts";
import type { StageClaim } from "./stages.ts";
import type { Role } from "./vocabulary.ts";

/** One exit of an escrow, or one way to fund it: who may take it, whether the caller may now, and how. */
export type SettlementAction = {
  action: ActionName;
  available: boolean;
  who: Taker;
  /** why it is not available; null when it is */
  reason: string | null;
  /** RFC 3339; the time from which it is available, if only time is missing */
  available_at: string | null;
  /** the contract's function */
  function: string;
  /** null if the caller must still choose an argument, or the call would change nothing */
  call: Call | null;
  /** what the caller may sign instead of sending the call */
  typed_data: TypedData | null;
  /** the two ends of the amount, if the caller chooses it; any amount between them is valid */
  choices: Choice[];
};

export type ActionName =
  | "fund"
  | "recordDelivery"
  | "release"
  | "refund"
  | "dispute"
  | "decideDispute"
  | "settleDispute"
  | "returnDeposit";

type Choice = {
  choice: "all_to_provider" | "all_to_buyer";
  call: Call;
  typed_data: TypedData | null;
};

/**
 * Lists every way into and out of an order's escrow by the contract's rules now, each with its raw call. So nobody
 * needs this service to reach their money.
 */
export function settlementOptions(situation: Situation): SettlementAction[] {
  const { outputHash, terms } = situation;
  const deadline = signatureDeadline(situation.now);
  const part = partOf(situation);
  return [
    decide("fund", "createEscrow", actions.fund(situation), createEscrowCall(situation)),
    decide(
      "recordDelivery",
      "recordDelivery",
      actions.recordDelivery(situation),
      // The contract would accept a repeated record, but it changes nothing.
      outputHash && !actions.isRecorded(situation.escrow, outputHash, situation.staged?.claim)
        ? recordDeliveryCall(situation, outputHash, part?.sum, part?.isFinal)
        : null,
      "provider",
      () => recordDeliveryData({ ...situation, charge: part?.sum ?? null, isFinal: part?.isFinal ?? true }),
    ),
    release(),
    decide("refund", "refund", actions.refund(situation), plainCall(situation, "refund"), "provider", () =>
      signedActData("refund", situation, { deadline }),
    ),
    // A dispute needs no reason on the chain; a party can add its reason's hash.
    decide("dispute", "dispute", actions.dispute(situation), disputeCall(situation, zeroHash), "party", () =>
      signedActData("dispute", situation, { deadline }),
    ),
    offerDecision(),
    decide("settleDispute", "settleDispute", settleDispute(situation), plainCall(situation, "settleDispute")),
    decide("returnDeposit", "returnDeposit", actions.returnDeposit(situation), returnDepositCall(situation)),
  ];

  /** The buyer pays a charge or a stage by a voucher, since a release before the record pays the whole amount. */
  function release(): SettlementAction {
    const verdict = actions.release(situation);
    const isBuyer = situation.roles.includes("buyer");
    if (situation.staged && (!isBuyer || part === null || outputHash === null)) {
      const name = situation.escrow?.autoReleaseAt ? "release" : "releasePart";
      return decide("release", name, verdict, part && plainCall(situation, name));
    }
    if (actions.claimsTooMuch(situation)) {
      return decide("release", "release", verdict, plainCall(situation, "release"));
    }
    if (!isBuyer || part === null || outputHash === null) {
      const call = plainCall(situation, "release");
      return decide("release", "release", verdict, call, "buyer", () =>
        signedActData("release", situation, { deadline }),
      );
    }
    const voucher = { cumulativeAmount: part.sum, workHash: outputHash };
    const call = voucherCall(situation, voucher);
    return decide("release", "useVoucher", verdict, call, "buyer", () => voucherData(situation, voucher));
  }

  function decide(
    action: ActionName,
    functionName: string,
    verdict: ExitState,
    call: Call | null,
    signer?: "buyer" | "provider" | "party",
    typedData?: () => TypedData | null,
  ): SettlementAction {
    const available = verdict.open && isAmong(situation.roles, verdict.who);
    const refusal = verdict.open ? verdict.others : verdict;
    const signs = available && signer !== undefined && isAmong(situation.roles, signer);
    return {
      action,
      available,
      who: verdict.who,
      reason: available ? null : (refusal?.reason ?? `Only the ${nameOf(verdict.who)} can do this.`),
      available_at: available || !refusal?.from ? null : actions.timeOf(refusal.from),
      function: functionName,
      call,
      typed_data: signs ? (typedData?.() ?? null) : null,
      choices: [],
    };
  }

  /** The arbiter chooses the ruling: only its two ends are known here, without a ruling's text. */
  function offerDecision(): SettlementAction {
    const action = decide("decideDispute", "decideDispute", decideDispute(situation), null);
    if (terms.arbiter === zeroAddress) return action;
    const choose = (choice: Choice["choice"], providerAmount: bigint): Choice => {
      const decision = { providerAmount, rulingHash: zeroHash };
      return {
        choice,
        call: decideDisputeCall(situation, decision),
        typed_data: action.available ? decisionData(situation, { ...decision, deadline }) : null,
      };
    };
    const { least, most } = decidableAmounts(situation);
    return { ...action, choices: [choose("all_to_provider", most), choose("all_to_buyer", least)] };
  }
}

/** Returns the part of the amount that the last delivery claims; null for the whole amount, or before a delivery. */
function partOf({ metered, staged }: Situation): StageClaim | null {
  if (staged) return staged.claim;
  return metered?.charge == null ? null : { sum: metered.charge, isFinal: true };
}

function isAmong(roles: readonly Role[], who: Taker): boolean {
  if (who === "anyone") return true;
  return who === "party" ? roles.some((role) => role !== "arbiter") : roles.includes(who);
}

function nameOf(who: Taker): string {
  return who === "party" ? "buyer or the provider" : who;
}
