import type { BillingInterval, SubscriptionEnd, SubscriptionStatus } from "earnest-client";

export const subscriptionWords: Record<SubscriptionStatus, string> = {
  active: "Active",
  cancelled: "Cancelled",
  ended: "Ended by the service",
};

export const intervalWords: Record<BillingInterval, string> = {
  day: "each day",
  week: "each week",
  month: "each month",
  year: "each year",
};

export const endWords: Record<SubscriptionEnd, string> = {
  unpaid: "Three orders in a row were not paid.",
  withdrawn: "The service is sold no more.",
  input_refused: "The service takes the input no more.",
  wallet_removed: "The buyer's wallet left the account.",
  arbiter_refused: "The service accepts the arbiter no more, or the arbiter has become a party.",
};
