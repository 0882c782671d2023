import { earliest, matchesOf, ofType, recordsOf, type StepFact } from "./delivery-record.ts";
import { isInStages, paidIn } from "./stage-facts.ts";

/**
 * Finds `auto_release_at`: the time from which the contract lets anyone release. The first delivery record on the chain
 * sets it. A later record or revision does not move it. Before the last stage of an order, the open claim of a stage sets it.
 *
 * @param effective the unreverted facts, in the ledger's order
 * @returns null while no delivery is recorded on the chain
 */
export function autoReleaseOf(effective: readonly StepFact[]): Date | null {
  const record = ofType(effective, "delivery.recorded")[0] ?? openClaimOf(effective);
  return record ? new Date(releaseTimeOf(record)) : null;
}

/**
 * Finds the time from which the service itself releases. By then the buyer has had the whole acceptance window since
 * the first record that matches a delivery, and since that delivery if it came later. A later revision or record does
 * not move it.
 *
 * @param effective the unreverted facts, in any order
 * @returns null while no record matches
 */
export function releaseDueOf(effective: readonly StepFact[]): Date | null {
  const claim = openClaimOf(effective);
  const ofClaim = ({ type, data }: StepFact) =>
    claim === null ? type === "delivery.recorded" : data.earned_base_units === claim.data.earned_base_units;
  return earliest(
    matchesOf(effective)
      .filter(({ record }) => ofClaim(record))
      .map(({ record, at }) => at + releaseTimeOf(record) - Date.parse(String(record.data.delivered_at))),
  );
}

/**
 * Finds the highest claim of an order in stages, if it is neither paid nor final. Releasing a part pays the highest claim
 * whose acceptance window is over, so a lower one that matches a delivery does not make the payment right.
 */
function openClaimOf(effective: readonly StepFact[]): StepFact | null {
  if (!isInStages(effective) || ofType(effective, "delivery.recorded").length > 0) return null;
  const [highest] = recordsOf(effective).sort((one, other) => Number(earnedIn(other) - earnedIn(one)));
  return highest && earnedIn(highest) > paidIn(effective) ? highest : null;
}

const earnedIn = ({ data }: StepFact) => BigInt(String(data.earned_base_units ?? 0));

/** The time (ms) from which the contract lets anyone pay what a record claims. */
function releaseTimeOf({ data }: StepFact): number {
  return Date.parse(String(data.auto_release_at ?? data.accepted_at));
}
