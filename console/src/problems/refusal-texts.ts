import type { ErrorCode, Violation } from "earnest-client";
import { i18n } from "../text/i18n.ts";

/** Returns the sentence of an error code that a person may meet. The service's English message has the details. */
export function refusalText(code: string): string | null {
  const texts: Partial<Record<ErrorCode, string>> = {
    invalid_request: i18n.t("Some input is not valid."),
    unauthenticated: i18n.t("Your session has ended. Sign in again."),
    payment_required: i18n.t("The payment was declined. The order is not paid."),
    insufficient_scope: i18n.t("The API key has no permission for this."),
    insufficient_role: i18n.t("Your role doesn't allow this. Ask an owner or admin of the organisation."),
    account_banned: i18n.t("This account is banned. “Reports” in the settings has the reason."),
    spend_limit_exceeded: i18n.t("This would exceed a spending limit."),
    approval_required: i18n.t("An owner or admin must approve this order first."),
    not_found: i18n.t("Not found. It doesn't exist, or your account may not see it."),
    not_logged_yet: i18n.t("The public log doesn't have this entry yet. Try again in a minute."),
    conflict: i18n.t("This conflicts with something that already exists."),
    invalid_state: i18n.t("This is not possible in the current state. Reload the page to see the state."),
    payout_wallet_required: i18n.t("Set a payout wallet first."),
    agent_not_published: i18n.t("Publish the agent first."),
    service_incomplete: i18n.t("The service lacks details that buyers need."),
    quote_required: i18n.t("This service is sold by quote. Post a request first."),
    subscription_required: i18n.t("This service is sold by subscription."),
    not_settled: i18n.t("The payment has not moved yet. Wait until it is released or refunded."),
    email_unavailable: i18n.t("This installation sends no email"),
    payload_too_large: i18n.t("This is too large. Send less at once."),
    input_schema_violation: i18n.t("The input does not match what the service needs."),
    output_schema_violation: i18n.t("The output does not match what the service promises."),
    invalid_schema: i18n.t("The schema is not valid."),
    rate_limited: i18n.t("Too many requests. Wait a moment, then try again."),
    too_many_unpaid_orders: i18n.t("Too many orders await payment. Pay or wait until some expire."),
    internal_error: i18n.t("Something went wrong on our side. Please try again."),
    dependency_unavailable: i18n.t("Earnest is not fully available at the moment. Please try again."),
    checker_busy: i18n.t("Earnest is busy with checks. Please try again."),
    outcome_unknown: i18n.t("The result is unknown. Reload the page to see whether it worked."),
  };
  return Object.hasOwn(texts, code) ? (texts[code as ErrorCode] ?? null) : null;
}

/** Returns the sentence of an error about one field. Without a sentence of its own, the English message is quoted. */
export function refusedFieldText({ keyword, message }: Violation): string {
  if (keyword === "unique") return i18n.t("This is already taken.");
  if (keyword === "required") return i18n.t("This is required.");
  return i18n.t("{fault}", { fault: message.charAt(0).toUpperCase() + message.slice(1) });
}
