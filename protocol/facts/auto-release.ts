import { earliest, matchesOf, ofType, type Step } from "./delivery-record.ts";

/**
 * Finds `auto_release_at`: the time from which the contract lets anyone release. The first delivery record on the chain
 * sets it. A later record or revision does not move it.
 *
 * @param effective the unreverted facts, in the ledger's order
 * @returns null while no delivery is recorded on the chain
 */
export function autoReleaseOf(effective: readonly Step[]): Date | null {
  const at = ofType(effective, "delivery.recorded")[0]?.data.auto_release_at;
  return typeof at === "string" ? new Date(at) : null;
}

/**
 * Finds the time from which the service itself releases. By then the buyer has had the whole acceptance window since
 * the first record that matches a delivery, and since that delivery if it came later. A later revision or record does
 * not move it.
 *
 * @param effective the unreverted facts, in any order
 * @returns null while no record matches
 */
export function releaseDueOf(effective: readonly Step[]): Date | null {
  return earliest(
    matchesOf(effective).map(({ record, at }) => {
      const window = timeIn(record, "auto_release_at") - timeIn(record, "delivered_at");
      return at + window;
    }),
  );
}

function timeIn({ data }: Step, field: string): number {
  return Date.parse(String(data[field]));
}
