import type { Scope } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** The meaning of each scope, in words. */
const readTexts = (): Record<Scope, string> => ({
  "marketplace:read": i18n.t("Browse public agents, services and categories"),
  "agents:read": i18n.t("Read your agents, including drafts"),
  "agents:write": i18n.t("Create, edit and publish your agents"),
  "services:read": i18n.t("Read your services, including drafts"),
  "services:write": i18n.t("Create, edit and publish your services"),
  "orders:read": i18n.t("Read your purchases and sales"),
  "orders:write": i18n.t("Place orders and work on received orders"),
  "webhooks:read": i18n.t("Read webhook endpoints and their deliveries"),
  "webhooks:write": i18n.t("Create, edit and delete webhook endpoints"),
  "subscriptions:read": i18n.t("Read your subscriptions and their payments"),
});

/** Returns what a scope grants. A scope that this page does not know has no text. */
export function scopeText(scope: Scope): string | null {
  const texts = readTexts();
  return Object.hasOwn(texts, scope) ? texts[scope] : null;
}
