import type { DisputeStage, OrderRole } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

export function disputeStageText(stage: DisputeStage): string {
  const texts: Record<DisputeStage, string> = {
    none: i18n.t("No dispute"),
    intent: i18n.t("Notice given, not opened yet"),
    open: i18n.t("Under review"),
    silent: i18n.t("Arbiter's deadline passed without a decision"),
    decided: i18n.t("Decided, appeal window open"),
    settleable: i18n.t("Decided, ready to pay out"),
    settled: i18n.t("Paid out"),
  };
  return texts[stage];
}

/** The colours of the stages. */
export const disputeStageTones: Record<DisputeStage, Tone> = {
  none: "neutral",
  intent: "warn",
  open: "bad",
  silent: "warn",
  decided: "info",
  settleable: "warn",
  settled: "good",
};

export function roleText(role: OrderRole): string {
  const texts: Record<OrderRole, string> = {
    buyer: i18n.t("Buyer"),
    provider: i18n.t("Provider"),
    arbiter: i18n.t("Arbiter"),
  };
  return texts[role];
}
