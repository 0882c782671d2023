import type { Webhook, WebhookDelivery } from "earnest-client";

/** Describes the status of an endpoint. */
export function stateOf({ status, failing_since, disabled_reason }: Webhook): string {
  if (status === "paused") return "Paused: events are kept until you resume.";
  if (status === "revoked") return "Deleted";
  if (status === "disabled" && disabled_reason === "member_left")
    return "Disabled: the member who added it left. Rotate the secret, then resume.";
  if (status === "disabled") return "Disabled: all deliveries failed for five days.";
  return failing_since ? "Active, but deliveries are failing." : "Active";
}

export const deliveryWords: Record<WebhookDelivery["status"], string> = {
  pending: "Pending",
  succeeded: "Delivered",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** Describes the result of the last attempt. */
export function outcomeOf({ last_status_code, last_error, attempts }: WebhookDelivery): string {
  if (last_error) return last_error;
  if (last_status_code !== null) return `HTTP ${last_status_code}`;
  return attempts === 0 ? "No attempts yet" : "No response";
}
