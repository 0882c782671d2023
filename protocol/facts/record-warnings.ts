import { zeroAddress } from "viem";
import { type Situation, timeOf } from "../settlement/actions.ts";
import type { DeliveryRecord } from "../settlement/vocabulary.ts";

/** The service's view of a delivery record, in addition to the chain's. */
export type RecordKnown = {
  /** whether the chain's record matches a delivery made here */
  deliveryRecord: DeliveryRecord;
  /** the time from which the service itself releases, unix seconds; null while no record matches */
  releaseDueAt: bigint | null;
};

/** Warns a party before an action if the delivery record is a bare claim, or preceded the delivery; else null. */
export function warnOfRecord(
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
