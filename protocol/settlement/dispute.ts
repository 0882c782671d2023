import { type Hex, sha256, stringToBytes, zeroAddress } from "viem";
import { type EscrowState, type ExitState, higherOf, notFunded, type Situation, timeOf } from "./actions.ts";

/** The stages of a dispute. */
export const disputeStages = {
  none: "the order is not disputed",
  intent: "a party announced a dispute; the escrow is not affected",
  open: "a dispute is open on the chain; the arbiter may decide",
  silent:
    "the arbiter's deadline has passed without a decision; the default outcome applies (without a delivery, after the delivery deadline)",
  decided: "the dispute is decided; the appeal window is open",
  settleable: "the dispute is decided, and anyone may settle it",
  settled: "the escrow was paid out",
} as const;
export type DisputeStage = keyof typeof disputeStages;

/**
 * Returns the stage of an order's dispute at a moment.
 *
 * @param escrow as indexed, with the time of its dispute (null if never); null before funding
 * @param intended whether a party announced a dispute
 * @param now unix seconds
 */
export function disputeStage(
  escrow: (Pick<EscrowState, "status" | "decideBy" | "settleableAt"> & { disputedAt: bigint | null }) | null,
  intended: boolean,
  now: bigint,
): DisputeStage {
  if (!escrow || escrow.disputedAt === null) return intended ? "intent" : "none";
  if (escrow.status === "disputed") return now > (escrow.decideBy ?? now) ? "silent" : "open";
  if (escrow.status === "decided") return now < (escrow.settleableAt ?? now) ? "decided" : "settleable";
  return "settled";
}

/** Explains why the arbiter cannot decide the dispute now; null if it can. */
export function refuseDecision(situation: Pick<Situation, "escrow" | "terms" | "now">): string | null {
  const verdict = decideDispute(situation);
  return verdict.open ? null : verdict.reason;
}

/** Whether the arbiter may decide the dispute now. */
export function decideDispute({
  escrow,
  terms,
  now,
}: Pick<Situation, "escrow" | "terms" | "now">): ExitState {
  const closed = (reason: string): ExitState => ({ open: false, who: "arbiter", reason });
  if (terms.arbiter === zeroAddress) return closed("This order names no arbiter: a dispute ends by time.");
  if (!escrow) return closed(notFunded);
  if (escrow.status === "decided") return closed("The dispute is decided already.");
  if (escrow.status !== "disputed" || escrow.decideBy === null) return closed("No dispute is open.");
  if (now > escrow.decideBy) return closed(`The arbiter had until ${timeOf(escrow.decideBy)}.`);
  return { open: true, who: "arbiter" };
}

/**
 * Returns what the arbiter may give the provider, in base units. The contract refuses less than is paid or was accepted before
 * the dispute, and more than a final record claims.
 */
export function decidableAmounts({ escrow, terms }: Pick<Situation, "escrow" | "terms">): {
  least: bigint;
  most: bigint;
} {
  if (!escrow || escrow.decideBy === null) return { least: 0n, most: terms.amount };
  return {
    least: higherOf(escrow.paidAmount, escrow.acceptedAmount ?? 0n),
    most: escrow.autoReleaseAt === null ? terms.amount : escrow.earnedAmount,
  };
}

/** Whether the dispute may be settled now, by the decision or without one. */
export function settleDispute({ escrow, now }: Pick<Situation, "escrow" | "now">): ExitState {
  const who = "anyone";
  if (!escrow) return { open: false, who, reason: notFunded };
  if (escrow.status === "decided" && escrow.settleableAt !== null) {
    const from = escrow.settleableAt;
    if (now >= from) return { open: true, who };
    return { open: false, who, reason: `The decision can be settled from ${timeOf(from)} on.`, from };
  }
  if (escrow.status === "disputed" && escrow.decideBy !== null) {
    const from = undecidedUntil(escrow, escrow.decideBy) + 1n;
    if (now >= from) return { open: true, who };
    const reason =
      now > escrow.decideBy
        ? `The dispute is undecided, and the provider can deliver until ${timeOf(escrow.deliveryDeadline)}.`
        : `The arbiter has until ${timeOf(escrow.decideBy)} to decide.`;
    return { open: false, who, reason, from };
  }
  return { open: false, who, reason: "No dispute is open." };
}

/**
 * Returns the last second in which an undecided dispute cannot be settled, in unix seconds. The buyer gets nothing back
 * while the provider may still deliver.
 */
function undecidedUntil(
  escrow: Pick<EscrowState, "autoReleaseAt" | "deliveryDeadline">,
  decideBy: bigint,
): bigint {
  const delivers = escrow.autoReleaseAt === null && escrow.deliveryDeadline > decideBy;
  return delivers ? escrow.deliveryDeadline : decideBy;
}

/**
 * Returns how a dispute ends without a decision: what the provider gets in base units, and from when (unix seconds).
 *
 * @returns null if no dispute waits for a decision
 */
export function defaultOutcome(
  escrow: Pick<
    EscrowState,
    "status" | "decideBy" | "autoReleaseAt" | "deliveryDeadline" | "earnedAmount"
  > | null,
): { providerAmount: bigint; from: bigint } | null {
  if (escrow?.status !== "disputed" || escrow.decideBy === null) return null;
  return {
    providerAmount: escrow.earnedAmount,
    from: undecidedUntil(escrow, escrow.decideBy) + 1n,
  };
}

/** Computes the hash of a reason or a ruling for the chain: the SHA-256 of its text's UTF-8 bytes. */
export function hashOfText(text: string): Hex {
  return sha256(stringToBytes(text));
}
