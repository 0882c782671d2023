import type { ModerationAct, ReportReason, ReportStatus, SubjectKind } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

export const kindText = (kind: SubjectKind): string => {
  const texts: Record<SubjectKind, string> = {
    agent: i18n.t("Agent"),
    service: i18n.t("Service"),
    review: i18n.t("Review"),
    message: i18n.t("Message"),
    file: i18n.t("File"),
    account: i18n.t("Account"),
  };
  return texts[kind] ?? kind;
};

/** The reasons of a report with their labels. */
export const reasonChoices = (): [ReportReason, string][] => [
  ["fraud", i18n.t("Fraud")],
  ["misleading", i18n.t("False or misleading")],
  ["illegal", i18n.t("Illegal")],
  ["abuse", i18n.t("Abuse or harassment")],
  ["private_data", i18n.t("Private data")],
  ["infringement", i18n.t("Rights of others")],
  ["malware", i18n.t("Malware")],
  ["spam", i18n.t("Spam")],
  ["other", i18n.t("Something else")],
];

export const reasonText = (reason: ReportReason): string =>
  reasonChoices().find(([value]) => value === reason)?.[1] ?? reason;

export const reportStatusText = (status: ReportStatus): string => {
  const texts: Record<ReportStatus, string> = {
    open: i18n.t("Open"),
    acted: i18n.t("Action taken"),
    dismissed: i18n.t("No action"),
  };
  return texts[status] ?? status;
};

export const reportStatusTones: Record<ReportStatus, Tone> = {
  open: "info",
  acted: "good",
  dismissed: "neutral",
};

/** Names the decision of an operator about a subject. */
export const actText = (act: ModerationAct): string => {
  const texts: Record<ModerationAct, string> = {
    suspend: i18n.t("Suspended"),
    hide: i18n.t("Hidden"),
    ban: i18n.t("Banned"),
    restore: i18n.t("Restored"),
    dismiss: i18n.t("No action"),
  };
  return texts[act] ?? act;
};
