import type { StageState } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

export function stageText(state: StageState): string {
  const texts: Record<StageState, string> = {
    open: i18n.t("Open"),
    delivered: i18n.t("Delivered"),
    accepted: i18n.t("Accepted"),
    disputed: i18n.t("In dispute"),
    returned: i18n.t("Refunded"),
  };
  return texts[state];
}

/** The colours of the states. */
export const stageTones: Record<StageState, Tone> = {
  open: "neutral",
  delivered: "info",
  accepted: "good",
  disputed: "bad",
  returned: "neutral",
};
