import type { Webhook, WebhookDelivery } from "earnest-client";

/** How an endpoint is, in a sentence. */
export function stateOf({ status, failing_since, disabled_reason }: Webhook): string {
  if (status === "paused") return "Paused: what happens waits until it goes on.";
  if (status === "revoked") return "Deleted: nothing more is sent to it.";
  if (status === "disabled" && disabled_reason === "member_left")
    return "Stopped: the member who set it left. Replace its secret, then let it go on.";
  if (status === "disabled") return "Stopped: everything failed for five days.";
  return failing_since ? "Active, but every attempt fails." : "Active.";
}

export const deliveryWords: Record<WebhookDelivery["status"], string> = {
  pending: "Under way",
  succeeded: "Received",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** What came of the last attempt, in short. */
export function outcomeOf({ last_status_code, last_error, attempts }: WebhookDelivery): string {
  if (last_error) return last_error;
  if (last_status_code !== null) return `HTTP ${last_status_code}`;
  return attempts === 0 ? "not tried yet" : "no answer";
}
