import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addEvents } from "./events.ts";
import { addWebhookDeliveries } from "./webhook-deliveries.ts";
import { addWebhookRecoveries } from "./webhook-recoveries.ts";
import { addWebhookEndpoints } from "./webhooks.ts";

/** Adds the routes of webhook endpoints, their deliveries, and the event feed. */
export function addWebhooks(api: App, context: Context): void {
  addWebhookEndpoints(api, context);
  addWebhookDeliveries(api, context);
  addWebhookRecoveries(api, context);
  addEvents(api, context);
}
