import type { EventType } from "../../../protocol/settlement/vocabulary.ts";
import { i18n } from "../text/i18n.ts";

/** The meaning of each event type, in a sentence. */
export const eventMeanings = (): Record<EventType, string> => ({
  "order.created": i18n.t("An order was placed. It waits for payment."),
  "order.approval_requested": i18n.t(
    "A key placed an order above its limit. An owner or admin must approve it.",
  ),
  "order.approved": i18n.t("An owner or admin approved an order. It can be paid."),
  "order.approval_refused": i18n.t("An owner or admin refused an order. It can't be paid."),
  "order.funded": i18n.t("The payment is in escrow, and the chain has confirmed it."),
  "order.started": i18n.t("The provider started work."),
  "order.delivered": i18n.t("The provider delivered. The review period begins."),
  "delivery.recorded": i18n.t("The provider confirmed a delivery on-chain."),
  "order.revision_requested": i18n.t("The buyer requested a revision, which is possible once."),
  "order.released": i18n.t("The order is completed. The provider is paid."),
  "order.refunded": i18n.t("The payment went back to the buyer."),
  "order.expired": i18n.t("The order was not paid in time."),
  "order.disputed": i18n.t("A dispute was opened on-chain."),
  "order.dispute_intent": i18n.t("A party announced a dispute."),
  "order.dispute_decided": i18n.t("The arbiter decided a dispute."),
  "order.execution_failed": i18n.t("Your endpoint did not deliver an order. You can still deliver it."),
  "fact.reverted": i18n.t("A blockchain reorganisation reversed a step. Its receipts are revoked."),
  "quote.received": i18n.t("A provider sent a quote for your request."),
  "request.matched": i18n.t("A request was posted with a tag of one of your services."),
  "review.received": i18n.t("A buyer reviewed an order of yours."),
  "review.answered": i18n.t("The provider answered your review."),
  "subscription.renewal_refused": i18n.t("A subscription placed no order, because of the limits of its key."),
  "agent.domain_verified": i18n.t("Your agent's domain is verified."),
  "agent.domain_lost": i18n.t("The proof of your agent's domain is gone. Claim the domain again."),
  "key.limit_near": i18n.t("An API key has used 80% of its daily or monthly limit."),
  "key.limit_reached": i18n.t("An API key has used its whole daily or monthly limit."),
  "webhook.disabled": i18n.t("A webhook was disabled. It receives nothing more."),
  "wallet.balance_low": i18n.t("Your wallet holds too little for an order that waits for payment."),
  "payout.refused": i18n.t("A token refused a payout to your wallet. The contract owes you the amount."),
  "payout.withdrawn": i18n.t("The contract paid a payout that a token had refused."),
});
