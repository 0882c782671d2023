import type { Webhook, WebhookDelivery } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

/** Names the status of an endpoint, with the colour of its chip. */
export function statusOf({ status, failing_since }: Webhook): [string, Tone] {
  if (status === "paused") return [i18n.t("Paused"), "neutral"];
  if (status === "revoked") return [i18n.t("Deleted"), "neutral"];
  if (status === "disabled") return [i18n.t("Disabled"), "bad"];
  return failing_since ? [i18n.t("Failing"), "warn"] : [i18n.t("Active"), "good"];
}

/** Explains a status that needs an action; null if none does. */
export function adviceOf({ status, failing_since, disabled_reason }: Webhook): string | null {
  if (status === "paused") return i18n.t("Paused: events are kept until you resume.");
  if (status === "disabled" && disabled_reason === "member_left")
    return i18n.t("Disabled: the member who added it left. Rotate the secret, then resume.");
  if (status === "disabled")
    return i18n.t("Disabled: all deliveries failed for five days. Correct your endpoint, then resume.");
  if (status === "active" && failing_since)
    return i18n.t("Deliveries are failing. Open a failed delivery below to see your endpoint's answer.");
  return null;
}

export const deliveryStatuses = ["pending", "succeeded", "failed", "cancelled"] as const;

export const deliveryText = (status: WebhookDelivery["status"]): string =>
  ({
    pending: i18n.t("Pending"),
    succeeded: i18n.t("Delivered"),
    failed: i18n.t("Failed"),
    cancelled: i18n.t("Cancelled"),
  })[status];

export const deliveryTones: Record<WebhookDelivery["status"], Tone> = {
  pending: "info",
  succeeded: "good",
  failed: "bad",
  cancelled: "neutral",
};

/** Describes the result of the last attempt. */
export function outcomeOf({ last_status_code, last_error, attempts }: WebhookDelivery): string {
  if (last_error) return last_error;
  if (last_status_code !== null) return `HTTP ${last_status_code}`;
  return attempts === 0 ? i18n.t("No attempts yet") : i18n.t("No response");
}
