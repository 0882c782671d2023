import type { Address, Hex } from "viem";
import type { SignedAct } from "./signatures.ts";
import type { StageClaim } from "./stages.ts";
import type { Terms } from "./terms.ts";
import type { EscrowStatus, Role } from "./vocabulary.ts";

/** An escrow as indexed. Times are unix seconds. */
export type EscrowState = {
  status: Exclude<EscrowStatus, "none">;
  deliveryDeadline: bigint;
  /** the records of deliveries and parts */
  deliveryCount: number;
  /** the provider's highest claim, and what parts have paid, in base units; a recorded delivery claims the amount */
  earnedAmount: bigint;
  paidAmount: bigint;
  /** the time from which the last claim that is not final is accepted; null without one */
  claimAcceptedAt: bigint | null;
  /** the highest claim that time accepted before the dispute, in base units; null without a dispute */
  acceptedAmount: bigint | null;
  autoReleaseAt: bigint | null;
  outputHash: Hex | null;
  decideBy: bigint | null;
  settleableAt: bigint | null;
};

/** All inputs of the rules. */
export type Situation = {
  chainId: number;
  escrowContract: Address;
  escrowId: Hex;
  terms: Terms;
  /** null before funding */
  escrow: EscrowState | null;
  /** the hash of the latest delivery; null before any */
  outputHash: Hex | null;
  /** for a metered order or a session only: the price of the delivered units in base units; null before a delivery */
  metered?: { charge: bigint | null; isSession?: boolean } | null;
  /** for an order in stages only: what the delivery of the last delivered stage claims; null before a delivery */
  staged?: { claim: StageClaim | null } | null;
  /** base units of the order's token at its deposit address; null if the chain did not answer */
  depositBalance: bigint | null;
  /** unix seconds */
  now: bigint;
  roles: readonly Role[];
};

/** The role that may take an exit; `party` is buyer or provider. */
export type Taker = Role | "party" | "anyone";

/** Whether an exit is open now: to whom, or why to nobody, and from when to more roles. */
export type ExitState =
  | { open: true; who: Taker; others?: { reason: string; from?: bigint | null } }
  | { open: false; who: Taker; reason: string; from?: bigint | null };

/** Explains why the contract refuses a party's signed act now, in either role; null if it accepts the act. */
export function refuseSignedAct(
  act: SignedAct,
  situation: Pick<Situation, "escrow" | "now" | "metered" | "staged">,
): string | null {
  // After a claim of too much anyone can release, but a buyer who signs would agree to it.
  if (act === "release" && claimsTooMuch(situation)) return tooMuchClaimed;
  const verdict = { release, refund, dispute }[act](situation);
  return verdict.open ? null : verdict.reason;
}

/** Explains why an order cannot be funded now, whatever the caller's role; null if it can. */
export function refuseFunding(situation: Pick<Situation, "escrow" | "terms" | "now">): string | null {
  const verdict = fund(situation);
  return verdict.open ? null : verdict.reason;
}

/** Explains why the provider cannot record the latest delivery now; null if it can. */
export function refuseRecord(
  situation: Pick<Situation, "escrow" | "outputHash" | "now" | "staged">,
): string | null {
  const verdict = recordDelivery(situation);
  return verdict.open ? null : verdict.reason;
}

export function fund({ escrow, terms, now }: Pick<Situation, "escrow" | "terms" | "now">): ExitState {
  const who = "anyone";
  if (escrow) return { open: false, who, reason: "The escrow is funded already." };
  if (now > BigInt(terms.fundBy)) {
    return { open: false, who, reason: `The funding window ended at ${timeOf(BigInt(terms.fundBy))}.` };
  }
  return { open: true, who };
}

export function recordDelivery({
  escrow,
  outputHash,
  now,
  staged,
}: Pick<Situation, "escrow" | "outputHash" | "now" | "staged">): ExitState {
  const closed = (reason: string): ExitState => ({ open: false, who: "provider", reason });
  if (!escrow) return closed(notFunded);
  if (escrow.status !== "funded" && escrow.status !== "disputed") return closed(ended(escrow));
  if (now > escrow.deliveryDeadline) {
    return closed(`The delivery deadline was ${timeOf(escrow.deliveryDeadline)}.`);
  }
  if (!outputHash) return closed("There is no delivery: deliver the output first.");
  const claim = staged?.claim;
  if (claim && escrow.paidAmount >= claim.sum) return closed("The delivered stage is paid already.");
  if (isRecorded(escrow, outputHash, claim)) return closed("The latest delivery is recorded already.");
  return { open: true, who: "provider" };
}

/** Whether the latest record on the chain is that of a delivery. Two stages may have the same output. */
export function isRecorded(
  escrow: Pick<EscrowState, "outputHash" | "earnedAmount"> | null,
  outputHash: Hex | null,
  claim: StageClaim | null | undefined,
): boolean {
  return escrow?.outputHash === outputHash && (!claim || escrow.earnedAmount >= claim.sum);
}

export function release({
  escrow,
  now,
  metered,
  staged,
}: Pick<Situation, "escrow" | "now" | "metered" | "staged">): ExitState {
  if (!escrow) return { open: false, who: "buyer", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "buyer", reason: ended(escrow) };
  if (staged) return releaseStage(escrow, now, staged.claim);
  if (metered?.isSession) {
    const reason = `A session is paid by its vouchers. The rest goes back to the buyer by the provider's refund, or after ${timeOf(escrow.deliveryDeadline)}.`;
    return { open: false, who: "buyer", reason };
  }
  const isDelivered = escrow.autoReleaseAt !== null;
  if (claimsTooMuch({ escrow, metered })) {
    const from = escrow.autoReleaseAt;
    if (from !== null && now >= from) return { open: true, who: "anyone" };
    return { open: false, who: "anyone", reason: tooMuchClaimed, from };
  }
  if (metered?.charge && escrow.paidAmount >= metered.charge) {
    const reason = `The charge is paid. The rest goes back to the buyer by the provider's record or refund, or after ${timeOf(escrow.deliveryDeadline)}.`;
    return { open: false, who: "buyer", reason };
  }
  // The record is the provider's word that it claims no more, so that the rest comes back with the payment.
  if (metered && !isDelivered) {
    const reason =
      metered.charge === null
        ? "The provider has not delivered, so the price of this metered order is not known."
        : "The provider's record is not on the chain yet. Wait until `delivery_record` shows it.";
    return { open: false, who: "buyer", reason };
  }
  const from = escrow.autoReleaseAt;
  if (from !== null && now >= from) return { open: true, who: "anyone" };
  const later = from
    ? `Only the buyer can release before ${timeOf(from)}; from then on anyone can.`
    : "Only the buyer can release while no delivery is recorded on the chain.";
  return { open: true, who: "buyer", others: { reason: later, from } };
}

/** The buyer accepts a stage by a voucher, before its record too. From the end of its acceptance window, anyone pays it. */
function releaseStage(escrow: EscrowState, now: bigint, claim: StageClaim | null): ExitState {
  if (!claim || escrow.paidAmount >= claim.sum) {
    return { open: false, who: "buyer", reason: "No delivered stage waits for its acceptance." };
  }
  const from =
    escrow.autoReleaseAt ?? (escrow.earnedAmount > escrow.paidAmount ? escrow.claimAcceptedAt : null);
  if (from !== null && now >= from) return { open: true, who: "anyone" };
  const later = from
    ? `Only the buyer can pay the stage before ${timeOf(from)}; from then on anyone can.`
    : "Only the buyer can pay the stage while its delivery is not recorded on the chain.";
  return { open: true, who: "buyer", others: { reason: later, from } };
}

const tooMuchClaimed =
  "The record on the chain claims more than the delivery's charge. Dispute before anyone can release it.";

/** Whether the record of a metered order claims more than its charge. The contract releases it all the same. */
export function claimsTooMuch({ escrow, metered }: Pick<Situation, "escrow" | "metered">): boolean {
  if (!escrow || !metered || escrow.autoReleaseAt === null) return false;
  return metered.charge === null || escrow.earnedAmount > metered.charge;
}

export function refund({ escrow, now }: Pick<Situation, "escrow" | "now">): ExitState {
  if (!escrow) return { open: false, who: "provider", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "provider", reason: ended(escrow) };
  if (escrow.autoReleaseAt !== null) {
    const reason = "Only the provider can refund: a delivery is recorded on the chain.";
    return { open: true, who: "provider", others: { reason } };
  }
  const from = higherOf(escrow.deliveryDeadline + 1n, escrow.claimAcceptedAt ?? 0n);
  if (now >= from) return { open: true, who: "anyone" };
  const reason = `Only the provider can refund before ${timeOf(from)}; from then on anyone can, if no delivery is recorded.`;
  return { open: true, who: "provider", others: { reason, from } };
}

export function dispute({ escrow, metered }: Pick<Situation, "escrow" | "metered">): ExitState {
  if (metered?.isSession) {
    const reason =
      "A session has no disputes: only the buyer's vouchers pay it, and the rest goes back to the buyer.";
    return { open: false, who: "party", reason };
  }
  if (!escrow) return { open: false, who: "party", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "party", reason: ended(escrow) };
  return { open: true, who: "party" };
}

export function returnDeposit({ escrow, terms, now, depositBalance }: Situation): ExitState {
  const awaitsEscrow = !escrow && now <= BigInt(terms.fundBy);
  const who = awaitsEscrow ? "buyer" : "anyone";
  if (depositBalance === 0n) {
    return { open: false, who, reason: "The deposit address has no balance of the order's token." };
  }
  if (!awaitsEscrow) return { open: true, who };
  const from = BigInt(terms.fundBy) + 1n;
  const reason = `Only the buyer can withdraw a deposit before ${timeOf(from)}; from then on anyone can send it to the buyer.`;
  return { open: true, who, others: { reason, from } };
}

/** Returns the higher of two amounts or times. */
export function higherOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The reason why an act of a funded escrow is closed before the funding. */
export const notFunded = "The escrow is not funded.";

function ended({ status }: EscrowState): string {
  if (status === "disputed" || status === "decided") return "A dispute is open: settle the dispute instead.";
  return `The escrow has ended: it is ${status}.`;
}

/** Formats unix seconds as RFC 3339. */
export function timeOf(unix: bigint): string {
  return new Date(Number(unix) * 1000).toISOString();
}

/** Converts a time to unix seconds, rounded up. */
export function unixOf(time: Date): bigint {
  return BigInt(Math.ceil(time.getTime() / 1000));
}
