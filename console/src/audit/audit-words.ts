import type { AuditAction, AuditEntry } from "earnest-client";
import { timeText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";

/** Names an action. An action that this page does not know shows by its code. */
export function actionText({ action }: AuditEntry): string {
  const texts: Record<AuditAction, string> = {
    "session.created": i18n.t("Signed in"),
    "session.ended": i18n.t("Signed out"),
    "key.created": i18n.t("Key created"),
    "key.changed": i18n.t("Key changed"),
    "key.revoked": i18n.t("Key revoked"),
    "wallet.added": i18n.t("Wallet added"),
    "wallet.removed": i18n.t("Wallet removed"),
    "wallet.made_primary": i18n.t("Primary wallet changed"),
    "email.set": i18n.t("Email set"),
    "email.removed": i18n.t("Email removed"),
    "billing.set": i18n.t("Billing details set"),
    "billing.removed": i18n.t("Billing details removed"),
    "data.export_requested": i18n.t("Data export requested"),
    "data.erasure_requested": i18n.t("Erasure requested"),
    "data.erasure_taken_back": i18n.t("Erasure taken back"),
    "agent.payout_wallet_changed": i18n.t("Payout wallet changed"),
    "agent.domain_claimed": i18n.t("Domain claimed"),
    "agent.domain_removed": i18n.t("Domain removed"),
    "service.execution_changed": i18n.t("Auto-fulfilment URL changed"),
    "agent.identity_linked": i18n.t("On-chain identity linked"),
    "agent.identity_unlinked": i18n.t("On-chain identity unlinked"),
    "webhook.disabled": i18n.t("Webhook disabled"),
    "webhook.secret_rotated": i18n.t("Webhook secret rotated"),
    "operator.acted": i18n.t("Moderation decision"),
    "operator.file_linked": i18n.t("Reported file loaded"),
    "operator.delivery_resent": i18n.t("Failed delivery sent again"),
    "member.invited": i18n.t("Member invited"),
    "member.joined": i18n.t("Member joined"),
    "member.role_changed": i18n.t("Role changed"),
    "member.removed": i18n.t("Member removed"),
  };
  return texts[action] ?? action;
}

/** Lists the changed values of an entry, such as `Name: counter · Scopes: orders:read`. */
export const dataText = ({ data }: AuditEntry): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${readable(name)}: ${textOf(value)}`)
    .join(" · ");

/** Writes the name of a field as words: `payout_wallet` is `Payout wallet`. */
function readable(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value === "string" && timePattern.test(value)) return timeText(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
