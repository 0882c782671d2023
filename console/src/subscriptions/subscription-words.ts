import type { BillingInterval, Subscription, SubscriptionEnd, SubscriptionStatus } from "earnest-client";
import { moneyText } from "../parts/money.tsx";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

/** The statuses of subscriptions, in display order. */
export const subscriptionStatuses: readonly SubscriptionStatus[] = ["active", "cancelled", "ended"];

export function subscriptionText(status: SubscriptionStatus): string {
  const texts: Record<SubscriptionStatus, string> = {
    active: i18n.t("Active"),
    cancelled: i18n.t("Cancelled"),
    ended: i18n.t("Ended by the service"),
  };
  return texts[status];
}

/** The colours of the statuses. */
export const subscriptionTones: Record<SubscriptionStatus, Tone> = {
  active: "good",
  cancelled: "neutral",
  ended: "warn",
};

/** Formats the price of a subscription, such as `20.00 TUSD per week`. */
export function periodPrice({ price, currency, interval }: Subscription): string {
  const amount = `${moneyText(price)} ${currency}`;
  const texts: Record<BillingInterval, string> = {
    day: i18n.t("{amount} per day", { amount }),
    week: i18n.t("{amount} per week", { amount }),
    month: i18n.t("{amount} per month", { amount }),
    year: i18n.t("{amount} per year", { amount }),
  };
  return texts[interval];
}

export function endText(reason: SubscriptionEnd): string {
  const texts: Record<SubscriptionEnd, string> = {
    unpaid: i18n.t("Ended: three orders in a row were not paid."),
    withdrawn: i18n.t("Ended: the service is not available."),
    input_refused: i18n.t("Ended: the service does not accept the input."),
    wallet_removed: i18n.t("Ended: the buyer's wallet was removed from the account."),
    arbiter_refused: i18n.t("Ended: the arbiter is not accepted by the service, or is a party of the order."),
  };
  return texts[reason];
}
