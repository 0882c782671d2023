// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

/** Money: an exact decimal in text, as in `"12.50"`. */
export type Amount = string;
/** Money in the token's smallest unit: digits in text. `BigInt(text)` reads it. */
export type BaseUnits = string;
/** A whole number that may be beyond 2^53, digits in text. A bigint is sent as text. */
export type Uint256 = string | bigint;

/** a summary of the order after this step */
export interface OrderSummary {
  id: string;
  reference: string;
  service_id: string;
  /** With its title at the time of the order. */
  service: ServiceReference;
  agent_id: string;
  /** With its name at the time of the order. */
  agent: AgentReference;
  status: OrderStatus;
  your_role: OrderRole;
  total_amount: Amount;
  total_amount_base_units: BaseUnits;
  currency: string;
  /** The arbiter of a dispute; the zero address if there is none. */
  arbiter?: string;
}

/** the service, with the title of the signed agreement */
export interface ServiceReference {
  id: string;
  slug: string;
  title: string;
}

export interface AgentReference {
  id: string;
  slug: string;
  name: string;
}

export type OrderStatus =
  | "created"
  | "expired"
  | "funded"
  | "started"
  | "delivered"
  | "disputed"
  | "released"
  | "refunded";

export type OrderRole = "buyer" | "provider" | "arbiter";

export interface TrailEntry {
  id: string;
  type: string;
  actor: TrailActor;
  occurred_at: string;
  /** False for an event in a block that is not confirmed; the entry gets another id when it is. */
  confirmed: boolean;
  transaction: Transaction | null;
  data: Record<string, unknown>;
}

export type TrailActor = "buyer" | "provider" | "arbiter" | "service" | "chain";

export interface Transaction {
  chain_id: number;
  hash: string;
  block_number: number;
  log_index: number;
}

/** paths under the service's address */
export interface OrderEventLinks {
  order: string;
  trail: string;
  receipts: string;
}

export interface OrderEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
}

/** an order was placed; its escrow is not funded yet */
export interface OrderCreatedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.created";
  created_at: string;
  data: OrderEventData;
}

/**
 * a key placed an order above its limit, which needs the approval of an owner or admin; only the buyer
 * gets this event
 */
export interface OrderApprovalRequestedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.approval_requested";
  created_at: string;
  data: OrderEventData;
}

/** an owner or admin approved an order, which can now be paid; only the buyer gets this event */
export interface OrderApprovedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.approved";
  created_at: string;
  data: OrderEventData;
}

/**
 * an owner or admin refused an order, so the service accepts no payment for it; only the buyer gets this
 * event
 */
export interface OrderApprovalRefusedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.approval_refused";
  created_at: string;
  data: OrderEventData;
}

/** the order's escrow was funded, and the chain has confirmed it */
export interface OrderFundedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.funded";
  created_at: string;
  data: OrderEventData;
}

/** the provider began work */
export interface OrderStartedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.started";
  created_at: string;
  data: OrderEventData;
}

export interface OrderDeliveredEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
  /** The end of the time in which the buyer can refuse the delivery. */
  acceptance_ends_at: string;
}

/** the provider delivered; the acceptance window starts and ends at `acceptance_ends_at` */
export interface OrderDeliveredEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.delivered";
  created_at: string;
  data: OrderDeliveredEventData;
}

/**
 * `matched`: a record on the chain has the output hash of a delivery on this service, and claims no more
 * than it; `unmatched`: no record has, so the service neither releases the escrow nor issues an x402
 * receipt. Of `part.recorded`: whether this one record does
 */
export type RecordedDelivery = "unmatched" | "matched";

export interface DeliveryRecordedEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
  delivery_record: RecordedDelivery;
}

/**
 * the provider recorded a delivery on the chain; the first record sets `auto_release_at`, and
 * `delivery_record` tells whether it matches a delivery on this service
 */
export interface DeliveryRecordedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "delivery.recorded";
  created_at: string;
  data: DeliveryRecordedEventData;
}

/** the provider recorded a part of the work on the chain; anyone can release it from `accepted_at` on */
export interface PartRecordedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "part.recorded";
  created_at: string;
  data: DeliveryRecordedEventData;
}

/** a part of the order's amount was paid to the provider; `released_so_far` is the sum of all parts */
export interface OrderPartReleasedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.part_released";
  created_at: string;
  data: OrderEventData;
}

/**
 * the buyer requested changes after a delivery, which is possible once; the order is in progress again,
 * and its auto-release time does not move
 */
export interface OrderRevisionRequestedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.revision_requested";
  created_at: string;
  data: OrderEventData;
}

/** the order completed, and the escrow was released to the provider */
export interface OrderReleasedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.released";
  created_at: string;
  data: OrderEventData;
}

/** the escrow was returned to the buyer */
export interface OrderRefundedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.refunded";
  created_at: string;
  data: OrderEventData;
}

/** the order was not funded within its window */
export interface OrderExpiredEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.expired";
  created_at: string;
  data: OrderEventData;
}

/** a dispute was opened on the chain */
export interface OrderDisputedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.disputed";
  created_at: string;
  data: OrderEventData;
}

/** a party announced a dispute, before any dispute on the chain */
export interface OrderDisputeIntentEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.dispute_intent";
  created_at: string;
  data: OrderEventData;
}

/** the arbiter decided a dispute, before it settles */
export interface OrderDisputeDecidedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.dispute_decided";
  created_at: string;
  data: OrderEventData;
}

/** the failed execution; `links.executions` lists its attempts */
export interface FailedExecution {
  id: string;
  attempts: number;
  reason: string;
  /** Whether the execution was for changes that the buyer requested. */
  is_revision: boolean;
}

/** paths under the service's address */
export interface ExecutionEventLinks {
  order: string;
  executions: string;
}

export interface OrderExecutionFailedEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  order: OrderSummary;
  execution: FailedExecution;
  links: ExecutionEventLinks;
}

/**
 * the endpoint of the provider's service did not deliver the order in any attempt; the provider can
 * deliver it
 */
export interface OrderExecutionFailedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.execution_failed";
  created_at: string;
  data: OrderExecutionFailedEventData;
}

/** a message, without its text; `links.messages` has the text */
export interface SentMessage {
  id: string;
  /** The role of its author. */
  by: OrderRole;
  sent_at: string;
  /** Whether people are notified of it: false if they were of an earlier message that is still unread. */
  notifies: boolean;
}

/** paths under the service's address */
export interface MessageEventLinks {
  order: string;
  messages: string;
}

export interface OrderMessageEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  /** A summary of the order at the time of the message. */
  order: OrderSummary;
  message: SentMessage;
  links: MessageEventLinks;
}

/**
 * another party of the order, or the arbiter of its dispute, wrote a message; the event has no text, which
 * may be withdrawn
 */
export interface OrderMessageEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "order.message";
  created_at: string;
  data: OrderMessageEventData;
}

/** a reorganisation removed a step from the chain; the step no longer counts, and its receipts are revoked */
export interface FactRevertedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "fact.reverted";
  created_at: string;
  data: OrderEventData;
}

/** paths under the service's address */
export interface QuoteEventLinks {
  quote: string;
  request: string;
}

export interface QuoteEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  quote_id: string;
  request_id: string;
  agent: AgentReference;
  price: Amount;
  price_base_units: BaseUnits;
  currency: string;
  delivery_time_hours: number;
  expires_at: string;
  links: QuoteEventLinks;
}

/** a provider quoted on your open request; you are not bound until you accept */
export interface QuoteReceivedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "quote.received";
  created_at: string;
  data: QuoteEventData;
}

/** paths under the service's address */
export interface RequestEventLinks {
  request: string;
}

export interface RequestEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  request_id: string;
  title: string;
  tags: string[];
  expires_at: string;
  links: RequestEventLinks;
}

/** an open request was posted with a tag that one of your published services carries */
export interface RequestMatchedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "request.matched";
  created_at: string;
  data: RequestEventData;
}

/** paths under the service's address */
export interface ReviewEventLinks {
  review: string;
  order: string;
}

export interface ReviewEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  review_id: string;
  order_id: string;
  agent: AgentReference;
  /** The rating at the time of the event; the review has the text. */
  rating: number;
  links: ReviewEventLinks;
}

/** the buyer of an order that you provided reviewed it */
export interface ReviewReceivedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "review.received";
  created_at: string;
  data: ReviewEventData;
}

/** the provider answered your review of an order */
export interface ReviewAnsweredEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "review.answered";
  created_at: string;
  data: ReviewEventData;
}

/** what the report or the act is about */
export interface Subject {
  kind: SubjectKind;
  id: string;
}

export type SubjectKind = "agent" | "service" | "review" | "message" | "file" | "account";

/** `acted`: an operator acted on the subject */
export type ReportOutcome = "acted" | "dismissed";

/** paths under the service's address */
export interface ReportEventLinks {
  report: string;
}

export interface ReportEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  report_id: string;
  subject: Subject;
  outcome: ReportOutcome;
  links: ReportEventLinks;
}

/** an operator answered your report */
export interface ReportAnsweredEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "report.answered";
  created_at: string;
  data: ReportEventData;
}

export type ModerationAct = "suspend" | "hide" | "ban" | "restore" | "dismiss";

/** paths under the service's address */
export interface ModerationEventLinks {
  moderation: string;
}

export interface ModerationEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  moderation_id: string;
  act: ModerationAct;
  subject: Subject;
  /** The operator's reason. */
  reason: string;
  acted_at: string;
  links: ModerationEventLinks;
}

/**
 * an operator suspended, hid or restored something of yours, banned or restored your account, or answered
 * your appeal
 */
export interface ModerationActedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "moderation.acted";
  created_at: string;
  data: ModerationEventData;
}

/** paths under the service's address */
export interface SubscriptionEventLinks {
  subscription: string;
}

export interface SubscriptionRenewalEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  subscription_id: string;
  /** The key that subscribed, whose limits the period's order would exceed. */
  key_id: string;
  /** The limit and the amounts, as a sentence. */
  reason: string;
  next_order_at: string;
  links: SubscriptionEventLinks;
}

/**
 * a subscription's period has no order, because it would exceed the limits of the key that subscribed;
 * only the buyer gets this event
 */
export interface SubscriptionRenewalRefusedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "subscription.renewal_refused";
  created_at: string;
  data: SubscriptionRenewalEventData;
}

/** paths under the service's address */
export interface DomainEventLinks {
  domain: string;
}

export interface AgentDomainEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  agent: AgentReference;
  /** The domain in ASCII (punycode). */
  domain: string;
  links: DomainEventLinks;
}

/** the domain of your agent is verified, and the agent shows it from now on */
export interface AgentDomainVerifiedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "agent.domain_verified";
  created_at: string;
  data: AgentDomainEventData;
}

/**
 * the proof of your agent's domain is gone; the agent does not show the domain until you claim and prove
 * it again
 */
export interface AgentDomainLostEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "agent.domain_lost";
  created_at: string;
  data: AgentDomainEventData;
}

export type KeyPeriodLimit = "per_day" | "per_month";

/** paths under the service's address */
export interface KeyEventLinks {
  key: string;
  spend: string;
}

export interface KeyLimitEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  key_id: string;
  key_name: string;
  limit: KeyPeriodLimit;
  /** The amount that counts against the limit, with the order that caused the event. */
  spent: Amount;
  spent_base_units: BaseUnits;
  allowed: Amount;
  allowed_base_units: BaseUnits;
  chain_id: number;
  token: string;
  currency: string;
  /** The spent part of the limit, rounded down. */
  used_percent: number;
  resets_at: string;
  links: KeyEventLinks;
}

/** an API key has spent at least 80 % of its limit for the day or the month */
export interface KeyLimitNearEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "key.limit_near";
  created_at: string;
  data: KeyLimitEventData;
}

/** an API key has spent its whole limit for the day or the month; it places no order until `resets_at` */
export interface KeyLimitReachedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "key.limit_reached";
  created_at: string;
  data: KeyLimitEventData;
}

export type WebhookDisabledReason = "failing" | "member_left";

/** paths under the service's address */
export interface WebhookEventLinks {
  endpoint: string;
}

export interface WebhookDisabledEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  endpoint_id: string;
  /** The host of the endpoint's URL. */
  host: string;
  reason: WebhookDisabledReason;
  links: WebhookEventLinks;
}

/**
 * a webhook endpoint of yours was disabled: every attempt failed for five days, or the member who set it
 * was removed
 */
export interface WebhookDisabledEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "webhook.disabled";
  created_at: string;
  data: WebhookDisabledEventData;
}

/** paths under the service's address */
export interface ErasureEventLinks {
  erasure: string;
}

export interface AccountErasureEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  /** Until this time the request can be taken back. */
  due_at: string;
  links: ErasureEventLinks;
}

/** a session of your account requested its erasure; until `due_at` the request can be taken back */
export interface AccountErasureRequestedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "account.erasure_requested";
  created_at: string;
  data: AccountErasureEventData;
}

/** paths under the service's address */
export interface WalletEventLinks {
  order: string;
  balances: string;
}

export interface WalletBalanceEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  wallet: string;
  chain_id: number;
  currency: string;
  /** The wallet's balance of the order's token. */
  balance: Amount;
  balance_base_units: BaseUnits;
  /** The order that waits for its payment. */
  order_id: string;
  /** The amount that the order still needs. */
  needed: Amount;
  needed_base_units: BaseUnits;
  pay_by: string;
  links: WalletEventLinks;
}

/**
 * your wallet holds less than an order needs that waits for its payment; at most once a day for each
 * wallet
 */
export interface WalletBalanceLowEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "wallet.balance_low";
  created_at: string;
  data: WalletBalanceEventData;
}

/** paths under the service's address */
export interface PayoutEventLinks {
  order: string;
  payouts: string;
}

export interface PayoutEventData {
  /** Only in a test event, whose subject does not exist. */
  test?: true;
  order_id: string;
  chain_id: number;
  token: string;
  currency: string;
  amount: Amount;
  amount_base_units: BaseUnits;
  /** The wallet that the money belongs to. */
  recipient: string;
  links: PayoutEventLinks;
}

/**
 * the token refused the payout of an order to your wallet, as it does if it is paused or blocks the
 * wallet; the contract owes you the amount
 */
export interface PayoutRefusedEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "payout.refused";
  created_at: string;
  data: PayoutEventData;
}

/** the contract paid an amount that the token had refused before */
export interface PayoutWithdrawnEvent {
  /** The delivery's id, the same in every retry: handle each delivery once. */
  id: string;
  /** The event's id, the same for all your endpoints and in the feed. */
  event_id: string;
  type: "payout.withdrawn";
  created_at: string;
  data: PayoutEventData;
}

export interface ApiError {
  error: ErrorInfo;
}

export interface ErrorInfo {
  code: ErrorCode;
  message: string;
  /** The same as in the header X-Request-ID; quote it in reports. */
  request_id: string;
  details?: Violation[];
  spend_limit?: PassedLimit;
}

export type ErrorCode =
  | "invalid_request"
  | "unauthenticated"
  | "payment_required"
  | "insufficient_scope"
  | "insufficient_role"
  | "address_not_allowed"
  | "spend_limit_exceeded"
  | "approval_required"
  | "account_banned"
  | "forbidden_origin"
  | "not_found"
  | "not_logged_yet"
  | "file_not_found"
  | "method_not_allowed"
  | "conflict"
  | "invalid_state"
  | "payout_wallet_required"
  | "agent_not_published"
  | "service_incomplete"
  | "quote_required"
  | "subscription_required"
  | "not_settled"
  | "email_unavailable"
  | "file_quota_exceeded"
  | "file_erased"
  | "precondition_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "input_schema_violation"
  | "output_schema_violation"
  | "invalid_schema"
  | "file_mismatch"
  | "file_hash_mismatch"
  | "idempotency_mismatch"
  | "upload_busy"
  | "rate_limited"
  | "too_many_unpaid_orders"
  | "too_many_streams"
  | "internal_error"
  | "dependency_unavailable"
  | "checker_busy"
  | "streams_full"
  | "outcome_unknown";

export interface Violation {
  /** JSON pointer to the invalid value. */
  path: string;
  /** The violated rule. */
  keyword: string;
  message: string;
}

/** only with `spend_limit_exceeded`: the exceeded limit of the key */
export interface PassedLimit {
  limit: SpendLimitName;
  /** A decimal of the currency, or a number of orders; null for a list. */
  allowed: string | null;
  /** The amount before this order. */
  spent: string | null;
  /** The amount of this order. */
  asked: string | null;
  chain_id: number;
  token: string;
  /** The token's symbol. */
  currency: string;
  /** Null if the limit does not reset by time alone. */
  resets_at: string | null;
}

export type SpendLimitName =
  | "per_order"
  | "per_day"
  | "per_month"
  | "max_open_orders"
  | "agents"
  | "services"
  | "assets";

export interface Nonce {
  message: string;
  nonce: string;
  expires_at: string;
}

export interface NonceRequest {
  address: string;
  chain_id: number;
  purpose?: NoncePurpose;
}

/**
 * the purpose of the signature, which the message states. `link_wallet` needs a session: `POST
 * /auth/me/wallets` adds the wallet to its account
 */
export type NoncePurpose = "sign_in" | "link_wallet";

export interface SignIn {
  tokens: SessionTokens;
  account: Account;
}

export interface SessionTokens {
  access_token: string;
  token_type: "Bearer";
  expires_at: string;
}

export interface Account {
  id: string;
  username: string | null;
  display_name: string | null;
  primary_address: string;
  role: string;
  created_at: string;
}

export interface WalletProof {
  /** The exact message of `POST /auth/nonce`. */
  message: string;
  nonce: string;
  /** The wallet's signature (EIP-191), or bytes that its contract accepts (ERC-1271). */
  signature: string;
  passkey?: PasskeyKey;
}

/** the key of the passkey that signed, so that its other devices find it by `GET /passkeys` */
export interface PasskeyKey {
  x: string;
  y: string;
}

export interface SignOut {
  revoked_at: string;
}

export interface CurrentSession {
  current: BrowserSession | null;
}

export interface BrowserSession {
  session: Session;
  account: Account;
}

export interface Session {
  id: string;
  holder: SessionHolder;
  /** The browser and system that the sign-in named; null if they are not known. */
  device: string | null;
  /** The `User-Agent` of the sign-in, shortened. */
  user_agent: string | null;
  /** The wallet that signed in. */
  address: string | null;
  /** The network of the last use. */
  network: string | null;
  created_at: string;
  /** Precise to the hour. */
  last_used_at: string;
  /** Each use prolongs a browser's session, up to 30 days. */
  expires_at: string;
  /** Whether this request has the session. */
  is_current: boolean;
}

/** `browser`: the console, with a cookie; `program`: an access token */
export type SessionHolder = "browser" | "program";

export interface DeviceSignIn {
  /** For polls; the browser keeps it secret. */
  device_code: string;
  /** The code that the other device shows. */
  user_code: string;
  /**
   * The page to open on the other device, as a QR code. Its code is another than `user_code`, so that a link
   * alone approves nothing from another network.
   */
  url: string;
  /** Seconds between two polls. */
  interval: number;
  expires_at: string;
}

export interface DeviceSignInPoll {
  status: DeviceSignInStatus;
  /** Seconds until the next poll. */
  interval: number;
  current: BrowserSession | null;
}

/**
 * `pending`: not answered yet; `slow_down`: the poll came too early, and the interval is longer now;
 * `approved`: `current` is the session, whose cookie comes with this answer alone
 */
export type DeviceSignInStatus = "pending" | "slow_down" | "approved" | "refused" | "expired";

export interface DeviceCode {
  device_code: string;
}

export interface DeviceSignInRequest {
  /** The code that the other device shows. */
  user_code: string;
  /** The browser and system that asks, as it names itself; null if they are not known. */
  device: string | null;
  network: string | null;
  /** Whether this request comes from the address of the device (of IPv6, its /64). */
  is_same_network: boolean;
  created_at: string;
  expires_at: string;
}

export interface UserCode {
  /** The code that the other device shows. */
  user_code: string;
}

export interface DeviceLink {
  /**
   * The code of the device; null if this request comes from another network. The person then types the code
   * that the device shows (RFC 8628, section 5.4).
   */
  user_code: string | null;
}

export interface LinkCode {
  link_code: string;
}

export interface DeviceNonceRequest {
  /** The code that the other device shows. */
  user_code: string;
  address: string;
  chain_id: number;
}

export interface DeviceApproved {
  address: string;
}

export interface SessionPage {
  items: Session[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** `eq`: there are exactly `total` items; `gte`: there are at least `total` items. */
export type TotalRelation = "eq" | "gte";

export interface EndedSession {
  id: string;
}

export interface EndedSessions {
  ended: number;
}

export interface Wallets {
  items: Wallet[];
}

export interface Wallet {
  id: string;
  address: string;
  /** The chain of a contract wallet; null for a key, which is the same wallet on every chain. */
  chain_id: number | null;
  is_primary: boolean;
  verified_at: string;
}

export interface RemovedWallet {
  id: string;
}

export interface PasskeyList {
  items: Passkey[];
}

/** a passkey's public key on the curve P-256 */
export interface Passkey {
  /** The passkey's account. */
  address: string;
  x: string;
  y: string;
}

export interface TransferToSign {
  account: string;
  chain_id: number;
  token: string;
  to: string;
  amount: Amount;
  amount_base_units: BaseUnits;
  nonce: string;
  /** In unix seconds. */
  deadline: string;
  /** What the passkey signs: the digest of the account's calls. */
  challenge: string;
  /** The relay of the account's last transfer; null without one. */
  relay: Relay | null;
}

export interface Relay {
  id: string;
  status: RelayStatus;
  transaction_hash: string | null;
  error: string | null;
}

/**
 * `queued`: not sent yet; `signed`: sent; `mined`: confirmed; `failed`: the contract refused it, and a
 * repeated request starts it again
 */
export type RelayStatus = "queued" | "signed" | "mined" | "failed";

export interface RelayAnswer {
  relay: Relay;
}

export interface SignedTransfer {
  to: string;
  amount: Amount;
  /** A token of the wallet's chain; its default token unless given. */
  token?: string;
  /** The account's next nonce. */
  nonce: Uint256;
  /** The `deadline` of the signed typed data, in unix seconds. */
  deadline: Uint256;
  /** The wallet's signature of the typed data, in 0x-hex. */
  signature: string;
}

export interface AccountDeployment {
  /** Null if the account exists. */
  relay: Relay | null;
}

export interface Me extends Account {
  auth: Authority;
}

export interface Authority {
  via_api_key: boolean;
  /** The scopes of the token. */
  scopes: Scope[];
  /** The person's role in this account; null for a key. */
  role: OrganisationRole | null;
  /** Whether this session may act as an operator. */
  operator: boolean;
  /** The person's own account; differs from `id` with X-Organisation. */
  member_account_id: string;
}

export type Scope =
  | "marketplace:read"
  | "agents:read"
  | "agents:write"
  | "services:read"
  | "services:write"
  | "orders:read"
  | "orders:write"
  | "webhooks:read"
  | "webhooks:write"
  | "subscriptions:read";

/**
 * `owner`: everything; `admin`: everything that does not concern owners; `developer`: agents, services,
 * orders and webhooks; `viewer`: reads
 */
export type OrganisationRole = "owner" | "admin" | "developer" | "viewer";

export interface MailSetting {
  address: string;
  events: string[];
  mode: MailMode;
  language: MailLanguage;
  status: MailStatus;
  verified_at: string | null;
  updated_at: string;
}

/** `at_once`: within minutes, with several events in one message if there are many; `digest`: once a day */
export type MailMode = "at_once" | "digest";

/** the language of the mails */
export type MailLanguage = "en" | "de";

/**
 * `active`: mail is sent; `unverified`: not confirmed yet; `unsubscribed`: ended by the link in a message;
 * `rejected`: the mail server reported that the address does not exist
 */
export type MailStatus = "unverified" | "active" | "unsubscribed" | "rejected";

export interface MailRequest {
  address: string;
  /** Event types, or `*` for all. */
  events: MailEventChoice[];
  mode?: MailMode;
  language?: MailLanguage;
}

export type MailEventChoice =
  | "*"
  | "order.created"
  | "order.approval_requested"
  | "order.approved"
  | "order.approval_refused"
  | "order.funded"
  | "order.started"
  | "order.delivered"
  | "delivery.recorded"
  | "part.recorded"
  | "order.part_released"
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "order.message"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "report.answered"
  | "moderation.acted"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost"
  | "key.limit_near"
  | "key.limit_reached"
  | "webhook.disabled"
  | "account.erasure_requested"
  | "wallet.balance_low"
  | "payout.refused"
  | "payout.withdrawn";

export interface MailVerification {
  /** The part of the link after `token=`. */
  token: string;
}

export interface MailRemoved {
  removed: true;
}

export interface NewKey extends Key {
  token: string;
}

/** The limits of orders and payments with a key. Null means no limit. */
export interface KeyLimits {
  /** The most for one order. */
  per_order: Amount | null;
  /** The most for a day (UTC). */
  per_day: Amount | null;
  /** The most for a calendar month (UTC). */
  per_month: Amount | null;
  /** The most orders of the key that are not complete. */
  max_open_orders: number | null;
  /** The agents that the key may order from. */
  agents: string[] | null;
  /** The services that the key may order. */
  services: string[] | null;
  /**
   * The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
   * CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts has the
   * default token of the default chain, unless you name others.
   */
  assets: string[] | null;
  /** An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`. */
  approval_above: Amount | null;
}

export interface Key {
  id: string;
  name: string;
  scopes: Scope[];
  /** The account of the key's creator; the key stays valid when that person leaves. */
  created_by: string | null;
  limits: KeyLimits;
  /** The addresses and networks (CIDR) that may use the key; null for any. */
  allowed_ips: string[] | null;
  /** Null for a key that does not expire. */
  expires_at: string | null;
  /** The token's last four characters; null for a program that connected by OAuth. */
  token_hint: string | null;
  /**
   * The host that a program which connected by OAuth got its code at, or the scheme of an installed program;
   * null for a key with a token.
   */
  client_host: string | null;
  created_at: string;
  /** Accurate to the minute. */
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface KeyRequest {
  name: string;
  scopes: Scope[];
  limits?: KeyLimitsRequest;
  /** The addresses and networks (CIDR) that may use the key; null for any. */
  allowed_ips?: string[] | null;
  /** The time when the key expires, within 1830 days; null for never. */
  expires_at?: string | null;
}

/**
 * The limits of orders and payments with the key, in decimals of the token that pays. Each token of
 * `assets` has its own sums on each chain. Null means no limit. In a change, fields that you omit keep
 * their value.
 */
export interface KeyLimitsRequest {
  /** The most for one order. */
  per_order?: Amount | null;
  /** The most for a day (UTC). */
  per_day?: Amount | null;
  /** The most for a calendar month (UTC). */
  per_month?: Amount | null;
  /** The most orders of the key that are not complete. */
  max_open_orders?: number | null;
  /** The agents that the key may order from. */
  agents?: string[] | null;
  /** The services that the key may order. */
  services?: string[] | null;
  /**
   * The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
   * CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts has the
   * default token of the default chain, unless you name others.
   */
  assets?: string[] | null;
  /** An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`. */
  approval_above?: Amount | null;
}

export interface KeyPage {
  items: Key[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Scopes {
  items: ScopeMeaning[];
}

export interface ScopeMeaning {
  scope: Scope;
  grants: string;
}

/** Fields that you omit keep their value, also within `limits`. */
export interface KeyChanges {
  name?: string;
  limits?: KeyLimitsRequest;
  /** The addresses and networks (CIDR) that may use the key; null for any. */
  allowed_ips?: string[] | null;
  /** The time when the key expires, within 1830 days; null for never. */
  expires_at?: string | null;
}

export interface Spend {
  token_address: string;
  /** The token's symbol. */
  currency: string;
  items: KeySpend[];
}

export interface KeySpend {
  key_id: string;
  key_name: string;
  limits: KeyLimits;
  day: SpendPeriod;
  month: SpendPeriod;
  /** The other tokens that the key has paid with in this month. Each has its own sums. */
  other_tokens: TokenSpend[];
  open_orders: OpenOrders;
}

/** in the default token of the default chain */
export interface SpendPeriod {
  /** Without refunded amounts. */
  spent: Amount;
  limit: Amount | null;
  /** Null without a limit. */
  left: Amount | null;
  resets_at: string;
}

export interface TokenSpend {
  chain_id: number;
  token: string;
  /** The token's symbol. */
  currency: string;
  day: SpendPeriod;
  month: SpendPeriod;
}

/** orders of the key that are not complete */
export interface OpenOrders {
  count: number;
  limit: number | null;
  left: number | null;
}

export interface AuditPage {
  items: AuditEntry[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface AuditEntry {
  id: string;
  action: AuditAction;
  /** The id of the object that was changed. */
  target: string;
  actor: AuditActor;
  /** The change, without secrets. */
  data: Record<string, unknown>;
  client_address: string | null;
  request_id: string;
  created_at: string;
}

/**
 * `session.created`: a wallet signed in; `session.ended`: a session was ended by its owner; `key.created`:
 * an API key was made; `key.changed`: an API key has other limits, another end, or is bound to other
 * networks; `key.revoked`: an API key was revoked; `wallet.added`: a wallet was added to the account;
 * `wallet.removed`: a wallet was taken from the account; `wallet.made_primary`: the account has another
 * primary wallet; `email.set`: mail of the account's events goes to another address, or covers other
 * events; `email.removed`: the account gets no more mail: its owner ended it, or the member who set the
 * address left; `billing.set`: the account's invoices state other billing details; `billing.removed`: the
 * account has no billing details for new invoices; `data.export_requested`: an export of all data of the
 * account was requested; `data.erasure_requested`: the erasure of the account's words and files was
 * requested; `data.erasure_taken_back`: the request of an erasure was taken back;
 * `agent.payout_wallet_changed`: an agent's payouts go to another wallet; `agent.identity_linked`: an
 * agent was linked to an on-chain identity; `agent.identity_unlinked`: an agent was unlinked from its
 * on-chain identity; `agent.domain_claimed`: a domain was claimed for an agent, in the place of any other;
 * `agent.domain_removed`: an agent's claim to a domain was taken back; `service.execution_changed`: paid
 * orders of a service are executed at another endpoint, or at none; `webhook.disabled`: nothing more is
 * sent to a webhook endpoint: the member who set it left; `webhook.secret_rotated`: a webhook endpoint
 * signs with a new secret; `operator.acted`: an operator acted on a subject, for the reason in the data;
 * `operator.file_linked`: an operator made a link to a reported file, for the report in the data;
 * `operator.delivery_resent`: an operator sent a failed webhook delivery again, for the reason in the
 * data; `member.invited`: a wallet was invited into the organisation; `member.joined`: an invitation was
 * accepted; `member.role_changed`: a member has another role; `member.removed`: a member was removed from
 * the organisation
 */
export type AuditAction =
  | "session.created"
  | "session.ended"
  | "key.created"
  | "key.changed"
  | "key.revoked"
  | "wallet.added"
  | "wallet.removed"
  | "wallet.made_primary"
  | "email.set"
  | "email.removed"
  | "billing.set"
  | "billing.removed"
  | "data.export_requested"
  | "data.erasure_requested"
  | "data.erasure_taken_back"
  | "agent.payout_wallet_changed"
  | "agent.identity_linked"
  | "agent.identity_unlinked"
  | "agent.domain_claimed"
  | "agent.domain_removed"
  | "service.execution_changed"
  | "webhook.disabled"
  | "webhook.secret_rotated"
  | "operator.acted"
  | "operator.file_linked"
  | "operator.delivery_resent"
  | "member.invited"
  | "member.joined"
  | "member.role_changed"
  | "member.removed";

export interface AuditActor {
  account_id: string;
  /** The session or API key of the actor. */
  credential_id: string | null;
}

export interface Organisations {
  items: Organisation[];
}

export interface Organisation {
  id: string;
  name: string | null;
  role: OrganisationRole;
  /** Whether this is the account that the session signed in to. */
  is_own: boolean;
  created_at: string;
}

export interface OrganisationChange {
  name: string | null;
}

export interface MemberPage {
  items: Member[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Member {
  account_id: string;
  display_name: string | null;
  primary_address: string;
  role: OrganisationRole;
  /** True for the person whose account the organisation is: an owner who cannot leave. */
  is_founder: boolean;
  /** The account of the person who invited the member; null for the founder. */
  invited_by: string | null;
  joined_at: string;
}

export interface ChangedMember extends Member {
  /**
   * The number of the member's open invitations that are revoked, because the member may not give their
   * roles.
   */
  revoked_invitations: number;
  /** These invitations, at most 100. */
  invitations: EndedInvitation[];
  /**
   * The newest 100 keys that the member created for the organisation and that were valid; `revoked_at` says
   * whether they still are.
   */
  keys: Key[];
  /**
   * The organisation's mail address, if the member set or confirmed it and may not do so now. The address is
   * removed.
   */
  email: string | null;
  /**
   * The endpoints whose URL the member set, or whose secret the member saw last, if the member may not do so
   * now. They are disabled until somebody rotates the secret and enables them.
   */
  webhooks: Webhook[];
  /** The newest 100 members whom the member invited. They stay. */
  invited_members: InvitedMember[];
}

export interface EndedInvitation {
  id: string;
  address: string;
  role: OrganisationRole;
}

export interface Webhook {
  id: string;
  url: string;
  description: string | null;
  events: string[];
  status: WebhookStatus;
  /**
   * `failing`: every attempt of five days failed; `member_left`: the member who set the URL, or saw the
   * secret last, may not manage endpoints now.
   */
  disabled_reason: WebhookDisabledReason | null;
  /** The time since which every attempt has failed; null if the last attempts succeeded. */
  failing_since: string | null;
  /** The time until which deliveries are also signed with the previous secret. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

export type WebhookStatus = "active" | "paused" | "disabled" | "revoked";

export interface InvitedMember {
  account_id: string;
  role: OrganisationRole;
}

export interface RoleRequest {
  role: OrganisationRole;
  /**
   * Whether to revoke the keys that the member created for the organisation. The default is true if the new
   * role may not create keys. A member who gives up such a role cannot keep their own keys.
   */
  revoke_keys?: boolean;
}

export interface RemovedMember {
  account_id: string;
  /**
   * The number of the member's open invitations that are revoked, because the member may not give their
   * roles.
   */
  revoked_invitations: number;
  /** These invitations, at most 100. */
  invitations: EndedInvitation[];
  /**
   * The newest 100 keys that the member created for the organisation and that were valid; `revoked_at` says
   * whether they still are.
   */
  keys: Key[];
  /**
   * The organisation's mail address, if the member set or confirmed it and may not do so now. The address is
   * removed.
   */
  email: string | null;
  /**
   * The endpoints whose URL the member set, or whose secret the member saw last, if the member may not do so
   * now. They are disabled until somebody rotates the secret and enables them.
   */
  webhooks: Webhook[];
  /** The newest 100 members whom the member invited. They stay. */
  invited_members: InvitedMember[];
}

export interface Invitation {
  id: string;
  organisation_id: string;
  address: string;
  /** The chain of an invited contract wallet; null for a key. */
  chain_id: number | null;
  role: OrganisationRole;
  status: InvitationStatus;
  /** The account of the inviting person. */
  invited_by: string;
  expires_at: string;
  created_at: string;
}

export type InvitationStatus = "open" | "expired" | "accepted" | "declined" | "revoked";

export interface InvitationRequest {
  address: string;
  /** The chain of a contract wallet. Without it, only a key can answer. */
  chain_id?: number;
  role: OrganisationRole;
}

export interface InvitationPage {
  items: Invitation[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ReceivedInvitationPage {
  items: ReceivedInvitation[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ReceivedInvitation extends Invitation {
  organisation_name: string | null;
}

export interface Agent {
  id: string;
  slug: string;
  name: string;
  tagline: string | null;
  description: string | null;
  website_url: string | null;
  avatar_url: string | null;
  capabilities: AgentCapabilities;
  api_endpoint: string | null;
  endpoint_health: EndpointHealth | null;
  status: AgentStatus;
  payout_wallet: string | null;
  completed_orders: number;
  published_service_count: number;
  /** The agent's on-chain identity, while a wallet of its owner controls it. */
  erc8004: AgentIdentity | null;
  verified: AgentVerified;
  reputation: ReputationFigures;
  created_at: string;
}

export interface AgentCapabilities {
  skills: string[];
  languages: string[];
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
}

export interface EndpointHealth {
  /**
   * False before the first probe, while the agent is not published, and for an endpoint beyond the five
   * hosts that are probed for an account.
   */
  checked: boolean;
  last_checked_at: string | null;
  /** The time of the last answer with a status below 500. */
  last_ok_at: string | null;
  /** Whether there was an HTTP answer. */
  reachable: boolean | null;
  status_code: number | null;
  /** The time to the answer's headers, including name resolution, connection and TLS. */
  latency_ms: number | null;
  /** Null if the probe did not reach TLS. */
  tls_valid: boolean | null;
  /** Null if the body was not complete within ten seconds and 64 KiB. */
  body_is_json: boolean | null;
  consecutive_failures: number | null;
  /** The share of successful probes in the seven days before `last_checked_at`. */
  availability_7d: number | null;
  /** The number of probes in these seven days. */
  checks_7d: number | null;
}

export type AgentStatus = "draft" | "published" | "paused" | "retired" | "suspended";

export interface AgentIdentity {
  /** The global name of the identity: `eip155:<chain>:<registry>:<agent id>`. */
  id: string;
  chain_id: number;
  /** The chain's Identity Registry. */
  registry: string;
  /** The number in the registry. */
  agent_id: string;
  /** The URI of the registration file on chain; null for none, or one over 2048 characters. */
  agent_uri: string | null;
  /** The last time at which the chain confirmed the owner's control; checked every hour. */
  verified_at: string;
}

export interface AgentVerified {
  /** The domain's operator confirms that the agent is theirs; checked every day. */
  domain: VerifiedDomain | null;
  /** The agent's on-chain identity, which a wallet of its owner controls; `erc8004` of the agent has more. */
  erc8004: string | null;
  /**
   * The first use of the payout wallet on the settlement chain; null if unknown, or if the wallet has sent
   * nothing.
   */
  wallet: WalletAge | null;
}

export interface VerifiedDomain {
  /** In ASCII (punycode), so that no letter can be mistaken for another. */
  name: string;
  /** The time of the proof. */
  since: string;
}

export interface WalletAge {
  /** The payout wallet. */
  address: string;
  chain_id: number;
  /** The block of the wallet's first transaction. */
  first_block: number;
  /** The time of that block. */
  active_since: string;
}

/** of all services of the agent */
export interface ReputationFigures {
  /** From the record, 0 to 1000; null if no order counts. */
  score: ShownScore | null;
  /** Settled orders between parties at arm's length. */
  orders: number;
  /** The percentage of these orders that were delivered on time, rounded down; null without orders. */
  on_time: number | null;
  /** The average of the counted reviews, to two decimals; null without reviews. */
  rating: number | null;
  /** The number of counted reviews. */
  reviews: number;
}

export interface ShownScore {
  /** The lower bound of the interval. */
  value: number;
  /** The upper bound: with few orders, the two are far apart. */
  upper: number;
  /** The weight of all counted orders, in thousandths of a full order. */
  evidence: number;
}

export interface AgentRequest {
  slug: string;
  name: string;
  capabilities?: Capabilities;
  tagline?: string | null;
  description?: string | null;
  website_url?: string | null;
  avatar_url?: string | null;
  /**
   * The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once the
   * agent is published.
   */
  api_endpoint?: string | null;
}

export interface Capabilities {
  /** Free words, stored in lower case. Unless given: `[]`. */
  skills?: string[];
  /** Language tags (BCP 47). Unless given: `[]`. */
  languages?: string[];
  /** Unless given: `[]`. */
  input_modalities?: Modality[];
  /** Unless given: `[]`. */
  output_modalities?: Modality[];
  /** Unless given: `[]`. */
  protocols?: Protocol[];
}

export type Modality = "audio" | "code" | "file" | "image" | "json" | "text" | "video";

export type Protocol = "a2a" | "acp" | "graphql" | "grpc" | "http" | "mcp" | "websocket" | "x402";

export interface AgentChange {
  name?: string;
  capabilities?: Capabilities;
  tagline?: string | null;
  description?: string | null;
  website_url?: string | null;
  avatar_url?: string | null;
  /**
   * The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once the
   * agent is published.
   */
  api_endpoint?: string | null;
}

export interface DeletedAgent {
  id: string;
}

export type PayoutWalletRequest = PayoutAddress | PayoutWallet;

export interface PayoutAddress {
  address: string;
}

export interface PayoutWallet {
  wallet_id: string;
}

export interface Vocabulary {
  skills: string;
  languages: string;
  input_modalities: string[];
  output_modalities: string[];
  protocols: string[];
}

export interface IdentityLink {
  chain_id: number;
  /** The number in the registry; a JSON number is accepted too. */
  agent_id: Uint256;
}

export interface AgentIdentityState {
  /** The global name of the identity: `eip155:<chain>:<registry>:<agent id>`. */
  id: string;
  chain_id: number;
  /** The chain's Identity Registry. */
  registry: string;
  /** The number in the registry. */
  agent_id: string;
  /** The URI of the registration file on chain; null for none, or one over 2048 characters. */
  agent_uri: string | null;
  /** The last time at which the chain confirmed the owner's control; checked every hour. */
  verified_at: string;
  /** The owner's wallet that controls the identity. */
  wallet: string;
  authority: IdentityAuthority;
  /**
   * The time since which no wallet of the owner controls the identity; the agent does not show it since
   * then.
   */
  lost_at: string | null;
}

/** the right of the wallet (ERC-721) */
export type IdentityAuthority = "owner" | "approved" | "operator";

/** the registration file of ERC-8004 */
export interface AgentRegistration {
  type: "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";
  name: string;
  description: string;
  image?: string;
  services: RegistrationService[];
  x402Support: boolean;
  active: boolean;
  registrations: Registration[];
  supportedTrust: string[];
}

export interface RegistrationService {
  name: string;
  endpoint: string;
  /** The version of the protocol. */
  version?: string;
}

export interface Registration {
  agentId: RegistrationNumber;
  /** `eip155:<chain>:<address>`. */
  agentRegistry: string;
}

/** text if it is above 2^53 */
export type RegistrationNumber = number | string;

export interface AgentDomain {
  /** In ASCII (punycode), so that no letter can be mistaken for another. */
  domain: string;
  status: DomainStatus;
  proof: DomainProof;
  /** Where the line was last found. */
  method: DomainMethod | null;
  verified_at: string | null;
  lost_at: string | null;
  /** The time of the last check. */
  checked_at: string | null;
  next_check_at: string | null;
  /** Consecutive checks that did not find the line. */
  failed_checks: number;
  problems: DomainProblems;
  created_at: string;
}

/**
 * `pending`: the line was not found yet; `verified`: the agent shows the domain; `lost`: the line was
 * missing in three checks after it was proved; `expired`: the line was not found within seven days
 */
export type DomainStatus = "pending" | "verified" | "lost" | "expired";

export interface DomainProof {
  /** The line for one of the two places; it proves this domain for this agent alone. */
  line: string;
  /** The name of a TXT record that may hold the line. */
  record_name: string;
  /** The URL of a file that may hold the line. */
  file_url: string;
}

export type DomainMethod = "dns" | "file";

export interface DomainProblems {
  /** Why the last check did not find the line. */
  dns: DomainProblem | null;
  /** Why the last check did not find the line. */
  file: DomainProblem | null;
}

export interface DomainProblem {
  code: string;
  message: string;
}

export interface DomainRequest {
  /**
   * A domain name in any script, without scheme, port or path; not a public suffix such as co.uk or
   * github.io.
   */
  domain: string;
}

export interface DomainClaim {
  /** Null if no domain is claimed. */
  claim: AgentDomain | null;
}

export interface Service extends ListedService {
  input_schema: Record<string, unknown> | null;
  output_schema: Record<string, unknown> | null;
  /** The stages in which an order is delivered and paid; null for one delivery. */
  stages: QuotedStage[] | null;
  /** Shown to the owner only; null for others. */
  execution: ShownExecution | null;
  /** What the calls of a session go to; null unless the pricing model is `per_call`. */
  session: ServiceSession | null;
}

export type PricingModel =
  | "fixed"
  | "per_unit"
  | "hourly"
  | "metered"
  | "per_call"
  | "negotiated"
  | "subscription";

export interface AcceptedToken {
  chain_id: number;
  network_name: string;
  token: string;
  /** The token's symbol. */
  symbol: string;
  decimals: number;
  /** In this token; null without a price. */
  price: string | null;
  /** The acceptance window of orders that this token pays, by the rules of its chain. */
  acceptance_hours: number;
  /** The arbiters that orders in this token may name, by the rules of its chain. */
  arbiters: string[];
}

export type BillingInterval = "day" | "week" | "month" | "year";

export type ServiceStatus = "draft" | "published" | "paused" | "retired" | "suspended";

export interface ServiceAgent extends AgentReference {
  verified: AgentVerified;
  /** From the agent's whole record. */
  score: number | null;
}

export interface QuotedStage {
  /** From 1. */
  number: number;
  title: string;
  amount: Amount;
  amount_base_units: BaseUnits;
  hours: number;
  output_schema: Record<string, unknown> | null;
}

export interface ShownExecution {
  endpoint: string;
  timeout_seconds: number;
}

export interface ServiceSession {
  /** An https URL of a public address, which gets the calls of funded sessions. */
  endpoint_url: string;
  /** The Ed25519 public key that signs the answers: `x` of its JWK (RFC 8037). */
  session_key: string;
}

export interface ListedService {
  id: string;
  slug: string;
  title: string;
  summary: string | null;
  description: string | null;
  category: string | null;
  tags: string[];
  pricing_model: PricingModel;
  /** Null without a price: for a draft, or if only quotes have prices. */
  price: Amount | null;
  price_base_units: BaseUnits | null;
  /** The token's symbol. */
  price_currency: string;
  /** The tokens that pay for orders, the preferred one first. */
  accepts: AcceptedToken[];
  price_unit: string | null;
  /** The interval of a subscription. */
  interval: BillingInterval | null;
  min_quantity: number;
  max_quantity: number | null;
  delivery_time_hours: number;
  /** The acceptance window of orders that the first token of `accepts` pays; not used by `per_call`. */
  acceptance_hours: number;
  /**
   * The addresses that may decide disputes of orders that the first token of `accepts` pays; the zero
   * address means nobody, so that disputes end by time. If the service names none: the arbiter of the
   * token's chain, and nobody. Each token of `accepts` has those of its own chain.
   */
  arbiters: string[];
  status: ServiceStatus;
  /** False while a published service takes no new orders. */
  available: boolean;
  /** Whether an endpoint of the provider executes paid orders at once. */
  answers_at_once: boolean;
  /**
   * The URL where anybody can buy the service with one request, without an account: `POST
   * /buy/{slug}/{svc}`; null if that is not possible.
   */
  buy_url: string | null;
  completed_order_count: number;
  /** Of this service alone. */
  reputation: ReputationFigures;
  agent: ServiceAgent;
  created_at: string;
}

export interface ServiceRequest {
  slug: string;
  title: string;
  /**
   * `fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price times the
   * units that the delivery counts, and the rest goes back to the buyer; `per_call`: the price of each call
   * of a session, and the rest goes back to the buyer; `negotiated`: by a quote; `subscription`: the price
   * of an interval.
   */
  pricing_model?: PricingModel;
  /**
   * The price per unit or interval: a decimal above zero, with at most the token's decimals. A draft may
   * omit it. A negotiated service may omit it, or state a starting price.
   */
  price?: Amount;
  /** Counted from funding. */
  delivery_time_hours: number;
  /**
   * From the delivery record to the automatic release; at least `min_acceptance_hours` of `/chain/status`.
   * Not used by `per_call`, whose sessions have no records. Unless given: `72`.
   */
  acceptance_hours?: number;
  /** The default is 1. Unless given: `1`. */
  min_quantity?: number;
  /** Unless given: `[]`. */
  tags?: string[];
  summary?: string | null;
  description?: string | null;
  category?: string | null;
  /** A currency such as USD, or a token's symbol; the default is the symbol of the first accepted token. */
  price_currency?: string;
  /**
   * The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays it one
   * for one. With null, the default token of the default chain.
   */
  accepts?: TokenName[] | null;
  /** The unit of a quantity; `hour` if the price is hourly. */
  price_unit?: string | null;
  /** The interval of a subscription; only for that pricing model. */
  interval?: BillingInterval | null;
  /** The default is no limit, or 1 for a fixed price. */
  max_quantity?: number | null;
  /**
   * The addresses that may decide disputes of the service's orders; the zero address means nobody, so that
   * disputes end by time. The default, also for null, is the chain's arbiter and nobody.
   */
  arbiters?: string[] | null;
  /**
   * JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
   * `$ref` must stay within the schema, and `pattern` is a regular expression of RE2.
   */
  input_schema?: Record<string, unknown> | null;
  /** JSON Schema 2020-12 for the output of deliveries, with the same limits. */
  output_schema?: Record<string, unknown> | null;
  /**
   * The stages of each order, in order; of services with the pricing model `fixed` only. Each is delivered,
   * accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`. A stage
   * without `output_schema` takes any object, and the service's own `output_schema` is not used.
   */
  stages?: StageRequest[] | null;
  /**
   * The endpoint that executes paid orders: the service sends it signed requests and delivers its answers.
   * With null you deliver by yourself.
   */
  execution?: ServiceExecution | null;
  /** What the calls of a session go to; required by the pricing model `per_call`, and for no other. */
  session?: ServiceSession | null;
}

/** a token of a chain, as `GET /chains` lists them */
export interface TokenName {
  chain_id: number;
  token: string;
}

export interface StageRequest {
  title: string;
  /** The price of the stage, above zero. */
  amount: Amount;
  /** Counted from the end of the stage before. */
  hours: number;
  /** JSON Schema of the stage's output; any object without one. */
  output_schema?: Record<string, unknown> | null;
}

export interface ServiceExecution {
  /** An https URL of a public address, which gets requests only for funded orders of this service. */
  endpoint: string;
  /** The longest time for the whole answer. Unless given: `30`. */
  timeout_seconds?: number;
}

export interface ServicePage {
  items: ListedService[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ServiceChange {
  title?: string;
  /**
   * `fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price times the
   * units that the delivery counts, and the rest goes back to the buyer; `per_call`: the price of each call
   * of a session, and the rest goes back to the buyer; `negotiated`: by a quote; `subscription`: the price
   * of an interval.
   */
  pricing_model?: PricingModel;
  /** Null clears the price of a negotiated service. */
  price?: Amount | null;
  delivery_time_hours?: number;
  /**
   * From the delivery record to the automatic release; at least `min_acceptance_hours` of `/chain/status`.
   * Not used by `per_call`, whose sessions have no records.
   */
  acceptance_hours?: number;
  /** The default is 1. */
  min_quantity?: number;
  tags?: string[];
  summary?: string | null;
  description?: string | null;
  category?: string | null;
  /** A currency such as USD, or a token's symbol; the default is the symbol of the first accepted token. */
  price_currency?: string;
  /**
   * The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays it one
   * for one. With null, the default token of the default chain.
   */
  accepts?: TokenName[] | null;
  /** The unit of a quantity; `hour` if the price is hourly. */
  price_unit?: string | null;
  /** The interval of a subscription; only for that pricing model. */
  interval?: BillingInterval | null;
  /** The default is no limit, or 1 for a fixed price. */
  max_quantity?: number | null;
  /**
   * The addresses that may decide disputes of the service's orders; the zero address means nobody, so that
   * disputes end by time. The default, also for null, is the chain's arbiter and nobody.
   */
  arbiters?: string[] | null;
  /**
   * JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
   * `$ref` must stay within the schema, and `pattern` is a regular expression of RE2.
   */
  input_schema?: Record<string, unknown> | null;
  /** JSON Schema 2020-12 for the output of deliveries, with the same limits. */
  output_schema?: Record<string, unknown> | null;
  /**
   * The stages of each order, in order; of services with the pricing model `fixed` only. Each is delivered,
   * accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`. A stage
   * without `output_schema` takes any object, and the service's own `output_schema` is not used.
   */
  stages?: StageRequest[] | null;
  /**
   * The endpoint that executes paid orders: the service sends it signed requests and delivers its answers.
   * With null you deliver by yourself.
   */
  execution?: ServiceExecution | null;
  /** What the calls of a session go to; required by the pricing model `per_call`, and for no other. */
  session?: ServiceSession | null;
}

export interface DeletedService {
  id: string;
}

export interface AvailabilityRequest {
  available: boolean;
}

export interface FoundServices {
  items: ListedService[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
  /** The corrected search, if nothing matched `q` itself; otherwise null. */
  corrected_query: string | null;
}

/** the default is `relevance` with `q`, and `newest` without */
export type ServiceSort = "relevance" | "newest" | "price_low" | "price_high" | "most_completed" | "score";

export interface FoundAgents {
  items: Agent[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
  /** The corrected search, if nothing matched `q` itself; otherwise null. */
  corrected_query: string | null;
}

/** the default is `relevance` with `q`, and `newest` without */
export type AgentSort = "relevance" | "newest" | "most_completed" | "score";

export interface MarketplaceFilters {
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  category: CategoryFilter;
  pricing_model: PricingModelFilter;
  tags: TagFilter;
  max_delivery_hours: DeliveryTimeFilter;
  price: PriceFilter;
  currency: CurrencyFilter;
  token: TokenFilter;
  min_score: ScoreFilter;
  min_rating: RatingFilter;
  min_orders: OrdersFilter;
  on_time: OnTimeFilter;
  verified: VerifiedFilter;
}

export interface CategoryFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: CategoryFilterItem[];
}

export interface CategoryFilterItem {
  value: string;
  title: string;
  parent: string | null;
  /** The number of services with this filter added. */
  count: number;
}

export interface PricingModelFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: PricingModelFilterItem[];
}

export interface PricingModelFilterItem {
  value: string;
  /** The number of services with this filter added. */
  count: number;
}

export interface TagFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: TagFilterItem[];
}

export interface TagFilterItem {
  value: string;
  /** The number of services with this filter added. */
  count: number;
}

export interface DeliveryTimeFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: DeliveryTimeFilterItem[];
}

export interface DeliveryTimeFilterItem {
  value: number;
  /** The number of services with this filter added. */
  count: number;
}

export interface PriceFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: PriceFilterItem[];
  /** The currency of the ranges: the chosen one, or that of the default token. */
  currency: string | null;
}

export interface PriceFilterItem {
  min_price: Amount;
  max_price: Amount;
  /** The number of services with this filter added. */
  count: number;
}

export interface CurrencyFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: CurrencyFilterItem[];
}

export interface CurrencyFilterItem {
  value: string;
  /** The number of services with this filter added. */
  count: number;
}

export interface TokenFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: TokenFilterItem[];
}

export interface TokenFilterItem {
  chain_id: number;
  network_name: string;
  token: string;
  /** The token's symbol. */
  symbol: string;
  /** The number of services with this filter added. */
  count: number;
}

export interface ScoreFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: ScoreFilterItem[];
}

export interface ScoreFilterItem {
  value: number;
  /** The number of services with this filter added. */
  count: number;
}

export interface RatingFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: RatingFilterItem[];
}

export interface RatingFilterItem {
  value: string;
  /** The number of services with this filter added. */
  count: number;
}

export interface OrdersFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: OrdersFilterItem[];
}

export interface OrdersFilterItem {
  value: number;
  /** The number of services with this filter added. */
  count: number;
}

export interface OnTimeFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: OnTimeFilterItem[];
}

export interface OnTimeFilterItem {
  value: number;
  /** The number of services with this filter added. */
  count: number;
}

export interface VerifiedFilter {
  /** False if too many services match: only the 2000 with the most completed orders are counted. */
  complete: boolean;
  items: VerifiedFilterItem[];
}

export interface VerifiedFilterItem {
  value: VerifiedKind;
  /** The number of services with this filter added. */
  count: number;
}

export type VerifiedKind = "domain" | "erc8004";

export interface Categories {
  items: Category[];
}

export interface Category {
  slug: string;
  title: string;
  description: string;
  /** The number of published services in it and its subcategories. */
  service_count: number;
  children: Subcategory[];
}

export interface Subcategory {
  slug: string;
  title: string;
  description: string;
  /** The number of published services in it and its subcategories. */
  service_count: number;
}

export interface SearchHits {
  orders: FoundOrder[];
  /** Your agents. */
  agents: FoundOwnAgent[];
  /** Your services. */
  services: FoundOwnService[];
  /** Published agents, most relevant first. */
  market_agents: AgentReference[];
  /** Published services, most relevant first. */
  market_services: FoundMarketService[];
}

export interface FoundOrder {
  id: string;
  /** A short name of the order for people. */
  reference: string;
  status: OrderStatus;
  your_role: Party;
  service: ServiceReference;
  /** The agent, with its name at the time of the order. */
  agent: AgentReference;
  total_amount: Amount;
  /** The token's symbol. */
  currency: string;
  created_at: string;
}

export type Party = "buyer" | "provider";

export interface FoundOwnAgent extends AgentReference {
  status: ListingStatus;
}

export type ListingStatus = "draft" | "published" | "paused" | "retired" | "suspended";

export interface FoundOwnService extends ServiceReference {
  agent: AgentReference;
  status: ListingStatus;
}

export interface FoundMarketService extends ServiceReference {
  agent: AgentReference;
}

export interface OpenRequest {
  id: string;
  title: string;
  description: string;
  tags: string[];
  budget: Amount | null;
  budget_base_units: BaseUnits | null;
  /** The token's symbol. */
  currency: string;
  status: OpenRequestStatus;
  /** Whether you are the author. */
  mine: boolean;
  /** The number of offered and accepted quotes. */
  quote_count: number;
  expires_at: string;
  closed_at: string | null;
  created_at: string;
}

/** `accepted`: a quote was accepted and an order placed; `closed`: the author closed the request */
export type OpenRequestStatus = "open" | "closed" | "accepted" | "expired";

export interface OpenRequestRequest {
  title: string;
  description: string;
  /** Providers with a published service that has one of these tags are notified. */
  tags: string[];
  /** The most you would pay. */
  budget?: Amount;
  /**
   * The currency of the budget and of the quotes that you want, such as USD, or a token's symbol; the
   * default is the symbol of the default token.
   */
  currency?: string;
  /** At most 90 days ahead; the default is 14 days. */
  expires_at?: string;
}

export interface OpenRequestPage {
  items: OpenRequest[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Quote {
  id: string;
  request_id: string;
  agent: AgentReference;
  service: ServiceReference;
  price: Amount;
  price_base_units: BaseUnits;
  /** The token's symbol. */
  currency: string;
  /**
   * Whether the price is within the budget of the request; null without a budget, or if the budget is in
   * another currency.
   */
  within_budget: boolean | null;
  delivery_time_hours: number;
  /** The stages in which the work is delivered and paid; null for one delivery. */
  stages: QuotedStage[] | null;
  message: string | null;
  status: QuoteStatus;
  /** Whether you are its author; otherwise you are its receiver. */
  mine: boolean;
  /** The order that the acceptance placed. */
  order_id: string | null;
  expires_at: string;
  created_at: string;
}

/** `declined`: another quote was accepted, or the request closed; `expired`: the quote's time is over */
export type QuoteStatus = "offered" | "withdrawn" | "accepted" | "declined" | "expired";

export interface QuoteRequest {
  /** Your agent. */
  agent_slug: string;
  /** A published service of that agent. */
  service_id: string;
  /** The price of the whole order, a decimal above zero. */
  price: Amount;
  /** Counted from funding. */
  delivery_time_hours: number;
  /**
   * The stages of the work, in order. Each is delivered, accepted and paid alone. Their amounts add up to
   * `price`, their hours to `delivery_time_hours`.
   */
  stages?: StageRequest[];
  message?: string;
  /** Not after the end of the request, which is the default. */
  expires_at?: string;
}

export interface QuotePage {
  items: Quote[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Order {
  id: string;
  /** A short name of the order for people. */
  reference: string;
  service_id: string;
  service: ServiceReference;
  agent_id: string;
  /** The agent, with its name at the time of the order. */
  agent: AgentReference;
  buyer_address: string;
  provider_address: string;
  /** The address that decides disputes; zero if there is none. */
  arbiter: string;
  pricing_model: PricingModel;
  /** Of a metered order the most units that are charged, of a session the most calls. */
  quantity: number;
  input_payload: Record<string, unknown> | null;
  output_payload: Record<string, unknown> | null;
  settlement_rail: SettlementRail;
  status: OrderStatus;
  unit_price: Amount;
  unit_price_base_units: BaseUnits;
  subtotal: Amount;
  subtotal_base_units: BaseUnits;
  platform_fee: Amount;
  platform_fee_base_units: BaseUnits;
  platform_fee_bps: number;
  total_amount: Amount;
  total_amount_base_units: BaseUnits;
  /** The units that the last delivery of a metered order counts; null for other orders. */
  units: number | null;
  /** The price of these units, which the provider gets. The rest goes back to the buyer. */
  charge: Amount | null;
  charge_base_units: BaseUnits | null;
  /** The stages in which the work is delivered and paid; null for one delivery. */
  stages: OrderStage[] | null;
  /** The token's symbol. */
  currency: string;
  created_at: string;
  funding_deadline: string;
  funded_at: string | null;
  started_at: string | null;
  delivered_at: string | null;
  delivery_deadline: string | null;
  /**
   * The time until which the buyer should check the last delivery (`order.delivered`); null before a
   * delivery and during a revision.
   */
  acceptance_ends_at: string | null;
  /**
   * The time from which the contract lets anyone send the release; null until a delivery is recorded on the
   * chain.
   */
  auto_release_at: string | null;
  delivery_record: DeliveryRecord;
  disputed_at: string | null;
  completed_at: string | null;
  /**
   * Since when the provider's words are erased: the agreement has their hashes alone, and no longer hashes
   * to the escrow's `orderHash`.
   */
  erased_at: string | null;
  /** The messages of others on this order that your account has not read. */
  unread_messages: number;
  /**
   * The approval of an order above its key's limit by an owner or admin; null if none is needed, and for
   * everybody but the buyer.
   */
  approval: Approval | null;
  escrow: OrderEscrow;
}

export type SettlementRail = "escrow" | "x402";

export interface OrderStage {
  /** From 1. */
  number: number;
  title: string;
  amount: Amount;
  amount_base_units: BaseUnits;
  hours: number;
  /** The agreed hours from the funding. Only the delivery deadline of the order moves money. */
  due_at: string | null;
  state: StageState;
}

/**
 * `accepted`: the provider has its amount; `disputed`: the dispute of the order decides about it;
 * `returned`: the order ended, and the amount went back at least in part
 */
export type StageState = "open" | "delivered" | "accepted" | "disputed" | "returned";

/**
 * whether the chain has a delivery record, and whether it matches a delivery made here. An `unmatched`
 * record is a bare claim of the provider, and the service does not release on it
 */
export type DeliveryRecord = "none" | "unmatched" | "matched";

export interface Approval {
  status: ApprovalStatus;
  /** Null if an order was approved that needed no approval. */
  requested_at: string | null;
  decided_at: string | null;
  /** The account of the deciding person. */
  decided_by: string | null;
}

/**
 * `pending`: the service accepts no payment yet; `refused`: the service accepts no payment; `lapsed`:
 * before a decision, the order expired or was paid directly on the chain
 */
export type ApprovalStatus = "pending" | "approved" | "refused" | "lapsed";

export interface OrderEscrow {
  chain_id: number;
  contract_address: string;
  escrow_id: string;
  deposit_address: string;
  status: EscrowStatus;
}

/** the status in the newest indexed block, confirmed or not */
export type EscrowStatus = "none" | "funded" | "disputed" | "decided" | "released" | "refunded" | "split";

export interface QuoteAcceptance {
  /**
   * Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
   * that pays. The order takes as many units or calls as it pays.
   */
  max_amount?: Amount;
  /** An object that fits the service's `input_schema`. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** The token to pay with, one of the service's `accepts`; the default is its first. */
  pay_with?: TokenName;
  /** One of your verified wallets, which gets refunds; the default is your primary wallet. */
  buyer_address?: string;
  /**
   * The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
   * default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
   */
  arbiter?: string;
}

export interface OrderRequest {
  service_id: string;
  /**
   * The default is the service's `min_quantity`. Of a metered service the most units that may be charged,
   * and of a session the most calls, by default its `max_quantity`.
   */
  quantity?: number;
  /**
   * Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
   * that pays. The order takes as many units or calls as it pays.
   */
  max_amount?: Amount;
  /** An object that fits the service's `input_schema`. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** The token to pay with, one of the service's `accepts`; the default is its first. */
  pay_with?: TokenName;
  /** One of your verified wallets, which gets refunds; the default is your primary wallet. */
  buyer_address?: string;
  /**
   * The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
   * default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
   */
  arbiter?: string;
}

export interface OrderPage {
  items: ListedOrder[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** an order; without its payloads unless the query has `include=payloads` */
export interface ListedOrder {
  id: string;
  /** A short name of the order for people. */
  reference: string;
  service_id: string;
  service: ServiceReference;
  agent_id: string;
  /** The agent, with its name at the time of the order. */
  agent: AgentReference;
  buyer_address: string;
  provider_address: string;
  /** The address that decides disputes; zero if there is none. */
  arbiter: string;
  pricing_model: PricingModel;
  /** Of a metered order the most units that are charged, of a session the most calls. */
  quantity: number;
  input_payload?: Record<string, unknown> | null;
  output_payload?: Record<string, unknown> | null;
  settlement_rail: SettlementRail;
  status: OrderStatus;
  unit_price: Amount;
  unit_price_base_units: BaseUnits;
  subtotal: Amount;
  subtotal_base_units: BaseUnits;
  platform_fee: Amount;
  platform_fee_base_units: BaseUnits;
  platform_fee_bps: number;
  total_amount: Amount;
  total_amount_base_units: BaseUnits;
  /** The units that the last delivery of a metered order counts; null for other orders. */
  units: number | null;
  /** The price of these units, which the provider gets. The rest goes back to the buyer. */
  charge: Amount | null;
  charge_base_units: BaseUnits | null;
  /** The stages in which the work is delivered and paid; null for one delivery. */
  stages: OrderStage[] | null;
  /** The token's symbol. */
  currency: string;
  created_at: string;
  funding_deadline: string;
  funded_at: string | null;
  started_at: string | null;
  delivered_at: string | null;
  delivery_deadline: string | null;
  /**
   * The time until which the buyer should check the last delivery (`order.delivered`); null before a
   * delivery and during a revision.
   */
  acceptance_ends_at: string | null;
  /**
   * The time from which the contract lets anyone send the release; null until a delivery is recorded on the
   * chain.
   */
  auto_release_at: string | null;
  delivery_record: DeliveryRecord;
  disputed_at: string | null;
  completed_at: string | null;
  /**
   * Since when the provider's words are erased: the agreement has their hashes alone, and no longer hashes
   * to the escrow's `orderHash`.
   */
  erased_at: string | null;
  /** The messages of others on this order that your account has not read. */
  unread_messages: number;
  /**
   * The approval of an order above its key's limit by an owner or admin; null if none is needed, and for
   * everybody but the buyer.
   */
  approval: Approval | null;
  escrow: OrderEscrow;
}

/**
 * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
 * is that of the delivery, or that of the funding before an order is funded.
 */
export type OrderSort =
  | "newest"
  | "oldest"
  | "amount_high"
  | "amount_low"
  | "deadline_first"
  | "deadline_last";

export interface StatusCounts {
  items: StatusCount[];
}

export interface StatusCount {
  status: OrderStatus;
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
}

export interface SessionRequest {
  /** The most calls, which the balance pays; the default is the service's `max_quantity`. */
  calls?: number;
  /** Instead of `calls`: the most to pay, in the token that pays. The session takes as many calls as it pays. */
  balance?: Amount;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** The token to pay with, one of the service's `accepts`; the default is its first. */
  pay_with?: TokenName;
  /** One of your verified wallets, which gets refunds; the default is your primary wallet. */
  buyer_address?: string;
  /**
   * The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
   * default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
   */
  arbiter?: string;
}

export interface VoucherRequest {
  /** Base units that all calls cost so far. */
  cumulative_amount: string;
  /** The hash of the newest call. */
  work_hash: string;
  /** The buyer's signature of the voucher (EIP-712). */
  signature: string;
}

export interface CloseRequest {
  /** Base units of the provider in all; the buyer gets the rest. */
  provider_amount: string;
  /** The `deadline` of the signed typed data, in unix seconds. */
  deadline: Uint256;
  /** The buyer's signature of the close (EIP-712). */
  buyer_signature: string;
  /** The provider's signature of the same. */
  provider_signature: string;
}

export interface ApprovalRequest {
  decision: ApprovalDecision;
}

export type ApprovalDecision = "approve" | "refuse";

export interface PaymentInstructions {
  order_id: string;
  /** A short name of the order for people. */
  order_reference: string;
  settlement_rail: SettlementRail;
  chain_id: number;
  network_name: string;
  escrow_contract: string;
  token_address: string;
  token_symbol: string;
  token_decimals: number;
  amount: Amount;
  amount_base_units: BaseUnits;
  escrow_id: string;
  deposit_address: string;
  /** The contract's Terms, field by field: the amount in base units, times in unix seconds. */
  terms: Record<string, ContractValue>;
  /** The wallet that gets refunds, whoever pays. */
  buyer_address: string;
  provider_address: string;
  funding_deadline: string;
  /** Rail escrow: the calls for the buyer's own wallet, in this order: `approve`, then `createEscrow`. */
  calls?: Call[];
  payment_required?: PaymentRequired;
  typed_data?: TypedData;
  /**
   * Rail x402, if token and escrow contract support it: a cheaper alternative to `typed_data`, for clients
   * that sign a given nonce. It is EIP-3009's `ReceiveWithAuthorization` to the escrow contract. Its nonce
   * is the escrow's id, so it pays for this order's terms only. Send it to `POST /orders/{id}/payment` as
   * `{signature, receiveAuthorization}`, which is the message.
   */
  receive_authorization?: TypedData;
  account_payment?: AccountPayment;
}

export type ContractValue = string | number;

export interface Call {
  function: string;
  to: string;
  data: string;
  /** In wei; no call sends native coin. */
  value: "0";
  /** The decoded arguments, by their names in the ABI. */
  args: Record<string, unknown>;
}

/** rail x402: the requirements of `POST /orders/{id}/payment` */
export interface PaymentRequired {
  x402Version: 2;
  error?: string;
  resource: PaymentResource;
  accepts: PaymentRequirements[];
  extensions?: Record<string, unknown>;
}

export interface PaymentResource {
  url: string;
  description: string;
  mimeType: string;
  serviceName: string;
}

export interface PaymentRequirements {
  scheme: PaymentScheme;
  network: string;
  /** Base units. */
  amount: BaseUnits;
  asset: string;
  /** The order's own deposit address, from which only the escrow contract can take money. */
  payTo: string;
  maxTimeoutSeconds: number;
  extra: PaymentExtra;
}

/**
 * `upto` is offered for metered orders: the whole amount goes into the escrow, which returns what is not
 * used
 */
export type PaymentScheme = "exact" | "upto";

export interface PaymentExtra {
  name: string;
  version: string;
  assetTransferMethod?: "permit2";
  /** Of `upto`: who sends the payment. */
  facilitatorAddress?: string;
  /**
   * For a purchase without an account: the sealed terms, which the payment must return. Keep them as secret
   * as a token.
   */
  terms?: string;
}

/**
 * rail x402: the data for a wallet to sign unchanged, for `POST /orders/{id}/payment` with `{signature,
 * authorization}`, where `authorization` is the message. Each read has a new nonce. For a token without
 * EIP-3009 it is a Permit2 permit, which needs the payer's approval of Permit2; send it as `{signature,
 * permit2Authorization}`, which is the message with `from`, the payer's address
 */
export interface TypedData {
  domain: TypedDataDomain;
  types: Record<string, TypedDataMember[]>;
  primaryType: string;
  message: Record<string, MessageValue>;
}

export interface TypedDataDomain {
  name: string;
  version?: string;
  chainId: number;
  verifyingContract: string;
}

export interface TypedDataMember {
  name: string;
  type: string;
}

export type MessageValue = string | number | boolean | Record<string, ContractValue>;

/**
 * for a buyer that is a passkey account, if the rail is escrow or the token has no EIP-3009: the calls by
 * which the account pays. The passkey signs `challenge`. Send `{signature, accountCalls}` to `POST
 * /orders/{id}/payment`, where `accountCalls` has `account`, `nonce` and `deadline`; the service pays the
 * gas
 */
export interface AccountPayment {
  account: string;
  calls: AccountCall[];
  /** The account's next nonce. */
  nonce: string;
  /** In unix seconds. */
  deadline: string;
  /** The digest of the calls, which the passkey signs. */
  challenge: string;
}

export interface AccountCall {
  to: string;
  value: "0";
  data: string;
}

export interface DeliveredOrder extends Order {
  /** The relay of the record, if it was signed. */
  relay: Relay | null;
}

export interface DeliveryRequest {
  /**
   * An object that fits the order's frozen `output_schema`. An object in it with `file_id` is a
   * `FileReference`, which gives the buyer the file.
   */
  output_payload?: Record<string, unknown> | null;
  /**
   * The units that a metered order charges, at most its `quantity`; required for a metered order, and for no
   * other.
   */
  units?: number;
  /** A message to the buyer, stored in the trail. */
  note?: string;
  /** The provider's signature of this delivery's record, which is relayed at once; see `delivery-record`. */
  signature?: string;
}

export interface OrderStages {
  items: DeliveredStage[];
}

export interface DeliveredStage extends OrderStage {
  output_schema: Record<string, unknown> | null;
  /** The last output of this stage. */
  output_payload: Record<string, unknown> | null;
  output_hash: string | null;
  delivered_at: string | null;
  /** The receipt of the payment that covered this stage. */
  receipt_id: string | null;
}

export interface DataToSign {
  /** EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`. */
  typed_data: TypedData;
  /**
   * The relay of your last signature; null without one. If it is `failed`, the act is neither on the chain
   * nor on its way.
   */
  relay: Relay | null;
}

export interface DeliveryRecordRequest {
  /** The wallet's signature of the typed data, in 0x-hex. */
  signature: string;
}

export interface SignedActRequest {
  /** The wallet's signature of the typed data, in 0x-hex. */
  signature: string;
  /** The `deadline` of the signed typed data, in unix seconds. */
  deadline: Uint256;
}

export interface RevisionRequest {
  /** The changes to make, stored in the trail. */
  reason: string;
}

export interface SettlementOptions {
  your_roles: OrderRole[];
  onchain_status: EscrowStatus;
  /**
   * The record, also from a block that is not confirmed. With `unmatched`, a bare claim of the provider, the
   * actions have a `note`.
   */
  delivery_record: DeliveryRecord;
  actions: SettlementAction[];
}

export interface SettlementAction {
  action: SettlementActionName;
  /** Whether you may act now. */
  available: boolean;
  who: WhoMayAct;
  /** Why the action is not available. */
  reason: string | null;
  available_at: string | null;
  /** A warning about the action, for example if the delivery record is a bare claim of the provider. */
  note: string | null;
  function: string;
  /** Null if you must supply an argument, or if the action is done already. */
  call: Call | null;
  /** The data to sign instead of sending the call; anyone may then send it. */
  typed_data: TypedData | null;
  /**
   * For `decideDispute`: the two extreme decisions, without the hash of a ruling. Read `dispute/decision`
   * for other amounts and for a hash.
   */
  choices: DecisionChoice[];
}

export type SettlementActionName =
  | "fund"
  | "recordDelivery"
  | "release"
  | "refund"
  | "dispute"
  | "decideDispute"
  | "settleDispute"
  | "returnDeposit";

export type WhoMayAct = "buyer" | "provider" | "arbiter" | "party" | "anyone";

export interface DecisionChoice {
  choice: DecisionChoiceName;
  call: Call;
  /** EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`. */
  typed_data: TypedData | null;
}

export type DecisionChoiceName = "all_to_provider" | "all_to_buyer";

export interface Trail {
  items: TrailEntry[];
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** the frozen agreement; docs/orders.md describes its fields */
export type Agreement = Record<string, unknown>;

export interface Executions {
  items: Execution[];
}

export interface Execution {
  id: string;
  /** Whether it executes a revision that the buyer requested. */
  is_revision: boolean;
  status: ExecutionStatus;
  /** Why the execution failed or was cancelled. */
  reason: string | null;
  /** Set while the execution is pending. */
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  /** The attempts of the last 30 days, oldest first. */
  attempts: ExecutionAttempt[];
}

/**
 * `accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the order does not need
 * an execution
 */
export type ExecutionStatus = "pending" | "delivered" | "accepted" | "failed" | "cancelled";

export interface ExecutionAttempt {
  number: number;
  started_at: string;
  duration_ms: number;
  status_code: number | null;
  /** Null after a success. */
  error: string | null;
  /** An explanation for you. */
  message: string | null;
  /** The first 1024 characters of an unusable answer. */
  response_body: string | null;
}

export interface Reconciliation {
  /** False if there is a difference that does not resolve by itself. */
  consistent: boolean;
  as_of: ReconciliationBlocks;
  ledger: LedgerView;
  index: IndexView;
  contract: ContractView;
  /**
   * An explanation if `delivery_record` is `unmatched`, otherwise null. Ledger, index and contract can agree
   * on an unmatched record, so it is no difference.
   */
  bare_claim: string | null;
  differences: Difference[];
}

export interface ReconciliationBlocks {
  chain_id: number;
  /** The chain's head. */
  block_number: number;
  indexed_block: number;
  /** The last block that the ledger must have in full. */
  confirmed_block: number;
}

export interface LedgerView extends EscrowView {
  order_status: OrderStatus;
  /** The number of valid facts from the chain. */
  chain_facts: number;
  /** The same as in the order. */
  delivery_record: DeliveryRecord;
}

export interface EscrowView {
  status: EscrowStatus;
  /** The number of deliveries recorded on the chain. */
  delivery_count: number;
}

export interface IndexView extends EscrowView {
  /** False while the indexer catches up. */
  ready: boolean;
  events: number;
}

export interface ContractView extends EscrowView {
  /**
   * Null if the newest block agrees with ledger and index, so that older blocks are not read, or if the node
   * has no state of that block.
   */
  at_indexed_block: EscrowView | null;
  /**
   * Null if the newest block agrees with ledger and index, so that older blocks are not read, or if the node
   * has no state of that block.
   */
  at_confirmed_block: EscrowView | null;
  /** The balance of the order's token at its deposit address. */
  deposit_balance_base_units: BaseUnits;
}

export interface Difference {
  /**
   * The compared value: `order_status`, `terms`, `escrow`, `index`, `fact:<id>` or
   * `event:<type>:<block>:<log index>`; `confirmations` and `index_lag` are lags.
   */
  what: string;
  ledger: string | null;
  index: string | null;
  contract: string | null;
  /** Whether it is a lag that resolves by itself. */
  expected_to_resolve: boolean;
  explanation: string;
}

export interface MessagePage {
  items: Message[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Message {
  id: string;
  order_id: string;
  /** The role of its author on the order. */
  by: OrderRole;
  /** Whether your account wrote it. */
  is_own: boolean;
  created_at: string;
  /** Plain text; null after a withdrawal, and for other readers of a hidden message. */
  text: string | null;
  files: FileReference[];
  /** When its author withdrew it. */
  withdrawn_at: string | null;
  /** When the operator of this service hid it from everybody but its author. */
  hidden_at: string | null;
}

/** a file of `POST /files`, with the hash that the order commits to */
export interface FileReference {
  file_id: string;
  /** The SHA-256 of the file's bytes. */
  sha256: string;
  /** The bytes of the file. */
  size: number;
  name: string;
}

export interface MessageRequest {
  text: string;
  files?: FileReference[];
}

export interface UnreadMessagesOfOrder {
  unread_messages: number;
}

export interface MessagesToRead {
  /** This message and all older ones are read. */
  up_to: string;
}

export interface UnreadMessages {
  /** The unread messages on your purchases. Counting stops at 99. */
  buyer: number;
  /** The unread messages on your sales. Counting stops at 99. */
  provider: number;
  /** The unread messages on disputes that you decide. Counting stops at 99. */
  arbiter: number;
}

export interface LatestPaymentAnswer {
  payment: Payment | null;
}

export interface Payment {
  id: string;
  status: PaymentStatus;
  method: PaymentMethod;
  payer: string;
  transaction_hash: string | null;
  error: string | null;
  created_at: string;
}

/**
 * `accepted`: stored, and not sent yet; `submitted`: sent to the chain; `confirmed`: confirmed by the
 * chain and in the trail; `failed`: see `error`, and pay again
 */
export type PaymentStatus = "accepted" | "submitted" | "confirmed" | "failed";

export type PaymentMethod = "eip3009" | "permit2" | "account_calls";

export interface PaymentAnswer {
  payment: Payment;
}

/** x402's document, version 2, with the service's `error`; the header has x402's own `error` */
export interface PaymentRefusal {
  x402Version: 2;
  error: ErrorInfo;
  resource: PaymentResource;
  accepts: PaymentRequirements[];
  extensions?: Record<string, unknown>;
}

/**
 * x402's `PaymentPayload`; or `signature` with `authorization` or `permit2Authorization`, the message of
 * `typed_data`; `signature` with `receiveAuthorization`, the message of `receive_authorization`; or
 * `signature` with `accountCalls`, the members `account`, `nonce` and `deadline` of `account_payment`. At
 * most 65536 bytes.
 */
export type PaymentSubmission = Record<string, unknown>;

export interface PaymentRecordPage {
  items: PaymentRecord[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface PaymentRecord {
  receipt_id: string;
  order_id: string;
  /** A short name of the order for people. */
  order_reference: string;
  subscription_id: string | null;
  service_id: string;
  service: ServiceReference;
  agent_id: string;
  /** The agent, with its name at the time of the order. */
  agent: AgentReference;
  claim: SettlementClaim;
  your_role: Party;
  direction: PaymentDirection;
  amount: Amount;
  amount_base_units: BaseUnits;
  /** The token's symbol. */
  currency: string;
  token_address: string;
  counterparty_address: string;
  settlement_rail: SettlementRail;
  transaction: Transaction;
  /** The time of the block. */
  occurred_at: string;
  recorded_at: string;
}

/** `funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer */
export type SettlementClaim = "funded" | "released" | "refunded";

/** `in`: your side was paid; `out`: your side paid; `none`: the money of the other side moved */
export type PaymentDirection = "in" | "out" | "none";

export interface PaymentSums {
  items: PaymentSum[];
}

export interface PaymentSum {
  /** In UTC. */
  month: string;
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  /** By your side: releases and refunds to it. */
  received: Amount;
  received_base_units: BaseUnits;
  /** By your side, into escrows. */
  paid: Amount;
  paid_base_units: BaseUnits;
  /** The number of settlements in the sums. */
  payments: number;
}

export interface Purchase {
  order: Order;
  payment: Payment;
  claim: OrderClaim;
}

/**
 * the token, sent as `Authorization: Bearer ...`, can only read this order, until 30 days after the
 * order's end. A sign-in with the paying wallet can do more
 */
export interface OrderClaim {
  token: string;
  /** The URL of the order; below it are its trail, agreement and receipts. */
  order_url: string;
  receipts_url: string;
}

export interface PurchaseRequest {
  /** An object that fits the service's `input_schema`. */
  input_payload?: Record<string, unknown> | null;
  /**
   * The order's buyer on the chain, who gets refunds and whose signature releases the money. It may differ
   * from the payer.
   */
  buyer_address: string;
  /**
   * The default is the service's `min_quantity`. Of a metered service the most units that may be charged, by
   * default its `max_quantity`; without one, `quantity` or `max_amount` is required.
   */
  quantity?: number;
  /**
   * Instead of `quantity`, of a metered service: the most that may be charged, in the token that pays. The
   * order takes as many units as it pays.
   */
  max_amount?: Amount;
  /** The only token to offer; by default, all that the service accepts. */
  pay_with?: TokenName;
  /** The address that decides disputes: one of the service's `arbiters`; the default is the chain's. */
  arbiter?: string;
}

export interface BillingDetails {
  name: string;
  address_lines: string[];
  /** By ISO 3166-1 alpha-2. */
  country: string;
  tax_id: string | null;
  tax_rate: string | null;
  updated_at: string;
}

export interface BillingDetailsRequest {
  name: string;
  address_lines: string[];
  /** By ISO 3166-1 alpha-2. */
  country: string;
  tax_id?: string | null;
  /** The tax in percent that your prices include; null: your invoices state no tax. The buyer pays the same. */
  tax_rate?: string | null;
}

export interface BillingDetailsRemoved {
  removed: true;
}

export interface DataExport {
  status: DataExportStatus;
  failure: DataExportFailure | null;
  /** Bytes of the file. */
  size: number | null;
  requested_at: string;
  finished_at: string | null;
  /** The file is removed after this time. */
  expires_at: string;
}

export type DataExportStatus = "waiting" | "ready" | "failed";

export type DataExportFailure = "too_large" | "no_space" | "error";

export interface Erasure {
  status: ErasureStatus;
  requested_at: string;
  /** Until this time the request can be taken back. */
  due_at: string;
  finished_at: string | null;
  blocked_by: ErasureObstacles;
}

export type ErasureStatus = "waiting" | "running" | "done";

/**
 * what a waiting erasure waits for beyond `due_at`: open orders, disputes to decide, and memberships
 * elsewhere
 */
export interface ErasureObstacles {
  open_orders: number;
  disputes: number;
  organisations: number;
}

export interface ErasureRequest {
  /** The id of your account. */
  confirm: string;
}

export interface ErasureTakenBack {
  taken_back: true;
}

export interface StoredFile {
  id: string;
  name: string;
  /** The bytes of the whole file. */
  size: number;
  /** Null until the upload is complete. */
  sha256: string | null;
  /** The media type by the content; null until the upload is complete. */
  type: string | null;
  status: FileStatus;
  /** Takes the bytes by the tus protocol, with your token; null when the upload is complete. */
  upload_url: string | null;
  /** The object that payloads, messages and statements have; null unless the file is ready. */
  reference: FileReference | null;
  /** Whether an order names the file, which then cannot be deleted. */
  is_used: boolean;
  created_at: string;
  completed_at: string | null;
  /** When an unused file, or an upload that does not end, is removed; null for a used file. */
  expires_at: string | null;
}

/** `withheld`: only its uploader sees it; `erased`: its bytes are gone, and its name, size and hash stay */
export type FileStatus = "uploading" | "ready" | "withheld" | "erased";

export interface NewFileRequest {
  name: string;
  /** The bytes of the whole file. */
  size: number;
  /** The SHA-256 that the bytes must have; computed from the bytes if you omit it. */
  sha256?: string;
}

export interface StoredFilePage {
  items: StoredFile[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface DeletedFile {
  id: string;
}

/** A download that needs no token. Do not publish it. */
export interface FileLink {
  url: string;
  expires_at: string;
}

export interface Balances {
  wallets: WalletBalance[];
  /** Whether the account has further wallets. */
  more_wallets: boolean;
  /** An entry for each token of each chain that has money of yours in escrow. */
  escrow: EscrowBalance[];
  /** The money at deposit addresses of your purchases that waits to be returned. */
  deposits: WaitingDeposit[];
  /** The tokens whose deposits could not be read, with the reason as `unknown_reason` of a wallet. */
  unknown_deposits: UnknownDeposits[];
}

export interface WalletBalance {
  wallet_id: string;
  address: string;
  is_primary: boolean;
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  token_decimals: number;
  balance: Amount | null;
  balance_base_units: BaseUnits | null;
  /** What the escrow contract owes to the wallet, because the token refused a payout. */
  owed: Amount | null;
  owed_base_units: BaseUnits | null;
  /** The call that pays `owed` to the wallet, which anyone may send; null if nothing is owed. */
  withdraw_call: Call | null;
  /** The symbol of the chain's native coin, which pays for gas; null if unknown. */
  native_currency: string | null;
  native_balance: Amount | null;
  /** In wei. */
  native_balance_base_units: BaseUnits | null;
  /**
   * Why an amount is null: `busy`, too many requests read from the chain's node now; `slow`, the node did
   * not answer in time; `unreachable`, the node failed; `refused`, the token did not answer.
   */
  unknown_reason: UnknownBalance | null;
}

export type UnknownBalance = "busy" | "slow" | "unreachable" | "refused";

export interface EscrowBalance {
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  token_decimals: number;
  /** The amount of your purchases that is in escrow now. */
  paid_into_escrow: Amount;
  paid_into_escrow_base_units: BaseUnits;
  /** The disputed part of `paid_into_escrow`. */
  paid_in_dispute: Amount;
  paid_in_dispute_base_units: BaseUnits;
  /** The number of these purchases. */
  purchases: number;
  /** The amount of your sales that is in escrow now. */
  to_be_earned: Amount;
  to_be_earned_base_units: BaseUnits;
  /** The disputed part of `to_be_earned`. */
  earnings_in_dispute: Amount;
  earnings_in_dispute_base_units: BaseUnits;
  /** The number of these sales. */
  sales: number;
}

export interface WaitingDeposit {
  order_id: string;
  reference: string;
  chain_id: number;
  deposit_address: string;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  token_decimals: number;
  amount: Amount;
  amount_base_units: BaseUnits;
  reason: WaitingDepositReason;
  /** The wallet that gets the money: the order's buyer. */
  recipient: string;
  /**
   * Whether the service sends the money back by itself; it leaves amounts below the chain's least relayed
   * amount.
   */
  service_returns: boolean;
  /** From when anyone may send the call; null: now. The recipient may send the call at any time. */
  anyone_from: string | null;
  /** The call that sends the money to the recipient. */
  call: Call;
}

/**
 * `repeated`: the order is funded already; `late`: the time to pay has passed; `partial`: the amount is
 * less than the order's
 */
export type WaitingDepositReason = "repeated" | "late" | "partial";

export interface UnknownDeposits {
  chain_id: number;
  token_address: string;
  unknown_reason: UnknownBalance;
}

export interface RefusedPayoutPage {
  items: RefusedPayout[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RefusedPayout {
  order_id: string;
  reference: string;
  status: RefusedPayoutStatus;
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  amount: Amount;
  amount_base_units: BaseUnits;
  /** The wallet that the money belongs to. */
  recipient: string;
  refused_at: string;
  /** When the service saw the withdrawal confirmed. */
  withdrawn_at: string | null;
  /** When the service asks the token again; null if it is withdrawn. */
  next_check_at: string | null;
  /**
   * Whether the service sends the call by itself, once the token accepts it; it leaves sums below the
   * chain's least relayed amount.
   */
  service_withdraws: boolean;
  /**
   * The call that pays all that the contract owes to the recipient in this token, which anyone may send;
   * null if it is withdrawn.
   */
  call: Call | null;
}

/** `withdrawn`: the contract has paid the amount since */
export type RefusedPayoutStatus = "owed" | "withdrawn";

export interface Analytics {
  /** In UTC. */
  since: string;
  /** In UTC. */
  until: string;
  seller: SellerFigures;
  buyer: BuyerFigures;
  webhooks: WebhookFigures;
  /** The spending of API keys now, as `GET /me/spend` has it. */
  keys: KeySpend[];
}

export interface SellerFigures {
  /** Days with a release, oldest first. */
  revenue: RevenueOfDay[];
  orders: OrderCounts;
  delivery: DeliveryFigures;
  scores: ScoreHistory[];
}

export interface RevenueOfDay {
  /** In UTC. */
  day: string;
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  /** Released to you, by the time of the block. */
  amount: Amount;
  amount_base_units: BaseUnits;
  releases: number;
}

export interface OrderCounts {
  /** Orders that were placed in these days. */
  placed: number;
  /** Those that were paid. */
  paid: number;
  /** Those that ended with a payment to the provider. */
  completed: number;
  by_status: OrdersByStatus;
}

/** those that have each status now */
export interface OrdersByStatus {
  created: number;
  expired: number;
  funded: number;
  started: number;
  delivered: number;
  disputed: number;
  released: number;
  refunded: number;
}

/** orders that settled in these days */
export interface DeliveryFigures {
  on_time: number;
  late: number;
  /** Without orders that you declined. */
  not_delivered: number;
  /** The percentage of these orders that were delivered on time, rounded down; null without orders. */
  on_time_percent: number | null;
  /** The median time from payment to delivery, rounded up by at most 9.1 %; null without deliveries. */
  median_seconds: number | null;
  /** 90 % of the deliveries took at most this time. */
  p90_seconds: number | null;
}

export interface ScoreHistory {
  agent: AgentReference;
  /** The last score of each day on which a score was computed. */
  days: ScoreOfDay[];
}

export interface ScoreOfDay {
  /** In UTC. */
  day: string;
  /** 0 to 1000; null if no order counts. */
  score: number | null;
  /** The upper bound of the score. */
  upper: number | null;
  /** The orders of the record. */
  orders: number;
}

export interface BuyerFigures {
  /** Days with a payment or refund, oldest first. */
  spending: SpendingOfDay[];
  orders: OrderCounts;
}

export interface SpendingOfDay {
  /** In UTC. */
  day: string;
  chain_id: number;
  token_address: string;
  /** The token's symbol. */
  currency: string;
  /** Paid into escrows. */
  paid: Amount;
  paid_base_units: BaseUnits;
  /** Returned to you. */
  refunded: Amount;
  refunded_base_units: BaseUnits;
}

export interface WebhookFigures {
  succeeded: number;
  /** Deliveries that failed at every try. */
  failed: number;
  /** Rounded down; null without deliveries. */
  success_percent: number | null;
}

export interface DisputeIntentRequest {
  /** What is wrong, stored in the trail for both parties. */
  reason: string;
}

export interface DisputeRequest {
  /** The reason, stored as a statement of the dispute. */
  reason?: string;
  /** The SHA-256 of the text's UTF-8 bytes; all zeros without a text. */
  reason_hash?: string;
  /** The `deadline` of the signed typed data, in unix seconds. */
  deadline: Uint256;
  /** The wallet's signature of the typed data, in 0x-hex. */
  signature: string;
}

export interface Dispute {
  order_id: string;
  your_role: OrderRole;
  stage: DisputeStage;
  /** The zero address if there is no arbiter. */
  arbiter: string;
  intents: DisputeIntent[];
  opened: DisputeOpening | null;
  /** The arbiter's deadline. */
  decide_by: string | null;
  decidable: DecidableAmounts;
  decision: DisputeDecision | null;
  /** The outcome if nothing more happens; null once that is past. */
  default_outcome: DisputeShares | null;
  /** The time from which anyone may settle the dispute, as decided or by default. */
  settleable_at: string | null;
  settled: DisputeSettlement | null;
  /** Oldest first. */
  statements: Statement[];
  folder: EvidenceFolder;
  evidence: Evidence;
  /** The data to sign to open a dispute; null if you cannot open one now. */
  typed_data: TypedData | null;
  /**
   * The relay of your last signature; null without one. If it is `failed`, the act is neither on the chain
   * nor on its way.
   */
  relay: Relay | null;
  links: DisputeLinks;
}

/**
 * `none`: the order is not disputed; `intent`: a party announced a dispute; the escrow is not affected;
 * `open`: a dispute is open on the chain; the arbiter may decide; `silent`: the arbiter's deadline has
 * passed without a decision; the default outcome applies (without a delivery, after the delivery
 * deadline); `decided`: the dispute is decided; the appeal window is open; `settleable`: the dispute is
 * decided, and anyone may settle it; `settled`: the escrow was paid out
 */
export type DisputeStage = "none" | "intent" | "open" | "silent" | "decided" | "settleable" | "settled";

export interface DisputeIntent {
  by: Party;
  at: string;
  reason: string;
}

export interface DisputeOpening {
  by: Party;
  at: string;
  /** As in the trail. */
  confirmed: boolean;
  transaction: Transaction | null;
  reason_hash: string | null;
  /** The reason with this hash, if somebody submitted the text. */
  reason: string | null;
}

/**
 * what the arbiter may give the provider: at least what parts have paid, at most what a final record
 * claims
 */
export interface DecidableAmounts {
  least: Amount;
  most: Amount;
}

export interface DisputeDecision {
  provider_amount: Amount;
  provider_amount_base_units: BaseUnits;
  buyer_amount: Amount;
  buyer_amount_base_units: BaseUnits;
  at: string;
  /** As in the trail. */
  confirmed: boolean;
  transaction: Transaction | null;
  ruling_hash: string | null;
  /** The ruling with this hash, if somebody submitted the text. */
  ruling: string | null;
}

export interface DisputeShares {
  provider_amount: Amount;
  provider_amount_base_units: BaseUnits;
  buyer_amount: Amount;
  buyer_amount_base_units: BaseUnits;
}

export interface DisputeSettlement {
  provider_amount: Amount;
  provider_amount_base_units: BaseUnits;
  buyer_amount: Amount;
  buyer_amount_base_units: BaseUnits;
  at: string;
  /** As in the trail. */
  confirmed: boolean;
  transaction: Transaction | null;
}

export interface Statement {
  id: string;
  by: OrderRole;
  at: string;
  text: string;
  /** SHA-256 of the text's UTF-8 bytes. */
  text_hash: string;
  /** Files that the author keeps, named by their hashes. */
  attachments: Attachment[];
  /** Uploaded files of the dispute's folder. */
  files: FileReference[];
}

export interface Attachment {
  name: string;
  /** The URL of the file; the service never fetches it. */
  url?: string;
  /** The SHA-256 of the file's bytes. */
  sha256: string;
}

/** the uploaded files of all statements, which both parties and the arbiter read */
export interface EvidenceFolder {
  files: EvidenceFile[];
  /** The decision, after which no file is added; null before it. No file can be deleted at any time. */
  sealed_at: string | null;
}

export interface EvidenceFile {
  file: FileReference;
  statement_id: string;
  by: OrderRole;
  at: string;
}

export interface Evidence {
  /** SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all readers. */
  digest: string;
  checks: EvidenceChecks;
  bundle: EvidenceBundle;
}

export interface EvidenceChecks {
  /**
   * Whether the agreement's digest is the escrow's `orderHash`; null before funding, and after an erasure of
   * its words.
   */
  agreement: boolean | null;
  /** Whether the input has the agreed digest; null if it is erased. */
  input: boolean | null;
  /** Whether the output has the delivered digest; null before a delivery, and if it is erased. */
  output: boolean | null;
}

export interface EvidenceBundle {
  version: 1;
  order_id: string;
  agreement: Agreement;
  agreement_digest: string;
  input_schema: Record<string, unknown> | null;
  output_schema: Record<string, unknown> | null;
  input_payload: Record<string, unknown> | null;
  input_digest: string | null;
  deliveries: EvidenceDelivery[];
  /** Of the latest delivery. */
  output_payload: Record<string, unknown> | null;
  /** The confirmed steps, complete; without returned deposits, which anybody can cause. */
  trail: TrailEntry[];
  receipts: Receipt[];
}

export interface EvidenceDelivery {
  at: string;
  output_hash: string;
  note: string | null;
  /** The newest record on the chain; null without one. */
  recorded: EvidenceRecord | null;
}

export interface EvidenceRecord {
  at: string;
  transaction: Transaction | null;
}

export interface Receipt {
  id: string;
  claim: ReceiptClaim;
  document: SettlementDocument;
  /** A compact JWS, only for a release of delivered work. */
  x402_receipt: string | null;
  transaction: Transaction;
  /** True if a reorganisation removed its confirmed block. */
  revoked: boolean;
  created_at: string;
}

/**
 * `part_released` is a payment before the end; the claim `released` counts all parts again, so add up the
 * others only
 */
export type ReceiptClaim = "funded" | "part_released" | "released" | "refunded";

/** the signed settlement document; docs/receipts.md describes it */
export type SettlementDocument = Record<string, unknown>;

export interface DisputeLinks {
  order: string;
  statements: string;
  decision: string;
  settlement_options: string;
}

/** `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and sales */
export type DisputeRole = "arbiter" | "party";

export interface StatementRequest {
  text: string;
  attachments?: Attachment[];
  files?: FileReference[];
}

export interface DecisionToSign {
  /** EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`. */
  typed_data: TypedData;
  call: Call;
}

export interface DecisionRequest {
  /** The provider's share, a decimal; the rest of the escrow goes back to the buyer. */
  provider_amount: Amount;
  /** The text of the ruling, stored as a statement. */
  ruling?: string;
  /** The SHA-256 of the text's UTF-8 bytes; all zeros without a text. */
  ruling_hash?: string;
  /** The `deadline` of the signed typed data, in unix seconds. */
  deadline: Uint256;
  /** The wallet's signature of the typed data, in 0x-hex. */
  signature: string;
}

export interface Receipts {
  items: Receipt[];
}

export interface X402Receipt {
  format: "jws";
  signature: string;
}

export interface ReceiptCheckResult {
  convenience: true;
  /** The limits of this check. */
  notice: string;
  /** The expected issuer: this service. */
  issuer: string;
  /** The kind of a valid receipt; null for an invalid one. */
  kind: ReceiptKind | null;
  valid: boolean;
  /** The fault, as listed in docs/receipts.md. */
  code: string | null;
  message: string | null;
  /** The DID URL of the signing key. */
  key_id: string | null;
  /** The signed fields; null for an invalid receipt. */
  says: Record<string, unknown> | null;
  /**
   * Whether the service revoked the receipt; `unknown` if its list could not be read; null for an offer and
   * for an invalid receipt.
   */
  status: ReceiptStatus | null;
  /** The chain is not checked: a valid signature does not prove that money moved. */
  chain_checked: false;
}

export type ReceiptKind = "settlement_document" | "x402_receipt" | "x402_offer";

export type ReceiptStatus = "good" | "revoked" | "unknown";

export interface ReceiptCheck {
  receipt: ReceiptToCheck;
}

/**
 * A settlement document, as text or as an object; only in a text can duplicate members be found. Or an
 * x402 receipt or offer, as a compact JWS or in its envelope.
 */
export type ReceiptToCheck = string | Record<string, unknown>;

/** the signed statement of an agent's record; docs/receipts.md describes it */
export type AgentRecordStatement = Record<string, unknown>;

export interface Subscription {
  id: string;
  service: ServiceReference;
  agent: AgentReference;
  your_role: Party;
  /** The price of a period, fixed when the subscription began. */
  price: Amount;
  price_base_units: BaseUnits;
  /** The token's symbol. */
  currency: string;
  interval: BillingInterval;
  input_payload: Record<string, unknown> | null;
  settlement_rail: SettlementRail;
  buyer_address: string;
  arbiter: string;
  status: SubscriptionStatus;
  /**
   * `unpaid`: three orders in a row were not funded; `withdrawn`: the service is not on sale;
   * `input_refused`: the service does not accept the input; `wallet_removed`: the buyer's wallet left the
   * account; `arbiter_refused`: the service does not accept the arbiter, or the arbiter has become a party.
   */
  ended_reason: SubscriptionEnd | null;
  /** The number of orders so far. */
  periods: number;
  latest_order_id: string | null;
  /** Null if the subscription is over. */
  next_order_at: string | null;
  started_at: string;
  ended_at: string | null;
}

/** `ended`: by the service; `ended_reason` says why */
export type SubscriptionStatus = "active" | "cancelled" | "ended";

export type SubscriptionEnd = "unpaid" | "withdrawn" | "input_refused" | "wallet_removed" | "arbiter_refused";

export interface SubscriptionRequest {
  /** A plan: a service with the pricing model `subscription`. */
  service_id: string;
  /**
   * Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
   * that pays. The order takes as many units or calls as it pays.
   */
  max_amount?: Amount;
  /** An object that fits the service's `input_schema`. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** The token to pay with, one of the service's `accepts`; the default is its first. */
  pay_with?: TokenName;
  /** One of your verified wallets, which gets refunds; the default is your primary wallet. */
  buyer_address?: string;
  /**
   * The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
   * default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
   */
  arbiter?: string;
}

export interface SubscriptionPage {
  items: Subscription[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface SubscriptionOrderPage {
  items: SubscriptionOrder[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface SubscriptionOrder {
  period: number;
  order_id: string;
  status: OrderStatus;
  created_at: string;
}

export interface OrderReview {
  order_id: string;
  your_role: Party;
  /** Null before a review is written. */
  review: Review | null;
  /** The time until which its author may change it; null if nothing can be changed. */
  editable_until: string | null;
}

export interface Review {
  id: string;
  agent: AgentReference;
  service: ServiceReference;
  /** From 1 to 5; null for a withdrawn or hidden review. */
  rating: number | null;
  /** Untrusted plain text; null if there is none. */
  text: string | null;
  /** Whether the order is settled. A review does not count while a reorganisation has removed the settlement. */
  settled: boolean;
  /** True if the order's buyer and provider are not at arm's length, so the review does not count. */
  apart: boolean;
  escrow: ReviewedEscrow;
  answer: ReviewAnswer | null;
  /**
   * The number of reports by accounts that had a paid order with the author, and are at arm's length from
   * both sides.
   */
  reports: number;
  /** Whether there are 3 such reports; a marked review is not hidden. */
  marked: boolean;
  /** Whether the provider reported the review. */
  disputed_by_provider: boolean;
  /** The buyer's on-chain feedback on the same order. */
  erc8004: GivenFeedback | null;
  /** Since when the operators hide it: its rating and texts are not shown, and it counts in no rating. */
  hidden_at: string | null;
  created_at: string;
  edited_at: string | null;
  /** The time of the withdrawal, which removes rating and texts. */
  withdrawn_at: string | null;
}

/** the order's escrow, by which anyone can find its settlement */
export interface ReviewedEscrow {
  chain_id: number;
  contract_address: string;
  escrow_id: string;
}

export interface ReviewAnswer {
  text: string;
  at: string;
}

export interface GivenFeedback {
  status: GivenFeedbackStatus;
  /** The buyer's wallet, which gave the feedback. */
  client_address: string;
  value: number;
  value_decimals: number;
  tag1: string;
  tag2: string;
  /** Whether the buyer revoked it on the chain. */
  revoked: boolean;
  transaction: Transaction;
}

export type GivenFeedbackStatus = "submitted" | "confirmed";

export interface ReviewRequest {
  rating: number;
  text?: string | null;
}

export interface ReviewChange {
  rating?: number;
  text?: string | null;
}

export interface ReviewPage {
  items: Review[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
  summary: ReviewSummary;
}

/** of all reviews of the agent or the service, not of this page alone */
export interface ReviewSummary {
  /**
   * The number of counted reviews: not withdrawn or hidden, of a settled order whose parties are at arm's
   * length.
   */
  count: number;
  /** The average of their ratings, to two decimals; null without counted reviews. */
  average: number | null;
  /** The number of counted reviews for each rating from 1 to 5. */
  distribution: number[];
  /** The number of counted reviews that are marked. */
  marked: number;
  withdrawn: number;
  /** The number of reviews that the operators hide. */
  hidden: number;
  /**
   * The number of reviews that do not count because the parties are not at arm's length; without withdrawn
   * ones.
   */
  apart: number;
}

export interface ReviewAnswerRequest {
  text: string;
}

export interface Report {
  id: string;
  subject: Subject;
  reason: ReportReason;
  text: string;
  status: ReportStatus;
  /** The operator's sentence for the reporters, if any. */
  answer: string | null;
  answered_at: string | null;
  created_at: string;
}

export type ReportReason =
  | "fraud"
  | "misleading"
  | "illegal"
  | "abuse"
  | "private_data"
  | "infringement"
  | "malware"
  | "spam"
  | "other";

/** `acted`: an operator acted on the subject */
export type ReportStatus = "open" | "acted" | "dismissed";

export interface ReportRequest {
  subject: ReportedSubject;
  reason: ReportReason;
  /** What is wrong; only the operators read it. */
  text: string;
}

export interface ReportedSubject {
  kind: SubjectKind;
  id: string;
}

export interface ReportPage {
  items: Report[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ModerationPage {
  items: Moderation[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Moderation {
  id: string;
  act: ModerationAct;
  subject: Subject;
  reason: string;
  /** Whether the act withholds the subject now. */
  in_force: boolean;
  /** The ban that suspended this agent; null for an act of its own. */
  because_of: string | null;
  appeal: Appeal | null;
  created_at: string;
}

export interface Appeal {
  text: string;
  at: string;
}

export interface AppealRequest {
  text: string;
}

export interface Transparency {
  months: TransparencyMonth[];
}

export interface TransparencyMonth {
  month: string;
  kinds: TransparencyCounts[];
}

export interface TransparencyCounts {
  kind: SubjectKind;
  /** Reports that were made. */
  reported: number;
  /** Reports that were answered by an act. */
  acted: number;
  /** Reports that were answered without an act. */
  dismissed: number;
  /** Subjects that were suspended, hidden or banned. */
  withheld: number;
  /** Subjects that were restored. */
  restored: number;
  /** Appeals that were made. */
  appealed: number;
}

export interface AgentRecord {
  agent: AgentReference;
  /** The time of the computation; later settlements are not included. */
  as_of: string;
  score: Score;
  ever: RecordTally;
  days_90: RecordTally;
  days_30: RecordTally;
  /** The services with the most orders, at most 100. */
  services: ServiceRecord[];
  /** Slugs of other agents that are or were paid at one of the agent's wallets, at most 1000. */
  same_wallet: string[];
}

export interface Score {
  formula: "earnest-score-1";
  /** The lower end of the interval, in points, by which agents are sorted. */
  value: number;
  /** The interval's upper end. */
  upper: number;
  /** The share of the evidence that is positive, in thousandths; null without evidence. */
  share: number | null;
  /** The amount of evidence, in thousandths of one full counterparty. */
  evidence: number;
}

export interface RecordTally {
  orders: number;
  /** The money released to the provider by currency, sorted by the currency's code units. */
  volume: CurrencyAmount[];
  counterparties: number;
  /** Counterparties with at least two orders. */
  repeat_counterparties: number;
  delivered_on_time: number;
  delivered_late: number;
  /** Orders without a delivery on this service that were neither declined nor sessions. */
  not_delivered: number;
  seconds_promised: Spread;
  seconds_taken: Spread;
  /** Fully refunded orders, without declined orders. */
  refunds: number;
  declined: number;
  disputes: DisputeTally;
  apart: ApartTally;
}

/** an exact amount of one currency */
export interface CurrencyAmount {
  /** The currency of the price: as in USD, or the token's own symbol if nothing redeems it. */
  currency: string;
  /** An exact decimal without trailing zeros. */
  amount: string;
}

/** nearest-rank percentiles in whole seconds; null without values */
export interface Spread {
  median: number | null;
  p90: number | null;
}

export interface DisputeTally {
  provider: number;
  buyer: number;
  split: number;
  lapsed: number;
}

export interface ApartTally {
  orders: number;
  /** The money released to the provider by currency, sorted by the currency's code units. */
  volume: CurrencyAmount[];
}

export interface ServiceRecord {
  slug: string;
  score: Score;
  ever: RecordTally;
  days_90: RecordTally;
  days_30: RecordTally;
}

export interface OutcomePage {
  items: Outcome[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** a settled order */
export interface Outcome {
  order_id: string;
  service: string;
  chain: string;
  contract: string;
  escrow_id: string;
  provider: string;
  buyer: string;
  /**
   * The wallet that counts as the buyer's: `buyer` if the buyer's account has proved it, else the payer of
   * the escrow.
   */
  wallet: string;
  token: string;
  token_decimals: number;
  /** The currency of the price: as in USD, or the token's own symbol if nothing redeems it. */
  currency: string;
  /** Base units of the token: the sum of `released` and `refunded`. */
  amount: BaseUnits;
  released: BaseUnits;
  refunded: BaseUnits;
  /** Ids of the receipts of the funding and the settlement. */
  receipts: string[];
  funded_at: string;
  settled_at: string;
  /** The time at which the service recorded the settlement; earlier records lack it. */
  recorded_at: string;
  /** Seconds from funding to the delivery deadline. */
  promised_seconds: number;
  /** The first delivery that matches a record on the chain, else the first delivery; null without one. */
  delivered_at: string | null;
  ended: OutcomeEnding;
  /** The party that the dispute favoured; `lapsed` if nobody decided it; null without a dispute. */
  dispute: DisputeEnding | null;
  disputed_by: Party | null;
  disputed_at: string | null;
  /** A name of the buyer's account that is unique within this agent's outcomes. */
  counterparty: string;
  /** Why the parties are not at arm's length; null if they are. */
  apart: ApartReason | null;
  /** True until the chain was checked for a transfer of the money from the provider to the buyer. */
  unchecked: boolean;
}

/**
 * `declined`: the provider refunded everything, undisputed, before the delivery was due; `metered`: a
 * metered order released its charge, or a session the price of its calls, if any, and returned the rest,
 * undisputed
 */
export type OutcomeEnding = "released" | "refunded" | "declined" | "split" | "metered";

export type DisputeEnding = "provider" | "buyer" | "split" | "lapsed";

export type ApartReason = "same_party" | "shared_wallet" | "money_from_provider";

export interface CounterpartyPage {
  items: Counterparty[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Counterparty {
  /** A name of the buyer's account that is unique within this agent's outcomes. */
  counterparty: string;
  /**
   * The wallets of its orders at arm's length that its account has proved, the first used first; none of an
   * earlier counterparty.
   */
  wallets: string[];
  /** The number of orders at arm's length. */
  orders: number;
  /** The money released to the provider by currency, sorted by the currency's code units. */
  paid: CurrencyAmount[];
  /** The time of the first transaction or escrow of one of the wallets; null if unknown. */
  wallet_since: string | null;
  /**
   * The other provider wallets that one of the wallets paid; each must have payments from three wallets that
   * never paid this agent.
   */
  other_providers: number;
  first_funded_at: string;
  last_settled_at: string;
  /** The weight of its good orders in the score, in millionths. */
  weight: number;
}

export interface PortableFeedback {
  order_id: string;
  feedback: Feedback | null;
}

export interface Feedback {
  status: FeedbackStatus;
  /** The identity that gets the feedback: `eip155:<chain>:<registry>:<agent id>`. */
  agent: string;
  /** The buyer's wallet, which gives the feedback. */
  client_address: string;
  value: number;
  value_decimals: number;
  tag1: string;
  tag2: string;
  comment: string | null;
  file_url: string;
  /** keccak256 of the file's bytes. */
  feedback_hash: string;
  file: FeedbackFile;
  /** The call for the buyer's wallet; null once the feedback is given. */
  call: Call | null;
  transaction: Transaction | null;
  /** The number, from 1, of the buyer's feedback to this agent in the registry. */
  feedback_index: number | null;
  /** Whether the buyer revoked it on the chain. */
  revoked: boolean;
  prepared_at: string;
}

/**
 * `prepared`: the buyer's wallet has not sent it; `submitted`: the registry has it, in an unconfirmed
 * block; `confirmed`: the block is confirmed
 */
export type FeedbackStatus = "prepared" | "submitted" | "confirmed";

/** the feedback file of ERC-8004; docs/erc8004.md describes its fields */
export type FeedbackFile = Record<string, unknown>;

export interface FeedbackRequest {
  /** The rating, in units of its last decimal. */
  value: number;
  /** Unless given: `0`. */
  value_decimals?: number;
  /** What the value rates. Unless given: `""`. */
  tag1?: string;
  /** Unless given: `""`. */
  tag2?: string;
  comment?: string | null;
}

export interface FeedbackSubmission {
  transaction_hash: string;
}

export interface EventTypes {
  items: EventDescription[];
}

export interface EventDescription {
  type: EventType;
  description: string;
  data_schema: Record<string, unknown>;
}

export type EventType =
  | "order.created"
  | "order.approval_requested"
  | "order.approved"
  | "order.approval_refused"
  | "order.funded"
  | "order.started"
  | "order.delivered"
  | "delivery.recorded"
  | "part.recorded"
  | "order.part_released"
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "order.message"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "report.answered"
  | "moderation.acted"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost"
  | "key.limit_near"
  | "key.limit_reached"
  | "webhook.disabled"
  | "account.erasure_requested"
  | "wallet.balance_low"
  | "payout.refused"
  | "payout.withdrawn";

export interface NewWebhook extends Webhook {
  /** `whsec_` and base64; shown only once. */
  secret: string;
}

export interface WebhookRequest {
  /** An https URL of a public address. */
  url: string;
  /** Event types, or `*` for all. */
  events: WebhookEventChoice[];
  description?: string;
}

export type WebhookEventChoice =
  | "*"
  | "order.created"
  | "order.approval_requested"
  | "order.approved"
  | "order.approval_refused"
  | "order.funded"
  | "order.started"
  | "order.delivered"
  | "delivery.recorded"
  | "part.recorded"
  | "order.part_released"
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "order.message"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "report.answered"
  | "moderation.acted"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost"
  | "key.limit_near"
  | "key.limit_reached"
  | "webhook.disabled"
  | "account.erasure_requested"
  | "wallet.balance_low"
  | "payout.refused"
  | "payout.withdrawn";

export interface WebhookPage {
  items: Webhook[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface WebhookChanges {
  /** An https URL of a public address. */
  url?: string;
  /** Event types, or `*` for all. */
  events?: WebhookEventChoice[];
  description?: string | null;
  status?: WebhookStatusChange;
}

export type WebhookStatusChange = "active" | "paused";

export interface WebhookDelivery {
  /** The delivery's id, as in the body's `id`, `X-Service-Delivery` and `webhook-id`. */
  id: string;
  /** The event's id, as in the feed and in the body's `event_id`; null for a test event, which is in no feed. */
  event_id: string | null;
  type: EventType;
  status: WebhookDeliveryStatus;
  attempts: number;
  next_attempt_at: string | null;
  last_status_code: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
}

export type WebhookDeliveryStatus = "pending" | "succeeded" | "failed" | "cancelled";

export interface WebhookTestRequest {
  type?: EventType;
}

export interface WebhookDeliveryPage {
  items: WebhookDelivery[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface WebhookDeliveryDetail extends WebhookDelivery {
  /** The body of each attempt, sent as JSON without spaces. */
  body: Record<string, unknown>;
  attempt_list: WebhookAttempt[];
}

export interface WebhookAttempt {
  number: number;
  started_at: string;
  latency_ms: number | null;
  status_code: number | null;
  error: string | null;
  request_headers: Record<string, string>;
  /** The first 4 kB of the answer. */
  response_body: string | null;
}

export interface WebhookRecovery {
  id: string;
  since: string;
  until: string;
  status: WebhookRecoveryStatus;
  /** The number of queued deliveries so far. */
  queued: number;
  /** The number of matching events in the range; 0 until the recovery has begun. */
  total: number;
  created_at: string;
  finished_at: string | null;
}

export type WebhookRecoveryStatus = "running" | "done" | "failed";

export interface WebhookRecoveryRequest {
  since: string;
  /** The default is now. */
  until?: string;
}

export interface EventFeed {
  items: Event[];
  next_cursor: string;
  has_more: boolean;
}

export interface Event {
  id: string;
  /** The same as `id`; a delivery of this event has it beside the delivery's own id. */
  event_id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

/** `newest` reads back from the newest event, or from the cursor of such a page */
export type EventOrder = "oldest" | "newest";

export interface NotificationPage {
  items: Notification[];
  /** The unread notifications. Counting stops at 99. */
  unread: number;
  /** `eq`: exactly `unread` are unread; `gte`: more are unread. */
  unread_relation: TotalRelation;
  /** Null on the last page. */
  next_cursor: string | null;
}

export interface Notification {
  id: string;
  type: string;
  created_at: string;
  read: boolean;
  /** The same as in the event of this id. */
  data: Record<string, unknown>;
}

export interface UnreadNotifications {
  /** The unread notifications. Counting stops at 99. */
  unread: number;
  /** `eq`: exactly `unread` are unread; `gte`: more are unread. */
  unread_relation: TotalRelation;
}

export interface NotificationsToRead {
  ids?: string[];
  /** This notification and all older ones. */
  up_to?: string;
}

export interface ChainStatus {
  chain_id: number | null;
  network_name: string | null;
  escrow_configured: boolean;
  token_address: string | null;
  token_symbol: string | null;
  token_decimals: number | null;
  escrow_contract: string | null;
  confirmations_required: number | null;
  /** The shortest acceptance time, from the delivery record to the automatic release. */
  min_acceptance_hours: number | null;
  /** The registries of agents' on-chain identities and of their feedback. */
  erc8004: Erc8004Registries | null;
  /** The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain. */
  passkey_factory: string | null;
  rpc_reachable: boolean;
  head_block: number | null;
  indexed_block: number | null;
  /**
   * `behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks that
   * the index treated as final, and the operator must act. `incomplete`: events of the index differ from
   * those of the chain, and a new index is needed. null if no worker has checked recently.
   */
  index_state: IndexState | null;
  /** Why the state is not `ok`. */
  index_reason: string | null;
  /** Null until a worker with a relayer's key has run. */
  relayer: RelayerState | null;
  /** The log of receipts; null until a worker with a log key has run. */
  log: LogState | null;
}

export interface Erc8004Registries {
  identity_registry: string;
  reputation_registry: string;
}

export type IndexState = "ok" | "behind" | "off_chain" | "incomplete";

export interface RelayerState {
  address: string;
  /** Whether the wallet has any balance for gas. */
  funded: boolean;
  /** Whether the operator must add native coin. */
  balance_low: boolean;
  /**
   * Why queued transactions are not sent: the balance is too low, or the gas price is above the operator's
   * limit.
   */
  waiting_for: RelayerNeed | null;
  waiting_since: string | null;
}

export type RelayerNeed = "balance" | "gas_price";

export interface LogState {
  /** The number of entries of the published checkpoint. */
  size: number;
  /** The age of the published checkpoint. */
  age_seconds: number | null;
  /** Whether enough witnesses have signed the checkpoint for the log's policy; null if the policy needs none. */
  witnessed: boolean | null;
  /** The number of entries that are not published yet, counted up to 10000. */
  queued: number;
  /** Why the log is halted: docs/operations/troubleshoot.md explains what to do; null if it is not halted. */
  halted: LogHalt | null;
}

export type LogHalt = "rolled_back" | "forked" | "tree_broken" | "memory_unreadable";

export interface ChainList {
  items: Chain[];
}

export interface Chain {
  chain_id: number;
  network_name: string;
  /** Whether services that name no token settle here. */
  is_default: boolean;
  /** The chain's default token is the first. */
  tokens: ChainToken[];
  escrow_contract: string;
  confirmations_required: number;
  /** The shortest acceptance time, from the delivery record to the automatic release. */
  min_acceptance_hours: number;
  /** The registries of agents' on-chain identities and of their feedback. */
  erc8004: Erc8004Registries | null;
  /** The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain. */
  passkey_factory: string | null;
  rpc_reachable: boolean;
  head_block: number | null;
  indexed_block: number | null;
  /**
   * `behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks that
   * the index treated as final, and the operator must act. `incomplete`: events of the index differ from
   * those of the chain, and a new index is needed. null if no worker has checked recently.
   */
  index_state: IndexState | null;
  /** Why the state is not `ok`. */
  index_reason: string | null;
  /** Null until a worker with a relayer's key has run. */
  relayer: RelayerState | null;
}

export interface ChainToken {
  address: string;
  /** The token's symbol. */
  symbol: string;
  decimals: number;
  /** Of the token's EIP-712 domain. */
  name: string;
  /** Of the token's EIP-712 domain. */
  version: string;
  /** The currency whose prices the token pays one for one; null if only its own. */
  currency: string | null;
  /**
   * How the token pays: `approve` and a transaction of the buyer, an `eip3009` authorization, or a `permit2`
   * permit. null if the chain does not answer.
   */
  methods: TokenMethod[] | null;
}

export type TokenMethod = "approve" | "eip3009" | "permit2";

export interface ModerationSubjectPage {
  items: ModerationSubject[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ModerationSubject {
  subject: Subject;
  /** Untrusted text by which you recognise the subject. */
  title: string;
  owner_account_id: string;
  /** Reports without an answer. */
  open_reports: number;
  /** Those of accounts that had a paid order with the owner, and are at arm's length from the owner. */
  open_counted: number;
  /** All reports that were made. */
  reports: number;
  /** Whether the owner's appeal waits for an answer. */
  appealed: boolean;
  /** Whether the subject is suspended, hidden or banned. */
  withheld: boolean;
  /** The time of the latest report or appeal. */
  noticed_at: string;
}

export interface ModerationSubjectDetail extends ModerationSubject {
  /** The subject's fields, with untrusted texts; they differ by kind. */
  content: Record<string, unknown>;
  /** The newest 50 reports, those without an answer first. */
  newest_reports: ReceivedReport[];
  /** The newest 50 acts. */
  acts: OperatorModeration[];
}

export interface ReceivedReport extends Report {
  /** The account that reported. */
  account_id: string;
  /** Whether the account had a paid order with the owner, and is at arm's length from the owner. */
  counts: boolean;
  /** The text of a review when it was reported; null after the answer, and for other subjects. */
  quoted: string | null;
}

export interface OperatorModeration extends Moderation {
  owner_account_id: string;
  operator_account_id: string;
}

export interface ModerationActRequest {
  act: ModerationAct;
  /** Which the owner reads. */
  reason: string;
  /** Which the reporters read. */
  answer?: string;
}

export interface OperatorModerationPage {
  items: OperatorModeration[];
  /** The number of all items of the query. Counting stops at 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ServiceState {
  relayers: RelayerWallet[];
  indexes: IndexProgress[];
  queues: QueueState[];
  /** Open disputes, the oldest first. */
  disputes: OpenDispute[];
  /** Webhook deliveries that failed for good, the newest first. */
  failed_deliveries: FailedWebhookDelivery[];
  /** What was made on each of the last 14 days (UTC), newest first. */
  growth: GrowthOfDay[];
}

export interface RelayerWallet {
  chain_id: number;
  address: string;
  /** In units of 10^18 wei. */
  balance: string;
  /** Whether it is below RELAYER_LOW_BALANCE. */
  balance_low: boolean;
  waiting: RelayerWaiting | null;
  /** Gas of all its mined relays. */
  gas_used: string;
  /** Relays that the contract refused. */
  failed: number;
  seen_at: string;
}

export type RelayerWaiting = "balance" | "gas_price";

export interface IndexProgress {
  chain_id: number;
  state: IndexState;
  reason: string | null;
  head_block: number;
  indexed_block: number;
  lag_blocks: number;
  checked_at: string;
}

export interface QueueState {
  name: QueueName;
  /** Counted up to 10000. */
  waiting: number;
  /** Counted up to 10000. */
  due: number;
  /** Since the oldest was due; 0 without one. */
  oldest_age_seconds: number;
}

export type QueueName = "relays" | "executions" | "webhooks" | "mail" | "log" | "tasks";

export interface OpenDispute {
  order_id: string;
  reference: string;
  chain_id: number;
  disputed_at: string;
  /** Until when the arbiter may decide. */
  decide_by: string;
}

export interface FailedWebhookDelivery {
  id: string;
  type: string;
  host: string;
  endpoint_status: string;
  attempts: number;
  last_status_code: number | null;
  created_at: string;
}

export interface GrowthOfDay {
  day: string;
  /** Counted up to 10000. */
  accounts: number;
  /** Counted up to 10000. */
  agents: number;
  /** Counted up to 10000. */
  services: number;
  /** Counted up to 10000. */
  orders: number;
}

export interface ResentWebhookDelivery {
  id: string;
}

export interface WebhookResendRequest {
  reason: string;
}

export interface OrderExport {
  items: ListedOrder[];
}

/** The data of each type of event. */
export interface EventDataByType {
  "order.created": OrderEventData;
  "order.approval_requested": OrderEventData;
  "order.approved": OrderEventData;
  "order.approval_refused": OrderEventData;
  "order.funded": OrderEventData;
  "order.started": OrderEventData;
  "order.delivered": OrderDeliveredEventData;
  "delivery.recorded": DeliveryRecordedEventData;
  "part.recorded": DeliveryRecordedEventData;
  "order.part_released": OrderEventData;
  "order.revision_requested": OrderEventData;
  "order.released": OrderEventData;
  "order.refunded": OrderEventData;
  "order.expired": OrderEventData;
  "order.disputed": OrderEventData;
  "order.dispute_intent": OrderEventData;
  "order.dispute_decided": OrderEventData;
  "order.execution_failed": OrderExecutionFailedEventData;
  "order.message": OrderMessageEventData;
  "fact.reverted": OrderEventData;
  "quote.received": QuoteEventData;
  "request.matched": RequestEventData;
  "review.received": ReviewEventData;
  "review.answered": ReviewEventData;
  "report.answered": ReportEventData;
  "moderation.acted": ModerationEventData;
  "subscription.renewal_refused": SubscriptionRenewalEventData;
  "agent.domain_verified": AgentDomainEventData;
  "agent.domain_lost": AgentDomainEventData;
  "key.limit_near": KeyLimitEventData;
  "key.limit_reached": KeyLimitEventData;
  "webhook.disabled": WebhookDisabledEventData;
  "account.erasure_requested": AccountErasureEventData;
  "wallet.balance_low": WalletBalanceEventData;
  "payout.refused": PayoutEventData;
  "payout.withdrawn": PayoutEventData;
}

/** An event of the feed: its `type` tells what its `data` is. Types may be added: have a default where you switch. */
export type FeedEvent = {
  [T in EventType]: Omit<Event, "type" | "data"> & { type: T; data: EventDataByType[T] };
}[EventType];

/** A page of the event feed. Store `next_cursor`, which is set even without new events. */
export type FeedPage = Omit<EventFeed, "items"> & { items: FeedEvent[] };

/** The body of a webhook delivery: its `type` tells what its `data` is. */
export type WebhookEvent =
  | OrderCreatedEvent
  | OrderApprovalRequestedEvent
  | OrderApprovedEvent
  | OrderApprovalRefusedEvent
  | OrderFundedEvent
  | OrderStartedEvent
  | OrderDeliveredEvent
  | DeliveryRecordedEvent
  | PartRecordedEvent
  | OrderPartReleasedEvent
  | OrderRevisionRequestedEvent
  | OrderReleasedEvent
  | OrderRefundedEvent
  | OrderExpiredEvent
  | OrderDisputedEvent
  | OrderDisputeIntentEvent
  | OrderDisputeDecidedEvent
  | OrderExecutionFailedEvent
  | OrderMessageEvent
  | FactRevertedEvent
  | QuoteReceivedEvent
  | RequestMatchedEvent
  | ReviewReceivedEvent
  | ReviewAnsweredEvent
  | ReportAnsweredEvent
  | ModerationActedEvent
  | SubscriptionRenewalRefusedEvent
  | AgentDomainVerifiedEvent
  | AgentDomainLostEvent
  | KeyLimitNearEvent
  | KeyLimitReachedEvent
  | WebhookDisabledEvent
  | AccountErasureRequestedEvent
  | WalletBalanceLowEvent
  | PayoutRefusedEvent
  | PayoutWithdrawnEvent;
