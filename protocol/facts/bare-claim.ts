import { zeroAddress } from "viem";
import {
  defaultOutcome,
  refund,
  release,
  type Situation,
  settleDispute,
  timeOf,
} from "../settlement/actions.ts";
import type { DeliveryRecord } from "../settlement/vocabulary.ts";

/** What this service knows of a delivery's record, beside what the chain says. */
export type RecordKnown = {
  /** whether the chain's record of a delivery is one of a delivery that was made here */
  deliveryRecord: DeliveryRecord;
  /** from when the service itself releases, unix seconds; null while no record matches */
  releaseDueAt: bigint | null;
};

/** What a party should know before an action because the delivery's record is a bare claim, or came before it; else null. */
export function noteOn(
  action: string,
  { escrow, terms }: Pick<Situation, "escrow" | "terms">,
  { deliveryRecord, releaseDueAt }: RecordKnown,
): string | null {
  const from = escrow?.autoReleaseAt;
  if (!escrow || !from) return null;
  if (action === "release" && escrow.status === "funded" && releaseDueAt !== null && releaseDueAt > from) {
    return `The delivery came after a record of one. The contract lets anyone release from ${timeOf(from)} on; this service does so from ${timeOf(releaseDueAt)} on.`;
  }
  if (deliveryRecord !== "unmatched") return null;
  const silence =
    terms.arbiter === zeroAddress
      ? "This order names no arbiter: once its time is over, a dispute gives all to the provider, on a bare claim too."
      : "If the arbiter decides nothing, a dispute gives all to the provider, on a bare claim too.";
  if (action === "release" && escrow.status === "funded") {
    return `${bareClaim} The contract lets anyone release on it from ${timeOf(from)} on. This service does not, and issues no x402 receipt. A buyer who has got nothing disputes before then.`;
  }
  if (action === "dispute" && escrow.status === "funded") {
    return `${bareClaim} A dispute stops the release that it would bring. ${silence}`;
  }
  if ((action === "settleDispute" || action === "decideDispute") && escrow.status === "disputed") {
    return `${bareClaim} ${silence} This service does not send that.`;
  }
  return null;
}

const bareClaim =
  "The record on the chain matches no delivery that was made here: it is the provider's bare claim.";

/**
 * What the contract opens to anyone now because time passed, and the service sends; null when nothing. What would pay the
 * provider on a record that matches no delivery is left to others.
 */
export function findDue(
  situation: Pick<Situation, "escrow" | "now"> & Pick<RecordKnown, "releaseDueAt">,
): "release" | "refund" | "settleDispute" | null {
  const { escrow, now, releaseDueAt } = situation;
  const isDue = {
    release: releaseDueAt !== null && now >= releaseDueAt,
    refund: true,
    settleDispute: releaseDueAt !== null || defaultOutcome(escrow)?.to !== "provider",
  };
  const due = Object.entries({ release, refund, settleDispute } as const).find(([name, rule]) => {
    const verdict = rule(situation);
    return verdict.open && verdict.who === "anyone" && isDue[name as keyof typeof isDue];
  });
  return (due?.[0] as "release" | "refund" | "settleDispute" | undefined) ?? null;
}
