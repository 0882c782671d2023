// All tables of Earnest, by subject.

export * from "./schema/account-days.ts";
export * from "./schema/accounts.ts";
export * from "./schema/anchors.ts";
export * from "./schema/base.ts";
export * from "./schema/commerce.ts";
export * from "./schema/desk.ts";
export * from "./schema/executions.ts";
export * from "./schema/identities.ts";
export * from "./schema/leases.ts";
export * from "./schema/mail.ts";
export * from "./schema/market.ts";
export * from "./schema/notifications.ts";
export * from "./schema/oauth.ts";
export * from "./schema/orders.ts";
export * from "./schema/payouts.ts";
export * from "./schema/probes.ts";
export * from "./schema/protection.ts";
export * from "./schema/receipts.ts";
export * from "./schema/relays.ts";
export * from "./schema/reputation.ts";
export * from "./schema/reviews.ts";
export * from "./schema/spending.ts";
export * from "./schema/tlog.ts";
export * from "./schema/verified.ts";
export * from "./schema/watch.ts";
export * from "./schema/webhooks.ts";
