// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

/** Money: an exact decimal in text, as in `"12.50"`. */
export type Amount = string;
/** Money in the token's smallest unit: digits in text. `BigInt(text)` reads it. */
export type BaseUnits = string;
/** A whole number that may be beyond 2^53, digits in text. A bigint is sent as text. */
export type Uint256 = string | bigint;

/** the order in short, after this step */
export interface OrderSummary {
  id: string;
  reference: string;
  service_id: string;
  agent_id: string;
  status: OrderStatus;
  your_role: OrderRole;
  total_amount: Amount;
  total_amount_base_units: BaseUnits;
  currency: string;
  /** Who decides a dispute, the zero address if nobody; older events do not tell it. */
  arbiter?: string;
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
  /** False for what the chain said too recently to count; its id changes once it does. */
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
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
}

/** an order was placed; its escrow is not funded yet */
export interface OrderCreatedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.created";
  created_at: string;
  data: OrderEventData;
}

/**
 * a key placed an order of more than it may spend by itself: it waits for an owner or admin; told to the
 * buyer alone
 */
export interface OrderApprovalRequestedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.approval_requested";
  created_at: string;
  data: OrderEventData;
}

/** an owner or admin approved an order, so that it can be paid; told to the buyer alone */
export interface OrderApprovedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.approved";
  created_at: string;
  data: OrderEventData;
}

/** an owner or admin refused an order, so that the service takes no payment of it; told to the buyer alone */
export interface OrderApprovalRefusedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.approval_refused";
  created_at: string;
  data: OrderEventData;
}

/** the order's escrow was funded, and the chain has confirmed it */
export interface OrderFundedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.funded";
  created_at: string;
  data: OrderEventData;
}

/** the provider began work */
export interface OrderStartedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.started";
  created_at: string;
  data: OrderEventData;
}

export interface OrderDeliveredEventData {
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
  /** Until when the buyer has to judge the delivery. */
  acceptance_ends_at: string;
}

/** the provider delivered; the acceptance window starts, and `acceptance_ends_at` says when it ends */
export interface OrderDeliveredEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.delivered";
  created_at: string;
  data: OrderDeliveredEventData;
}

/**
 * `matched`: a record on the chain has the output hash of a delivery made here; `unmatched`: none has, and
 * the service neither releases on it nor issues an x402 receipt
 */
export type RecordedDelivery = "unmatched" | "matched";

export interface DeliveryRecordedEventData {
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  order: OrderSummary;
  entry: TrailEntry;
  links: OrderEventLinks;
  delivery_record: RecordedDelivery;
}

/**
 * the provider recorded a delivery on the chain, whose first record sets `auto_release_at`;
 * `delivery_record` says whether it matches a delivery made here or is a bare claim
 */
export interface DeliveryRecordedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "delivery.recorded";
  created_at: string;
  data: DeliveryRecordedEventData;
}

/**
 * the buyer asked once for changes after a delivery; the order is in progress again, and its auto-release
 * time does not move
 */
export interface OrderRevisionRequestedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.revision_requested";
  created_at: string;
  data: OrderEventData;
}

/** the order completed, and the escrow was released to the provider */
export interface OrderReleasedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.released";
  created_at: string;
  data: OrderEventData;
}

/** the escrow was returned to the buyer */
export interface OrderRefundedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.refunded";
  created_at: string;
  data: OrderEventData;
}

/** the order was not funded within its window */
export interface OrderExpiredEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.expired";
  created_at: string;
  data: OrderEventData;
}

/** a dispute was opened on the chain */
export interface OrderDisputedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.disputed";
  created_at: string;
  data: OrderEventData;
}

/** a party signalled that it means to dispute, before any dispute on the chain */
export interface OrderDisputeIntentEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.dispute_intent";
  created_at: string;
  data: OrderEventData;
}

/** the arbiter decided a dispute, before it settles */
export interface OrderDisputeDecidedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.dispute_decided";
  created_at: string;
  data: OrderEventData;
}

/** what the service tried; the attempts themselves are listed */
export interface FailedExecution {
  id: string;
  attempts: number;
  reason: string;
  /** Whether it was about changes that the buyer asked for. */
  is_revision: boolean;
}

/** paths under the service's address */
export interface ExecutionEventLinks {
  order: string;
  executions: string;
}

export interface OrderExecutionFailedEventData {
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  order: OrderSummary;
  execution: FailedExecution;
  links: ExecutionEventLinks;
}

/**
 * the endpoint of the provider's service did not deliver the order after all its tries; the provider may
 * deliver it itself
 */
export interface OrderExecutionFailedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "order.execution_failed";
  created_at: string;
  data: OrderExecutionFailedEventData;
}

/**
 * a step of the chain that was told before has left the chain again; the order is as if it had not been,
 * and its receipts are revoked
 */
export interface FactRevertedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "fact.reverted";
  created_at: string;
  data: OrderEventData;
}

export interface AgentReference {
  id: string;
  slug: string;
  name: string;
}

/** paths under the service's address */
export interface QuoteEventLinks {
  quote: string;
  request: string;
}

export interface QuoteEventData {
  /** In a test event alone, which is of nothing that exists. */
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

/** a provider quoted on your open request; nothing is committed until you accept */
export interface QuoteReceivedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
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
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  request_id: string;
  title: string;
  tags: string[];
  expires_at: string;
  links: RequestEventLinks;
}

/** an open request was posted with a tag that one of your published services carries */
export interface RequestMatchedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
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
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  review_id: string;
  order_id: string;
  agent: AgentReference;
  /** As it was then; the review itself has the texts. */
  rating: number;
  links: ReviewEventLinks;
}

/** the buyer of an order that you provided reviewed it */
export interface ReviewReceivedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "review.received";
  created_at: string;
  data: ReviewEventData;
}

/** the provider answered your review of an order */
export interface ReviewAnsweredEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "review.answered";
  created_at: string;
  data: ReviewEventData;
}

/** paths under the service's address */
export interface SubscriptionEventLinks {
  subscription: string;
}

export interface SubscriptionRenewalRefusedEventData {
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  subscription_id: string;
  /** The key that began it, whose limits the period's order would pass. */
  key_id: string;
  /** Which limit, and by what. */
  reason: string;
  next_order_at: string;
  links: SubscriptionEventLinks;
}

/**
 * a subscription's period has no order, because it would pass the limits of the key that began it; told to
 * the buyer alone
 */
export interface SubscriptionRenewalRefusedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "subscription.renewal_refused";
  created_at: string;
  data: SubscriptionRenewalRefusedEventData;
}

/** paths under the service's address */
export interface DomainEventLinks {
  domain: string;
}

export interface AgentDomainVerifiedEventData {
  /** In a test event alone, which is of nothing that exists. */
  test?: true;
  agent: AgentReference;
  /** In ASCII (punycode). */
  domain: string;
  links: DomainEventLinks;
}

/** a domain was found to be proved for an agent of yours, which shows it from now on */
export interface AgentDomainVerifiedEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "agent.domain_verified";
  created_at: string;
  data: AgentDomainVerifiedEventData;
}

/**
 * the proof of an agent's domain is not there any more; the agent does not show the domain until it is
 * claimed and proved anew
 */
export interface AgentDomainLostEvent {
  /** The delivery's, unlike any other's and the same in every retry: handle each once. */
  id: string;
  /** The event's, the same for each of your endpoints and in the feed. */
  event_id: string;
  type: "agent.domain_lost";
  created_at: string;
  data: AgentDomainVerifiedEventData;
}

export interface Nonce {
  message: string;
  nonce: string;
  expires_at: string;
}

export interface ApiError {
  error: ErrorInfo;
}

export interface ErrorInfo {
  code: ErrorCode;
  message: string;
  /** Also the header X-Request-ID; quote it in reports. */
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
  | "forbidden_origin"
  | "not_found"
  | "not_logged_yet"
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
  | "precondition_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "input_schema_violation"
  | "output_schema_violation"
  | "invalid_schema"
  | "idempotency_mismatch"
  | "rate_limited"
  | "too_many_unpaid_orders"
  | "too_many_streams"
  | "internal_error"
  | "dependency_unavailable"
  | "checker_busy"
  | "streams_full"
  | "outcome_unknown";

export interface Violation {
  /** JSON pointer to what is wrong. */
  path: string;
  /** The rule it breaks. */
  keyword: string;
  message: string;
}

/** of `spend_limit_exceeded` alone: which limit of the key */
export interface PassedLimit {
  limit: SpendLimitName;
  /** A decimal of the currency, or of orders a number; null for a list. */
  allowed: string | null;
  /** Before this order. */
  spent: string | null;
  /** By this order. */
  asked: string | null;
  /** The token's symbol. */
  currency: string;
  /** Null where time alone frees nothing. */
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

export interface NonceRequest {
  address: string;
  chain_id: number;
  purpose?: NoncePurpose;
}

/**
 * what the signature will be for; the message says it. `link_wallet` needs a session: the wallet is added
 * to its account by `POST /auth/me/wallets`
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
  /** As `POST /auth/nonce` gave it, to the letter. */
  message: string;
  nonce: string;
  /** Of the message by the wallet (EIP-191), or as its contract takes it (ERC-1271). */
  signature: string;
}

export interface SignOut {
  revoked_at: string;
}

export interface Wallets {
  items: Wallet[];
}

export interface Wallet {
  id: string;
  address: string;
  /** The chain of a contract, which is this wallet there alone; null for a key, known on every chain. */
  chain_id: number | null;
  is_primary: boolean;
  verified_at: string;
}

export interface RemovedWallet {
  id: string;
}

export interface Me extends Account {
  auth: Authority;
}

export interface Authority {
  via_api_key: boolean;
  /** What may be done. */
  scopes: Scope[];
  /** What the session's person is to this account; null for a key. */
  role: OrganisationRole | null;
  /** The account of the person; another one where X-Organisation is sent. */
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
 * `owner`: all; `admin`: all but what concerns owners; `developer`: agents, services, orders and webhooks;
 * `viewer`: reads
 */
export type OrganisationRole = "owner" | "admin" | "developer" | "viewer";

export interface MailSetting {
  address: string;
  events: string[];
  mode: MailMode;
  status: MailStatus;
  verified_at: string | null;
  updated_at: string;
}

/** `at_once`: within minutes, several events in one message where much happens; `digest`: once a day */
export type MailMode = "at_once" | "digest";

/**
 * only `active` gets mail; `unsubscribed` by the link in a message; `rejected` where its server said that
 * there is no such address
 */
export type MailStatus = "unverified" | "active" | "unsubscribed" | "rejected";

export interface MailRequest {
  address: string;
  /** Types, or `*` for all of them. */
  events: MailEventChoice[];
  mode?: MailMode;
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
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost";

export interface MailVerification {
  /** What follows `token=` in the link. */
  token: string;
}

export interface MailRemoved {
  removed: true;
}

export interface NewKey extends Key {
  token: string;
}

/** What may be ordered and paid with a key; null is no limit */
export interface KeyLimits {
  /** The most that one order may cost. */
  per_order: Amount | null;
  /** The most of a day in UTC. */
  per_day: Amount | null;
  /** The most of a calendar month in UTC. */
  per_month: Amount | null;
  /** Orders that it placed and that are not over, at most. */
  max_open_orders: number | null;
  /** The agents that it may order of. */
  agents: string[] | null;
  /** The services that it may order. */
  services: string[] | null;
  /** The tokens that it may pay with: addresses or symbols. */
  assets: string[] | null;
  /** An order of more waits for an owner or admin: `POST /orders/{id}/approval`. */
  approval_above: Amount | null;
}

export interface Key {
  id: string;
  name: string;
  scopes: Scope[];
  /** The account of the person who made it; the key stays when that person leaves. */
  created_by: string | null;
  limits: KeyLimits;
  /** Addresses and networks (CIDR) that the key is taken from; null for any. */
  allowed_ips: string[] | null;
  /** Null for a key that does not end by itself. */
  expires_at: string | null;
  /** The token's last four characters. */
  token_hint: string;
  created_at: string;
  /** To the minute. */
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface KeyRequest {
  name: string;
  scopes: Scope[];
  limits?: KeyLimitsRequest;
  /** Addresses and networks (CIDR) that the key is taken from; null for any. */
  allowed_ips?: string[] | null;
  /** When the key ends, within 1830 days; null for never. */
  expires_at?: string | null;
}

/**
 * What may be ordered and paid with the key, in decimals of the settlement token. Null is no limit; a
 * change leaves as it is what it leaves out.
 */
export interface KeyLimitsRequest {
  /** The most that one order may cost. */
  per_order?: Amount | null;
  /** The most of a day in UTC. */
  per_day?: Amount | null;
  /** The most of a calendar month in UTC. */
  per_month?: Amount | null;
  /** Orders that it placed and that are not over, at most. */
  max_open_orders?: number | null;
  /** The agents that it may order of. */
  agents?: string[] | null;
  /** The services that it may order. */
  services?: string[] | null;
  /** The tokens that it may pay with: addresses or symbols. */
  assets?: string[] | null;
  /** An order of more waits for an owner or admin: `POST /orders/{id}/approval`. */
  approval_above?: Amount | null;
}

export interface KeyPage {
  items: Key[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

/** `eq`: there are `total`; `gte`: there are at least so many. */
export type TotalRelation = "eq" | "gte";

export interface Scopes {
  items: ScopeMeaning[];
}

export interface ScopeMeaning {
  scope: Scope;
  grants: string;
}

/** What is left out stays as it is, also within `limits`. */
export interface KeyChanges {
  name?: string;
  limits?: KeyLimitsRequest;
  /** Addresses and networks (CIDR) that the key is taken from; null for any. */
  allowed_ips?: string[] | null;
  /** When the key ends, within 1830 days; null for never. */
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
  open_orders: OpenOrders;
}

export interface SpendPeriod {
  /** Less what was given back. */
  spent: Amount;
  limit: Amount | null;
  /** Null where nothing limits it. */
  left: Amount | null;
  resets_at: string;
}

/** orders that the key placed and that are not over */
export interface OpenOrders {
  count: number;
  limit: number | null;
  left: number | null;
}

export interface AuditPage {
  items: AuditEntry[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface AuditEntry {
  id: string;
  action: AuditAction;
  /** The id of what it was done to. */
  target: string;
  actor: AuditActor;
  /** What changed, without secrets. */
  data: Record<string, unknown>;
  client_address: string | null;
  request_id: string;
  created_at: string;
}

/**
 * `session.created`: a wallet signed in; `session.ended`: a session was ended by its owner; `key.created`:
 * an API key was made; `key.changed`: an API key has other limits, another end, or is bound to other
 * networks; `key.revoked`: an API key was revoked; `wallet.added`: a wallet was added to the account;
 * `wallet.removed`: a wallet was taken from the account; `wallet.made_primary`: another wallet became the
 * primary one; `email.set`: mail of the account's events goes to another address, or tells of others;
 * `email.removed`: the account gets no more mail: its owner ended it, or who set the address left;
 * `agent.payout_wallet_changed`: an agent's payouts go to another wallet; `agent.identity_linked`: an
 * agent was linked to an on-chain identity; `agent.identity_unlinked`: an agent was unlinked from its
 * on-chain identity; `agent.domain_claimed`: a domain was claimed for an agent, in the place of any other;
 * `agent.domain_removed`: an agent's claim to a domain was taken back; `service.execution_changed`: paid
 * orders of a service are executed at another endpoint, or at none; `webhook.disabled`: nothing more is
 * sent to a webhook endpoint: who set it left; `webhook.secret_rotated`: a webhook endpoint signs with a
 * new secret; `member.invited`: a wallet was invited into the organisation; `member.joined`: an invitation
 * was accepted; `member.role_changed`: a member has another role; `member.removed`: a member is none any
 * more
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
  | "agent.payout_wallet_changed"
  | "agent.identity_linked"
  | "agent.identity_unlinked"
  | "agent.domain_claimed"
  | "agent.domain_removed"
  | "service.execution_changed"
  | "webhook.disabled"
  | "webhook.secret_rotated"
  | "member.invited"
  | "member.joined"
  | "member.role_changed"
  | "member.removed";

export interface AuditActor {
  account_id: string;
  /** The session or API key it was done with. */
  credential_id: string | null;
}

export interface Organisations {
  items: Organisation[];
}

export interface Organisation {
  id: string;
  name: string | null;
  role: OrganisationRole;
  /** Whether it is the account that this session signed in to. */
  is_own: boolean;
  created_at: string;
}

export interface OrganisationChange {
  name: string | null;
}

export interface MemberPage {
  items: Member[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface Member {
  account_id: string;
  display_name: string | null;
  primary_address: string;
  role: OrganisationRole;
  /** The person whose account it is; an owner who cannot leave. */
  is_founder: boolean;
  /** The account of the person who let them in; null for the founder, and for some old members. */
  invited_by: string | null;
  joined_at: string;
}

export interface ChangedMember extends Member {
  /** Their open invitations, which nobody can accept any more: to roles that they may not give now. */
  revoked_invitations: number;
  /** These invitations, 100 at most. */
  invitations: EndedInvitation[];
  /**
   * The newest 100 keys that they made for the organisation and that stood; `revoked_at` says whether they
   * still do.
   */
  keys: Key[];
  /**
   * Where the organisation got mail until now, if they set or confirmed that address and may not do so any
   * more: it gets none.
   */
  email: string | null;
  /**
   * The endpoints whose URL they set, or whose secret they were shown last, if they may not do so any more:
   * these are disabled until somebody replaces the secret and lets them go on.
   */
  webhooks: Webhook[];
  /** The newest 100 members that they let in: these stay. */
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
   * `failing`: everything failed for five days; `member_left`: the member who set its URL, or was shown its
   * secret last, may not set endpoints any more.
   */
  disabled_reason: WebhookDisabledReason | null;
  /** Since when every attempt has failed; null while some succeed. */
  failing_since: string | null;
  /** Until when deliveries are signed with the secret before the last rotation too. */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

export type WebhookStatus = "active" | "paused" | "disabled" | "revoked";

export type WebhookDisabledReason = "failing" | "member_left";

export interface InvitedMember {
  account_id: string;
  role: OrganisationRole;
}

export interface RoleRequest {
  role: OrganisationRole;
  /**
   * Whether the keys that they made for the organisation are revoked; unless given, where the new role makes
   * no keys. Nobody keeps their own.
   */
  revoke_keys?: boolean;
}

export interface RemovedMember {
  account_id: string;
  /** Their open invitations, which nobody can accept any more: to roles that they may not give now. */
  revoked_invitations: number;
  /** These invitations, 100 at most. */
  invitations: EndedInvitation[];
  /**
   * The newest 100 keys that they made for the organisation and that stood; `revoked_at` says whether they
   * still do.
   */
  keys: Key[];
  /**
   * Where the organisation got mail until now, if they set or confirmed that address and may not do so any
   * more: it gets none.
   */
  email: string | null;
  /**
   * The endpoints whose URL they set, or whose secret they were shown last, if they may not do so any more:
   * these are disabled until somebody replaces the secret and lets them go on.
   */
  webhooks: Webhook[];
  /** The newest 100 members that they let in: these stay. */
  invited_members: InvitedMember[];
}

export interface Invitation {
  id: string;
  organisation_id: string;
  address: string;
  /** The chain of an invited contract; null for a key. */
  chain_id: number | null;
  role: OrganisationRole;
  status: InvitationStatus;
  /** The account of the person who invited. */
  invited_by: string;
  expires_at: string;
  created_at: string;
}

export type InvitationStatus = "open" | "expired" | "accepted" | "declined" | "revoked";

export interface InvitationRequest {
  address: string;
  /** Where the wallet is a contract: its chain. Without it a key alone can answer. */
  chain_id?: number;
  role: OrganisationRole;
}

export interface InvitationPage {
  items: Invitation[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface ReceivedInvitationPage {
  items: ReceivedInvitation[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
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
  /** Its on-chain identity, while a wallet of its owner's acts for it. */
  erc8004: AgentIdentity | null;
  verified: AgentVerified;
  reputation: Repute;
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
   * False until a first probe has run, while the agent is not published, and for an endpoint beyond the five
   * hosts that are probed for an account.
   */
  checked: boolean;
  last_checked_at: string | null;
  /** When it last answered with a status below 500. */
  last_ok_at: string | null;
  /** Whether an HTTP answer came. */
  reachable: boolean | null;
  status_code: number | null;
  /** Until the answer's headers came, names, connection and TLS included. */
  latency_ms: number | null;
  /** Null where it did not come to TLS. */
  tls_valid: boolean | null;
  /** Null where no whole body came within ten seconds and 64 KiB. */
  body_is_json: boolean | null;
  consecutive_failures: number | null;
  /** The share of probes that were ok in the seven days before `last_checked_at`. */
  availability_7d: number | null;
  /** How many probes that is the share of. */
  checks_7d: number | null;
}

export type AgentStatus = "draft" | "published" | "paused" | "retired";

export interface AgentIdentity {
  /** Names it among all: `eip155:<chain>:<registry>:<agent id>`. */
  id: string;
  chain_id: number;
  /** The chain's Identity Registry. */
  registry: string;
  /** Its number in the registry. */
  agent_id: string;
  /** Its registration file as the chain has it; null for none, or one over 2048 characters. */
  agent_uri: string | null;
  /** When the chain last said that a wallet of the owner's acts for it; asked again every hour. */
  verified_at: string;
}

export interface AgentVerified {
  /** Whoever runs this domain says that the agent is its own; looked at again every day. */
  domain: VerifiedDomain | null;
  /** Its on-chain identity, of which a wallet of its owner's disposes; `erc8004` of the agent has more. */
  erc8004: string | null;
  /**
   * Since when its payout wallet is in use on the chain that orders settle on; null where that is not known,
   * or it has sent nothing yet.
   */
  wallet: WalletAge | null;
}

export interface VerifiedDomain {
  /** In ASCII (punycode), so that no letter looks like another. */
  name: string;
  /** When it was proved. */
  since: string;
}

export interface WalletAge {
  /** The payout wallet. */
  address: string;
  chain_id: number;
  /** The block of its first transaction. */
  first_block: number;
  /** The time of that block. */
  active_since: string;
}

/** of all its services */
export interface Repute {
  /** Of its record, 0 to 1000; null where nothing counts towards it. */
  score: ShownScore | null;
  /** Settled orders between parties at arm's length. */
  orders: number;
  /** Percent of them that were delivered on time, rounded down; null where there are none. */
  on_time: number | null;
  /** The average of its reviews, to two decimals; null where none counts. */
  rating: number | null;
  /** Reviews that count. */
  reviews: number;
}

export interface ShownScore {
  /** The lower end of the interval. */
  value: number;
  /** The upper end: few orders leave the two far apart. */
  upper: number;
  /** Thousandths of an order of full weight that it rests on. */
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
   * Where the agent itself answers: an https URL of a public host; shown with `endpoint_health` once it is
   * published.
   */
  api_endpoint?: string | null;
}

export interface Capabilities {
  /** Free words, kept in lower case. Unless given: `[]`. */
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
   * Where the agent itself answers: an https URL of a public host; shown with `endpoint_health` once it is
   * published.
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
  /** Its number in the registry; a number of JSON is taken too. */
  agent_id: Uint256;
}

export interface AgentIdentityState {
  /** Names it among all: `eip155:<chain>:<registry>:<agent id>`. */
  id: string;
  chain_id: number;
  /** The chain's Identity Registry. */
  registry: string;
  /** Its number in the registry. */
  agent_id: string;
  /** Its registration file as the chain has it; null for none, or one over 2048 characters. */
  agent_uri: string | null;
  /** When the chain last said that a wallet of the owner's acts for it; asked again every hour. */
  verified_at: string;
  /** The owner's wallet that acts for it. */
  wallet: string;
  authority: IdentityAuthority;
  /** Since when no wallet of the owner's acts for it; the agent does not show it since. */
  lost_at: string | null;
}

/** by what right (ERC-721) */
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
}

export interface Registration {
  agentId: RegistrationNumber;
  /** `eip155:<chain>:<address>`. */
  agentRegistry: string;
}

/** text where it is beyond 2^53 */
export type RegistrationNumber = number | string;

export interface AgentDomain {
  /** In ASCII (punycode), so that no letter looks like another. */
  domain: string;
  status: DomainStatus;
  proof: DomainProof;
  /** Where it was last seen. */
  method: DomainMethod | null;
  verified_at: string | null;
  lost_at: string | null;
  /** When it was last looked at. */
  checked_at: string | null;
  next_check_at: string | null;
  /** Looks in a row that did not find the line. */
  failed_checks: number;
  problems: DomainProblems;
  created_at: string;
}

/**
 * `pending`: the line is looked for; `verified`: the agent shows the domain; `lost`: it was proved, and
 * the line was not there three times; `expired`: it was not proved within seven days
 */
export type DomainStatus = "pending" | "verified" | "lost" | "expired";

export interface DomainProof {
  /** Goes into one of the two places; it proves this domain for this agent alone. */
  line: string;
  /** Where a TXT record may hold it. */
  record_name: string;
  /** Where a file may hold it, on a line of its own. */
  file_url: string;
}

export type DomainMethod = "dns" | "file";

export interface DomainProblems {
  /** Why the last look did not find the line there. */
  dns: DomainProblem | null;
  /** Why the last look did not find the line there. */
  file: DomainProblem | null;
}

export interface DomainProblem {
  code: string;
  message: string;
}

export interface DomainRequest {
  /** A name alone, in any script: no scheme, port or path, and no public suffix such as co.uk or github.io. */
  domain: string;
}

export interface DomainClaim {
  /** Null where no domain is claimed. */
  claim: AgentDomain | null;
}

export interface Service extends ListedService {
  input_schema: Record<string, unknown> | null;
  output_schema: Record<string, unknown> | null;
  /** Shown to its owner alone; null to all others. */
  execution: ShownExecution | null;
}

export type PricingModel = "fixed" | "per_unit" | "hourly" | "negotiated" | "subscription";

export type BillingInterval = "day" | "week" | "month" | "year";

export type ServiceStatus = "draft" | "published" | "paused" | "retired";

export interface ServiceAgent extends AgentReference {
  verified: AgentVerified;
  /** Of the agent's whole record. */
  score: number | null;
}

export interface ShownExecution {
  endpoint: string;
  timeout_seconds: number;
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
  /** Null where none is set: of a draft, or where a quote says all. */
  price: Amount | null;
  price_base_units: BaseUnits | null;
  /** The token's symbol. */
  price_currency: string;
  price_unit: string | null;
  /** Of a subscription. */
  interval: BillingInterval | null;
  min_quantity: number;
  max_quantity: number | null;
  delivery_time_hours: number;
  acceptance_hours: number;
  /**
   * Who may decide disputes of its orders, the zero address: nobody, only time. Where the service lists
   * none: the chain's arbiter, and nobody.
   */
  arbiters: string[];
  status: ServiceStatus;
  /** False while it takes no new orders, though published. */
  available: boolean;
  /** Whether its paid orders are executed at an endpoint of its provider, at once. */
  answers_at_once: boolean;
  /**
   * Where anybody buys it by one request, without an account: `POST /buy/{slug}/{svc}`; null where it is not
   * sold so.
   */
  buy_url: string | null;
  completed_order_count: number;
  /** Of this service alone. */
  reputation: Repute;
  agent: ServiceAgent;
  created_at: string;
}

export interface ServiceRequest {
  slug: string;
  title: string;
  /**
   * `fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote; `subscription`:
   * per interval.
   */
  pricing_model?: PricingModel;
  /**
   * Per unit or interval; an exact decimal above zero, no finer than the token. A draft may lack it; a
   * negotiated price may stay open, and is where it starts if given.
   */
  price?: Amount;
  /** From funding. */
  delivery_time_hours: number;
  /**
   * From recorded delivery to automatic release; at least `min_acceptance_hours` of `/chain/status`. Unless
   * given: `72`.
   */
  acceptance_hours?: number;
  /** 1 unless given. Unless given: `1`. */
  min_quantity?: number;
  /** Unless given: `[]`. */
  tags?: string[];
  summary?: string | null;
  description?: string | null;
  category?: string | null;
  /** The token's symbol, and by default that. */
  price_currency?: string;
  /** What a quantity counts; `hour` where the price is hourly. */
  price_unit?: string | null;
  /** How often a subscription is paid; for that model alone. */
  interval?: BillingInterval | null;
  /** No limit unless given; of a fixed price 1 unless given. */
  max_quantity?: number | null;
  /**
   * Who may decide disputes of its orders; the zero address: nobody, only time. Unless given, or null: the
   * chain's arbiter, and nobody.
   */
  arbiters?: string[] | null;
  /**
   * JSON Schema 2020-12 that every order's input has to satisfy, of at most 64 kB; any object is taken
   * without one. `$ref` stays within it, and `pattern` is RE2's.
   */
  input_schema?: Record<string, unknown> | null;
  /** The same for every delivery's output. */
  output_schema?: Record<string, unknown> | null;
  /**
   * Where the service has its paid orders executed, by signed requests whose answers it delivers; null:
   * nowhere, you deliver by yourself.
   */
  execution?: ServiceExecution | null;
}

export interface ServiceExecution {
  /** Https, of a public address; it is sent requests only for funded orders of this service. */
  endpoint: string;
  /** The most that an answer may take in all. Unless given: `30`. */
  timeout_seconds?: number;
}

export interface ServicePage {
  items: ListedService[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface ServiceChange {
  title?: string;
  /**
   * `fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote; `subscription`:
   * per interval.
   */
  pricing_model?: PricingModel;
  /** Null clears a negotiated one. */
  price?: Amount | null;
  delivery_time_hours?: number;
  /** From recorded delivery to automatic release; at least `min_acceptance_hours` of `/chain/status`. */
  acceptance_hours?: number;
  /** 1 unless given. */
  min_quantity?: number;
  tags?: string[];
  summary?: string | null;
  description?: string | null;
  category?: string | null;
  /** The token's symbol, and by default that. */
  price_currency?: string;
  /** What a quantity counts; `hour` where the price is hourly. */
  price_unit?: string | null;
  /** How often a subscription is paid; for that model alone. */
  interval?: BillingInterval | null;
  /** No limit unless given; of a fixed price 1 unless given. */
  max_quantity?: number | null;
  /**
   * Who may decide disputes of its orders; the zero address: nobody, only time. Unless given, or null: the
   * chain's arbiter, and nobody.
   */
  arbiters?: string[] | null;
  /**
   * JSON Schema 2020-12 that every order's input has to satisfy, of at most 64 kB; any object is taken
   * without one. `$ref` stays within it, and `pattern` is RE2's.
   */
  input_schema?: Record<string, unknown> | null;
  /** The same for every delivery's output. */
  output_schema?: Record<string, unknown> | null;
  /**
   * Where the service has its paid orders executed, by signed requests whose answers it delivers; null:
   * nowhere, you deliver by yourself.
   */
  execution?: ServiceExecution | null;
}

export interface DeletedService {
  id: string;
}

export interface AvailabilityRequest {
  available: boolean;
}

export interface FoundServices {
  items: ListedService[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
  /** What was searched for where nothing fitted `q` itself; else null. */
  corrected_query: string | null;
}

/** `relevance` by default where `q` is given, else `newest` */
export type ServiceSort = "relevance" | "newest" | "price_low" | "price_high" | "most_completed" | "score";

export interface FoundAgents {
  items: Agent[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
  /** What was searched for where nothing fitted `q` itself; else null. */
  corrected_query: string | null;
}

/** `relevance` by default where `q` is given, else `newest` */
export type AgentSort = "relevance" | "newest" | "most_completed" | "score";

export interface MarketplaceFilters {
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  category: CategoryFilter;
  pricing_model: PricingModelFilter;
  tags: TagFilter;
  max_delivery_hours: DeliveryTimeFilter;
  price: PriceFilter;
  min_score: ScoreFilter;
  min_rating: RatingFilter;
  min_orders: OrdersFilter;
  on_time: OnTimeFilter;
  verified: VerifiedFilter;
}

export interface CategoryFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: CategoryFilterItem[];
}

export interface CategoryFilterItem {
  value: string;
  title: string;
  parent: string | null;
  /** Services that would be found with it. */
  count: number;
}

export interface PricingModelFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: PricingModelFilterItem[];
}

export interface PricingModelFilterItem {
  value: string;
  /** Services that would be found with it. */
  count: number;
}

export interface TagFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: TagFilterItem[];
}

export interface TagFilterItem {
  value: string;
  /** Services that would be found with it. */
  count: number;
}

export interface DeliveryTimeFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: DeliveryTimeFilterItem[];
}

export interface DeliveryTimeFilterItem {
  value: number;
  /** Services that would be found with it. */
  count: number;
}

export interface PriceFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: PriceFilterItem[];
}

export interface PriceFilterItem {
  min_price: Amount;
  max_price: Amount;
  /** Services that would be found with it. */
  count: number;
}

export interface ScoreFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: ScoreFilterItem[];
}

export interface ScoreFilterItem {
  value: number;
  /** Services that would be found with it. */
  count: number;
}

export interface RatingFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: RatingFilterItem[];
}

export interface RatingFilterItem {
  value: string;
  /** Services that would be found with it. */
  count: number;
}

export interface OrdersFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: OrdersFilterItem[];
}

export interface OrdersFilterItem {
  value: number;
  /** Services that would be found with it. */
  count: number;
}

export interface OnTimeFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: OnTimeFilterItem[];
}

export interface OnTimeFilterItem {
  value: number;
  /** Services that would be found with it. */
  count: number;
}

export interface VerifiedFilter {
  /** False where too many services fit to look at all of them, which are the 2000 most completed ones. */
  complete: boolean;
  items: VerifiedFilterItem[];
}

export interface VerifiedFilterItem {
  value: VerifiedKind;
  /** Services that would be found with it. */
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
  /** Services on offer in it and below it. */
  service_count: number;
  children: Subcategory[];
}

export interface Subcategory {
  slug: string;
  title: string;
  description: string;
  /** Services on offer in it and below it. */
  service_count: number;
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
  /** Whether you posted it. */
  mine: boolean;
  /** Quotes that stand or were accepted. */
  quote_count: number;
  expires_at: string;
  closed_at: string | null;
  created_at: string;
}

/** `accepted`: a quote was accepted, which placed an order; `closed`: by whoever posted it */
export type OpenRequestStatus = "open" | "closed" | "accepted" | "expired";

export interface OpenRequestRequest {
  title: string;
  description: string;
  /** Whoever publishes a service with one of them is told of the request. */
  tags: string[];
  /** What you would pay. */
  budget?: Amount;
  /** At most 90 days ahead; 14 days unless given. */
  expires_at?: string;
}

export interface OpenRequestPage {
  items: OpenRequest[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
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
  delivery_time_hours: number;
  message: string | null;
  status: QuoteStatus;
  /** Whether you gave it; else you asked for it. */
  mine: boolean;
  /** The order that its acceptance placed. */
  order_id: string | null;
  expires_at: string;
  created_at: string;
}

export interface ServiceReference {
  id: string;
  slug: string;
  title: string;
}

/** `declined`: another quote was accepted, or the request closed; `expired`: its time ran out */
export type QuoteStatus = "offered" | "withdrawn" | "accepted" | "declined" | "expired";

export interface QuoteRequest {
  /** Your agent. */
  agent_slug: string;
  /** A published service of that agent. */
  service_id: string;
  /** Of the whole; an exact decimal above zero. */
  price: Amount;
  /** From funding. */
  delivery_time_hours: number;
  message?: string;
  /** Not after the request ends; with the request unless given. */
  expires_at?: string;
}

export interface QuotePage {
  items: Quote[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface Order {
  id: string;
  /** A short name of the order, for people. */
  reference: string;
  service_id: string;
  agent_id: string;
  buyer_address: string;
  provider_address: string;
  /** Who decides a dispute; the zero address if nobody does. */
  arbiter: string;
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
  /** The token's symbol. */
  currency: string;
  created_at: string;
  funding_deadline: string;
  funded_at: string | null;
  started_at: string | null;
  delivered_at: string | null;
  delivery_deadline: string | null;
  /**
   * Until when the buyer has to judge the last delivery, by `order.delivered`; null before any delivery, and
   * while a revision is worked on.
   */
  acceptance_ends_at: string | null;
  /** From when the contract lets anyone send the release; null while no delivery is recorded on the chain. */
  auto_release_at: string | null;
  delivery_record: DeliveryRecord;
  disputed_at: string | null;
  completed_at: string | null;
  /**
   * Of an owner or admin, where the order's key may not spend so much by itself; null where none is needed,
   * and for all but the buyer.
   */
  approval: Approval | null;
  escrow: OrderEscrow;
}

export type SettlementRail = "escrow" | "x402";

/**
 * whether a delivery is recorded on the chain, and matches one made here; an `unmatched` one is the
 * provider's bare claim, on which the service does not release
 */
export type DeliveryRecord = "none" | "unmatched" | "matched";

export interface Approval {
  status: ApprovalStatus;
  /** Null where an order was approved that waited for nobody. */
  requested_at: string | null;
  decided_at: string | null;
  /** The account of the person. */
  decided_by: string | null;
}

/**
 * `pending`: the service takes no payment yet; `refused`: it takes none; `lapsed`: the order expired, or
 * was paid on the chain past the service, before anybody decided
 */
export type ApprovalStatus = "pending" | "approved" | "refused" | "lapsed";

export interface OrderEscrow {
  chain_id: number;
  contract_address: string;
  escrow_id: string;
  deposit_address: string;
  status: EscrowStatus;
}

/** as the newest indexed block has it, confirmed or not */
export type EscrowStatus = "none" | "funded" | "disputed" | "decided" | "released" | "refunded" | "split";

export interface QuoteAcceptance {
  /** As the service's `input_schema` says. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** A verified wallet of yours, where refunds go; your primary one unless given. */
  buyer_address?: string;
  /**
   * Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's unless
   * given; the zero address: nobody, only time.
   */
  arbiter?: string;
}

export interface OrderRequest {
  service_id: string;
  /** The service's smallest unless given. */
  quantity?: number;
  /** As the service's `input_schema` says. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** A verified wallet of yours, where refunds go; your primary one unless given. */
  buyer_address?: string;
  /**
   * Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's unless
   * given; the zero address: nobody, only time.
   */
  arbiter?: string;
}

export interface OrderPage {
  items: ListedOrder[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

/** an order without its payloads, unless `include=payloads` was asked */
export interface ListedOrder {
  id: string;
  /** A short name of the order, for people. */
  reference: string;
  service_id: string;
  agent_id: string;
  buyer_address: string;
  provider_address: string;
  /** Who decides a dispute; the zero address if nobody does. */
  arbiter: string;
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
  /** The token's symbol. */
  currency: string;
  created_at: string;
  funding_deadline: string;
  funded_at: string | null;
  started_at: string | null;
  delivered_at: string | null;
  delivery_deadline: string | null;
  /**
   * Until when the buyer has to judge the last delivery, by `order.delivered`; null before any delivery, and
   * while a revision is worked on.
   */
  acceptance_ends_at: string | null;
  /** From when the contract lets anyone send the release; null while no delivery is recorded on the chain. */
  auto_release_at: string | null;
  delivery_record: DeliveryRecord;
  disputed_at: string | null;
  completed_at: string | null;
  /**
   * Of an owner or admin, where the order's key may not spend so much by itself; null where none is needed,
   * and for all but the buyer.
   */
  approval: Approval | null;
  escrow: OrderEscrow;
}

export interface ApprovalRequest {
  decision: ApprovalDecision;
}

export type ApprovalDecision = "approve" | "refuse";

export interface PaymentInstructions {
  order_id: string;
  /** A short name of the order, for people. */
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
  /** The contract's Terms, field by field; the amount in base units, times in unix seconds. */
  terms: Record<string, ContractValue>;
  /** Who is refunded, whoever pays. */
  buyer_address: string;
  provider_address: string;
  funding_deadline: string;
  /** Rail escrow: for the buyer's own wallet to send, in this order: `approve`, then `createEscrow`. */
  calls?: Call[];
  payment_required?: PaymentRequired;
  typed_data?: TypedData;
  /**
   * Rail x402, for clients that sign a nonce as given, where token and escrow contract take it: a cheaper
   * way beside `typed_data`, for `POST /orders/{id}/payment` with `{signature, receiveAuthorization}`, which
   * is its message. EIP-3009's `ReceiveWithAuthorization` to the escrow contract; its nonce is the escrow's
   * id, so it is good for this order's terms alone.
   */
  receive_authorization?: TypedData;
}

export type ContractValue = string | number;

export interface Call {
  function: string;
  to: string;
  data: string;
  /** Wei; none of these calls sends native coin. */
  value: "0";
  /** What the data says, by the ABI's names. */
  args: Record<string, unknown>;
}

/** rail x402: what `POST /orders/{id}/payment` asks for */
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
  scheme: "exact";
  network: string;
  /** Base units. */
  amount: BaseUnits;
  asset: string;
  /** The order's own deposit address: only the escrow contract can take money from it. */
  payTo: string;
  maxTimeoutSeconds: number;
  extra: PaymentExtra;
}

export interface PaymentExtra {
  name: string;
  version: string;
  assetTransferMethod?: "permit2";
  /**
   * Of a purchase without an account: the seal of its terms, which comes back with the payment. Keep it as
   * secret as a token.
   */
  terms?: string;
}

/**
 * rail x402: what a wallet may sign as it stands, for `POST /orders/{id}/payment` with `{signature,
 * authorization}`, where `authorization` is its message; each time with a nonce of its own. For a token
 * without such authorizations (EIP-3009) it is the permit of a payer who has approved Permit2 to spend the
 * token: then `{signature, permit2Authorization}`, which is its message with `from`, the payer's address
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

export type MessageValue = string | number | Record<string, ContractValue>;

export interface DeliveredOrder extends Order {
  /** The record on its way, if it was signed. */
  relay: Relay | null;
}

export interface Relay {
  id: string;
  status: RelayStatus;
  transaction_hash: string | null;
  error: string | null;
}

/**
 * `signed`: on its way; `mined`: deep enough to count; `failed`: the contract refused it, and the same
 * request starts it again
 */
export type RelayStatus = "queued" | "signed" | "mined" | "failed";

export interface DeliveryRequest {
  /** As the `output_schema` that the order was placed under says. */
  output_payload?: Record<string, unknown> | null;
  /** A word to the buyer, kept in the trail. */
  note?: string;
  /** The provider's signature of this delivery's record, relayed at once; see `delivery-record`. */
  signature?: string;
}

export interface DataToSign {
  /** EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`. */
  typed_data: TypedData;
  /**
   * Of what was signed before; null where nothing was. While it is `failed`, the act is not on the chain and
   * not on its way.
   */
  relay: Relay | null;
}

export interface RelayAnswer {
  relay: Relay;
}

export interface DeliveryRecordRequest {
  /** The wallet's signature of the typed data, 0x-hex. */
  signature: string;
}

export interface SignedActRequest {
  /** The wallet's signature of the typed data, 0x-hex. */
  signature: string;
  /** The `deadline` of the typed data that was signed, unix seconds. */
  deadline: Uint256;
}

export interface RevisionRequest {
  /** What is to change, kept in the trail. */
  reason: string;
}

export interface SettlementOptions {
  your_roles: OrderRole[];
  onchain_status: EscrowStatus;
  /**
   * As the order has it, and as the newest indexed block has it: with `unmatched`, the provider's bare
   * claim, the `note` of an action says what holds.
   */
  delivery_record: DeliveryRecord;
  actions: SettlementAction[];
}

export interface SettlementAction {
  action: SettlementActionName;
  /** Whether you may do it now. */
  available: boolean;
  who: WhoMayAct;
  /** Why it is not available. */
  reason: string | null;
  available_at: string | null;
  /** What to know before it is done, as where the record on the chain is the provider's bare claim. */
  note: string | null;
  function: string;
  /** Null where an argument is still yours to find, or where what it would do is done. */
  call: Call | null;
  /** What you may sign, for anyone to send, instead of the call. */
  typed_data: TypedData | null;
  /**
   * `decideDispute` alone: the two ends of what the arbiter may decide, without a ruling's hash. For any
   * amount between them, and a hash, read `dispute/decision`.
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
  /** EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`. */
  typed_data: TypedData | null;
}

export type DecisionChoiceName = "all_to_provider" | "all_to_buyer";

export interface Trail {
  items: TrailEntry[];
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

/** the frozen document; see docs/orders.md for its fields */
export type Agreement = Record<string, unknown>;

export interface Executions {
  items: Execution[];
}

export interface Execution {
  id: string;
  /** Whether it is about changes that the buyer asked for. */
  is_revision: boolean;
  status: ExecutionStatus;
  /** Why it failed or was cancelled. */
  reason: string | null;
  /** While it is pending. */
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  /** Those of the last 30 days, oldest first. */
  attempts: ExecutionAttempt[];
}

/**
 * `accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the order is no longer
 * to be executed
 */
export type ExecutionStatus = "pending" | "delivered" | "accepted" | "failed" | "cancelled";

export interface ExecutionAttempt {
  number: number;
  started_at: string;
  duration_ms: number;
  status_code: number | null;
  /** Null after a success. */
  error: string | null;
  /** A sentence for you. */
  message: string | null;
  /** The first 1024 characters of an answer that was no use. */
  response_body: string | null;
}

export interface Reconciliation {
  /** False if anything differs that does not resolve by itself. */
  consistent: boolean;
  as_of: ReconciliationBlocks;
  ledger: LedgerView;
  index: IndexView;
  contract: ContractView;
  /**
   * What it means that the chain's record matches no delivery made here; null unless `delivery_record` is
   * `unmatched`. Ledger, index and contract may agree on such a record: it is no difference.
   */
  bare_claim: string | null;
  differences: Difference[];
}

export interface ReconciliationBlocks {
  chain_id: number;
  /** The chain's head. */
  block_number: number;
  indexed_block: number;
  /** Up to where the ledger has to know everything. */
  confirmed_block: number;
}

export interface LedgerView extends EscrowView {
  order_status: OrderStatus;
  /** Facts of the chain that stand. */
  chain_facts: number;
  /** As the order has it. */
  delivery_record: DeliveryRecord;
}

export interface EscrowView {
  status: EscrowStatus;
  /** Deliveries recorded on the chain. */
  delivery_count: number;
}

export interface IndexView extends EscrowView {
  /** False while the indexer catches up. */
  ready: boolean;
  events: number;
}

export interface ContractView extends EscrowView {
  /**
   * Null where the newest block agrees with ledger and index, so that older ones need not be asked about, or
   * where the node keeps no state of that block.
   */
  at_indexed_block: EscrowView | null;
  /**
   * Null where the newest block agrees with ledger and index, so that older ones need not be asked about, or
   * where the node keeps no state of that block.
   */
  at_confirmed_block: EscrowView | null;
  /** The order's token at its deposit address. */
  deposit_balance_base_units: BaseUnits;
}

export interface Difference {
  /**
   * `order_status`, `terms`, `escrow`, `index`, `fact:<id>`, `event:<type>:<block>:<log index>`;
   * `confirmations` and `index_lag` are lags.
   */
  what: string;
  ledger: string | null;
  index: string | null;
  contract: string | null;
  /** Whether it is a lag that ends by itself. */
  expected_to_resolve: boolean;
  explanation: string;
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
 * `accepted`: written down, to be sent; `submitted`: on its way to the chain; `confirmed`: the chain has
 * confirmed it, and the trail says so; `failed`: see `error`, and pay anew
 */
export type PaymentStatus = "accepted" | "submitted" | "confirmed" | "failed";

export type PaymentMethod = "eip3009" | "permit2";

export interface PaymentAnswer {
  payment: Payment;
}

/** x402's document, version 2, with our error in the place of its own: the header has that */
export interface PaymentRefusal {
  x402Version: 2;
  error: ErrorInfo;
  resource: PaymentResource;
  accepts: PaymentRequirements[];
  extensions?: Record<string, unknown>;
}

/**
 * x402's `PaymentPayload`, or `signature` with `authorization` or `permit2Authorization`: the message of
 * `typed_data`; or `signature` with `receiveAuthorization`: the message of `receive_authorization`. At
 * most 65536 bytes.
 */
export type PaymentSubmission = Record<string, unknown>;

export interface PaymentRecordPage {
  items: PaymentRecord[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface PaymentRecord {
  receipt_id: string;
  order_id: string;
  /** A short name of the order, for people. */
  order_reference: string;
  subscription_id: string | null;
  service_id: string;
  agent_id: string;
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
  /** The block's time. */
  occurred_at: string;
  recorded_at: string;
}

/** `funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer */
export type SettlementClaim = "funded" | "released" | "refunded";

export type Party = "buyer" | "provider";

/** whether your side paid, was paid, or neither: the other side's money moved */
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
  /** By your side: releases to it, and refunds to it. */
  received: Amount;
  received_base_units: BaseUnits;
  /** By your side, into escrows. */
  paid: Amount;
  paid_base_units: BaseUnits;
  /** How many movements these are. */
  payments: number;
}

export interface Purchase {
  order: Order;
  payment: Payment;
  claim: OrderClaim;
}

/**
 * sent as `Authorization: Bearer ...`, the token reads this one order and does nothing else, until 30 days
 * after the order's end. A sign-in with the wallet that paid reads and does more
 */
export interface OrderClaim {
  token: string;
  /** Where the order, and below it its trail, agreement and receipts, is read. */
  order_url: string;
  receipts_url: string;
}

export interface PurchaseRequest {
  /** As the service's `input_schema` says. */
  input_payload?: Record<string, unknown> | null;
  /** The order's buyer on the chain: refunds go there, and its signature releases. Any address, whoever pays. */
  buyer_address: string;
  /** The service's smallest unless given. */
  quantity?: number;
  /** Who decides a dispute: one of the service's `arbiters`. This chain's unless given. */
  arbiter?: string;
}

export interface DisputeIntentRequest {
  /** What is wrong, kept in the trail for both parties. */
  reason: string;
}

export interface DisputeRequest {
  /** Why; kept as a statement of the dispute. */
  reason?: string;
  /** The SHA-256 of the text's UTF-8 bytes; all zero where there is no text. */
  reason_hash?: string;
  /** The `deadline` of the typed data that was signed, unix seconds. */
  deadline: Uint256;
  /** The wallet's signature of the typed data, 0x-hex. */
  signature: string;
}

export interface Dispute {
  order_id: string;
  your_role: OrderRole;
  stage: DisputeStage;
  /** The zero address if nobody decides. */
  arbiter: string;
  intents: DisputeIntent[];
  opened: DisputeOpening | null;
  /** The last second of the arbiter. */
  decide_by: string | null;
  decision: DisputeDecision | null;
  /** How it ends if nothing is decided, as things stand; null once that is past. */
  default_outcome: DisputeShares | null;
  /** From when anyone may settle it: as decided, or by default. */
  settleable_at: string | null;
  settled: DisputeSettlement | null;
  /** Oldest first. */
  statements: Statement[];
  evidence: Evidence;
  /** What you sign to open a dispute; null where you cannot now. */
  typed_data: TypedData | null;
  /**
   * Of what was signed before; null where nothing was. While it is `failed`, the act is not on the chain and
   * not on its way.
   */
  relay: Relay | null;
  links: DisputeLinks;
}

/**
 * `none`: nobody disputes; `intent`: a party said that it means to dispute; nothing is held; `open`:
 * disputed on the chain; the arbiter may decide; `silent`: the arbiter's time is over and nothing was
 * decided: the default outcome applies; `decided`: decided; the appeal window runs; `settleable`: decided,
 * and anyone may settle it; `settled`: the escrow was paid out
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
  /** The reason, where somebody gave the text that the hash is of. */
  reason: string | null;
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
  /** The ruling, where somebody gave the text that the hash is of. */
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
  attachments: Attachment[];
}

export interface Attachment {
  name: string;
  /** Where it lies; nobody here fetches it. */
  url?: string;
  /** Of the file's bytes. */
  sha256: string;
}

export interface Evidence {
  /** SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all who read it. */
  digest: string;
  checks: EvidenceChecks;
  bundle: EvidenceBundle;
}

export interface EvidenceChecks {
  /** Whether the agreement's digest is the escrow's `orderHash`; null before funding. */
  agreement: boolean | null;
  /** Whether the input is the one that was agreed. */
  input: boolean;
  /** Whether the output is the one that was delivered; null before any. */
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
  /**
   * The steps that count, whole; without returns of deposits, which anybody can cause, and without what is
   * not confirmed.
   */
  trail: TrailEntry[];
  receipts: Receipt[];
}

export interface EvidenceDelivery {
  at: string;
  output_hash: string;
  note: string | null;
  /** Its newest record on the chain; null where there is none. */
  recorded: EvidenceRecord | null;
}

export interface EvidenceRecord {
  at: string;
  transaction: Transaction | null;
}

export interface Receipt {
  id: string;
  claim: SettlementClaim;
  document: SettlementDocument;
  /** A compact JWS; for a release of delivered work only. */
  x402_receipt: string | null;
  transaction: Transaction;
  /** True if its block left the chain after it was confirmed. */
  revoked: boolean;
  created_at: string;
}

/** the signed settlement document; see docs/receipts.md */
export type SettlementDocument = Record<string, unknown>;

export interface DisputeLinks {
  order: string;
  statements: string;
  decision: string;
  settlement_options: string;
}

export interface StatementRequest {
  text: string;
  attachments?: Attachment[];
}

export interface DecisionToSign {
  /** EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`. */
  typed_data: TypedData;
  call: Call;
}

export interface DecisionRequest {
  /** What the provider gets, a decimal; the rest of the escrow goes back to the buyer. */
  provider_amount: Amount;
  /** The ruling's text, kept as a statement. */
  ruling?: string;
  /** The SHA-256 of the text's UTF-8 bytes; all zero where there is no text. */
  ruling_hash?: string;
  /** The `deadline` of the typed data that was signed, unix seconds. */
  deadline: Uint256;
  /** The wallet's signature of the typed data, 0x-hex. */
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
  /** Whose word the answer is. */
  notice: string;
  /** Whose receipt it had to be: this service's. */
  issuer: string;
  /** What was found good; null where nothing was. */
  kind: ReceiptKind | null;
  valid: boolean;
  /** Why it is not good, as docs/receipts.md lists it. */
  code: string | null;
  message: string | null;
  /** The DID URL of the key that signed. */
  key_id: string | null;
  /** The signed fields; null where it is not good. */
  says: Record<string, unknown> | null;
  /**
   * Whether the service took it back; unknown where its list could not be read, null for an offer or what is
   * not good.
   */
  status: ReceiptStatus | null;
  /** A good signature does not show that money moved, and no chain was asked. */
  chain_checked: false;
}

export type ReceiptKind = "settlement_document" | "x402_receipt" | "x402_offer";

export type ReceiptStatus = "good" | "revoked" | "unknown";

export interface ReceiptCheck {
  receipt: ReceiptToCheck;
}

/**
 * A settlement document, as its text (better: members named twice are seen then) or as an object; or an
 * x402 receipt or offer, as a compact JWS or in its envelope.
 */
export type ReceiptToCheck = string | Record<string, unknown>;

/** the signed statement of an agent's record; see docs/receipts.md */
export type AgentRecordStatement = Record<string, unknown>;

export interface Subscription {
  id: string;
  service: ServiceReference;
  agent: AgentReference;
  your_role: Party;
  /** Of a period, as it was at the beginning. */
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
   * `unpaid`: three orders in a row were not funded; `withdrawn`: the service is sold no more;
   * `input_refused`: it takes the input no more; `wallet_removed`: the buyer's wallet left the account;
   * `arbiter_refused`: the service accepts the arbiter no more, or the arbiter has become a party.
   */
  ended_reason: SubscriptionEnd | null;
  /** Orders placed so far. */
  periods: number;
  latest_order_id: string | null;
  /** Null once it is over. */
  next_order_at: string | null;
  started_at: string;
  ended_at: string | null;
}

/** `ended`: by us, `ended_reason` says why */
export type SubscriptionStatus = "active" | "cancelled" | "ended";

export type SubscriptionEnd = "unpaid" | "withdrawn" | "input_refused" | "wallet_removed" | "arbiter_refused";

export interface SubscriptionRequest {
  /** A plan: a service sold by subscription. */
  service_id: string;
  /** As the service's `input_schema` says. */
  input_payload?: Record<string, unknown> | null;
  /** Unless given: `"escrow"`. */
  settlement_rail?: SettlementRail;
  /** A verified wallet of yours, where refunds go; your primary one unless given. */
  buyer_address?: string;
  /**
   * Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's unless
   * given; the zero address: nobody, only time.
   */
  arbiter?: string;
}

export interface SubscriptionPage {
  items: Subscription[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface SubscriptionOrderPage {
  items: SubscriptionOrder[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
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
  /** Null where none was written. */
  review: Review | null;
  /** Until when its writer may change it; null where there is nothing to change. */
  editable_until: string | null;
}

export interface Review {
  id: string;
  agent: AgentReference;
  service: ServiceReference;
  /** From 1 to 5; null once it was withdrawn. */
  rating: number | null;
  /** Plain text of a stranger; null where there is none. */
  text: string | null;
  /**
   * Whether the order's settlement stands; a review counts for nothing while a reorganised chain has taken
   * it back.
   */
  settled: boolean;
  /**
   * Whether buyer and provider of the order are not at arm's length, as its outcome says; it counts in no
   * rating then.
   */
  apart: boolean;
  escrow: ReviewedEscrow;
  answer: ReviewAnswer | null;
  /** Of accounts that paid for an order of their own and are no party with the provider. */
  reports: number;
  /** Whether there are 3 such reports; a mark hides nothing. */
  marked: boolean;
  /** Whether the provider reported it. */
  disputed_by_provider: boolean;
  /** The feedback on the same order that its buyer gave on chain. */
  erc8004: GivenFeedback | null;
  created_at: string;
  edited_at: string | null;
  /** When its writer took it back; its rating and texts are gone. */
  withdrawn_at: string | null;
}

/** the order's, by which anyone finds its settlement */
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
  /** The order's buyer, whose wallet gave it. */
  client_address: string;
  value: number;
  value_decimals: number;
  tag1: string;
  tag2: string;
  /** Whether the buyer took it back on the chain. */
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
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
  summary: ReviewSummary;
}

/** of all reviews that were asked for, on whatever page */
export interface ReviewSummary {
  /**
   * Reviews that count: not withdrawn, of an order whose settlement stands and whose parties are at arm's
   * length.
   */
  count: number;
  /** Of their ratings, to two decimals; null where none counts. */
  average: number | null;
  /** How many there are of each rating, from 1 to 5. */
  distribution: number[];
  /** Of those that count. */
  marked: number;
  withdrawn: number;
  /** Not withdrawn, of settled orders whose parties are not at arm's length: they do not count. */
  apart: number;
}

export interface ReviewAnswerRequest {
  text: string;
}

export interface ReviewReportRequest {
  /** For the operator; it is shown to nobody else. */
  reason: string;
}

export interface AgentRecord {
  agent: AgentReference;
  /** When it was computed; what was settled since is not in it. */
  as_of: string;
  score: Score;
  ever: RecordTally;
  days_90: RecordTally;
  days_30: RecordTally;
  /** Of its services with most orders, 100 at most. */
  services: ServiceRecord[];
  /** Slugs of other agents that are, or once were, paid at one of its wallets, 1000 at most. */
  same_wallet: string[];
}

export interface Score {
  formula: "earnest-score-1";
  /** The lower end of the interval, in points: what agents are sorted by. */
  value: number;
  /** The interval's upper end. */
  upper: number;
  /** Of the evidence that speaks for the agent, in thousandths; null without any. */
  share: number | null;
  /** How much evidence there is, in thousandths of one full counterparty. */
  evidence: number;
}

export interface RecordTally {
  orders: number;
  /** Whole tokens that were released to the provider, each order's rounded down to six decimals. */
  volume: string;
  counterparties: number;
  /** Counterparties with two orders or more. */
  repeat_counterparties: number;
  delivered_on_time: number;
  delivered_late: number;
  /** Neither delivered here nor declined: refunded, or released all the same. */
  not_delivered: number;
  seconds_promised: Spread;
  seconds_taken: Spread;
  /** All went back to the buyer, declined orders aside. */
  refunds: number;
  declined: number;
  disputes: DisputeTally;
  apart: ApartTally;
}

/** nearest-rank percentiles in whole seconds; null where there is none */
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
  /** Whole tokens that were released to the provider, each order's rounded down to six decimals. */
  volume: string;
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
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

/** an order that stands as settled */
export interface Outcome {
  order_id: string;
  service: string;
  chain: string;
  contract: string;
  escrow_id: string;
  provider: string;
  buyer: string;
  token: string;
  token_decimals: number;
  /** Base units of the token, as the two after it, which come to it. */
  amount: BaseUnits;
  released: BaseUnits;
  refunded: BaseUnits;
  /** Ids of the receipts of its funding and its settlement. */
  receipts: string[];
  funded_at: string;
  settled_at: string;
  /** When the service knew of the settlement: a record of an earlier moment lacks it. */
  recorded_at: string;
  /** From funding to the delivery's deadline. */
  promised_seconds: number;
  /** The first delivery that matches a record on the chain, else the first one; null where none was. */
  delivered_at: string | null;
  ended: OutcomeEnding;
  /** For whom its dispute ended, `lapsed` where nobody decided it; null where none was. */
  dispute: DisputeEnding | null;
  disputed_by: Party | null;
  disputed_at: string | null;
  /** The buyer's account, by a name that holds within this agent's outcomes alone. */
  counterparty: string;
  /** Why the parties are not at arm's length; null where they are. */
  apart: ApartReason | null;
  /** True while the chain was not asked yet whether the buyer's money came from the provider. */
  unchecked: boolean;
}

/** `declined`: the provider gave all back itself, undisputed, before the delivery was due */
export type OutcomeEnding = "released" | "refunded" | "declined" | "split";

export type DisputeEnding = "provider" | "buyer" | "split" | "lapsed";

export type ApartReason = "same_party" | "shared_wallet" | "money_from_provider";

export interface CounterpartyPage {
  items: Counterparty[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface Counterparty {
  /** The buyer's account, by a name that holds within this agent's outcomes alone. */
  counterparty: string;
  /** That funded its orders at arm's length, the earliest first. */
  wallets: string[];
  /** At arm's length. */
  orders: number;
  /** Whole tokens that were released to the agent. */
  paid: string;
  /**
   * Since when one of the wallets is in use on the chain, by a transaction or an escrow; null where it is
   * not known.
   */
  wallet_since: string | null;
  /**
   * Other provider wallets that one of the wallets paid, each paid besides by three wallets that never paid
   * this agent.
   */
  other_providers: number;
  first_funded_at: string;
  last_settled_at: string;
  /** What its good orders weigh in the score, in millionths. */
  weight: number;
}

export interface PortableFeedback {
  order_id: string;
  feedback: Feedback | null;
}

export interface Feedback {
  status: FeedbackStatus;
  /** The identity it is about: `eip155:<chain>:<registry>:<agent id>`. */
  agent: string;
  /** The order's buyer, whose wallet gives it. */
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
  /** What the buyer's wallet sends; null once it was given. */
  call: Call | null;
  transaction: Transaction | null;
  /** Which of the buyer's to this agent it is in the registry, from 1. */
  feedback_index: number | null;
  /** Whether the buyer took it back on the chain. */
  revoked: boolean;
  prepared_at: string;
}

/**
 * `prepared`: the buyer's wallet has yet to give it; `submitted`: the registry has it, in a block that
 * does not count yet; `confirmed`
 */
export type FeedbackStatus = "prepared" | "submitted" | "confirmed";

/** the feedback file of ERC-8004; docs/erc8004.md has its fields */
export type FeedbackFile = Record<string, unknown>;

export interface FeedbackRequest {
  /** How good it was, in units of its last decimal. */
  value: number;
  /** Unless given: `0`. */
  value_decimals?: number;
  /** What the value measures. Unless given: `""`. */
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
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost";

export interface NewWebhook extends Webhook {
  /** `whsec_` and base64; shown this once. */
  secret: string;
}

export interface WebhookRequest {
  /** Https, of a public address. */
  url: string;
  /** Types, or `*` for all of them. */
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
  | "order.revision_requested"
  | "order.released"
  | "order.refunded"
  | "order.expired"
  | "order.disputed"
  | "order.dispute_intent"
  | "order.dispute_decided"
  | "order.execution_failed"
  | "fact.reverted"
  | "quote.received"
  | "request.matched"
  | "review.received"
  | "review.answered"
  | "subscription.renewal_refused"
  | "agent.domain_verified"
  | "agent.domain_lost";

export interface WebhookPage {
  items: Webhook[];
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface WebhookChanges {
  /** Https, of a public address. */
  url?: string;
  /** Types, or `*` for all of them. */
  events?: WebhookEventChoice[];
  description?: string | null;
  status?: WebhookStatusChange;
}

export type WebhookStatusChange = "active" | "paused";

export interface WebhookDelivery {
  /** The `id` of the body, of `X-Service-Delivery` and of `webhook-id`. */
  id: string;
  /** The event's id in the feed, and `event_id` in the body; null for a test, which is in no feed. */
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
  /** All items of the query, on whatever page; they are counted up to 10000. */
  total: number;
  total_relation: TotalRelation;
  limit: number;
  offset: number;
  /** For the next page; null on the last. */
  next_cursor: string | null;
}

export interface WebhookDeliveryDetail extends WebhookDelivery {
  /** What each attempt sends, as JSON without spaces. */
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
  /** Its first 4 kB. */
  response_body: string | null;
}

export interface WebhookRecovery {
  id: string;
  since: string;
  until: string;
  status: WebhookRecoveryStatus;
  /** Deliveries queued so far. */
  queued: number;
  /** Events of the range that the endpoint subscribes to; 0 until it has begun. */
  total: number;
  created_at: string;
  finished_at: string | null;
}

export type WebhookRecoveryStatus = "running" | "done" | "failed";

export interface WebhookRecoveryRequest {
  since: string;
  /** Now unless given. */
  until?: string;
}

export interface EventFeed {
  items: Event[];
  next_cursor: string;
  has_more: boolean;
}

export interface Event {
  id: string;
  /** The same as `id`; what a delivery of this event carries beside its own id. */
  event_id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

export interface ChainStatus {
  chain_id: number | null;
  network_name: string | null;
  escrow_configured: boolean;
  escrow_contract: string | null;
  token_address: string | null;
  token_symbol: string | null;
  token_decimals: number | null;
  confirmations_required: number | null;
  /** The shortest time to accept a delivery in, from its record to automatic release. */
  min_acceptance_hours: number | null;
  /** The registries of agents' on-chain identities and of feedback to them. */
  erc8004: Erc8004Registries | null;
  rpc_reachable: boolean;
  head_block: number | null;
  indexed_block: number | null;
  /**
   * `behind`: the index does not keep up with the chain. `off_chain`: the chain left blocks that were final
   * for the index, and what is shown of it waits for the operator. `incomplete`: the index lacks events that
   * the chain has, or has others, and a new one is needed. null where no worker has looked lately.
   */
  index_state: IndexState | null;
  /** Why it is not `ok`. */
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
  /** Whether it holds anything to pay gas with. */
  funded: boolean;
  /** Whether its operator has to send it native coin. */
  balance_low: boolean;
  /**
   * Why what is queued is not sent: the wallet cannot pay for it, or gas costs more than the operator
   * allows.
   */
  waiting_for: RelayerNeed | null;
  waiting_since: string | null;
}

export type RelayerNeed = "balance" | "gas_price";

export interface LogState {
  /** The entries of the checkpoint that everybody sees. */
  size: number;
  /** Since when it is shown. */
  age_seconds: number | null;
  /** Whether as many witnesses as the log's policy asks for have signed it; null where it asks for none. */
  witnessed: boolean | null;
  /** What is to be logged and is not shown yet, counted up to 10000. */
  queued: number;
  /** Why nothing is added: docs/operations/troubleshoot.md has what to do; null while the log works. */
  halted: LogHalt | null;
}

export type LogHalt = "rolled_back" | "forked" | "tree_broken" | "memory_unreadable";

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
  "order.revision_requested": OrderEventData;
  "order.released": OrderEventData;
  "order.refunded": OrderEventData;
  "order.expired": OrderEventData;
  "order.disputed": OrderEventData;
  "order.dispute_intent": OrderEventData;
  "order.dispute_decided": OrderEventData;
  "order.execution_failed": OrderExecutionFailedEventData;
  "fact.reverted": OrderEventData;
  "quote.received": QuoteEventData;
  "request.matched": RequestEventData;
  "review.received": ReviewEventData;
  "review.answered": ReviewEventData;
  "subscription.renewal_refused": SubscriptionRenewalRefusedEventData;
  "agent.domain_verified": AgentDomainVerifiedEventData;
  "agent.domain_lost": AgentDomainVerifiedEventData;
}

/** An event of the feed: its `type` tells what its `data` is. Types may be added: have a default where you switch. */
export type FeedEvent = {
  [T in EventType]: Omit<Event, "type" | "data"> & { type: T; data: EventDataByType[T] };
}[EventType];

/** What the feed answers. Keep `next_cursor`: it is there also where nothing is new. */
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
  | OrderRevisionRequestedEvent
  | OrderReleasedEvent
  | OrderRefundedEvent
  | OrderExpiredEvent
  | OrderDisputedEvent
  | OrderDisputeIntentEvent
  | OrderDisputeDecidedEvent
  | OrderExecutionFailedEvent
  | FactRevertedEvent
  | QuoteReceivedEvent
  | RequestMatchedEvent
  | ReviewReceivedEvent
  | ReviewAnsweredEvent
  | SubscriptionRenewalRefusedEvent
  | AgentDomainVerifiedEvent
  | AgentDomainLostEvent;
