/** The vocabulary of the API, its events and receipts for the state and the parties of an order. */

/** The prefix of every path of the API. Every answer below it is JSON. */
export const apiPath = "/api/v1";

/** The prefixes of table downloads and event streams, at the root of the host: neither is JSON. */
export const exportsPath = "/exports";
export const streamsPath = "/streams";
/** The resumable uploads by the tus protocol, and the bytes of files behind short-lived links. */
export const uploadsPath = "/uploads";
export const downloadsPath = "/downloads";

/** The path of x402's facilitator. */
export const facilitatorPath = "/facilitator";

export const orderStatuses = [
  "created",
  "expired",
  "funded",
  "started",
  "delivered",
  "disputed",
  "released",
  "refunded",
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** The approval of an order above the limits of its key; `lapsed`: the order ended before a decision. */
export const approvalStatuses = ["pending", "approved", "refused", "lapsed"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** An escrow's statuses by the contract's numbers, from 0; `split` is a dispute that paid both parties. */
export const escrowStatuses = [
  "none",
  "funded",
  "disputed",
  "decided",
  "released",
  "refunded",
  "split",
] as const;
export type EscrowStatus = (typeof escrowStatuses)[number];

/** The way an order is paid: by two calls of the buyer's wallet, or by one signature (x402). */
export const rails = ["escrow", "x402"] as const;
export type Rail = (typeof rails)[number];

export const parties = ["buyer", "provider"] as const;
export type Party = (typeof parties)[number];

/** The parties, and the arbiter of their dispute. */
export const roles = [...parties, "arbiter"] as const;
export type Role = (typeof roles)[number];

/** The roles that take steps of an order. */
export const actors = [...roles, "service", "chain"] as const;
export type Actor = (typeof actors)[number];

/** The claims of a receipt about an escrow. */
export const claims = ["funded", "released", "refunded"] as const;
export type Claim = (typeof claims)[number];

/** The claims of a receipt: also a part of the money, which the claim of the whole release counts again. */
export const receiptClaims = ["funded", "part_released", "released", "refunded"] as const;
export type ReceiptClaim = (typeof receiptClaims)[number];

/**
 * Whether the chain's delivery record matches a delivery made here. The contract takes any hash from the provider; a
 * hash without a delivery is the provider's bare claim.
 */
export const deliveryRecords = ["none", "unmatched", "matched"] as const;
export type DeliveryRecord = (typeof deliveryRecords)[number];

/** The signed methods of a token: its own authorization (EIP-3009), or Uniswap's Permit2. */
export const tokenMethods = ["eip3009", "permit2"] as const;
export type TokenMethod = (typeof tokenMethods)[number];

/** The way a payment reaches the escrow: by a signed method of its token, or by signed calls of a passkey account. */
export const paymentMethods = [...tokenMethods, "account_calls"] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** The kinds of things that people report, and that an operator acts on. */
export const subjectKinds = ["agent", "service", "review", "message", "file", "account"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/**
 * The acts of an operator. `suspend` takes an agent or a service off the market, `hide` hides a review, a message or a file, `ban` keeps an account
 * from buying, selling and reporting. `restore` ends any of them. `dismiss` changes nothing and answers reports and appeal.
 */
export const moderationActs = ["suspend", "hide", "ban", "restore", "dismiss"] as const;
export type ModerationAct = (typeof moderationActs)[number];

/** The act that withholds each kind of subject. */
export const withholdingActs = {
  agent: "suspend",
  service: "suspend",
  review: "hide",
  message: "hide",
  file: "hide",
  account: "ban",
} as const satisfies Record<SubjectKind, ModerationAct>;

/** Days after the end of an order in which its parties can still write messages. */
export const writableDays = 30;

/** The most files of a message or a statement, and the most references to files in a payload. */
export const mostAttachedFiles = 20;
export const mostPayloadFiles = 100;

/** The results of a report. */
export const reportOutcomes = ["acted", "dismissed"] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

/** Every type of event with its meaning. */
export const eventTypes = {
  "order.created": "an order was placed; its escrow is not funded yet",
  "order.approval_requested":
    "a key placed an order above its limit, which needs the approval of an owner or admin; only the buyer gets this event",
  "order.approved":
    "an owner or admin approved an order, which can now be paid; only the buyer gets this event",
  "order.approval_refused":
    "an owner or admin refused an order, so the service accepts no payment for it; only the buyer gets this event",
  "order.funded": "the order's escrow was funded, and the chain has confirmed it",
  "order.started": "the provider began work",
  "order.delivered": "the provider delivered; the acceptance window starts and ends at `acceptance_ends_at`",
  "delivery.recorded":
    "the provider recorded a delivery on the chain; the first record sets `auto_release_at`, and `delivery_record` tells whether it matches a delivery on this service",
  "part.recorded":
    "the provider recorded a part of the work on the chain; anyone can release it from `accepted_at` on",
  "order.part_released":
    "a part of the order's amount was paid to the provider; `released_so_far` is the sum of all parts",
  "order.revision_requested":
    "the buyer requested changes after a delivery, which is possible once; the order is in progress again, and its auto-release time does not move",
  "order.released": "the order completed, and the escrow was released to the provider",
  "order.refunded": "the escrow was returned to the buyer",
  "order.expired": "the order was not funded within its window",
  "order.disputed": "a dispute was opened on the chain",
  "order.dispute_intent": "a party announced a dispute, before any dispute on the chain",
  "order.dispute_decided": "the arbiter decided a dispute, before it settles",
  "order.execution_failed":
    "the endpoint of the provider's service did not deliver the order in any attempt; the provider can deliver it",
  "order.message":
    "another party of the order, or the arbiter of its dispute, wrote a message; the event has no text, which may be withdrawn",
  "fact.reverted":
    "a reorganisation removed a step from the chain; the step no longer counts, and its receipts are revoked",
  "quote.received": "a provider quoted on your open request; you are not bound until you accept",
  "request.matched": "an open request was posted with a tag that one of your published services carries",
  "review.received": "the buyer of an order that you provided reviewed it",
  "review.answered": "the provider answered your review of an order",
  "report.answered": "an operator answered your report",
  "moderation.acted":
    "an operator suspended, hid or restored something of yours, banned or restored your account, or answered your appeal",
  "subscription.renewal_refused":
    "a subscription's period has no order, because it would exceed the limits of the key that subscribed; only the buyer gets this event",
  "agent.domain_verified": "the domain of your agent is verified, and the agent shows it from now on",
  "agent.domain_lost":
    "the proof of your agent's domain is gone; the agent does not show the domain until you claim and prove it again",
  "key.limit_near": "an API key has spent at least 80 % of its limit for the day or the month",
  "key.limit_reached":
    "an API key has spent its whole limit for the day or the month; it places no order until `resets_at`",
  "webhook.disabled":
    "a webhook endpoint of yours was disabled: every attempt failed for five days, or the member who set it was removed",
  "account.erasure_requested":
    "a session of your account requested its erasure; until `due_at` the request can be taken back",
  "wallet.balance_low":
    "your wallet holds less than an order needs that waits for its payment; at most once a day for each wallet",
  "payout.refused":
    "the token refused the payout of an order to your wallet, as it does if it is paused or blocks the wallet; the contract owes you the amount",
  "payout.withdrawn": "the contract paid an amount that the token had refused before",
} as const;
export type EventType = keyof typeof eventTypes;
