import type { OpenRequestStatus, QuoteStatus } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

export function requestText(status: OpenRequestStatus): string {
  const texts: Record<OpenRequestStatus, string> = {
    open: i18n.t("Open"),
    closed: i18n.t("Closed"),
    accepted: i18n.t("Quote accepted"),
    expired: i18n.t("Expired"),
  };
  return texts[status];
}

/** The colours of the statuses of requests. */
export const requestTones: Record<OpenRequestStatus, Tone> = {
  open: "info",
  closed: "neutral",
  accepted: "good",
  expired: "neutral",
};

export function quoteText(status: QuoteStatus): string {
  const texts: Record<QuoteStatus, string> = {
    offered: i18n.t("Open"),
    withdrawn: i18n.t("Withdrawn"),
    accepted: i18n.t("Accepted"),
    declined: i18n.t("Declined"),
    expired: i18n.t("Expired"),
  };
  return texts[status];
}

/** The colours of the statuses of quotes. */
export const quoteTones: Record<QuoteStatus, Tone> = {
  offered: "info",
  withdrawn: "neutral",
  accepted: "good",
  declined: "neutral",
  expired: "neutral",
};
