import type { BillingInterval, SubscriptionEnd, SubscriptionStatus } from "earnest-client";

export const subscriptionWords: Record<SubscriptionStatus, string> = {
  active: "Active",
  cancelled: "Cancelled",
  ended: "Ended by the service",
};

export const intervalWords: Record<BillingInterval, string> = {
  day: "per day",
  week: "per week",
  month: "per month",
  year: "per year",
};

export const endWords: Record<SubscriptionEnd, string> = {
  unpaid: "Ended: three orders in a row were not paid.",
  withdrawn: "Ended: the service is not available.",
  input_refused: "Ended: the service does not accept the input.",
  wallet_removed: "Ended: the buyer's wallet was removed from the account.",
  arbiter_refused: "Ended: the arbiter is not accepted by the service, or is a party of the order.",
};
