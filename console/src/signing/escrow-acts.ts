import type { OrderStage, SettlementAction } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** The exits of an escrow that the order's page offers. Disputes and deliveries have their own forms. */
export const acts = ["release", "refund", "settleDispute", "returnDeposit"] as const;
export type Act = (typeof acts)[number];

export function actTitle(act: Act): string {
  const texts: Record<Act, string> = {
    release: i18n.t("Accept and release payment"),
    refund: i18n.t("Refund the buyer"),
    settleDispute: i18n.t("Pay out the dispute"),
    returnDeposit: i18n.t("Return the deposit to the buyer"),
  };
  return texts[act];
}

/**
 * Names an exit of an order. The release of an order in stages pays one stage.
 *
 * @param stage the stage that the release pays; null without stages
 */
export function exitTitle(
  { action, function: name }: Pick<SettlementAction, "action" | "function">,
  stage: Pick<OrderStage, "number"> | null,
): string {
  if (action !== "release" || !stage) return actTitle(action as Act);
  const { number } = stage;
  return name === "useVoucher"
    ? i18n.t("Accept stage {number}", { number })
    : i18n.t("Release the payment of stage {number}", { number });
}
