# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, Union

from typing_extensions import NotRequired, TypeAlias, TypedDict

Amount: TypeAlias = str
"""Money: an exact decimal in text, as in `"12.50"`. `Decimal(text)` reads it."""
AmountInput: TypeAlias = Union[str, Decimal]
"""Money that is sent: a `Decimal`, or an exact decimal in text. A float is refused."""
BaseUnits: TypeAlias = str
"""Money in the token's smallest unit: digits in text. `int(text)` reads it."""
Uint256: TypeAlias = Union[str, int]
"""A whole number that may be beyond 2^53: an int, or digits in text."""


class OrderSummary(TypedDict):
    """A summary of the order after this step."""

    id: str
    reference: str
    service_id: str
    service: ServiceReference
    """With its title at the time of the order."""
    agent_id: str
    agent: AgentReference
    """With its name at the time of the order."""
    status: OrderStatus
    your_role: OrderRole
    total_amount: Amount
    total_amount_base_units: BaseUnits
    currency: str
    arbiter: NotRequired[str]
    """The arbiter of a dispute; the zero address if there is none."""


class ServiceReference(TypedDict):
    """The service, with the title of the signed agreement."""

    id: str
    slug: str
    title: str


class AgentReference(TypedDict):
    id: str
    slug: str
    name: str


OrderStatus: TypeAlias = Literal[
    "created",
    "expired",
    "funded",
    "started",
    "delivered",
    "disputed",
    "released",
    "refunded",
]

OrderRole: TypeAlias = Literal[
    "buyer",
    "provider",
    "arbiter",
]


class TrailEntry(TypedDict):
    id: str
    type: str
    actor: TrailActor
    occurred_at: str
    confirmed: bool
    """False for an event in a block that is not confirmed; the entry gets another id when it is."""
    transaction: Transaction | None
    data: dict[str, Any]


TrailActor: TypeAlias = Literal[
    "buyer",
    "provider",
    "arbiter",
    "service",
    "chain",
]


class Transaction(TypedDict):
    chain_id: int
    hash: str
    block_number: int
    log_index: int


class OrderEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    trail: str
    receipts: str


class OrderEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks


class OrderCreatedEvent(TypedDict):
    """An order was placed; its escrow is not funded yet."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.created"]
    created_at: str
    data: OrderEventData


class OrderApprovalRequestedEvent(TypedDict):
    """A key placed an order above its limit, which needs the approval of an owner or admin; only the
    buyer gets this event.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.approval_requested"]
    created_at: str
    data: OrderEventData


class OrderApprovedEvent(TypedDict):
    """An owner or admin approved an order, which can now be paid; only the buyer gets this event."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.approved"]
    created_at: str
    data: OrderEventData


class OrderApprovalRefusedEvent(TypedDict):
    """An owner or admin refused an order, so the service accepts no payment for it; only the buyer gets
    this event.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.approval_refused"]
    created_at: str
    data: OrderEventData


class OrderFundedEvent(TypedDict):
    """The order's escrow was funded, and the chain has confirmed it."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.funded"]
    created_at: str
    data: OrderEventData


class OrderStartedEvent(TypedDict):
    """The provider began work."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.started"]
    created_at: str
    data: OrderEventData


class OrderDeliveredEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks
    acceptance_ends_at: str
    """The end of the time in which the buyer can refuse the delivery."""


class OrderDeliveredEvent(TypedDict):
    """The provider delivered; the acceptance window starts and ends at `acceptance_ends_at`."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.delivered"]
    created_at: str
    data: OrderDeliveredEventData


RecordedDelivery: TypeAlias = Literal[
    "unmatched",
    "matched",
]
"""`matched`: a record on the chain has the output hash of a delivery on this service, and claims no more
than it; `unmatched`: no record has, so the service neither releases the escrow nor issues an x402
receipt. Of `part.recorded`: whether this one record does.
"""


class DeliveryRecordedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks
    delivery_record: RecordedDelivery


class DeliveryRecordedEvent(TypedDict):
    """The provider recorded a delivery on the chain; the first record sets `auto_release_at`, and
    `delivery_record` tells whether it matches a delivery on this service.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["delivery.recorded"]
    created_at: str
    data: DeliveryRecordedEventData


class PartRecordedEvent(TypedDict):
    """The provider recorded a part of the work on the chain; anyone can release it from `accepted_at`
    on.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["part.recorded"]
    created_at: str
    data: DeliveryRecordedEventData


class OrderPartReleasedEvent(TypedDict):
    """A part of the order's amount was paid to the provider; `released_so_far` is the sum of all parts."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.part_released"]
    created_at: str
    data: OrderEventData


class OrderRevisionRequestedEvent(TypedDict):
    """The buyer requested changes after a delivery, which is possible once; the order is in progress
    again, and its auto-release time does not move.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.revision_requested"]
    created_at: str
    data: OrderEventData


class OrderReleasedEvent(TypedDict):
    """The order completed, and the escrow was released to the provider."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.released"]
    created_at: str
    data: OrderEventData


class OrderRefundedEvent(TypedDict):
    """The escrow was returned to the buyer."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.refunded"]
    created_at: str
    data: OrderEventData


class OrderExpiredEvent(TypedDict):
    """The order was not funded within its window."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.expired"]
    created_at: str
    data: OrderEventData


class OrderDisputedEvent(TypedDict):
    """A dispute was opened on the chain."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.disputed"]
    created_at: str
    data: OrderEventData


class OrderDisputeIntentEvent(TypedDict):
    """A party announced a dispute, before any dispute on the chain."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.dispute_intent"]
    created_at: str
    data: OrderEventData


class OrderDisputeDecidedEvent(TypedDict):
    """The arbiter decided a dispute, before it settles."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.dispute_decided"]
    created_at: str
    data: OrderEventData


class FailedExecution(TypedDict):
    """The failed execution; `links.executions` lists its attempts."""

    id: str
    attempts: int
    reason: str
    is_revision: bool
    """Whether the execution was for changes that the buyer requested."""


class ExecutionEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    executions: str


class OrderExecutionFailedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order: OrderSummary
    execution: FailedExecution
    links: ExecutionEventLinks


class OrderExecutionFailedEvent(TypedDict):
    """The endpoint of the provider's service did not deliver the order in any attempt; the provider can
    deliver it.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.execution_failed"]
    created_at: str
    data: OrderExecutionFailedEventData


class SentMessage(TypedDict):
    """A message, without its text; `links.messages` has the text."""

    id: str
    by: OrderRole
    """The role of its author."""
    sent_at: str
    notifies: bool
    """Whether people are notified of it: false if they were of an earlier message that is still unread."""


class MessageEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    messages: str


class OrderMessageEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order: OrderSummary
    """A summary of the order at the time of the message."""
    message: SentMessage
    links: MessageEventLinks


class OrderMessageEvent(TypedDict):
    """Another party of the order, or the arbiter of its dispute, wrote a message; the event has no text,
    which may be withdrawn.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["order.message"]
    created_at: str
    data: OrderMessageEventData


class FactRevertedEvent(TypedDict):
    """A reorganisation removed a step from the chain; the step no longer counts, and its receipts are
    revoked.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["fact.reverted"]
    created_at: str
    data: OrderEventData


class QuoteEventLinks(TypedDict):
    """Paths under the service's address."""

    quote: str
    request: str


class QuoteEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    quote_id: str
    request_id: str
    agent: AgentReference
    price: Amount
    price_base_units: BaseUnits
    currency: str
    delivery_time_hours: int
    expires_at: str
    links: QuoteEventLinks


class QuoteReceivedEvent(TypedDict):
    """A provider quoted on your open request; you are not bound until you accept."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["quote.received"]
    created_at: str
    data: QuoteEventData


class RequestEventLinks(TypedDict):
    """Paths under the service's address."""

    request: str


class RequestEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    request_id: str
    title: str
    tags: list[str]
    expires_at: str
    links: RequestEventLinks


class RequestMatchedEvent(TypedDict):
    """An open request was posted with a tag that one of your published services carries."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["request.matched"]
    created_at: str
    data: RequestEventData


class ReviewEventLinks(TypedDict):
    """Paths under the service's address."""

    review: str
    order: str


class ReviewEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    review_id: str
    order_id: str
    agent: AgentReference
    rating: int
    """The rating at the time of the event; the review has the text."""
    links: ReviewEventLinks


class ReviewReceivedEvent(TypedDict):
    """The buyer of an order that you provided reviewed it."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["review.received"]
    created_at: str
    data: ReviewEventData


class ReviewAnsweredEvent(TypedDict):
    """The provider answered your review of an order."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["review.answered"]
    created_at: str
    data: ReviewEventData


class Subject(TypedDict):
    """What the report or the act is about."""

    kind: SubjectKind
    id: str


SubjectKind: TypeAlias = Literal[
    "agent",
    "service",
    "review",
    "message",
    "file",
    "account",
]

ReportOutcome: TypeAlias = Literal[
    "acted",
    "dismissed",
]
"""`acted`: an operator acted on the subject."""


class ReportEventLinks(TypedDict):
    """Paths under the service's address."""

    report: str


class ReportEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    report_id: str
    subject: Subject
    outcome: ReportOutcome
    links: ReportEventLinks


class ReportAnsweredEvent(TypedDict):
    """An operator answered your report."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["report.answered"]
    created_at: str
    data: ReportEventData


ModerationAct: TypeAlias = Literal[
    "suspend",
    "hide",
    "ban",
    "restore",
    "dismiss",
]


class ModerationEventLinks(TypedDict):
    """Paths under the service's address."""

    moderation: str


class ModerationEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    moderation_id: str
    act: ModerationAct
    subject: Subject
    reason: str
    """The operator's reason."""
    acted_at: str
    links: ModerationEventLinks


class ModerationActedEvent(TypedDict):
    """An operator suspended, hid or restored something of yours, banned or restored your account, or
    answered your appeal.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["moderation.acted"]
    created_at: str
    data: ModerationEventData


class SubscriptionEventLinks(TypedDict):
    """Paths under the service's address."""

    subscription: str


class SubscriptionRenewalEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    subscription_id: str
    key_id: str
    """The key that subscribed, whose limits the period's order would exceed."""
    reason: str
    """The limit and the amounts, as a sentence."""
    next_order_at: str
    links: SubscriptionEventLinks


class SubscriptionRenewalRefusedEvent(TypedDict):
    """A subscription's period has no order, because it would exceed the limits of the key that
    subscribed; only the buyer gets this event.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["subscription.renewal_refused"]
    created_at: str
    data: SubscriptionRenewalEventData


class DomainEventLinks(TypedDict):
    """Paths under the service's address."""

    domain: str


class AgentDomainEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    agent: AgentReference
    domain: str
    """The domain in ASCII (punycode)."""
    links: DomainEventLinks


class AgentDomainVerifiedEvent(TypedDict):
    """The domain of your agent is verified, and the agent shows it from now on."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["agent.domain_verified"]
    created_at: str
    data: AgentDomainEventData


class AgentDomainLostEvent(TypedDict):
    """The proof of your agent's domain is gone; the agent does not show the domain until you claim and
    prove it again.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["agent.domain_lost"]
    created_at: str
    data: AgentDomainEventData


KeyPeriodLimit: TypeAlias = Literal[
    "per_day",
    "per_month",
]


class KeyEventLinks(TypedDict):
    """Paths under the service's address."""

    key: str
    spend: str


class KeyLimitEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    key_id: str
    key_name: str
    limit: KeyPeriodLimit
    spent: Amount
    """The amount that counts against the limit, with the order that caused the event."""
    spent_base_units: BaseUnits
    allowed: Amount
    allowed_base_units: BaseUnits
    chain_id: int
    token: str
    currency: str
    used_percent: int
    """The spent part of the limit, rounded down."""
    resets_at: str
    links: KeyEventLinks


class KeyLimitNearEvent(TypedDict):
    """An API key has spent at least 80 % of its limit for the day or the month."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["key.limit_near"]
    created_at: str
    data: KeyLimitEventData


class KeyLimitReachedEvent(TypedDict):
    """An API key has spent its whole limit for the day or the month; it places no order until
    `resets_at`.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["key.limit_reached"]
    created_at: str
    data: KeyLimitEventData


WebhookDisabledReason: TypeAlias = Literal[
    "failing",
    "member_left",
]


class WebhookEventLinks(TypedDict):
    """Paths under the service's address."""

    endpoint: str


class WebhookDisabledEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    endpoint_id: str
    host: str
    """The host of the endpoint's URL."""
    reason: WebhookDisabledReason
    links: WebhookEventLinks


class WebhookDisabledEvent(TypedDict):
    """A webhook endpoint of yours was disabled: every attempt failed for five days, or the member who
    set it was removed.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["webhook.disabled"]
    created_at: str
    data: WebhookDisabledEventData


class ErasureEventLinks(TypedDict):
    """Paths under the service's address."""

    erasure: str


class AccountErasureEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    due_at: str
    """Until this time the request can be taken back."""
    links: ErasureEventLinks


class AccountErasureRequestedEvent(TypedDict):
    """A session of your account requested its erasure; until `due_at` the request can be taken back."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["account.erasure_requested"]
    created_at: str
    data: AccountErasureEventData


class WalletEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    balances: str


class WalletBalanceEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    wallet: str
    chain_id: int
    currency: str
    balance: Amount
    """The wallet's balance of the order's token."""
    balance_base_units: BaseUnits
    order_id: str
    """The order that waits for its payment."""
    needed: Amount
    """The amount that the order still needs."""
    needed_base_units: BaseUnits
    pay_by: str
    links: WalletEventLinks


class WalletBalanceLowEvent(TypedDict):
    """Your wallet holds less than an order needs that waits for its payment; at most once a day for each
    wallet.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["wallet.balance_low"]
    created_at: str
    data: WalletBalanceEventData


class PayoutEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    payouts: str


class PayoutEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """Only in a test event, whose subject does not exist."""
    order_id: str
    chain_id: int
    token: str
    currency: str
    amount: Amount
    amount_base_units: BaseUnits
    recipient: str
    """The wallet that the money belongs to."""
    links: PayoutEventLinks


class PayoutRefusedEvent(TypedDict):
    """The token refused the payout of an order to your wallet, as it does if it is paused or blocks the
    wallet; the contract owes you the amount.
    """

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["payout.refused"]
    created_at: str
    data: PayoutEventData


class PayoutWithdrawnEvent(TypedDict):
    """The contract paid an amount that the token had refused before."""

    id: str
    """The delivery's id, the same in every retry: handle each delivery once."""
    event_id: str
    """The event's id, the same for all your endpoints and in the feed."""
    type: Literal["payout.withdrawn"]
    created_at: str
    data: PayoutEventData


class ApiError(TypedDict):
    error: ErrorInfo


class ErrorInfo(TypedDict):
    code: ErrorCode
    message: str
    request_id: str
    """The same as in the header X-Request-ID; quote it in reports."""
    details: NotRequired[list[Violation]]
    spend_limit: NotRequired[PassedLimit]


ErrorCode: TypeAlias = Literal[
    "invalid_request",
    "unauthenticated",
    "payment_required",
    "insufficient_scope",
    "insufficient_role",
    "address_not_allowed",
    "spend_limit_exceeded",
    "approval_required",
    "account_banned",
    "forbidden_origin",
    "not_found",
    "not_logged_yet",
    "file_not_found",
    "method_not_allowed",
    "conflict",
    "invalid_state",
    "payout_wallet_required",
    "agent_not_published",
    "service_incomplete",
    "quote_required",
    "subscription_required",
    "not_settled",
    "email_unavailable",
    "file_quota_exceeded",
    "file_erased",
    "precondition_failed",
    "payload_too_large",
    "unsupported_media_type",
    "input_schema_violation",
    "output_schema_violation",
    "invalid_schema",
    "file_mismatch",
    "file_hash_mismatch",
    "idempotency_mismatch",
    "upload_busy",
    "rate_limited",
    "too_many_unpaid_orders",
    "too_many_streams",
    "internal_error",
    "dependency_unavailable",
    "checker_busy",
    "streams_full",
    "outcome_unknown",
]


class Violation(TypedDict):
    path: str
    """JSON pointer to the invalid value."""
    keyword: str
    """The violated rule."""
    message: str


class PassedLimit(TypedDict):
    """Only with `spend_limit_exceeded`: the exceeded limit of the key."""

    limit: SpendLimitName
    allowed: str | None
    """A decimal of the currency, or a number of orders; null for a list."""
    spent: str | None
    """The amount before this order."""
    asked: str | None
    """The amount of this order."""
    chain_id: int
    token: str
    currency: str
    """The token's symbol."""
    resets_at: str | None
    """Null if the limit does not reset by time alone."""


SpendLimitName: TypeAlias = Literal[
    "per_order",
    "per_day",
    "per_month",
    "max_open_orders",
    "agents",
    "services",
    "assets",
]


class Nonce(TypedDict):
    message: str
    nonce: str
    expires_at: str


class NonceRequest(TypedDict):
    address: str
    chain_id: int
    purpose: NotRequired[NoncePurpose]


NoncePurpose: TypeAlias = Literal[
    "sign_in",
    "link_wallet",
]
"""The purpose of the signature, which the message states. `link_wallet` needs a session: `POST
/auth/me/wallets` adds the wallet to its account.
"""


class SignIn(TypedDict):
    tokens: SessionTokens
    account: Account


class SessionTokens(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_at: str


class Account(TypedDict):
    id: str
    username: str | None
    display_name: str | None
    primary_address: str
    role: str
    created_at: str


class WalletProof(TypedDict):
    message: str
    """The exact message of `POST /auth/nonce`."""
    nonce: str
    signature: str
    """The wallet's signature (EIP-191), or bytes that its contract accepts (ERC-1271)."""
    passkey: NotRequired[PasskeyKey]


class PasskeyKey(TypedDict):
    """The key of the passkey that signed, so that its other devices find it by `GET /passkeys`."""

    x: str
    y: str


class SignOut(TypedDict):
    revoked_at: str


class CurrentSession(TypedDict):
    current: BrowserSession | None


class BrowserSession(TypedDict):
    session: Session
    account: Account


class Session(TypedDict):
    id: str
    holder: SessionHolder
    device: str | None
    """The browser and system that the sign-in named; null if they are not known."""
    user_agent: str | None
    """The `User-Agent` of the sign-in, shortened."""
    address: str | None
    """The wallet that signed in."""
    network: str | None
    """The network of the last use."""
    created_at: str
    last_used_at: str
    """Precise to the hour."""
    expires_at: str
    """Each use prolongs a browser's session, up to 30 days."""
    is_current: bool
    """Whether this request has the session."""


SessionHolder: TypeAlias = Literal[
    "browser",
    "program",
]
"""`browser`: the console, with a cookie; `program`: an access token."""


class DeviceSignIn(TypedDict):
    device_code: str
    """For polls; the browser keeps it secret."""
    user_code: str
    """The code that the other device shows."""
    url: str
    """The page to open on the other device, as a QR code. Its code is another than `user_code`, so that
    a link alone approves nothing from another network.
    """
    interval: int
    """Seconds between two polls."""
    expires_at: str


class DeviceSignInPoll(TypedDict):
    status: DeviceSignInStatus
    interval: int
    """Seconds until the next poll."""
    current: BrowserSession | None


DeviceSignInStatus: TypeAlias = Literal[
    "pending",
    "slow_down",
    "approved",
    "refused",
    "expired",
]
"""`pending`: not answered yet; `slow_down`: the poll came too early, and the interval is longer now;
`approved`: `current` is the session, whose cookie comes with this answer alone.
"""


class DeviceCode(TypedDict):
    device_code: str


class DeviceSignInRequest(TypedDict):
    user_code: str
    """The code that the other device shows."""
    device: str | None
    """The browser and system that asks, as it names itself; null if they are not known."""
    network: str | None
    is_same_network: bool
    """Whether this request comes from the address of the device (of IPv6, its /64)."""
    created_at: str
    expires_at: str


class UserCode(TypedDict):
    user_code: str
    """The code that the other device shows."""


class DeviceLink(TypedDict):
    user_code: str | None
    """The code of the device; null if this request comes from another network. The person then types the
    code that the device shows (RFC 8628, section 5.4).
    """


class LinkCode(TypedDict):
    link_code: str


class DeviceNonceRequest(TypedDict):
    user_code: str
    """The code that the other device shows."""
    address: str
    chain_id: int


class DeviceApproved(TypedDict):
    address: str


class SessionPage(TypedDict):
    items: list[Session]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


TotalRelation: TypeAlias = Literal[
    "eq",
    "gte",
]
"""`eq`: there are exactly `total` items; `gte`: there are at least `total` items."""


class EndedSession(TypedDict):
    id: str


class EndedSessions(TypedDict):
    ended: int


class Wallets(TypedDict):
    items: list[Wallet]


class Wallet(TypedDict):
    id: str
    address: str
    chain_id: int | None
    """The chain of a contract wallet; null for a key, which is the same wallet on every chain."""
    is_primary: bool
    verified_at: str


class RemovedWallet(TypedDict):
    id: str


class PasskeyList(TypedDict):
    items: list[Passkey]


class Passkey(TypedDict):
    """A passkey's public key on the curve P-256."""

    address: str
    """The passkey's account."""
    x: str
    y: str


class TransferToSign(TypedDict):
    account: str
    chain_id: int
    token: str
    to: str
    amount: Amount
    amount_base_units: BaseUnits
    nonce: str
    deadline: str
    """In unix seconds."""
    challenge: str
    """What the passkey signs: the digest of the account's calls."""
    relay: Relay | None
    """The relay of the account's last transfer; null without one."""


class Relay(TypedDict):
    id: str
    status: RelayStatus
    transaction_hash: str | None
    error: str | None


RelayStatus: TypeAlias = Literal[
    "queued",
    "signed",
    "mined",
    "failed",
]
"""`queued`: not sent yet; `signed`: sent; `mined`: confirmed; `failed`: the contract refused it, and a
repeated request starts it again.
"""


class RelayAnswer(TypedDict):
    relay: Relay


class SignedTransfer(TypedDict):
    to: str
    amount: AmountInput
    token: NotRequired[str]
    """A token of the wallet's chain; its default token unless given."""
    nonce: Uint256
    """The account's next nonce."""
    deadline: Uint256
    """The `deadline` of the signed typed data, in unix seconds."""
    signature: str
    """The wallet's signature of the typed data, in 0x-hex."""


class AccountDeployment(TypedDict):
    relay: Relay | None
    """Null if the account exists."""


class Me(Account):
    auth: Authority


class Authority(TypedDict):
    via_api_key: bool
    scopes: list[Scope]
    """The scopes of the token."""
    role: OrganisationRole | None
    """The person's role in this account; null for a key."""
    operator: bool
    """Whether this session may act as an operator."""
    member_account_id: str
    """The person's own account; differs from `id` with X-Organisation."""


Scope: TypeAlias = Literal[
    "marketplace:read",
    "agents:read",
    "agents:write",
    "services:read",
    "services:write",
    "orders:read",
    "orders:write",
    "webhooks:read",
    "webhooks:write",
    "subscriptions:read",
]

OrganisationRole: TypeAlias = Literal[
    "owner",
    "admin",
    "developer",
    "viewer",
]
"""`owner`: everything; `admin`: everything that does not concern owners; `developer`: agents, services,
orders and webhooks; `viewer`: reads.
"""


class MailSetting(TypedDict):
    address: str
    events: list[str]
    mode: MailMode
    language: MailLanguage
    status: MailStatus
    verified_at: str | None
    updated_at: str


MailMode: TypeAlias = Literal[
    "at_once",
    "digest",
]
"""`at_once`: within minutes, with several events in one message if there are many; `digest`: once a day."""

MailLanguage: TypeAlias = Literal[
    "en",
    "de",
]
"""The language of the mails."""

MailStatus: TypeAlias = Literal[
    "unverified",
    "active",
    "unsubscribed",
    "rejected",
]
"""`active`: mail is sent; `unverified`: not confirmed yet; `unsubscribed`: ended by the link in a
message; `rejected`: the mail server reported that the address does not exist.
"""


class MailRequest(TypedDict):
    address: str
    events: list[MailEventChoice]
    """Event types, or `*` for all."""
    mode: NotRequired[MailMode]
    language: NotRequired[MailLanguage]


MailEventChoice: TypeAlias = Literal[
    "*",
    "order.created",
    "order.approval_requested",
    "order.approved",
    "order.approval_refused",
    "order.funded",
    "order.started",
    "order.delivered",
    "delivery.recorded",
    "part.recorded",
    "order.part_released",
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "order.message",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "report.answered",
    "moderation.acted",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
    "key.limit_near",
    "key.limit_reached",
    "webhook.disabled",
    "account.erasure_requested",
    "wallet.balance_low",
    "payout.refused",
    "payout.withdrawn",
]


class MailVerification(TypedDict):
    token: str
    """The part of the link after `token=`."""


class MailRemoved(TypedDict):
    removed: Literal[True]


class Key(TypedDict):
    id: str
    name: str
    scopes: list[Scope]
    created_by: str | None
    """The account of the key's creator; the key stays valid when that person leaves."""
    limits: KeyLimits
    allowed_ips: list[str] | None
    """The addresses and networks (CIDR) that may use the key; null for any."""
    expires_at: str | None
    """Null for a key that does not expire."""
    token_hint: str | None
    """The token's last four characters; null for a program that connected by OAuth."""
    client_host: str | None
    """The host that a program which connected by OAuth got its code at, or the scheme of an installed
    program; null for a key with a token.
    """
    created_at: str
    last_used_at: str | None
    """Accurate to the minute."""
    revoked_at: str | None


class NewKey(Key):
    token: str


class KeyLimits(TypedDict):
    """The limits of orders and payments with a key. Null means no limit."""

    per_order: Amount | None
    """The most for one order."""
    per_day: Amount | None
    """The most for a day (UTC)."""
    per_month: Amount | None
    """The most for a calendar month (UTC)."""
    max_open_orders: int | None
    """The most orders of the key that are not complete."""
    agents: list[str] | None
    """The agents that the key may order from."""
    services: list[str] | None
    """The services that the key may order."""
    assets: list[str] | None
    """The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
    CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts
    has the default token of the default chain, unless you name others.
    """
    approval_above: Amount | None
    """An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`."""


class KeyRequest(TypedDict):
    name: str
    scopes: list[Scope]
    limits: NotRequired[KeyLimitsRequest]
    allowed_ips: NotRequired[list[str] | None]
    """The addresses and networks (CIDR) that may use the key; null for any."""
    expires_at: NotRequired[str | None]
    """The time when the key expires, within 1830 days; null for never."""


class KeyLimitsRequest(TypedDict):
    """The limits of orders and payments with the key, in decimals of the token that pays. Each token of
    `assets` has its own sums on each chain. Null means no limit. In a change, fields that you omit
    keep their value.
    """

    per_order: NotRequired[AmountInput | None]
    """The most for one order."""
    per_day: NotRequired[AmountInput | None]
    """The most for a day (UTC)."""
    per_month: NotRequired[AmountInput | None]
    """The most for a calendar month (UTC)."""
    max_open_orders: NotRequired[int | None]
    """The most orders of the key that are not complete."""
    agents: NotRequired[list[str] | None]
    """The agents that the key may order from."""
    services: NotRequired[list[str] | None]
    """The services that the key may order."""
    assets: NotRequired[list[str] | None]
    """The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
    CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts
    has the default token of the default chain, unless you name others.
    """
    approval_above: NotRequired[AmountInput | None]
    """An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`."""


class KeyPage(TypedDict):
    items: list[Key]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Scopes(TypedDict):
    items: list[ScopeMeaning]


class ScopeMeaning(TypedDict):
    scope: Scope
    grants: str


class KeyChanges(TypedDict):
    """Fields that you omit keep their value, also within `limits`."""

    name: NotRequired[str]
    limits: NotRequired[KeyLimitsRequest]
    allowed_ips: NotRequired[list[str] | None]
    """The addresses and networks (CIDR) that may use the key; null for any."""
    expires_at: NotRequired[str | None]
    """The time when the key expires, within 1830 days; null for never."""


class Spend(TypedDict):
    token_address: str
    currency: str
    """The token's symbol."""
    items: list[KeySpend]


class KeySpend(TypedDict):
    key_id: str
    key_name: str
    limits: KeyLimits
    day: SpendPeriod
    month: SpendPeriod
    other_tokens: list[TokenSpend]
    """The other tokens that the key has paid with in this month. Each has its own sums."""
    open_orders: OpenOrders


class SpendPeriod(TypedDict):
    """In the default token of the default chain."""

    spent: Amount
    """Without refunded amounts."""
    limit: Amount | None
    left: Amount | None
    """Null without a limit."""
    resets_at: str


class TokenSpend(TypedDict):
    chain_id: int
    token: str
    currency: str
    """The token's symbol."""
    day: SpendPeriod
    month: SpendPeriod


class OpenOrders(TypedDict):
    """Orders of the key that are not complete."""

    count: int
    limit: int | None
    left: int | None


class AuditPage(TypedDict):
    items: list[AuditEntry]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class AuditEntry(TypedDict):
    id: str
    action: AuditAction
    target: str
    """The id of the object that was changed."""
    actor: AuditActor
    data: dict[str, Any]
    """The change, without secrets."""
    client_address: str | None
    request_id: str
    created_at: str


AuditAction: TypeAlias = Literal[
    "session.created",
    "session.ended",
    "key.created",
    "key.changed",
    "key.revoked",
    "wallet.added",
    "wallet.removed",
    "wallet.made_primary",
    "email.set",
    "email.removed",
    "billing.set",
    "billing.removed",
    "data.export_requested",
    "data.erasure_requested",
    "data.erasure_taken_back",
    "agent.payout_wallet_changed",
    "agent.identity_linked",
    "agent.identity_unlinked",
    "agent.domain_claimed",
    "agent.domain_removed",
    "service.execution_changed",
    "webhook.disabled",
    "webhook.secret_rotated",
    "operator.acted",
    "operator.file_linked",
    "operator.delivery_resent",
    "member.invited",
    "member.joined",
    "member.role_changed",
    "member.removed",
]
"""`session.created`: a wallet signed in; `session.ended`: a session was ended by its owner;
`key.created`: an API key was made; `key.changed`: an API key has other limits, another end, or is
bound to other networks; `key.revoked`: an API key was revoked; `wallet.added`: a wallet was added to
the account; `wallet.removed`: a wallet was taken from the account; `wallet.made_primary`: the account
has another primary wallet; `email.set`: mail of the account's events goes to another address, or
covers other events; `email.removed`: the account gets no more mail: its owner ended it, or the member
who set the address left; `billing.set`: the account's invoices state other billing details;
`billing.removed`: the account has no billing details for new invoices; `data.export_requested`: an
export of all data of the account was requested; `data.erasure_requested`: the erasure of the
account's words and files was requested; `data.erasure_taken_back`: the request of an erasure was
taken back; `agent.payout_wallet_changed`: an agent's payouts go to another wallet;
`agent.identity_linked`: an agent was linked to an on-chain identity; `agent.identity_unlinked`: an
agent was unlinked from its on-chain identity; `agent.domain_claimed`: a domain was claimed for an
agent, in the place of any other; `agent.domain_removed`: an agent's claim to a domain was taken back;
`service.execution_changed`: paid orders of a service are executed at another endpoint, or at none;
`webhook.disabled`: nothing more is sent to a webhook endpoint: the member who set it left;
`webhook.secret_rotated`: a webhook endpoint signs with a new secret; `operator.acted`: an operator
acted on a subject, for the reason in the data; `operator.file_linked`: an operator made a link to a
reported file, for the report in the data; `operator.delivery_resent`: an operator sent a failed
webhook delivery again, for the reason in the data; `member.invited`: a wallet was invited into the
organisation; `member.joined`: an invitation was accepted; `member.role_changed`: a member has another
role; `member.removed`: a member was removed from the organisation.
"""


class AuditActor(TypedDict):
    account_id: str
    credential_id: str | None
    """The session or API key of the actor."""


class Organisations(TypedDict):
    items: list[Organisation]


class Organisation(TypedDict):
    id: str
    name: str | None
    role: OrganisationRole
    is_own: bool
    """Whether this is the account that the session signed in to."""
    created_at: str


class OrganisationChange(TypedDict):
    name: str | None


class MemberPage(TypedDict):
    items: list[Member]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Member(TypedDict):
    account_id: str
    display_name: str | None
    primary_address: str
    role: OrganisationRole
    is_founder: bool
    """True for the person whose account the organisation is: an owner who cannot leave."""
    invited_by: str | None
    """The account of the person who invited the member; null for the founder."""
    joined_at: str


class ChangedMember(Member):
    revoked_invitations: int
    """The number of the member's open invitations that are revoked, because the member may not give
    their roles.
    """
    invitations: list[EndedInvitation]
    """These invitations, at most 100."""
    keys: list[Key]
    """The newest 100 keys that the member created for the organisation and that were valid; `revoked_at`
    says whether they still are.
    """
    email: str | None
    """The organisation's mail address, if the member set or confirmed it and may not do so now. The
    address is removed.
    """
    webhooks: list[Webhook]
    """The endpoints whose URL the member set, or whose secret the member saw last, if the member may not
    do so now. They are disabled until somebody rotates the secret and enables them.
    """
    invited_members: list[InvitedMember]
    """The newest 100 members whom the member invited. They stay."""


class EndedInvitation(TypedDict):
    id: str
    address: str
    role: OrganisationRole


class Webhook(TypedDict):
    id: str
    url: str
    description: str | None
    events: list[str]
    status: WebhookStatus
    disabled_reason: WebhookDisabledReason | None
    """`failing`: every attempt of five days failed; `member_left`: the member who set the URL, or saw
    the secret last, may not manage endpoints now.
    """
    failing_since: str | None
    """The time since which every attempt has failed; null if the last attempts succeeded."""
    previous_secret_until: str | None
    """The time until which deliveries are also signed with the previous secret."""
    created_at: str
    updated_at: str


WebhookStatus: TypeAlias = Literal[
    "active",
    "paused",
    "disabled",
    "revoked",
]


class InvitedMember(TypedDict):
    account_id: str
    role: OrganisationRole


class RoleRequest(TypedDict):
    role: OrganisationRole
    revoke_keys: NotRequired[bool]
    """Whether to revoke the keys that the member created for the organisation. The default is true if
    the new role may not create keys. A member who gives up such a role cannot keep their own keys.
    """


class RemovedMember(TypedDict):
    account_id: str
    revoked_invitations: int
    """The number of the member's open invitations that are revoked, because the member may not give
    their roles.
    """
    invitations: list[EndedInvitation]
    """These invitations, at most 100."""
    keys: list[Key]
    """The newest 100 keys that the member created for the organisation and that were valid; `revoked_at`
    says whether they still are.
    """
    email: str | None
    """The organisation's mail address, if the member set or confirmed it and may not do so now. The
    address is removed.
    """
    webhooks: list[Webhook]
    """The endpoints whose URL the member set, or whose secret the member saw last, if the member may not
    do so now. They are disabled until somebody rotates the secret and enables them.
    """
    invited_members: list[InvitedMember]
    """The newest 100 members whom the member invited. They stay."""


class Invitation(TypedDict):
    id: str
    organisation_id: str
    address: str
    chain_id: int | None
    """The chain of an invited contract wallet; null for a key."""
    role: OrganisationRole
    status: InvitationStatus
    invited_by: str
    """The account of the inviting person."""
    expires_at: str
    created_at: str


InvitationStatus: TypeAlias = Literal[
    "open",
    "expired",
    "accepted",
    "declined",
    "revoked",
]


class InvitationRequest(TypedDict):
    address: str
    chain_id: NotRequired[int]
    """The chain of a contract wallet. Without it, only a key can answer."""
    role: OrganisationRole


class InvitationPage(TypedDict):
    items: list[Invitation]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ReceivedInvitationPage(TypedDict):
    items: list[ReceivedInvitation]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ReceivedInvitation(Invitation):
    organisation_name: str | None


class Agent(TypedDict):
    id: str
    slug: str
    name: str
    tagline: str | None
    description: str | None
    website_url: str | None
    avatar_url: str | None
    capabilities: AgentCapabilities
    api_endpoint: str | None
    endpoint_health: EndpointHealth | None
    status: AgentStatus
    payout_wallet: str | None
    completed_orders: int
    published_service_count: int
    erc8004: AgentIdentity | None
    """The agent's on-chain identity, while a wallet of its owner controls it."""
    verified: AgentVerified
    reputation: ReputationFigures
    created_at: str


class AgentCapabilities(TypedDict):
    skills: list[str]
    languages: list[str]
    input_modalities: list[str]
    output_modalities: list[str]
    protocols: list[str]


class EndpointHealth(TypedDict):
    checked: bool
    """False before the first probe, while the agent is not published, and for an endpoint beyond the
    five hosts that are probed for an account.
    """
    last_checked_at: str | None
    last_ok_at: str | None
    """The time of the last answer with a status below 500."""
    reachable: bool | None
    """Whether there was an HTTP answer."""
    status_code: int | None
    latency_ms: int | None
    """The time to the answer's headers, including name resolution, connection and TLS."""
    tls_valid: bool | None
    """Null if the probe did not reach TLS."""
    body_is_json: bool | None
    """Null if the body was not complete within ten seconds and 64 KiB."""
    consecutive_failures: int | None
    availability_7d: float | None
    """The share of successful probes in the seven days before `last_checked_at`."""
    checks_7d: int | None
    """The number of probes in these seven days."""


AgentStatus: TypeAlias = Literal[
    "draft",
    "published",
    "paused",
    "retired",
    "suspended",
]


class AgentIdentity(TypedDict):
    id: str
    """The global name of the identity: `eip155:<chain>:<registry>:<agent id>`."""
    chain_id: int
    registry: str
    """The chain's Identity Registry."""
    agent_id: str
    """The number in the registry."""
    agent_uri: str | None
    """The URI of the registration file on chain; null for none, or one over 2048 characters."""
    verified_at: str
    """The last time at which the chain confirmed the owner's control; checked every hour."""


class AgentVerified(TypedDict):
    domain: VerifiedDomain | None
    """The domain's operator confirms that the agent is theirs; checked every day."""
    erc8004: str | None
    """The agent's on-chain identity, which a wallet of its owner controls; `erc8004` of the agent has
    more.
    """
    wallet: WalletAge | None
    """The first use of the payout wallet on the settlement chain; null if unknown, or if the wallet has
    sent nothing.
    """


class VerifiedDomain(TypedDict):
    name: str
    """In ASCII (punycode), so that no letter can be mistaken for another."""
    since: str
    """The time of the proof."""


class WalletAge(TypedDict):
    address: str
    """The payout wallet."""
    chain_id: int
    first_block: int
    """The block of the wallet's first transaction."""
    active_since: str
    """The time of that block."""


class ReputationFigures(TypedDict):
    """Of all services of the agent."""

    score: ShownScore | None
    """From the record, 0 to 1000; null if no order counts."""
    orders: int
    """Settled orders between parties at arm's length."""
    on_time: int | None
    """The percentage of these orders that were delivered on time, rounded down; null without orders."""
    rating: float | None
    """The average of the counted reviews, to two decimals; null without reviews."""
    reviews: int
    """The number of counted reviews."""


class ShownScore(TypedDict):
    value: int
    """The lower bound of the interval."""
    upper: int
    """The upper bound: with few orders, the two are far apart."""
    evidence: int
    """The weight of all counted orders, in thousandths of a full order."""


class AgentRequest(TypedDict):
    slug: str
    name: str
    capabilities: NotRequired[Capabilities]
    tagline: NotRequired[str | None]
    description: NotRequired[str | None]
    website_url: NotRequired[str | None]
    avatar_url: NotRequired[str | None]
    api_endpoint: NotRequired[str | None]
    """The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once
    the agent is published.
    """


class Capabilities(TypedDict):
    skills: NotRequired[list[str]]
    """Free words, stored in lower case."""
    languages: NotRequired[list[str]]
    """Language tags (BCP 47)."""
    input_modalities: NotRequired[list[Modality]]
    output_modalities: NotRequired[list[Modality]]
    protocols: NotRequired[list[Protocol]]


Modality: TypeAlias = Literal[
    "audio",
    "code",
    "file",
    "image",
    "json",
    "text",
    "video",
]

Protocol: TypeAlias = Literal[
    "a2a",
    "acp",
    "graphql",
    "grpc",
    "http",
    "mcp",
    "websocket",
    "x402",
]


class AgentChange(TypedDict):
    name: NotRequired[str]
    capabilities: NotRequired[Capabilities]
    tagline: NotRequired[str | None]
    description: NotRequired[str | None]
    website_url: NotRequired[str | None]
    avatar_url: NotRequired[str | None]
    api_endpoint: NotRequired[str | None]
    """The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once
    the agent is published.
    """


class DeletedAgent(TypedDict):
    id: str


PayoutWalletRequest: TypeAlias = Union[
    "PayoutAddress",
    "PayoutWallet",
]


class PayoutAddress(TypedDict):
    address: str


class PayoutWallet(TypedDict):
    wallet_id: str


class Vocabulary(TypedDict):
    skills: str
    languages: str
    input_modalities: list[str]
    output_modalities: list[str]
    protocols: list[str]


class IdentityLink(TypedDict):
    chain_id: int
    agent_id: Uint256
    """The number in the registry; a JSON number is accepted too."""


class AgentIdentityState(TypedDict):
    id: str
    """The global name of the identity: `eip155:<chain>:<registry>:<agent id>`."""
    chain_id: int
    registry: str
    """The chain's Identity Registry."""
    agent_id: str
    """The number in the registry."""
    agent_uri: str | None
    """The URI of the registration file on chain; null for none, or one over 2048 characters."""
    verified_at: str
    """The last time at which the chain confirmed the owner's control; checked every hour."""
    wallet: str
    """The owner's wallet that controls the identity."""
    authority: IdentityAuthority
    lost_at: str | None
    """The time since which no wallet of the owner controls the identity; the agent does not show it
    since then.
    """


IdentityAuthority: TypeAlias = Literal[
    "owner",
    "approved",
    "operator",
]
"""The right of the wallet (ERC-721)."""


class AgentRegistration(TypedDict):
    """The registration file of ERC-8004."""

    type: Literal["https://eips.ethereum.org/EIPS/eip-8004#registration-v1"]
    name: str
    description: str
    image: NotRequired[str]
    services: list[RegistrationService]
    x402Support: bool
    active: bool
    registrations: list[Registration]
    supportedTrust: list[str]


class RegistrationService(TypedDict):
    name: str
    endpoint: str
    version: NotRequired[str]
    """The version of the protocol."""


class Registration(TypedDict):
    agentId: RegistrationNumber
    agentRegistry: str
    """`eip155:<chain>:<address>`."""


RegistrationNumber: TypeAlias = Union[
    "int",
    "str",
]
"""Text if it is above 2^53."""


class AgentDomain(TypedDict):
    domain: str
    """In ASCII (punycode), so that no letter can be mistaken for another."""
    status: DomainStatus
    proof: DomainProof
    method: DomainMethod | None
    """Where the line was last found."""
    verified_at: str | None
    lost_at: str | None
    checked_at: str | None
    """The time of the last check."""
    next_check_at: str | None
    failed_checks: int
    """Consecutive checks that did not find the line."""
    problems: DomainProblems
    created_at: str


DomainStatus: TypeAlias = Literal[
    "pending",
    "verified",
    "lost",
    "expired",
]
"""`pending`: the line was not found yet; `verified`: the agent shows the domain; `lost`: the line was
missing in three checks after it was proved; `expired`: the line was not found within seven days.
"""


class DomainProof(TypedDict):
    line: str
    """The line for one of the two places; it proves this domain for this agent alone."""
    record_name: str
    """The name of a TXT record that may hold the line."""
    file_url: str
    """The URL of a file that may hold the line."""


DomainMethod: TypeAlias = Literal[
    "dns",
    "file",
]


class DomainProblems(TypedDict):
    dns: DomainProblem | None
    """Why the last check did not find the line."""
    file: DomainProblem | None
    """Why the last check did not find the line."""


class DomainProblem(TypedDict):
    code: str
    message: str


class DomainRequest(TypedDict):
    domain: str
    """A domain name in any script, without scheme, port or path; not a public suffix such as co.uk or
    github.io.
    """


class DomainClaim(TypedDict):
    claim: AgentDomain | None
    """Null if no domain is claimed."""


class ListedService(TypedDict):
    id: str
    slug: str
    title: str
    summary: str | None
    description: str | None
    category: str | None
    tags: list[str]
    pricing_model: PricingModel
    price: Amount | None
    """Null without a price: for a draft, or if only quotes have prices."""
    price_base_units: BaseUnits | None
    price_currency: str
    """The token's symbol."""
    accepts: list[AcceptedToken]
    """The tokens that pay for orders, the preferred one first."""
    price_unit: str | None
    interval: BillingInterval | None
    """The interval of a subscription."""
    min_quantity: int
    max_quantity: int | None
    delivery_time_hours: int
    acceptance_hours: int
    """The acceptance window of orders that the first token of `accepts` pays; not used by `per_call`."""
    arbiters: list[str]
    """The addresses that may decide disputes of orders that the first token of `accepts` pays; the zero
    address means nobody, so that disputes end by time. If the service names none: the arbiter of the
    token's chain, and nobody. Each token of `accepts` has those of its own chain.
    """
    status: ServiceStatus
    available: bool
    """False while a published service takes no new orders."""
    answers_at_once: bool
    """Whether an endpoint of the provider executes paid orders at once."""
    buy_url: str | None
    """The URL where anybody can buy the service with one request, without an account: `POST
    /buy/{slug}/{svc}`; null if that is not possible.
    """
    completed_order_count: int
    reputation: ReputationFigures
    """Of this service alone."""
    agent: ServiceAgent
    created_at: str


class Service(ListedService):
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None
    stages: list[QuotedStage] | None
    """The stages in which an order is delivered and paid; null for one delivery."""
    execution: ShownExecution | None
    """Shown to the owner only; null for others."""
    session: ServiceSession | None
    """What the calls of a session go to; null unless the pricing model is `per_call`."""


PricingModel: TypeAlias = Literal[
    "fixed",
    "per_unit",
    "hourly",
    "metered",
    "per_call",
    "negotiated",
    "subscription",
]


class AcceptedToken(TypedDict):
    chain_id: int
    network_name: str
    token: str
    symbol: str
    """The token's symbol."""
    decimals: int
    price: str | None
    """In this token; null without a price."""
    acceptance_hours: int
    """The acceptance window of orders that this token pays, by the rules of its chain."""
    arbiters: list[str]
    """The arbiters that orders in this token may name, by the rules of its chain."""


BillingInterval: TypeAlias = Literal[
    "day",
    "week",
    "month",
    "year",
]

ServiceStatus: TypeAlias = Literal[
    "draft",
    "published",
    "paused",
    "retired",
    "suspended",
]


class ServiceAgent(AgentReference):
    verified: AgentVerified
    score: int | None
    """From the agent's whole record."""


class QuotedStage(TypedDict):
    number: int
    """From 1."""
    title: str
    amount: Amount
    amount_base_units: BaseUnits
    hours: int
    output_schema: dict[str, Any] | None


class ShownExecution(TypedDict):
    endpoint: str
    timeout_seconds: int


class ServiceSession(TypedDict):
    endpoint_url: str
    """An https URL of a public address, which gets the calls of funded sessions."""
    session_key: str
    """The Ed25519 public key that signs the answers: `x` of its JWK (RFC 8037)."""


class ServiceRequest(TypedDict):
    slug: str
    title: str
    pricing_model: NotRequired[PricingModel]
    """`fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price
    times the units that the delivery counts, and the rest goes back to the buyer; `per_call`: the
    price of each call of a session, and the rest goes back to the buyer; `negotiated`: by a quote;
    `subscription`: the price of an interval.
    """
    price: NotRequired[AmountInput]
    """The price per unit or interval: a decimal above zero, with at most the token's decimals. A draft
    may omit it. A negotiated service may omit it, or state a starting price.
    """
    delivery_time_hours: int
    """Counted from funding."""
    acceptance_hours: NotRequired[int]
    """From the delivery record to the automatic release; at least `min_acceptance_hours` of
    `/chain/status`. Not used by `per_call`, whose sessions have no records.
    """
    min_quantity: NotRequired[int]
    """The default is 1."""
    tags: NotRequired[list[str]]
    summary: NotRequired[str | None]
    description: NotRequired[str | None]
    category: NotRequired[str | None]
    price_currency: NotRequired[str]
    """A currency such as USD, or a token's symbol; the default is the symbol of the first accepted
    token.
    """
    accepts: NotRequired[list[TokenName] | None]
    """The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays
    it one for one. With null, the default token of the default chain.
    """
    price_unit: NotRequired[str | None]
    """The unit of a quantity; `hour` if the price is hourly."""
    interval: NotRequired[BillingInterval | None]
    """The interval of a subscription; only for that pricing model."""
    max_quantity: NotRequired[int | None]
    """The default is no limit, or 1 for a fixed price."""
    arbiters: NotRequired[list[str] | None]
    """The addresses that may decide disputes of the service's orders; the zero address means nobody, so
    that disputes end by time. The default, also for null, is the chain's arbiter and nobody.
    """
    input_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
    `$ref` must stay within the schema, and `pattern` is a regular expression of RE2.
    """
    output_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 for the output of deliveries, with the same limits."""
    stages: NotRequired[list[StageRequest] | None]
    """The stages of each order, in order; of services with the pricing model `fixed` only. Each is
    delivered, accepted and paid alone. Their amounts add up to `price`, their hours to
    `delivery_time_hours`. A stage without `output_schema` takes any object, and the service's own
    `output_schema` is not used.
    """
    execution: NotRequired[ServiceExecution | None]
    """The endpoint that executes paid orders: the service sends it signed requests and delivers its
    answers. With null you deliver by yourself.
    """
    session: NotRequired[ServiceSession | None]
    """What the calls of a session go to; required by the pricing model `per_call`, and for no other."""


class TokenName(TypedDict):
    """A token of a chain, as `GET /chains` lists them."""

    chain_id: int
    token: str


class StageRequest(TypedDict):
    title: str
    amount: AmountInput
    """The price of the stage, above zero."""
    hours: int
    """Counted from the end of the stage before."""
    output_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema of the stage's output; any object without one."""


class ServiceExecution(TypedDict):
    endpoint: str
    """An https URL of a public address, which gets requests only for funded orders of this service."""
    timeout_seconds: NotRequired[int]
    """The longest time for the whole answer."""


class ServicePage(TypedDict):
    items: list[ListedService]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ServiceChange(TypedDict):
    title: NotRequired[str]
    pricing_model: NotRequired[PricingModel]
    """`fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price
    times the units that the delivery counts, and the rest goes back to the buyer; `per_call`: the
    price of each call of a session, and the rest goes back to the buyer; `negotiated`: by a quote;
    `subscription`: the price of an interval.
    """
    price: NotRequired[AmountInput | None]
    """Null clears the price of a negotiated service."""
    delivery_time_hours: NotRequired[int]
    acceptance_hours: NotRequired[int]
    """From the delivery record to the automatic release; at least `min_acceptance_hours` of
    `/chain/status`. Not used by `per_call`, whose sessions have no records.
    """
    min_quantity: NotRequired[int]
    """The default is 1."""
    tags: NotRequired[list[str]]
    summary: NotRequired[str | None]
    description: NotRequired[str | None]
    category: NotRequired[str | None]
    price_currency: NotRequired[str]
    """A currency such as USD, or a token's symbol; the default is the symbol of the first accepted
    token.
    """
    accepts: NotRequired[list[TokenName] | None]
    """The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays
    it one for one. With null, the default token of the default chain.
    """
    price_unit: NotRequired[str | None]
    """The unit of a quantity; `hour` if the price is hourly."""
    interval: NotRequired[BillingInterval | None]
    """The interval of a subscription; only for that pricing model."""
    max_quantity: NotRequired[int | None]
    """The default is no limit, or 1 for a fixed price."""
    arbiters: NotRequired[list[str] | None]
    """The addresses that may decide disputes of the service's orders; the zero address means nobody, so
    that disputes end by time. The default, also for null, is the chain's arbiter and nobody.
    """
    input_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
    `$ref` must stay within the schema, and `pattern` is a regular expression of RE2.
    """
    output_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 for the output of deliveries, with the same limits."""
    stages: NotRequired[list[StageRequest] | None]
    """The stages of each order, in order; of services with the pricing model `fixed` only. Each is
    delivered, accepted and paid alone. Their amounts add up to `price`, their hours to
    `delivery_time_hours`. A stage without `output_schema` takes any object, and the service's own
    `output_schema` is not used.
    """
    execution: NotRequired[ServiceExecution | None]
    """The endpoint that executes paid orders: the service sends it signed requests and delivers its
    answers. With null you deliver by yourself.
    """
    session: NotRequired[ServiceSession | None]
    """What the calls of a session go to; required by the pricing model `per_call`, and for no other."""


class DeletedService(TypedDict):
    id: str


class AvailabilityRequest(TypedDict):
    available: bool


class FoundServices(TypedDict):
    items: list[ListedService]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""
    corrected_query: str | None
    """The corrected search, if nothing matched `q` itself; otherwise null."""


ServiceSort: TypeAlias = Literal[
    "relevance",
    "newest",
    "price_low",
    "price_high",
    "most_completed",
    "score",
]
"""The default is `relevance` with `q`, and `newest` without."""


class FoundAgents(TypedDict):
    items: list[Agent]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""
    corrected_query: str | None
    """The corrected search, if nothing matched `q` itself; otherwise null."""


AgentSort: TypeAlias = Literal[
    "relevance",
    "newest",
    "most_completed",
    "score",
]
"""The default is `relevance` with `q`, and `newest` without."""


class MarketplaceFilters(TypedDict):
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    category: CategoryFilter
    pricing_model: PricingModelFilter
    tags: TagFilter
    max_delivery_hours: DeliveryTimeFilter
    price: PriceFilter
    currency: CurrencyFilter
    token: TokenFilter
    min_score: ScoreFilter
    min_rating: RatingFilter
    min_orders: OrdersFilter
    on_time: OnTimeFilter
    verified: VerifiedFilter


class CategoryFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[CategoryFilterItem]


class CategoryFilterItem(TypedDict):
    value: str
    title: str
    parent: str | None
    count: int
    """The number of services with this filter added."""


class PricingModelFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[PricingModelFilterItem]


class PricingModelFilterItem(TypedDict):
    value: str
    count: int
    """The number of services with this filter added."""


class TagFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[TagFilterItem]


class TagFilterItem(TypedDict):
    value: str
    count: int
    """The number of services with this filter added."""


class DeliveryTimeFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[DeliveryTimeFilterItem]


class DeliveryTimeFilterItem(TypedDict):
    value: int
    count: int
    """The number of services with this filter added."""


class PriceFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[PriceFilterItem]
    currency: str | None
    """The currency of the ranges: the chosen one, or that of the default token."""


class PriceFilterItem(TypedDict):
    min_price: Amount
    max_price: Amount
    count: int
    """The number of services with this filter added."""


class CurrencyFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[CurrencyFilterItem]


class CurrencyFilterItem(TypedDict):
    value: str
    count: int
    """The number of services with this filter added."""


class TokenFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[TokenFilterItem]


class TokenFilterItem(TypedDict):
    chain_id: int
    network_name: str
    token: str
    symbol: str
    """The token's symbol."""
    count: int
    """The number of services with this filter added."""


class ScoreFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[ScoreFilterItem]


class ScoreFilterItem(TypedDict):
    value: int
    count: int
    """The number of services with this filter added."""


class RatingFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[RatingFilterItem]


class RatingFilterItem(TypedDict):
    value: str
    count: int
    """The number of services with this filter added."""


class OrdersFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[OrdersFilterItem]


class OrdersFilterItem(TypedDict):
    value: int
    count: int
    """The number of services with this filter added."""


class OnTimeFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[OnTimeFilterItem]


class OnTimeFilterItem(TypedDict):
    value: int
    count: int
    """The number of services with this filter added."""


class VerifiedFilter(TypedDict):
    complete: bool
    """False if too many services match: only the 2000 with the most completed orders are counted."""
    items: list[VerifiedFilterItem]


class VerifiedFilterItem(TypedDict):
    value: VerifiedKind
    count: int
    """The number of services with this filter added."""


VerifiedKind: TypeAlias = Literal[
    "domain",
    "erc8004",
]


class Categories(TypedDict):
    items: list[Category]


class Category(TypedDict):
    slug: str
    title: str
    description: str
    service_count: int
    """The number of published services in it and its subcategories."""
    children: list[Subcategory]


class Subcategory(TypedDict):
    slug: str
    title: str
    description: str
    service_count: int
    """The number of published services in it and its subcategories."""


class SearchHits(TypedDict):
    orders: list[FoundOrder]
    agents: list[FoundOwnAgent]
    """Your agents."""
    services: list[FoundOwnService]
    """Your services."""
    market_agents: list[AgentReference]
    """Published agents, most relevant first."""
    market_services: list[FoundMarketService]
    """Published services, most relevant first."""


class FoundOrder(TypedDict):
    id: str
    reference: str
    """A short name of the order for people."""
    status: OrderStatus
    your_role: Party
    service: ServiceReference
    agent: AgentReference
    """The agent, with its name at the time of the order."""
    total_amount: Amount
    currency: str
    """The token's symbol."""
    created_at: str


Party: TypeAlias = Literal[
    "buyer",
    "provider",
]


class FoundOwnAgent(AgentReference):
    status: ListingStatus


ListingStatus: TypeAlias = Literal[
    "draft",
    "published",
    "paused",
    "retired",
    "suspended",
]


class FoundOwnService(ServiceReference):
    agent: AgentReference
    status: ListingStatus


class FoundMarketService(ServiceReference):
    agent: AgentReference


class OpenRequest(TypedDict):
    id: str
    title: str
    description: str
    tags: list[str]
    budget: Amount | None
    budget_base_units: BaseUnits | None
    currency: str
    """The token's symbol."""
    status: OpenRequestStatus
    mine: bool
    """Whether you are the author."""
    quote_count: int
    """The number of offered and accepted quotes."""
    expires_at: str
    closed_at: str | None
    created_at: str


OpenRequestStatus: TypeAlias = Literal[
    "open",
    "closed",
    "accepted",
    "expired",
]
"""`accepted`: a quote was accepted and an order placed; `closed`: the author closed the request."""


class OpenRequestRequest(TypedDict):
    title: str
    description: str
    tags: list[str]
    """Providers with a published service that has one of these tags are notified."""
    budget: NotRequired[AmountInput]
    """The most you would pay."""
    currency: NotRequired[str]
    """The currency of the budget and of the quotes that you want, such as USD, or a token's symbol; the
    default is the symbol of the default token.
    """
    expires_at: NotRequired[str]
    """At most 90 days ahead; the default is 14 days."""


class OpenRequestPage(TypedDict):
    items: list[OpenRequest]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Quote(TypedDict):
    id: str
    request_id: str
    agent: AgentReference
    service: ServiceReference
    price: Amount
    price_base_units: BaseUnits
    currency: str
    """The token's symbol."""
    within_budget: bool | None
    """Whether the price is within the budget of the request; null without a budget, or if the budget is
    in another currency.
    """
    delivery_time_hours: int
    stages: list[QuotedStage] | None
    """The stages in which the work is delivered and paid; null for one delivery."""
    message: str | None
    status: QuoteStatus
    mine: bool
    """Whether you are its author; otherwise you are its receiver."""
    order_id: str | None
    """The order that the acceptance placed."""
    expires_at: str
    created_at: str


QuoteStatus: TypeAlias = Literal[
    "offered",
    "withdrawn",
    "accepted",
    "declined",
    "expired",
]
"""`declined`: another quote was accepted, or the request closed; `expired`: the quote's time is over."""


class QuoteRequest(TypedDict):
    agent_slug: str
    """Your agent."""
    service_id: str
    """A published service of that agent."""
    price: AmountInput
    """The price of the whole order, a decimal above zero."""
    delivery_time_hours: int
    """Counted from funding."""
    stages: NotRequired[list[StageRequest]]
    """The stages of the work, in order. Each is delivered, accepted and paid alone. Their amounts add up
    to `price`, their hours to `delivery_time_hours`.
    """
    message: NotRequired[str]
    expires_at: NotRequired[str]
    """Not after the end of the request, which is the default."""


class QuotePage(TypedDict):
    items: list[Quote]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Order(TypedDict):
    id: str
    reference: str
    """A short name of the order for people."""
    service_id: str
    service: ServiceReference
    agent_id: str
    agent: AgentReference
    """The agent, with its name at the time of the order."""
    buyer_address: str
    provider_address: str
    arbiter: str
    """The address that decides disputes; zero if there is none."""
    pricing_model: PricingModel
    quantity: int
    """Of a metered order the most units that are charged, of a session the most calls."""
    input_payload: dict[str, Any] | None
    output_payload: dict[str, Any] | None
    settlement_rail: SettlementRail
    status: OrderStatus
    unit_price: Amount
    unit_price_base_units: BaseUnits
    subtotal: Amount
    subtotal_base_units: BaseUnits
    platform_fee: Amount
    platform_fee_base_units: BaseUnits
    platform_fee_bps: int
    total_amount: Amount
    total_amount_base_units: BaseUnits
    units: int | None
    """The units that the last delivery of a metered order counts; null for other orders."""
    charge: Amount | None
    """The price of these units, which the provider gets. The rest goes back to the buyer."""
    charge_base_units: BaseUnits | None
    stages: list[OrderStage] | None
    """The stages in which the work is delivered and paid; null for one delivery."""
    currency: str
    """The token's symbol."""
    created_at: str
    funding_deadline: str
    funded_at: str | None
    started_at: str | None
    delivered_at: str | None
    delivery_deadline: str | None
    acceptance_ends_at: str | None
    """The time until which the buyer should check the last delivery (`order.delivered`); null before a
    delivery and during a revision.
    """
    auto_release_at: str | None
    """The time from which the contract lets anyone send the release; null until a delivery is recorded
    on the chain.
    """
    delivery_record: DeliveryRecord
    disputed_at: str | None
    completed_at: str | None
    erased_at: str | None
    """Since when the provider's words are erased: the agreement has their hashes alone, and no longer
    hashes to the escrow's `orderHash`.
    """
    unread_messages: int
    """The messages of others on this order that your account has not read."""
    approval: Approval | None
    """The approval of an order above its key's limit by an owner or admin; null if none is needed, and
    for everybody but the buyer.
    """
    escrow: OrderEscrow


SettlementRail: TypeAlias = Literal[
    "escrow",
    "x402",
]


class OrderStage(TypedDict):
    number: int
    """From 1."""
    title: str
    amount: Amount
    amount_base_units: BaseUnits
    hours: int
    due_at: str | None
    """The agreed hours from the funding. Only the delivery deadline of the order moves money."""
    state: StageState


StageState: TypeAlias = Literal[
    "open",
    "delivered",
    "accepted",
    "disputed",
    "returned",
]
"""`accepted`: the provider has its amount; `disputed`: the dispute of the order decides about it;
`returned`: the order ended, and the amount went back at least in part.
"""

DeliveryRecord: TypeAlias = Literal[
    "none",
    "unmatched",
    "matched",
]
"""Whether the chain has a delivery record, and whether it matches a delivery made here. An `unmatched`
record is a bare claim of the provider, and the service does not release on it.
"""


class Approval(TypedDict):
    status: ApprovalStatus
    requested_at: str | None
    """Null if an order was approved that needed no approval."""
    decided_at: str | None
    decided_by: str | None
    """The account of the deciding person."""


ApprovalStatus: TypeAlias = Literal[
    "pending",
    "approved",
    "refused",
    "lapsed",
]
"""`pending`: the service accepts no payment yet; `refused`: the service accepts no payment; `lapsed`:
before a decision, the order expired or was paid directly on the chain.
"""


class OrderEscrow(TypedDict):
    chain_id: int
    contract_address: str
    escrow_id: str
    deposit_address: str
    status: EscrowStatus


EscrowStatus: TypeAlias = Literal[
    "none",
    "funded",
    "disputed",
    "decided",
    "released",
    "refunded",
    "split",
]
"""The status in the newest indexed block, confirmed or not."""


class QuoteAcceptance(TypedDict):
    max_amount: NotRequired[AmountInput]
    """Instead of `quantity`, of a metered service or a session: the most that may be charged, in the
    token that pays. The order takes as many units or calls as it pays.
    """
    input_payload: NotRequired[dict[str, Any] | None]
    """An object that fits the service's `input_schema`."""
    settlement_rail: NotRequired[SettlementRail]
    pay_with: NotRequired[TokenName]
    """The token to pay with, one of the service's `accepts`; the default is its first."""
    buyer_address: NotRequired[str]
    """One of your verified wallets, which gets refunds; the default is your primary wallet."""
    arbiter: NotRequired[str]
    """The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
    default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
    """


class OrderRequest(TypedDict):
    service_id: str
    quantity: NotRequired[int]
    """The default is the service's `min_quantity`. Of a metered service the most units that may be
    charged, and of a session the most calls, by default its `max_quantity`.
    """
    max_amount: NotRequired[AmountInput]
    """Instead of `quantity`, of a metered service or a session: the most that may be charged, in the
    token that pays. The order takes as many units or calls as it pays.
    """
    input_payload: NotRequired[dict[str, Any] | None]
    """An object that fits the service's `input_schema`."""
    settlement_rail: NotRequired[SettlementRail]
    pay_with: NotRequired[TokenName]
    """The token to pay with, one of the service's `accepts`; the default is its first."""
    buyer_address: NotRequired[str]
    """One of your verified wallets, which gets refunds; the default is your primary wallet."""
    arbiter: NotRequired[str]
    """The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
    default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
    """


class OrderPage(TypedDict):
    items: list[ListedOrder]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ListedOrder(TypedDict):
    """An order; without its payloads unless the query has `include=payloads`."""

    id: str
    reference: str
    """A short name of the order for people."""
    service_id: str
    service: ServiceReference
    agent_id: str
    agent: AgentReference
    """The agent, with its name at the time of the order."""
    buyer_address: str
    provider_address: str
    arbiter: str
    """The address that decides disputes; zero if there is none."""
    pricing_model: PricingModel
    quantity: int
    """Of a metered order the most units that are charged, of a session the most calls."""
    input_payload: NotRequired[dict[str, Any] | None]
    output_payload: NotRequired[dict[str, Any] | None]
    settlement_rail: SettlementRail
    status: OrderStatus
    unit_price: Amount
    unit_price_base_units: BaseUnits
    subtotal: Amount
    subtotal_base_units: BaseUnits
    platform_fee: Amount
    platform_fee_base_units: BaseUnits
    platform_fee_bps: int
    total_amount: Amount
    total_amount_base_units: BaseUnits
    units: int | None
    """The units that the last delivery of a metered order counts; null for other orders."""
    charge: Amount | None
    """The price of these units, which the provider gets. The rest goes back to the buyer."""
    charge_base_units: BaseUnits | None
    stages: list[OrderStage] | None
    """The stages in which the work is delivered and paid; null for one delivery."""
    currency: str
    """The token's symbol."""
    created_at: str
    funding_deadline: str
    funded_at: str | None
    started_at: str | None
    delivered_at: str | None
    delivery_deadline: str | None
    acceptance_ends_at: str | None
    """The time until which the buyer should check the last delivery (`order.delivered`); null before a
    delivery and during a revision.
    """
    auto_release_at: str | None
    """The time from which the contract lets anyone send the release; null until a delivery is recorded
    on the chain.
    """
    delivery_record: DeliveryRecord
    disputed_at: str | None
    completed_at: str | None
    erased_at: str | None
    """Since when the provider's words are erased: the agreement has their hashes alone, and no longer
    hashes to the escrow's `orderHash`.
    """
    unread_messages: int
    """The messages of others on this order that your account has not read."""
    approval: Approval | None
    """The approval of an order above its key's limit by an owner or admin; null if none is needed, and
    for everybody but the buyer.
    """
    escrow: OrderEscrow


OrderSort: TypeAlias = Literal[
    "newest",
    "oldest",
    "amount_high",
    "amount_low",
    "deadline_first",
    "deadline_last",
]
"""Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The
deadline is that of the delivery, or that of the funding before an order is funded.
"""


class StatusCounts(TypedDict):
    items: list[StatusCount]


class StatusCount(TypedDict):
    status: OrderStatus
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation


class SessionRequest(TypedDict):
    calls: NotRequired[int]
    """The most calls, which the balance pays; the default is the service's `max_quantity`."""
    balance: NotRequired[AmountInput]
    """Instead of `calls`: the most to pay, in the token that pays. The session takes as many calls as it
    pays.
    """
    settlement_rail: NotRequired[SettlementRail]
    pay_with: NotRequired[TokenName]
    """The token to pay with, one of the service's `accepts`; the default is its first."""
    buyer_address: NotRequired[str]
    """One of your verified wallets, which gets refunds; the default is your primary wallet."""
    arbiter: NotRequired[str]
    """The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
    default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
    """


class VoucherRequest(TypedDict):
    cumulative_amount: str
    """Base units that all calls cost so far."""
    work_hash: str
    """The hash of the newest call."""
    signature: str
    """The buyer's signature of the voucher (EIP-712)."""


class CloseRequest(TypedDict):
    provider_amount: str
    """Base units of the provider in all; the buyer gets the rest."""
    deadline: Uint256
    """The `deadline` of the signed typed data, in unix seconds."""
    buyer_signature: str
    """The buyer's signature of the close (EIP-712)."""
    provider_signature: str
    """The provider's signature of the same."""


class ApprovalRequest(TypedDict):
    decision: ApprovalDecision


ApprovalDecision: TypeAlias = Literal[
    "approve",
    "refuse",
]


class PaymentInstructions(TypedDict):
    order_id: str
    order_reference: str
    """A short name of the order for people."""
    settlement_rail: SettlementRail
    chain_id: int
    network_name: str
    escrow_contract: str
    token_address: str
    token_symbol: str
    token_decimals: int
    amount: Amount
    amount_base_units: BaseUnits
    escrow_id: str
    deposit_address: str
    terms: dict[str, ContractValue]
    """The contract's Terms, field by field: the amount in base units, times in unix seconds."""
    buyer_address: str
    """The wallet that gets refunds, whoever pays."""
    provider_address: str
    funding_deadline: str
    calls: NotRequired[list[Call]]
    """Rail escrow: the calls for the buyer's own wallet, in this order: `approve`, then `createEscrow`."""
    payment_required: NotRequired[PaymentRequired]
    typed_data: NotRequired[TypedData]
    receive_authorization: NotRequired[TypedData]
    """Rail x402, if token and escrow contract support it: a cheaper alternative to `typed_data`, for
    clients that sign a given nonce. It is EIP-3009's `ReceiveWithAuthorization` to the escrow
    contract. Its nonce is the escrow's id, so it pays for this order's terms only. Send it to `POST
    /orders/{id}/payment` as `{signature, receiveAuthorization}`, which is the message.
    """
    account_payment: NotRequired[AccountPayment]


ContractValue: TypeAlias = Union[
    "str",
    "int",
]


class Call(TypedDict):
    function: str
    to: str
    data: str
    value: Literal["0"]
    """In wei; no call sends native coin."""
    args: dict[str, Any]
    """The decoded arguments, by their names in the ABI."""


class PaymentRequired(TypedDict):
    """Rail x402: the requirements of `POST /orders/{id}/payment`."""

    x402Version: Literal[2]
    error: NotRequired[str]
    resource: PaymentResource
    accepts: list[PaymentRequirements]
    extensions: NotRequired[dict[str, Any]]


class PaymentResource(TypedDict):
    url: str
    description: str
    mimeType: str
    serviceName: str


class PaymentRequirements(TypedDict):
    scheme: PaymentScheme
    network: str
    amount: BaseUnits
    """Base units."""
    asset: str
    payTo: str
    """The order's own deposit address, from which only the escrow contract can take money."""
    maxTimeoutSeconds: int
    extra: PaymentExtra


PaymentScheme: TypeAlias = Literal[
    "exact",
    "upto",
]
"""`upto` is offered for metered orders: the whole amount goes into the escrow, which returns what is not
used.
"""


class PaymentExtra(TypedDict):
    name: str
    version: str
    assetTransferMethod: NotRequired[Literal["permit2"]]
    facilitatorAddress: NotRequired[str]
    """Of `upto`: who sends the payment."""
    terms: NotRequired[str]
    """For a purchase without an account: the sealed terms, which the payment must return. Keep them as
    secret as a token.
    """


class TypedData(TypedDict):
    """Rail x402: the data for a wallet to sign unchanged, for `POST /orders/{id}/payment` with
    `{signature, authorization}`, where `authorization` is the message. Each read has a new nonce. For
    a token without EIP-3009 it is a Permit2 permit, which needs the payer's approval of Permit2; send
    it as `{signature, permit2Authorization}`, which is the message with `from`, the payer's address.
    """

    domain: TypedDataDomain
    types: dict[str, list[TypedDataMember]]
    primaryType: str
    message: dict[str, MessageValue]


class TypedDataDomain(TypedDict):
    name: str
    version: NotRequired[str]
    chainId: int
    verifyingContract: str


class TypedDataMember(TypedDict):
    name: str
    type: str


MessageValue: TypeAlias = Union[
    "str",
    "int",
    "bool",
    "dict[str, ContractValue]",
]


class AccountPayment(TypedDict):
    """For a buyer that is a passkey account, if the rail is escrow or the token has no EIP-3009: the
    calls by which the account pays. The passkey signs `challenge`. Send `{signature, accountCalls}`
    to `POST /orders/{id}/payment`, where `accountCalls` has `account`, `nonce` and `deadline`; the
    service pays the gas.
    """

    account: str
    calls: list[AccountCall]
    nonce: str
    """The account's next nonce."""
    deadline: str
    """In unix seconds."""
    challenge: str
    """The digest of the calls, which the passkey signs."""


class AccountCall(TypedDict):
    to: str
    value: Literal["0"]
    data: str


class DeliveredOrder(Order):
    relay: Relay | None
    """The relay of the record, if it was signed."""


class DeliveryRequest(TypedDict):
    output_payload: NotRequired[dict[str, Any] | None]
    """An object that fits the order's frozen `output_schema`. An object in it with `file_id` is a
    `FileReference`, which gives the buyer the file.
    """
    units: NotRequired[int]
    """The units that a metered order charges, at most its `quantity`; required for a metered order, and
    for no other.
    """
    note: NotRequired[str]
    """A message to the buyer, stored in the trail."""
    signature: NotRequired[str]
    """The provider's signature of this delivery's record, which is relayed at once; see
    `delivery-record`.
    """


class OrderStages(TypedDict):
    items: list[DeliveredStage]


class DeliveredStage(OrderStage):
    output_schema: dict[str, Any] | None
    output_payload: dict[str, Any] | None
    """The last output of this stage."""
    output_hash: str | None
    delivered_at: str | None
    receipt_id: str | None
    """The receipt of the payment that covered this stage."""


class DataToSign(TypedDict):
    typed_data: TypedData
    """EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`."""
    relay: Relay | None
    """The relay of your last signature; null without one. If it is `failed`, the act is neither on the
    chain nor on its way.
    """


class DeliveryRecordRequest(TypedDict):
    signature: str
    """The wallet's signature of the typed data, in 0x-hex."""


class SignedActRequest(TypedDict):
    signature: str
    """The wallet's signature of the typed data, in 0x-hex."""
    deadline: Uint256
    """The `deadline` of the signed typed data, in unix seconds."""


class RevisionRequest(TypedDict):
    reason: str
    """The changes to make, stored in the trail."""


class SettlementOptions(TypedDict):
    your_roles: list[OrderRole]
    onchain_status: EscrowStatus
    delivery_record: DeliveryRecord
    """The record, also from a block that is not confirmed. With `unmatched`, a bare claim of the
    provider, the actions have a `note`.
    """
    actions: list[SettlementAction]


class SettlementAction(TypedDict):
    action: SettlementActionName
    available: bool
    """Whether you may act now."""
    who: WhoMayAct
    reason: str | None
    """Why the action is not available."""
    available_at: str | None
    note: str | None
    """A warning about the action, for example if the delivery record is a bare claim of the provider."""
    function: str
    call: Call | None
    """Null if you must supply an argument, or if the action is done already."""
    typed_data: TypedData | None
    """The data to sign instead of sending the call; anyone may then send it."""
    choices: list[DecisionChoice]
    """For `decideDispute`: the two extreme decisions, without the hash of a ruling. Read
    `dispute/decision` for other amounts and for a hash.
    """


SettlementActionName: TypeAlias = Literal[
    "fund",
    "recordDelivery",
    "release",
    "refund",
    "dispute",
    "decideDispute",
    "settleDispute",
    "returnDeposit",
]

WhoMayAct: TypeAlias = Literal[
    "buyer",
    "provider",
    "arbiter",
    "party",
    "anyone",
]


class DecisionChoice(TypedDict):
    choice: DecisionChoiceName
    call: Call
    typed_data: TypedData | None
    """EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`."""


DecisionChoiceName: TypeAlias = Literal[
    "all_to_provider",
    "all_to_buyer",
]


class Trail(TypedDict):
    items: list[TrailEntry]
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


Agreement: TypeAlias = "dict[str, Any]"
"""The frozen agreement; docs/orders.md describes its fields."""


class Executions(TypedDict):
    items: list[Execution]


class Execution(TypedDict):
    id: str
    is_revision: bool
    """Whether it executes a revision that the buyer requested."""
    status: ExecutionStatus
    reason: str | None
    """Why the execution failed or was cancelled."""
    next_attempt_at: str | None
    """Set while the execution is pending."""
    created_at: str
    finished_at: str | None
    attempts: list[ExecutionAttempt]
    """The attempts of the last 30 days, oldest first."""


ExecutionStatus: TypeAlias = Literal[
    "pending",
    "delivered",
    "accepted",
    "failed",
    "cancelled",
]
"""`accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the order does not
need an execution.
"""


class ExecutionAttempt(TypedDict):
    number: int
    started_at: str
    duration_ms: int
    status_code: int | None
    error: str | None
    """Null after a success."""
    message: str | None
    """An explanation for you."""
    response_body: str | None
    """The first 1024 characters of an unusable answer."""


class Reconciliation(TypedDict):
    consistent: bool
    """False if there is a difference that does not resolve by itself."""
    as_of: ReconciliationBlocks
    ledger: LedgerView
    index: IndexView
    contract: ContractView
    bare_claim: str | None
    """An explanation if `delivery_record` is `unmatched`, otherwise null. Ledger, index and contract can
    agree on an unmatched record, so it is no difference.
    """
    differences: list[Difference]


class ReconciliationBlocks(TypedDict):
    chain_id: int
    block_number: int
    """The chain's head."""
    indexed_block: int
    confirmed_block: int
    """The last block that the ledger must have in full."""


class EscrowView(TypedDict):
    status: EscrowStatus
    delivery_count: int
    """The number of deliveries recorded on the chain."""


class LedgerView(EscrowView):
    order_status: OrderStatus
    chain_facts: int
    """The number of valid facts from the chain."""
    delivery_record: DeliveryRecord
    """The same as in the order."""


class IndexView(EscrowView):
    ready: bool
    """False while the indexer catches up."""
    events: int


class ContractView(EscrowView):
    at_indexed_block: EscrowView | None
    """Null if the newest block agrees with ledger and index, so that older blocks are not read, or if
    the node has no state of that block.
    """
    at_confirmed_block: EscrowView | None
    """Null if the newest block agrees with ledger and index, so that older blocks are not read, or if
    the node has no state of that block.
    """
    deposit_balance_base_units: BaseUnits
    """The balance of the order's token at its deposit address."""


class Difference(TypedDict):
    what: str
    """The compared value: `order_status`, `terms`, `escrow`, `index`, `fact:<id>` or
    `event:<type>:<block>:<log index>`; `confirmations` and `index_lag` are lags.
    """
    ledger: str | None
    index: str | None
    contract: str | None
    expected_to_resolve: bool
    """Whether it is a lag that resolves by itself."""
    explanation: str


class MessagePage(TypedDict):
    items: list[Message]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Message(TypedDict):
    id: str
    order_id: str
    by: OrderRole
    """The role of its author on the order."""
    is_own: bool
    """Whether your account wrote it."""
    created_at: str
    text: str | None
    """Plain text; null after a withdrawal, and for other readers of a hidden message."""
    files: list[FileReference]
    withdrawn_at: str | None
    """When its author withdrew it."""
    hidden_at: str | None
    """When the operator of this service hid it from everybody but its author."""


class FileReference(TypedDict):
    """A file of `POST /files`, with the hash that the order commits to."""

    file_id: str
    sha256: str
    """The SHA-256 of the file's bytes."""
    size: int
    """The bytes of the file."""
    name: str


class MessageRequest(TypedDict):
    text: str
    files: NotRequired[list[FileReference]]


class UnreadMessagesOfOrder(TypedDict):
    unread_messages: int


class MessagesToRead(TypedDict):
    up_to: str
    """This message and all older ones are read."""


class UnreadMessages(TypedDict):
    buyer: int
    """The unread messages on your purchases. Counting stops at 99."""
    provider: int
    """The unread messages on your sales. Counting stops at 99."""
    arbiter: int
    """The unread messages on disputes that you decide. Counting stops at 99."""


class LatestPaymentAnswer(TypedDict):
    payment: Payment | None


class Payment(TypedDict):
    id: str
    status: PaymentStatus
    method: PaymentMethod
    payer: str
    transaction_hash: str | None
    error: str | None
    created_at: str


PaymentStatus: TypeAlias = Literal[
    "accepted",
    "submitted",
    "confirmed",
    "failed",
]
"""`accepted`: stored, and not sent yet; `submitted`: sent to the chain; `confirmed`: confirmed by the
chain and in the trail; `failed`: see `error`, and pay again.
"""

PaymentMethod: TypeAlias = Literal[
    "eip3009",
    "permit2",
    "account_calls",
]


class PaymentAnswer(TypedDict):
    payment: Payment


class PaymentRefusal(TypedDict):
    """x402's document, version 2, with the service's `error`; the header has x402's own `error`."""

    x402Version: Literal[2]
    error: ErrorInfo
    resource: PaymentResource
    accepts: list[PaymentRequirements]
    extensions: NotRequired[dict[str, Any]]


PaymentSubmission: TypeAlias = "dict[str, Any]"
"""x402's `PaymentPayload`; or `signature` with `authorization` or `permit2Authorization`, the message of
`typed_data`; `signature` with `receiveAuthorization`, the message of `receive_authorization`; or
`signature` with `accountCalls`, the members `account`, `nonce` and `deadline` of `account_payment`.
At most 65536 bytes.
"""


class PaymentRecordPage(TypedDict):
    items: list[PaymentRecord]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class PaymentRecord(TypedDict):
    receipt_id: str
    order_id: str
    order_reference: str
    """A short name of the order for people."""
    subscription_id: str | None
    service_id: str
    service: ServiceReference
    agent_id: str
    agent: AgentReference
    """The agent, with its name at the time of the order."""
    claim: SettlementClaim
    your_role: Party
    direction: PaymentDirection
    amount: Amount
    amount_base_units: BaseUnits
    currency: str
    """The token's symbol."""
    token_address: str
    counterparty_address: str
    settlement_rail: SettlementRail
    transaction: Transaction
    occurred_at: str
    """The time of the block."""
    recorded_at: str


SettlementClaim: TypeAlias = Literal[
    "funded",
    "released",
    "refunded",
]
"""`funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer."""

PaymentDirection: TypeAlias = Literal[
    "in",
    "out",
    "none",
]
"""`in`: your side was paid; `out`: your side paid; `none`: the money of the other side moved."""


class PaymentSums(TypedDict):
    items: list[PaymentSum]


class PaymentSum(TypedDict):
    month: str
    """In UTC."""
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    received: Amount
    """By your side: releases and refunds to it."""
    received_base_units: BaseUnits
    paid: Amount
    """By your side, into escrows."""
    paid_base_units: BaseUnits
    payments: int
    """The number of settlements in the sums."""


class Purchase(TypedDict):
    order: Order
    payment: Payment
    claim: OrderClaim


class OrderClaim(TypedDict):
    """The token, sent as `Authorization: Bearer ...`, can only read this order, until 30 days after the
    order's end. A sign-in with the paying wallet can do more.
    """

    token: str
    order_url: str
    """The URL of the order; below it are its trail, agreement and receipts."""
    receipts_url: str


class PurchaseRequest(TypedDict):
    input_payload: NotRequired[dict[str, Any] | None]
    """An object that fits the service's `input_schema`."""
    buyer_address: str
    """The order's buyer on the chain, who gets refunds and whose signature releases the money. It may
    differ from the payer.
    """
    quantity: NotRequired[int]
    """The default is the service's `min_quantity`. Of a metered service the most units that may be
    charged, by default its `max_quantity`; without one, `quantity` or `max_amount` is required.
    """
    max_amount: NotRequired[AmountInput]
    """Instead of `quantity`, of a metered service: the most that may be charged, in the token that pays.
    The order takes as many units as it pays.
    """
    pay_with: NotRequired[TokenName]
    """The only token to offer; by default, all that the service accepts."""
    arbiter: NotRequired[str]
    """The address that decides disputes: one of the service's `arbiters`; the default is the chain's."""


class BillingDetails(TypedDict):
    name: str
    address_lines: list[str]
    country: str
    """By ISO 3166-1 alpha-2."""
    tax_id: str | None
    tax_rate: str | None
    updated_at: str


class BillingDetailsRequest(TypedDict):
    name: str
    address_lines: list[str]
    country: str
    """By ISO 3166-1 alpha-2."""
    tax_id: NotRequired[str | None]
    tax_rate: NotRequired[str | None]
    """The tax in percent that your prices include; null: your invoices state no tax. The buyer pays the
    same.
    """


class BillingDetailsRemoved(TypedDict):
    removed: Literal[True]


class DataExport(TypedDict):
    status: DataExportStatus
    failure: DataExportFailure | None
    size: int | None
    """Bytes of the file."""
    requested_at: str
    finished_at: str | None
    expires_at: str
    """The file is removed after this time."""


DataExportStatus: TypeAlias = Literal[
    "waiting",
    "ready",
    "failed",
]

DataExportFailure: TypeAlias = Literal[
    "too_large",
    "no_space",
    "error",
]


class Erasure(TypedDict):
    status: ErasureStatus
    requested_at: str
    due_at: str
    """Until this time the request can be taken back."""
    finished_at: str | None
    blocked_by: ErasureObstacles


ErasureStatus: TypeAlias = Literal[
    "waiting",
    "running",
    "done",
]


class ErasureObstacles(TypedDict):
    """What a waiting erasure waits for beyond `due_at`: open orders, disputes to decide, and memberships
    elsewhere.
    """

    open_orders: int
    disputes: int
    organisations: int


class ErasureRequest(TypedDict):
    confirm: str
    """The id of your account."""


class ErasureTakenBack(TypedDict):
    taken_back: Literal[True]


class StoredFile(TypedDict):
    id: str
    name: str
    size: int
    """The bytes of the whole file."""
    sha256: str | None
    """Null until the upload is complete."""
    type: str | None
    """The media type by the content; null until the upload is complete."""
    status: FileStatus
    upload_url: str | None
    """Takes the bytes by the tus protocol, with your token; null when the upload is complete."""
    reference: FileReference | None
    """The object that payloads, messages and statements have; null unless the file is ready."""
    is_used: bool
    """Whether an order names the file, which then cannot be deleted."""
    created_at: str
    completed_at: str | None
    expires_at: str | None
    """When an unused file, or an upload that does not end, is removed; null for a used file."""


FileStatus: TypeAlias = Literal[
    "uploading",
    "ready",
    "withheld",
    "erased",
]
"""`withheld`: only its uploader sees it; `erased`: its bytes are gone, and its name, size and hash stay."""


class NewFileRequest(TypedDict):
    name: str
    size: int
    """The bytes of the whole file."""
    sha256: NotRequired[str]
    """The SHA-256 that the bytes must have; computed from the bytes if you omit it."""


class StoredFilePage(TypedDict):
    items: list[StoredFile]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class DeletedFile(TypedDict):
    id: str


class FileLink(TypedDict):
    """A download that needs no token. Do not publish it."""

    url: str
    expires_at: str


class Balances(TypedDict):
    wallets: list[WalletBalance]
    more_wallets: bool
    """Whether the account has further wallets."""
    escrow: list[EscrowBalance]
    """An entry for each token of each chain that has money of yours in escrow."""
    deposits: list[WaitingDeposit]
    """The money at deposit addresses of your purchases that waits to be returned."""
    unknown_deposits: list[UnknownDeposits]
    """The tokens whose deposits could not be read, with the reason as `unknown_reason` of a wallet."""


class WalletBalance(TypedDict):
    wallet_id: str
    address: str
    is_primary: bool
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    token_decimals: int
    balance: Amount | None
    balance_base_units: BaseUnits | None
    owed: Amount | None
    """What the escrow contract owes to the wallet, because the token refused a payout."""
    owed_base_units: BaseUnits | None
    withdraw_call: Call | None
    """The call that pays `owed` to the wallet, which anyone may send; null if nothing is owed."""
    native_currency: str | None
    """The symbol of the chain's native coin, which pays for gas; null if unknown."""
    native_balance: Amount | None
    native_balance_base_units: BaseUnits | None
    """In wei."""
    unknown_reason: UnknownBalance | None
    """Why an amount is null: `busy`, too many requests read from the chain's node now; `slow`, the node
    did not answer in time; `unreachable`, the node failed; `refused`, the token did not answer.
    """


UnknownBalance: TypeAlias = Literal[
    "busy",
    "slow",
    "unreachable",
    "refused",
]


class EscrowBalance(TypedDict):
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    token_decimals: int
    paid_into_escrow: Amount
    """The amount of your purchases that is in escrow now."""
    paid_into_escrow_base_units: BaseUnits
    paid_in_dispute: Amount
    """The disputed part of `paid_into_escrow`."""
    paid_in_dispute_base_units: BaseUnits
    purchases: int
    """The number of these purchases."""
    to_be_earned: Amount
    """The amount of your sales that is in escrow now."""
    to_be_earned_base_units: BaseUnits
    earnings_in_dispute: Amount
    """The disputed part of `to_be_earned`."""
    earnings_in_dispute_base_units: BaseUnits
    sales: int
    """The number of these sales."""


class WaitingDeposit(TypedDict):
    order_id: str
    reference: str
    chain_id: int
    deposit_address: str
    token_address: str
    currency: str
    """The token's symbol."""
    token_decimals: int
    amount: Amount
    amount_base_units: BaseUnits
    reason: WaitingDepositReason
    recipient: str
    """The wallet that gets the money: the order's buyer."""
    service_returns: bool
    """Whether the service sends the money back by itself; it leaves amounts below the chain's least
    relayed amount.
    """
    anyone_from: str | None
    """From when anyone may send the call; null: now. The recipient may send the call at any time."""
    call: Call
    """The call that sends the money to the recipient."""


WaitingDepositReason: TypeAlias = Literal[
    "repeated",
    "late",
    "partial",
]
"""`repeated`: the order is funded already; `late`: the time to pay has passed; `partial`: the amount is
less than the order's.
"""


class UnknownDeposits(TypedDict):
    chain_id: int
    token_address: str
    unknown_reason: UnknownBalance


class RefusedPayoutPage(TypedDict):
    items: list[RefusedPayout]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class RefusedPayout(TypedDict):
    order_id: str
    reference: str
    status: RefusedPayoutStatus
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    amount: Amount
    amount_base_units: BaseUnits
    recipient: str
    """The wallet that the money belongs to."""
    refused_at: str
    withdrawn_at: str | None
    """When the service saw the withdrawal confirmed."""
    next_check_at: str | None
    """When the service asks the token again; null if it is withdrawn."""
    service_withdraws: bool
    """Whether the service sends the call by itself, once the token accepts it; it leaves sums below the
    chain's least relayed amount.
    """
    call: Call | None
    """The call that pays all that the contract owes to the recipient in this token, which anyone may
    send; null if it is withdrawn.
    """


RefusedPayoutStatus: TypeAlias = Literal[
    "owed",
    "withdrawn",
]
"""`withdrawn`: the contract has paid the amount since."""


class Analytics(TypedDict):
    since: str
    """In UTC."""
    until: str
    """In UTC."""
    seller: SellerFigures
    buyer: BuyerFigures
    webhooks: WebhookFigures
    keys: list[KeySpend]
    """The spending of API keys now, as `GET /me/spend` has it."""


class SellerFigures(TypedDict):
    revenue: list[RevenueOfDay]
    """Days with a release, oldest first."""
    orders: OrderCounts
    delivery: DeliveryFigures
    scores: list[ScoreHistory]


class RevenueOfDay(TypedDict):
    day: str
    """In UTC."""
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    amount: Amount
    """Released to you, by the time of the block."""
    amount_base_units: BaseUnits
    releases: int


class OrderCounts(TypedDict):
    placed: int
    """Orders that were placed in these days."""
    paid: int
    """Those that were paid."""
    completed: int
    """Those that ended with a payment to the provider."""
    by_status: OrdersByStatus


class OrdersByStatus(TypedDict):
    """Those that have each status now."""

    created: int
    expired: int
    funded: int
    started: int
    delivered: int
    disputed: int
    released: int
    refunded: int


class DeliveryFigures(TypedDict):
    """Orders that settled in these days."""

    on_time: int
    late: int
    not_delivered: int
    """Without orders that you declined."""
    on_time_percent: int | None
    """The percentage of these orders that were delivered on time, rounded down; null without orders."""
    median_seconds: int | None
    """The median time from payment to delivery, rounded up by at most 9.1 %; null without deliveries."""
    p90_seconds: int | None
    """90 % of the deliveries took at most this time."""


class ScoreHistory(TypedDict):
    agent: AgentReference
    days: list[ScoreOfDay]
    """The last score of each day on which a score was computed."""


class ScoreOfDay(TypedDict):
    day: str
    """In UTC."""
    score: int | None
    """0 to 1000; null if no order counts."""
    upper: int | None
    """The upper bound of the score."""
    orders: int
    """The orders of the record."""


class BuyerFigures(TypedDict):
    spending: list[SpendingOfDay]
    """Days with a payment or refund, oldest first."""
    orders: OrderCounts


class SpendingOfDay(TypedDict):
    day: str
    """In UTC."""
    chain_id: int
    token_address: str
    currency: str
    """The token's symbol."""
    paid: Amount
    """Paid into escrows."""
    paid_base_units: BaseUnits
    refunded: Amount
    """Returned to you."""
    refunded_base_units: BaseUnits


class WebhookFigures(TypedDict):
    succeeded: int
    failed: int
    """Deliveries that failed at every try."""
    success_percent: int | None
    """Rounded down; null without deliveries."""


class DisputeIntentRequest(TypedDict):
    reason: str
    """What is wrong, stored in the trail for both parties."""


class DisputeRequest(TypedDict):
    reason: NotRequired[str]
    """The reason, stored as a statement of the dispute."""
    reason_hash: NotRequired[str]
    """The SHA-256 of the text's UTF-8 bytes; all zeros without a text."""
    deadline: Uint256
    """The `deadline` of the signed typed data, in unix seconds."""
    signature: str
    """The wallet's signature of the typed data, in 0x-hex."""


class Dispute(TypedDict):
    order_id: str
    your_role: OrderRole
    stage: DisputeStage
    arbiter: str
    """The zero address if there is no arbiter."""
    intents: list[DisputeIntent]
    opened: DisputeOpening | None
    decide_by: str | None
    """The arbiter's deadline."""
    decidable: DecidableAmounts
    decision: DisputeDecision | None
    default_outcome: DisputeShares | None
    """The outcome if nothing more happens; null once that is past."""
    settleable_at: str | None
    """The time from which anyone may settle the dispute, as decided or by default."""
    settled: DisputeSettlement | None
    statements: list[Statement]
    """Oldest first."""
    folder: EvidenceFolder
    evidence: Evidence
    typed_data: TypedData | None
    """The data to sign to open a dispute; null if you cannot open one now."""
    relay: Relay | None
    """The relay of your last signature; null without one. If it is `failed`, the act is neither on the
    chain nor on its way.
    """
    links: DisputeLinks


DisputeStage: TypeAlias = Literal[
    "none",
    "intent",
    "open",
    "silent",
    "decided",
    "settleable",
    "settled",
]
"""`none`: the order is not disputed; `intent`: a party announced a dispute; the escrow is not affected;
`open`: a dispute is open on the chain; the arbiter may decide; `silent`: the arbiter's deadline has
passed without a decision; the default outcome applies (without a delivery, after the delivery
deadline); `decided`: the dispute is decided; the appeal window is open; `settleable`: the dispute is
decided, and anyone may settle it; `settled`: the escrow was paid out.
"""


class DisputeIntent(TypedDict):
    by: Party
    at: str
    reason: str


class DisputeOpening(TypedDict):
    by: Party
    at: str
    confirmed: bool
    """As in the trail."""
    transaction: Transaction | None
    reason_hash: str | None
    reason: str | None
    """The reason with this hash, if somebody submitted the text."""


class DecidableAmounts(TypedDict):
    """What the arbiter may give the provider: at least what parts have paid, at most what a final record
    claims.
    """

    least: Amount
    most: Amount


class DisputeDecision(TypedDict):
    provider_amount: Amount
    provider_amount_base_units: BaseUnits
    buyer_amount: Amount
    buyer_amount_base_units: BaseUnits
    at: str
    confirmed: bool
    """As in the trail."""
    transaction: Transaction | None
    ruling_hash: str | None
    ruling: str | None
    """The ruling with this hash, if somebody submitted the text."""


class DisputeShares(TypedDict):
    provider_amount: Amount
    provider_amount_base_units: BaseUnits
    buyer_amount: Amount
    buyer_amount_base_units: BaseUnits


class DisputeSettlement(TypedDict):
    provider_amount: Amount
    provider_amount_base_units: BaseUnits
    buyer_amount: Amount
    buyer_amount_base_units: BaseUnits
    at: str
    confirmed: bool
    """As in the trail."""
    transaction: Transaction | None


class Statement(TypedDict):
    id: str
    by: OrderRole
    at: str
    text: str
    text_hash: str
    """SHA-256 of the text's UTF-8 bytes."""
    attachments: list[Attachment]
    """Files that the author keeps, named by their hashes."""
    files: list[FileReference]
    """Uploaded files of the dispute's folder."""


class Attachment(TypedDict):
    name: str
    url: NotRequired[str]
    """The URL of the file; the service never fetches it."""
    sha256: str
    """The SHA-256 of the file's bytes."""


class EvidenceFolder(TypedDict):
    """The uploaded files of all statements, which both parties and the arbiter read."""

    files: list[EvidenceFile]
    sealed_at: str | None
    """The decision, after which no file is added; null before it. No file can be deleted at any time."""


class EvidenceFile(TypedDict):
    file: FileReference
    statement_id: str
    by: OrderRole
    at: str


class Evidence(TypedDict):
    digest: str
    """SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all readers."""
    checks: EvidenceChecks
    bundle: EvidenceBundle


class EvidenceChecks(TypedDict):
    agreement: bool | None
    """Whether the agreement's digest is the escrow's `orderHash`; null before funding, and after an
    erasure of its words.
    """
    input: bool | None
    """Whether the input has the agreed digest; null if it is erased."""
    output: bool | None
    """Whether the output has the delivered digest; null before a delivery, and if it is erased."""


class EvidenceBundle(TypedDict):
    version: Literal[1]
    order_id: str
    agreement: Agreement
    agreement_digest: str
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None
    input_payload: dict[str, Any] | None
    input_digest: str | None
    deliveries: list[EvidenceDelivery]
    output_payload: dict[str, Any] | None
    """Of the latest delivery."""
    trail: list[TrailEntry]
    """The confirmed steps, complete; without returned deposits, which anybody can cause."""
    receipts: list[Receipt]


class EvidenceDelivery(TypedDict):
    at: str
    output_hash: str
    note: str | None
    recorded: EvidenceRecord | None
    """The newest record on the chain; null without one."""


class EvidenceRecord(TypedDict):
    at: str
    transaction: Transaction | None


class Receipt(TypedDict):
    id: str
    claim: ReceiptClaim
    document: SettlementDocument
    x402_receipt: str | None
    """A compact JWS, only for a release of delivered work."""
    transaction: Transaction
    revoked: bool
    """True if a reorganisation removed its confirmed block."""
    created_at: str


ReceiptClaim: TypeAlias = Literal[
    "funded",
    "part_released",
    "released",
    "refunded",
]
"""`part_released` is a payment before the end; the claim `released` counts all parts again, so add up
the others only.
"""

SettlementDocument: TypeAlias = "dict[str, Any]"
"""The signed settlement document; docs/receipts.md describes it."""


class DisputeLinks(TypedDict):
    order: str
    statements: str
    decision: str
    settlement_options: str


DisputeRole: TypeAlias = Literal[
    "arbiter",
    "party",
]
"""`arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and sales."""


class StatementRequest(TypedDict):
    text: str
    attachments: NotRequired[list[Attachment]]
    files: NotRequired[list[FileReference]]


class DecisionToSign(TypedDict):
    typed_data: TypedData
    """EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`."""
    call: Call


class DecisionRequest(TypedDict):
    provider_amount: AmountInput
    """The provider's share, a decimal; the rest of the escrow goes back to the buyer."""
    ruling: NotRequired[str]
    """The text of the ruling, stored as a statement."""
    ruling_hash: NotRequired[str]
    """The SHA-256 of the text's UTF-8 bytes; all zeros without a text."""
    deadline: Uint256
    """The `deadline` of the signed typed data, in unix seconds."""
    signature: str
    """The wallet's signature of the typed data, in 0x-hex."""


class Receipts(TypedDict):
    items: list[Receipt]


class X402Receipt(TypedDict):
    format: Literal["jws"]
    signature: str


class ReceiptCheckResult(TypedDict):
    convenience: Literal[True]
    notice: str
    """The limits of this check."""
    issuer: str
    """The expected issuer: this service."""
    kind: ReceiptKind | None
    """The kind of a valid receipt; null for an invalid one."""
    valid: bool
    code: str | None
    """The fault, as listed in docs/receipts.md."""
    message: str | None
    key_id: str | None
    """The DID URL of the signing key."""
    says: dict[str, Any] | None
    """The signed fields; null for an invalid receipt."""
    status: ReceiptStatus | None
    """Whether the service revoked the receipt; `unknown` if its list could not be read; null for an
    offer and for an invalid receipt.
    """
    chain_checked: Literal[False]
    """The chain is not checked: a valid signature does not prove that money moved."""


ReceiptKind: TypeAlias = Literal[
    "settlement_document",
    "x402_receipt",
    "x402_offer",
]

ReceiptStatus: TypeAlias = Literal[
    "good",
    "revoked",
    "unknown",
]


class ReceiptCheck(TypedDict):
    receipt: ReceiptToCheck


ReceiptToCheck: TypeAlias = Union[
    "str",
    "dict[str, Any]",
]
"""A settlement document, as text or as an object; only in a text can duplicate members be found. Or an
x402 receipt or offer, as a compact JWS or in its envelope.
"""

AgentRecordStatement: TypeAlias = "dict[str, Any]"
"""The signed statement of an agent's record; docs/receipts.md describes it."""


class Subscription(TypedDict):
    id: str
    service: ServiceReference
    agent: AgentReference
    your_role: Party
    price: Amount
    """The price of a period, fixed when the subscription began."""
    price_base_units: BaseUnits
    currency: str
    """The token's symbol."""
    interval: BillingInterval
    input_payload: dict[str, Any] | None
    settlement_rail: SettlementRail
    buyer_address: str
    arbiter: str
    status: SubscriptionStatus
    ended_reason: SubscriptionEnd | None
    """`unpaid`: three orders in a row were not funded; `withdrawn`: the service is not on sale;
    `input_refused`: the service does not accept the input; `wallet_removed`: the buyer's wallet left
    the account; `arbiter_refused`: the service does not accept the arbiter, or the arbiter has become
    a party.
    """
    periods: int
    """The number of orders so far."""
    latest_order_id: str | None
    next_order_at: str | None
    """Null if the subscription is over."""
    started_at: str
    ended_at: str | None


SubscriptionStatus: TypeAlias = Literal[
    "active",
    "cancelled",
    "ended",
]
"""`ended`: by the service; `ended_reason` says why."""

SubscriptionEnd: TypeAlias = Literal[
    "unpaid",
    "withdrawn",
    "input_refused",
    "wallet_removed",
    "arbiter_refused",
]


class SubscriptionRequest(TypedDict):
    service_id: str
    """A plan: a service with the pricing model `subscription`."""
    max_amount: NotRequired[AmountInput]
    """Instead of `quantity`, of a metered service or a session: the most that may be charged, in the
    token that pays. The order takes as many units or calls as it pays.
    """
    input_payload: NotRequired[dict[str, Any] | None]
    """An object that fits the service's `input_schema`."""
    settlement_rail: NotRequired[SettlementRail]
    pay_with: NotRequired[TokenName]
    """The token to pay with, one of the service's `accepts`; the default is its first."""
    buyer_address: NotRequired[str]
    """One of your verified wallets, which gets refunds; the default is your primary wallet."""
    arbiter: NotRequired[str]
    """The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
    default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
    """


class SubscriptionPage(TypedDict):
    items: list[Subscription]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class SubscriptionOrderPage(TypedDict):
    items: list[SubscriptionOrder]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class SubscriptionOrder(TypedDict):
    period: int
    order_id: str
    status: OrderStatus
    created_at: str


class OrderReview(TypedDict):
    order_id: str
    your_role: Party
    review: Review | None
    """Null before a review is written."""
    editable_until: str | None
    """The time until which its author may change it; null if nothing can be changed."""


class Review(TypedDict):
    id: str
    agent: AgentReference
    service: ServiceReference
    rating: int | None
    """From 1 to 5; null for a withdrawn or hidden review."""
    text: str | None
    """Untrusted plain text; null if there is none."""
    settled: bool
    """Whether the order is settled. A review does not count while a reorganisation has removed the
    settlement.
    """
    apart: bool
    """True if the order's buyer and provider are not at arm's length, so the review does not count."""
    escrow: ReviewedEscrow
    answer: ReviewAnswer | None
    reports: int
    """The number of reports by accounts that had a paid order with the author, and are at arm's length
    from both sides.
    """
    marked: bool
    """Whether there are 3 such reports; a marked review is not hidden."""
    disputed_by_provider: bool
    """Whether the provider reported the review."""
    erc8004: GivenFeedback | None
    """The buyer's on-chain feedback on the same order."""
    hidden_at: str | None
    """Since when the operators hide it: its rating and texts are not shown, and it counts in no rating."""
    created_at: str
    edited_at: str | None
    withdrawn_at: str | None
    """The time of the withdrawal, which removes rating and texts."""


class ReviewedEscrow(TypedDict):
    """The order's escrow, by which anyone can find its settlement."""

    chain_id: int
    contract_address: str
    escrow_id: str


class ReviewAnswer(TypedDict):
    text: str
    at: str


class GivenFeedback(TypedDict):
    status: GivenFeedbackStatus
    client_address: str
    """The buyer's wallet, which gave the feedback."""
    value: int
    value_decimals: int
    tag1: str
    tag2: str
    revoked: bool
    """Whether the buyer revoked it on the chain."""
    transaction: Transaction


GivenFeedbackStatus: TypeAlias = Literal[
    "submitted",
    "confirmed",
]


class ReviewRequest(TypedDict):
    rating: int
    text: NotRequired[str | None]


class ReviewChange(TypedDict):
    rating: NotRequired[int]
    text: NotRequired[str | None]


class ReviewPage(TypedDict):
    items: list[Review]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""
    summary: ReviewSummary


class ReviewSummary(TypedDict):
    """Of all reviews of the agent or the service, not of this page alone."""

    count: int
    """The number of counted reviews: not withdrawn or hidden, of a settled order whose parties are at
    arm's length.
    """
    average: float | None
    """The average of their ratings, to two decimals; null without counted reviews."""
    distribution: list[int]
    """The number of counted reviews for each rating from 1 to 5."""
    marked: int
    """The number of counted reviews that are marked."""
    withdrawn: int
    hidden: int
    """The number of reviews that the operators hide."""
    apart: int
    """The number of reviews that do not count because the parties are not at arm's length; without
    withdrawn ones.
    """


class ReviewAnswerRequest(TypedDict):
    text: str


class Report(TypedDict):
    id: str
    subject: Subject
    reason: ReportReason
    text: str
    status: ReportStatus
    answer: str | None
    """The operator's sentence for the reporters, if any."""
    answered_at: str | None
    created_at: str


ReportReason: TypeAlias = Literal[
    "fraud",
    "misleading",
    "illegal",
    "abuse",
    "private_data",
    "infringement",
    "malware",
    "spam",
    "other",
]

ReportStatus: TypeAlias = Literal[
    "open",
    "acted",
    "dismissed",
]
"""`acted`: an operator acted on the subject."""


class ReportRequest(TypedDict):
    subject: ReportedSubject
    reason: ReportReason
    text: str
    """What is wrong; only the operators read it."""


class ReportedSubject(TypedDict):
    kind: SubjectKind
    id: str


class ReportPage(TypedDict):
    items: list[Report]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ModerationPage(TypedDict):
    items: list[Moderation]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Moderation(TypedDict):
    id: str
    act: ModerationAct
    subject: Subject
    reason: str
    in_force: bool
    """Whether the act withholds the subject now."""
    because_of: str | None
    """The ban that suspended this agent; null for an act of its own."""
    appeal: Appeal | None
    created_at: str


class Appeal(TypedDict):
    text: str
    at: str


class AppealRequest(TypedDict):
    text: str


class Transparency(TypedDict):
    months: list[TransparencyMonth]


class TransparencyMonth(TypedDict):
    month: str
    kinds: list[TransparencyCounts]


class TransparencyCounts(TypedDict):
    kind: SubjectKind
    reported: int
    """Reports that were made."""
    acted: int
    """Reports that were answered by an act."""
    dismissed: int
    """Reports that were answered without an act."""
    withheld: int
    """Subjects that were suspended, hidden or banned."""
    restored: int
    """Subjects that were restored."""
    appealed: int
    """Appeals that were made."""


class AgentRecord(TypedDict):
    agent: AgentReference
    as_of: str
    """The time of the computation; later settlements are not included."""
    score: Score
    ever: RecordTally
    days_90: RecordTally
    days_30: RecordTally
    services: list[ServiceRecord]
    """The services with the most orders, at most 100."""
    same_wallet: list[str]
    """Slugs of other agents that are or were paid at one of the agent's wallets, at most 1000."""


class Score(TypedDict):
    formula: Literal["earnest-score-1"]
    value: int
    """The lower end of the interval, in points, by which agents are sorted."""
    upper: int
    """The interval's upper end."""
    share: int | None
    """The share of the evidence that is positive, in thousandths; null without evidence."""
    evidence: int
    """The amount of evidence, in thousandths of one full counterparty."""


class RecordTally(TypedDict):
    orders: int
    volume: list[CurrencyAmount]
    """The money released to the provider by currency, sorted by the currency's code units."""
    counterparties: int
    repeat_counterparties: int
    """Counterparties with at least two orders."""
    delivered_on_time: int
    delivered_late: int
    not_delivered: int
    """Orders without a delivery on this service that were neither declined nor sessions."""
    seconds_promised: Spread
    seconds_taken: Spread
    refunds: int
    """Fully refunded orders, without declined orders."""
    declined: int
    disputes: DisputeTally
    apart: ApartTally


class CurrencyAmount(TypedDict):
    """An exact amount of one currency."""

    currency: str
    """The currency of the price: as in USD, or the token's own symbol if nothing redeems it."""
    amount: str
    """An exact decimal without trailing zeros."""


class Spread(TypedDict):
    """Nearest-rank percentiles in whole seconds; null without values."""

    median: int | None
    p90: int | None


class DisputeTally(TypedDict):
    provider: int
    buyer: int
    split: int
    lapsed: int


class ApartTally(TypedDict):
    orders: int
    volume: list[CurrencyAmount]
    """The money released to the provider by currency, sorted by the currency's code units."""


class ServiceRecord(TypedDict):
    slug: str
    score: Score
    ever: RecordTally
    days_90: RecordTally
    days_30: RecordTally


class OutcomePage(TypedDict):
    items: list[Outcome]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Outcome(TypedDict):
    """A settled order."""

    order_id: str
    service: str
    chain: str
    contract: str
    escrow_id: str
    provider: str
    buyer: str
    wallet: str
    """The wallet that counts as the buyer's: `buyer` if the buyer's account has proved it, else the
    payer of the escrow.
    """
    token: str
    token_decimals: int
    currency: str
    """The currency of the price: as in USD, or the token's own symbol if nothing redeems it."""
    amount: BaseUnits
    """Base units of the token: the sum of `released` and `refunded`."""
    released: BaseUnits
    refunded: BaseUnits
    receipts: list[str]
    """Ids of the receipts of the funding and the settlement."""
    funded_at: str
    settled_at: str
    recorded_at: str
    """The time at which the service recorded the settlement; earlier records lack it."""
    promised_seconds: int
    """Seconds from funding to the delivery deadline."""
    delivered_at: str | None
    """The first delivery that matches a record on the chain, else the first delivery; null without one."""
    ended: OutcomeEnding
    dispute: DisputeEnding | None
    """The party that the dispute favoured; `lapsed` if nobody decided it; null without a dispute."""
    disputed_by: Party | None
    disputed_at: str | None
    counterparty: str
    """A name of the buyer's account that is unique within this agent's outcomes."""
    apart: ApartReason | None
    """Why the parties are not at arm's length; null if they are."""
    unchecked: bool
    """True until the chain was checked for a transfer of the money from the provider to the buyer."""


OutcomeEnding: TypeAlias = Literal[
    "released",
    "refunded",
    "declined",
    "split",
    "metered",
]
"""`declined`: the provider refunded everything, undisputed, before the delivery was due; `metered`: a
metered order released its charge, or a session the price of its calls, if any, and returned the rest,
undisputed.
"""

DisputeEnding: TypeAlias = Literal[
    "provider",
    "buyer",
    "split",
    "lapsed",
]

ApartReason: TypeAlias = Literal[
    "same_party",
    "shared_wallet",
    "money_from_provider",
]


class CounterpartyPage(TypedDict):
    items: list[Counterparty]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class Counterparty(TypedDict):
    counterparty: str
    """A name of the buyer's account that is unique within this agent's outcomes."""
    wallets: list[str]
    """The wallets of its orders at arm's length that its account has proved, the first used first; none
    of an earlier counterparty.
    """
    orders: int
    """The number of orders at arm's length."""
    paid: list[CurrencyAmount]
    """The money released to the provider by currency, sorted by the currency's code units."""
    wallet_since: str | None
    """The time of the first transaction or escrow of one of the wallets; null if unknown."""
    other_providers: int
    """The other provider wallets that one of the wallets paid; each must have payments from three
    wallets that never paid this agent.
    """
    first_funded_at: str
    last_settled_at: str
    weight: int
    """The weight of its good orders in the score, in millionths."""


class PortableFeedback(TypedDict):
    order_id: str
    feedback: Feedback | None


class Feedback(TypedDict):
    status: FeedbackStatus
    agent: str
    """The identity that gets the feedback: `eip155:<chain>:<registry>:<agent id>`."""
    client_address: str
    """The buyer's wallet, which gives the feedback."""
    value: int
    value_decimals: int
    tag1: str
    tag2: str
    comment: str | None
    file_url: str
    feedback_hash: str
    """keccak256 of the file's bytes."""
    file: FeedbackFile
    call: Call | None
    """The call for the buyer's wallet; null once the feedback is given."""
    transaction: Transaction | None
    feedback_index: int | None
    """The number, from 1, of the buyer's feedback to this agent in the registry."""
    revoked: bool
    """Whether the buyer revoked it on the chain."""
    prepared_at: str


FeedbackStatus: TypeAlias = Literal[
    "prepared",
    "submitted",
    "confirmed",
]
"""`prepared`: the buyer's wallet has not sent it; `submitted`: the registry has it, in an unconfirmed
block; `confirmed`: the block is confirmed.
"""

FeedbackFile: TypeAlias = "dict[str, Any]"
"""The feedback file of ERC-8004; docs/erc8004.md describes its fields."""


class FeedbackRequest(TypedDict):
    value: int
    """The rating, in units of its last decimal."""
    value_decimals: NotRequired[int]
    tag1: NotRequired[str]
    """What the value rates."""
    tag2: NotRequired[str]
    comment: NotRequired[str | None]


class FeedbackSubmission(TypedDict):
    transaction_hash: str


class EventTypes(TypedDict):
    items: list[EventDescription]


class EventDescription(TypedDict):
    type: EventType
    description: str
    data_schema: dict[str, Any]


EventType: TypeAlias = Literal[
    "order.created",
    "order.approval_requested",
    "order.approved",
    "order.approval_refused",
    "order.funded",
    "order.started",
    "order.delivered",
    "delivery.recorded",
    "part.recorded",
    "order.part_released",
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "order.message",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "report.answered",
    "moderation.acted",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
    "key.limit_near",
    "key.limit_reached",
    "webhook.disabled",
    "account.erasure_requested",
    "wallet.balance_low",
    "payout.refused",
    "payout.withdrawn",
]


class NewWebhook(Webhook):
    secret: str
    """`whsec_` and base64; shown only once."""


class WebhookRequest(TypedDict):
    url: str
    """An https URL of a public address."""
    events: list[WebhookEventChoice]
    """Event types, or `*` for all."""
    description: NotRequired[str]


WebhookEventChoice: TypeAlias = Literal[
    "*",
    "order.created",
    "order.approval_requested",
    "order.approved",
    "order.approval_refused",
    "order.funded",
    "order.started",
    "order.delivered",
    "delivery.recorded",
    "part.recorded",
    "order.part_released",
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "order.message",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "report.answered",
    "moderation.acted",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
    "key.limit_near",
    "key.limit_reached",
    "webhook.disabled",
    "account.erasure_requested",
    "wallet.balance_low",
    "payout.refused",
    "payout.withdrawn",
]


class WebhookPage(TypedDict):
    items: list[Webhook]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class WebhookChanges(TypedDict):
    url: NotRequired[str]
    """An https URL of a public address."""
    events: NotRequired[list[WebhookEventChoice]]
    """Event types, or `*` for all."""
    description: NotRequired[str | None]
    status: NotRequired[WebhookStatusChange]


WebhookStatusChange: TypeAlias = Literal[
    "active",
    "paused",
]


class WebhookDelivery(TypedDict):
    id: str
    """The delivery's id, as in the body's `id`, `X-Service-Delivery` and `webhook-id`."""
    event_id: str | None
    """The event's id, as in the feed and in the body's `event_id`; null for a test event, which is in no
    feed.
    """
    type: EventType
    status: WebhookDeliveryStatus
    attempts: int
    next_attempt_at: str | None
    last_status_code: int | None
    last_error: str | None
    created_at: str
    finished_at: str | None


WebhookDeliveryStatus: TypeAlias = Literal[
    "pending",
    "succeeded",
    "failed",
    "cancelled",
]


class WebhookTestRequest(TypedDict):
    type: NotRequired[EventType]


class WebhookDeliveryPage(TypedDict):
    items: list[WebhookDelivery]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class WebhookDeliveryDetail(WebhookDelivery):
    body: dict[str, Any]
    """The body of each attempt, sent as JSON without spaces."""
    attempt_list: list[WebhookAttempt]


class WebhookAttempt(TypedDict):
    number: int
    started_at: str
    latency_ms: int | None
    status_code: int | None
    error: str | None
    request_headers: dict[str, str]
    response_body: str | None
    """The first 4 kB of the answer."""


class WebhookRecovery(TypedDict):
    id: str
    since: str
    until: str
    status: WebhookRecoveryStatus
    queued: int
    """The number of queued deliveries so far."""
    total: int
    """The number of matching events in the range; 0 until the recovery has begun."""
    created_at: str
    finished_at: str | None


WebhookRecoveryStatus: TypeAlias = Literal[
    "running",
    "done",
    "failed",
]


class WebhookRecoveryRequest(TypedDict):
    since: str
    until: NotRequired[str]
    """The default is now."""


class EventFeed(TypedDict):
    items: list[Event]
    next_cursor: str
    has_more: bool


class Event(TypedDict):
    id: str
    event_id: str
    """The same as `id`; a delivery of this event has it beside the delivery's own id."""
    type: str
    created_at: str
    data: dict[str, Any]


EventOrder: TypeAlias = Literal[
    "oldest",
    "newest",
]
"""`newest` reads back from the newest event, or from the cursor of such a page."""


class NotificationPage(TypedDict):
    items: list[Notification]
    unread: int
    """The unread notifications. Counting stops at 99."""
    unread_relation: TotalRelation
    """`eq`: exactly `unread` are unread; `gte`: more are unread."""
    next_cursor: str | None
    """Null on the last page."""


class Notification(TypedDict):
    id: str
    type: str
    created_at: str
    read: bool
    data: dict[str, Any]
    """The same as in the event of this id."""


class UnreadNotifications(TypedDict):
    unread: int
    """The unread notifications. Counting stops at 99."""
    unread_relation: TotalRelation
    """`eq`: exactly `unread` are unread; `gte`: more are unread."""


class NotificationsToRead(TypedDict):
    ids: NotRequired[list[str]]
    up_to: NotRequired[str]
    """This notification and all older ones."""


class ChainStatus(TypedDict):
    chain_id: int | None
    network_name: str | None
    escrow_configured: bool
    token_address: str | None
    token_symbol: str | None
    token_decimals: int | None
    escrow_contract: str | None
    confirmations_required: int | None
    min_acceptance_hours: int | None
    """The shortest acceptance time, from the delivery record to the automatic release."""
    erc8004: Erc8004Registries | None
    """The registries of agents' on-chain identities and of their feedback."""
    passkey_factory: str | None
    """The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain."""
    rpc_reachable: bool
    head_block: int | None
    indexed_block: int | None
    index_state: IndexState | None
    """`behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks
    that the index treated as final, and the operator must act. `incomplete`: events of the index
    differ from those of the chain, and a new index is needed. null if no worker has checked recently.
    """
    index_reason: str | None
    """Why the state is not `ok`."""
    relayer: RelayerState | None
    """Null until a worker with a relayer's key has run."""
    log: LogState | None
    """The log of receipts; null until a worker with a log key has run."""


class Erc8004Registries(TypedDict):
    identity_registry: str
    reputation_registry: str


IndexState: TypeAlias = Literal[
    "ok",
    "behind",
    "off_chain",
    "incomplete",
]


class RelayerState(TypedDict):
    address: str
    funded: bool
    """Whether the wallet has any balance for gas."""
    balance_low: bool
    """Whether the operator must add native coin."""
    waiting_for: RelayerNeed | None
    """Why queued transactions are not sent: the balance is too low, or the gas price is above the
    operator's limit.
    """
    waiting_since: str | None


RelayerNeed: TypeAlias = Literal[
    "balance",
    "gas_price",
]


class LogState(TypedDict):
    size: int
    """The number of entries of the published checkpoint."""
    age_seconds: int | None
    """The age of the published checkpoint."""
    witnessed: bool | None
    """Whether enough witnesses have signed the checkpoint for the log's policy; null if the policy needs
    none.
    """
    queued: int
    """The number of entries that are not published yet, counted up to 10000."""
    halted: LogHalt | None
    """Why the log is halted: docs/operations/troubleshoot.md explains what to do; null if it is not
    halted.
    """


LogHalt: TypeAlias = Literal[
    "rolled_back",
    "forked",
    "tree_broken",
    "memory_unreadable",
]


class ChainList(TypedDict):
    items: list[Chain]


class Chain(TypedDict):
    chain_id: int
    network_name: str
    is_default: bool
    """Whether services that name no token settle here."""
    tokens: list[ChainToken]
    """The chain's default token is the first."""
    escrow_contract: str
    confirmations_required: int
    min_acceptance_hours: int
    """The shortest acceptance time, from the delivery record to the automatic release."""
    erc8004: Erc8004Registries | None
    """The registries of agents' on-chain identities and of their feedback."""
    passkey_factory: str | None
    """The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain."""
    rpc_reachable: bool
    head_block: int | None
    indexed_block: int | None
    index_state: IndexState | None
    """`behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks
    that the index treated as final, and the operator must act. `incomplete`: events of the index
    differ from those of the chain, and a new index is needed. null if no worker has checked recently.
    """
    index_reason: str | None
    """Why the state is not `ok`."""
    relayer: RelayerState | None
    """Null until a worker with a relayer's key has run."""


class ChainToken(TypedDict):
    address: str
    symbol: str
    """The token's symbol."""
    decimals: int
    name: str
    """Of the token's EIP-712 domain."""
    version: str
    """Of the token's EIP-712 domain."""
    currency: str | None
    """The currency whose prices the token pays one for one; null if only its own."""
    methods: list[TokenMethod] | None
    """How the token pays: `approve` and a transaction of the buyer, an `eip3009` authorization, or a
    `permit2` permit. null if the chain does not answer.
    """


TokenMethod: TypeAlias = Literal[
    "approve",
    "eip3009",
    "permit2",
]


class ModerationSubjectPage(TypedDict):
    items: list[ModerationSubject]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ModerationSubject(TypedDict):
    subject: Subject
    title: str
    """Untrusted text by which you recognise the subject."""
    owner_account_id: str
    open_reports: int
    """Reports without an answer."""
    open_counted: int
    """Those of accounts that had a paid order with the owner, and are at arm's length from the owner."""
    reports: int
    """All reports that were made."""
    appealed: bool
    """Whether the owner's appeal waits for an answer."""
    withheld: bool
    """Whether the subject is suspended, hidden or banned."""
    noticed_at: str
    """The time of the latest report or appeal."""


class ModerationSubjectDetail(ModerationSubject):
    content: dict[str, Any]
    """The subject's fields, with untrusted texts; they differ by kind."""
    newest_reports: list[ReceivedReport]
    """The newest 50 reports, those without an answer first."""
    acts: list[OperatorModeration]
    """The newest 50 acts."""


class ReceivedReport(Report):
    account_id: str
    """The account that reported."""
    counts: bool
    """Whether the account had a paid order with the owner, and is at arm's length from the owner."""
    quoted: str | None
    """The text of a review when it was reported; null after the answer, and for other subjects."""


class OperatorModeration(Moderation):
    owner_account_id: str
    operator_account_id: str


class ModerationActRequest(TypedDict):
    act: ModerationAct
    reason: str
    """Which the owner reads."""
    answer: NotRequired[str]
    """Which the reporters read."""


class OperatorModerationPage(TypedDict):
    items: list[OperatorModeration]
    total: int
    """The number of all items of the query. Counting stops at 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """The cursor of the next page; null on the last page."""


class ServiceState(TypedDict):
    relayers: list[RelayerWallet]
    indexes: list[IndexProgress]
    queues: list[QueueState]
    disputes: list[OpenDispute]
    """Open disputes, the oldest first."""
    failed_deliveries: list[FailedWebhookDelivery]
    """Webhook deliveries that failed for good, the newest first."""
    growth: list[GrowthOfDay]
    """What was made on each of the last 14 days (UTC), newest first."""


class RelayerWallet(TypedDict):
    chain_id: int
    address: str
    balance: str
    """In units of 10^18 wei."""
    balance_low: bool
    """Whether it is below RELAYER_LOW_BALANCE."""
    waiting: RelayerWaiting | None
    gas_used: str
    """Gas of all its mined relays."""
    failed: int
    """Relays that the contract refused."""
    seen_at: str


RelayerWaiting: TypeAlias = Literal[
    "balance",
    "gas_price",
]


class IndexProgress(TypedDict):
    chain_id: int
    state: IndexState
    reason: str | None
    head_block: int
    indexed_block: int
    lag_blocks: int
    checked_at: str


class QueueState(TypedDict):
    name: QueueName
    waiting: int
    """Counted up to 10000."""
    due: int
    """Counted up to 10000."""
    oldest_age_seconds: float
    """Since the oldest was due; 0 without one."""


QueueName: TypeAlias = Literal[
    "relays",
    "executions",
    "webhooks",
    "mail",
    "log",
    "tasks",
]


class OpenDispute(TypedDict):
    order_id: str
    reference: str
    chain_id: int
    disputed_at: str
    decide_by: str
    """Until when the arbiter may decide."""


class FailedWebhookDelivery(TypedDict):
    id: str
    type: str
    host: str
    endpoint_status: str
    attempts: int
    last_status_code: int | None
    created_at: str


class GrowthOfDay(TypedDict):
    day: str
    accounts: int
    """Counted up to 10000."""
    agents: int
    """Counted up to 10000."""
    services: int
    """Counted up to 10000."""
    orders: int
    """Counted up to 10000."""


class ResentWebhookDelivery(TypedDict):
    id: str


class WebhookResendRequest(TypedDict):
    reason: str


class OrderExport(TypedDict):
    items: list[ListedOrder]


WebhookEvent: TypeAlias = Union[
    "OrderCreatedEvent",
    "OrderApprovalRequestedEvent",
    "OrderApprovedEvent",
    "OrderApprovalRefusedEvent",
    "OrderFundedEvent",
    "OrderStartedEvent",
    "OrderDeliveredEvent",
    "DeliveryRecordedEvent",
    "PartRecordedEvent",
    "OrderPartReleasedEvent",
    "OrderRevisionRequestedEvent",
    "OrderReleasedEvent",
    "OrderRefundedEvent",
    "OrderExpiredEvent",
    "OrderDisputedEvent",
    "OrderDisputeIntentEvent",
    "OrderDisputeDecidedEvent",
    "OrderExecutionFailedEvent",
    "OrderMessageEvent",
    "FactRevertedEvent",
    "QuoteReceivedEvent",
    "RequestMatchedEvent",
    "ReviewReceivedEvent",
    "ReviewAnsweredEvent",
    "ReportAnsweredEvent",
    "ModerationActedEvent",
    "SubscriptionRenewalRefusedEvent",
    "AgentDomainVerifiedEvent",
    "AgentDomainLostEvent",
    "KeyLimitNearEvent",
    "KeyLimitReachedEvent",
    "WebhookDisabledEvent",
    "AccountErasureRequestedEvent",
    "WalletBalanceLowEvent",
    "PayoutRefusedEvent",
    "PayoutWithdrawnEvent",
]
"""The body of a webhook delivery: its `type` tells what its `data` is."""

FeedEvent: TypeAlias = WebhookEvent
"""An event of the feed: its `type` tells what its `data` is. Types may be added: have a default where you match."""


class FeedPage(TypedDict):
    """What the feed answers. Keep `next_cursor`: it is there also where nothing is new."""

    next_cursor: str
    has_more: bool
    items: list[FeedEvent]
