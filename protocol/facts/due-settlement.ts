import { refund, release, type Situation } from "../settlement/actions.ts";
import { settleDispute } from "../settlement/dispute.ts";
import type { RecordKnown } from "./record-warnings.ts";

/**
 * Finds the call that time has opened to anyone and that the service sends; null if there is none. The service does not
 * pay a provider on a record that matches no delivery.
 */
export function findDueCall(
  situation: Pick<Situation, "escrow" | "now" | "staged"> & Pick<RecordKnown, "releaseDueAt">,
): "release" | "releasePart" | "refund" | "settleDispute" | null {
  const { escrow, now, staged } = situation;
  // However an order ends, the contract pays the highest claim. So it must be no higher than that of the delivered stage.
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
