import { zeroAddress } from "viem";
import { refund, release, type Situation, settleDispute, timeOf } from "../settlement/actions.ts";
import type { DeliveryRecord } from "../settlement/vocabulary.ts";

/** The service's view of a delivery record, in addition to the chain's. */
export type RecordKnown = {
  /** whether the chain's record matches a delivery made here */
  deliveryRecord: DeliveryRecord;
  /** the time from which the service itself releases, unix seconds; null while no record matches */
  releaseDueAt: bigint | null;
};

/** Warns a party before an action if the delivery record is a bare claim, or preceded the delivery; else null. */
export function noteOn(
  action: string,
  { escrow, terms }: Pick<Situation, "escrow" | "terms">,
  { deliveryRecord, releaseDueAt }: RecordKnown,
): string | null {
  const from = escrow?.autoReleaseAt;
  if (!escrow || !from) return null;
  if (action === "release" && escrow.status === "funded" && releaseDueAt !== null && releaseDueAt > from) {
    return `The record on the chain is older than the delivery. The contract lets anyone release from ${timeOf(from)} on; this service does so from ${timeOf(releaseDueAt)} on.`;
  }
  if (deliveryRecord !== "unmatched") return null;
  const silence =
    terms.arbiter === zeroAddress
      ? "This order names no arbiter: at its end, a dispute pays the provider, even on a bare claim."
      : "If the arbiter does not decide, a dispute pays the provider, even on a bare claim.";
  if (action === "release" && escrow.status === "funded") {
    return `${bareClaim} The contract lets anyone release on it from ${timeOf(from)} on. This service does not, and issues no x402 receipt. If you received nothing, dispute before then.`;
  }
  if (action === "dispute" && escrow.status === "funded") {
    return `${bareClaim} A dispute stops a release based on it. ${silence}`;
  }
  if ((action === "settleDispute" || action === "decideDispute") && escrow.status === "disputed") {
    return `${bareClaim} ${silence} This service does not send that call.`;
  }
  return null;
}

const bareClaim = "The record on the chain matches no delivery made here: it is the provider's bare claim.";

/**
 * Finds the call that time has opened to anyone and that the service sends; null if there is none. The service does not
 * pay a provider on a record that matches no delivery.
 */
export function findDue(
  situation: Pick<Situation, "escrow" | "now" | "staged"> & Pick<RecordKnown, "releaseDueAt">,
): "release" | "releasePart" | "refund" | "settleDispute" | null {
  const { escrow, now, staged } = situation;
  // Any end pays the highest claim, which must be no higher than that of the delivered stage.
  const overclaims = staged && escrow && escrow.earnedAmount > (staged.claim?.sum ?? escrow.paidAmount);
  const releaseDueAt = overclaims ? null : situation.releaseDueAt;
  // Without a decision, the contract pays what the provider has claimed beyond the buyer's vouchers.
  const hasBareClaim =
    escrow !== null &&
    escrow.status !== "decided" &&
    (escrow.autoReleaseAt !== null || escrow.earnedAmount > escrow.paidAmount);
  const isDue = {
    release: releaseDueAt !== null && now >= releaseDueAt,
    refund: !hasBareClaim,
    settleDispute: releaseDueAt !== null || !hasBareClaim,
  };
  const due = Object.entries({ release, refund, settleDispute } as const).find(([name, rule]) => {
    const verdict = rule(situation);
    return verdict.open && verdict.who === "anyone" && isDue[name as keyof typeof isDue];
  });
  if (due?.[0] === "release" && staged && escrow?.autoReleaseAt === null) return "releasePart";
  return (due?.[0] as "release" | "refund" | "settleDispute" | undefined) ?? null;
}
