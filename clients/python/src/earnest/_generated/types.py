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
    """The order in short, after this step."""

    id: str
    reference: str
    service_id: str
    agent_id: str
    status: OrderStatus
    your_role: OrderRole
    total_amount: Amount
    total_amount_base_units: BaseUnits
    currency: str
    arbiter: NotRequired[str]
    """Who decides a dispute, the zero address if nobody; older events do not tell it."""


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
    """False for what the chain said too recently to count; its id changes once it does."""
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
    """In a test event alone, which is of nothing that exists."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks


class OrderCreatedEvent(TypedDict):
    """An order was placed; its escrow is not funded yet."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.created"]
    created_at: str
    data: OrderEventData


class OrderApprovalRequestedEvent(TypedDict):
    """A key placed an order of more than it may spend by itself: it waits for an owner or admin; told to
    the buyer alone.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.approval_requested"]
    created_at: str
    data: OrderEventData


class OrderApprovedEvent(TypedDict):
    """An owner or admin approved an order, so that it can be paid; told to the buyer alone."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.approved"]
    created_at: str
    data: OrderEventData


class OrderApprovalRefusedEvent(TypedDict):
    """An owner or admin refused an order, so that the service takes no payment of it; told to the buyer
    alone.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.approval_refused"]
    created_at: str
    data: OrderEventData


class OrderFundedEvent(TypedDict):
    """The order's escrow was funded, and the chain has confirmed it."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.funded"]
    created_at: str
    data: OrderEventData


class OrderStartedEvent(TypedDict):
    """The provider began work."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.started"]
    created_at: str
    data: OrderEventData


class OrderDeliveredEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks
    acceptance_ends_at: str
    """Until when the buyer has to judge the delivery."""


class OrderDeliveredEvent(TypedDict):
    """The provider delivered; the acceptance window starts, and `acceptance_ends_at` says when it ends."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.delivered"]
    created_at: str
    data: OrderDeliveredEventData


RecordedDelivery: TypeAlias = Literal[
    "unmatched",
    "matched",
]
"""`matched`: a record on the chain has the output hash of a delivery made here; `unmatched`: none has,
and the service neither releases on it nor issues an x402 receipt.
"""


class DeliveryRecordedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    order: OrderSummary
    entry: TrailEntry
    links: OrderEventLinks
    delivery_record: RecordedDelivery


class DeliveryRecordedEvent(TypedDict):
    """The provider recorded a delivery on the chain, whose first record sets `auto_release_at`;
    `delivery_record` says whether it matches a delivery made here or is a bare claim.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["delivery.recorded"]
    created_at: str
    data: DeliveryRecordedEventData


class OrderRevisionRequestedEvent(TypedDict):
    """The buyer asked once for changes after a delivery; the order is in progress again, and its
    auto-release time does not move.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.revision_requested"]
    created_at: str
    data: OrderEventData


class OrderReleasedEvent(TypedDict):
    """The order completed, and the escrow was released to the provider."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.released"]
    created_at: str
    data: OrderEventData


class OrderRefundedEvent(TypedDict):
    """The escrow was returned to the buyer."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.refunded"]
    created_at: str
    data: OrderEventData


class OrderExpiredEvent(TypedDict):
    """The order was not funded within its window."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.expired"]
    created_at: str
    data: OrderEventData


class OrderDisputedEvent(TypedDict):
    """A dispute was opened on the chain."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.disputed"]
    created_at: str
    data: OrderEventData


class OrderDisputeIntentEvent(TypedDict):
    """A party signalled that it means to dispute, before any dispute on the chain."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.dispute_intent"]
    created_at: str
    data: OrderEventData


class OrderDisputeDecidedEvent(TypedDict):
    """The arbiter decided a dispute, before it settles."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.dispute_decided"]
    created_at: str
    data: OrderEventData


class FailedExecution(TypedDict):
    """What the service tried; the attempts themselves are listed."""

    id: str
    attempts: int
    reason: str
    is_revision: bool
    """Whether it was about changes that the buyer asked for."""


class ExecutionEventLinks(TypedDict):
    """Paths under the service's address."""

    order: str
    executions: str


class OrderExecutionFailedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    order: OrderSummary
    execution: FailedExecution
    links: ExecutionEventLinks


class OrderExecutionFailedEvent(TypedDict):
    """The endpoint of the provider's service did not deliver the order after all its tries; the provider
    may deliver it itself.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["order.execution_failed"]
    created_at: str
    data: OrderExecutionFailedEventData


class FactRevertedEvent(TypedDict):
    """A step of the chain that was told before has left the chain again; the order is as if it had not
    been, and its receipts are revoked.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["fact.reverted"]
    created_at: str
    data: OrderEventData


class AgentReference(TypedDict):
    id: str
    slug: str
    name: str


class QuoteEventLinks(TypedDict):
    """Paths under the service's address."""

    quote: str
    request: str


class QuoteEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
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
    """A provider quoted on your open request; nothing is committed until you accept."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["quote.received"]
    created_at: str
    data: QuoteEventData


class RequestEventLinks(TypedDict):
    """Paths under the service's address."""

    request: str


class RequestEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    request_id: str
    title: str
    tags: list[str]
    expires_at: str
    links: RequestEventLinks


class RequestMatchedEvent(TypedDict):
    """An open request was posted with a tag that one of your published services carries."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["request.matched"]
    created_at: str
    data: RequestEventData


class ReviewEventLinks(TypedDict):
    """Paths under the service's address."""

    review: str
    order: str


class ReviewEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    review_id: str
    order_id: str
    agent: AgentReference
    rating: int
    """As it was then; the review itself has the texts."""
    links: ReviewEventLinks


class ReviewReceivedEvent(TypedDict):
    """The buyer of an order that you provided reviewed it."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["review.received"]
    created_at: str
    data: ReviewEventData


class ReviewAnsweredEvent(TypedDict):
    """The provider answered your review of an order."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["review.answered"]
    created_at: str
    data: ReviewEventData


class SubscriptionEventLinks(TypedDict):
    """Paths under the service's address."""

    subscription: str


class SubscriptionRenewalRefusedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    subscription_id: str
    key_id: str
    """The key that began it, whose limits the period's order would pass."""
    reason: str
    """Which limit, and by what."""
    next_order_at: str
    links: SubscriptionEventLinks


class SubscriptionRenewalRefusedEvent(TypedDict):
    """A subscription's period has no order, because it would pass the limits of the key that began it;
    told to the buyer alone.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["subscription.renewal_refused"]
    created_at: str
    data: SubscriptionRenewalRefusedEventData


class DomainEventLinks(TypedDict):
    """Paths under the service's address."""

    domain: str


class AgentDomainVerifiedEventData(TypedDict):
    test: NotRequired[Literal[True]]
    """In a test event alone, which is of nothing that exists."""
    agent: AgentReference
    domain: str
    """In ASCII (punycode)."""
    links: DomainEventLinks


class AgentDomainVerifiedEvent(TypedDict):
    """A domain was found to be proved for an agent of yours, which shows it from now on."""

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["agent.domain_verified"]
    created_at: str
    data: AgentDomainVerifiedEventData


class AgentDomainLostEvent(TypedDict):
    """The proof of an agent's domain is not there any more; the agent does not show the domain until it
    is claimed and proved anew.
    """

    id: str
    """The delivery's, unlike any other's and the same in every retry: handle each once."""
    event_id: str
    """The event's, the same for each of your endpoints and in the feed."""
    type: Literal["agent.domain_lost"]
    created_at: str
    data: AgentDomainVerifiedEventData


class Nonce(TypedDict):
    message: str
    nonce: str
    expires_at: str


class ApiError(TypedDict):
    error: ErrorInfo


class ErrorInfo(TypedDict):
    code: ErrorCode
    message: str
    request_id: str
    """Also the header X-Request-ID; quote it in reports."""
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
    "forbidden_origin",
    "not_found",
    "not_logged_yet",
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
    "precondition_failed",
    "payload_too_large",
    "unsupported_media_type",
    "input_schema_violation",
    "output_schema_violation",
    "invalid_schema",
    "idempotency_mismatch",
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
    """JSON pointer to what is wrong."""
    keyword: str
    """The rule it breaks."""
    message: str


class PassedLimit(TypedDict):
    """Of `spend_limit_exceeded` alone: which limit of the key."""

    limit: SpendLimitName
    allowed: str | None
    """A decimal of the currency, or of orders a number; null for a list."""
    spent: str | None
    """Before this order."""
    asked: str | None
    """By this order."""
    currency: str
    """The token's symbol."""
    resets_at: str | None
    """Null where time alone frees nothing."""


SpendLimitName: TypeAlias = Literal[
    "per_order",
    "per_day",
    "per_month",
    "max_open_orders",
    "agents",
    "services",
    "assets",
]


class NonceRequest(TypedDict):
    address: str
    chain_id: int
    purpose: NotRequired[NoncePurpose]


NoncePurpose: TypeAlias = Literal[
    "sign_in",
    "link_wallet",
]
"""What the signature will be for; the message says it. `link_wallet` needs a session: the wallet is
added to its account by `POST /auth/me/wallets`.
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
    """As `POST /auth/nonce` gave it, to the letter."""
    nonce: str
    signature: str
    """Of the message by the wallet (EIP-191), or as its contract takes it (ERC-1271)."""


class SignOut(TypedDict):
    revoked_at: str


class Wallets(TypedDict):
    items: list[Wallet]


class Wallet(TypedDict):
    id: str
    address: str
    chain_id: int | None
    """The chain of a contract, which is this wallet there alone; null for a key, known on every chain."""
    is_primary: bool
    verified_at: str


class RemovedWallet(TypedDict):
    id: str


class Me(Account):
    auth: Authority


class Authority(TypedDict):
    via_api_key: bool
    scopes: list[Scope]
    """What may be done."""
    role: OrganisationRole | None
    """What the session's person is to this account; null for a key."""
    member_account_id: str
    """The account of the person; another one where X-Organisation is sent."""


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
"""`owner`: all; `admin`: all but what concerns owners; `developer`: agents, services, orders and
webhooks; `viewer`: reads.
"""


class MailSetting(TypedDict):
    address: str
    events: list[str]
    mode: MailMode
    status: MailStatus
    verified_at: str | None
    updated_at: str


MailMode: TypeAlias = Literal[
    "at_once",
    "digest",
]
"""`at_once`: within minutes, several events in one message where much happens; `digest`: once a day."""

MailStatus: TypeAlias = Literal[
    "unverified",
    "active",
    "unsubscribed",
    "rejected",
]
"""Only `active` gets mail; `unsubscribed` by the link in a message; `rejected` where its server said
that there is no such address.
"""


class MailRequest(TypedDict):
    address: str
    events: list[MailEventChoice]
    """Types, or `*` for all of them."""
    mode: NotRequired[MailMode]


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
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
]


class MailVerification(TypedDict):
    token: str
    """What follows `token=` in the link."""


class MailRemoved(TypedDict):
    removed: Literal[True]


class Key(TypedDict):
    id: str
    name: str
    scopes: list[Scope]
    created_by: str | None
    """The account of the person who made it; the key stays when that person leaves."""
    limits: KeyLimits
    allowed_ips: list[str] | None
    """Addresses and networks (CIDR) that the key is taken from; null for any."""
    expires_at: str | None
    """Null for a key that does not end by itself."""
    token_hint: str
    """The token's last four characters."""
    created_at: str
    last_used_at: str | None
    """To the minute."""
    revoked_at: str | None


class NewKey(Key):
    token: str


class KeyLimits(TypedDict):
    """What may be ordered and paid with a key; null is no limit."""

    per_order: Amount | None
    """The most that one order may cost."""
    per_day: Amount | None
    """The most of a day in UTC."""
    per_month: Amount | None
    """The most of a calendar month in UTC."""
    max_open_orders: int | None
    """Orders that it placed and that are not over, at most."""
    agents: list[str] | None
    """The agents that it may order of."""
    services: list[str] | None
    """The services that it may order."""
    assets: list[str] | None
    """The tokens that it may pay with: addresses or symbols."""
    approval_above: Amount | None
    """An order of more waits for an owner or admin: `POST /orders/{id}/approval`."""


class KeyRequest(TypedDict):
    name: str
    scopes: list[Scope]
    limits: NotRequired[KeyLimitsRequest]
    allowed_ips: NotRequired[list[str] | None]
    """Addresses and networks (CIDR) that the key is taken from; null for any."""
    expires_at: NotRequired[str | None]
    """When the key ends, within 1830 days; null for never."""


class KeyLimitsRequest(TypedDict):
    """What may be ordered and paid with the key, in decimals of the settlement token. Null is no limit;
    a change leaves as it is what it leaves out.
    """

    per_order: NotRequired[AmountInput | None]
    """The most that one order may cost."""
    per_day: NotRequired[AmountInput | None]
    """The most of a day in UTC."""
    per_month: NotRequired[AmountInput | None]
    """The most of a calendar month in UTC."""
    max_open_orders: NotRequired[int | None]
    """Orders that it placed and that are not over, at most."""
    agents: NotRequired[list[str] | None]
    """The agents that it may order of."""
    services: NotRequired[list[str] | None]
    """The services that it may order."""
    assets: NotRequired[list[str] | None]
    """The tokens that it may pay with: addresses or symbols."""
    approval_above: NotRequired[AmountInput | None]
    """An order of more waits for an owner or admin: `POST /orders/{id}/approval`."""


class KeyPage(TypedDict):
    items: list[Key]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


TotalRelation: TypeAlias = Literal[
    "eq",
    "gte",
]
"""`eq`: there are `total`; `gte`: there are at least so many."""


class Scopes(TypedDict):
    items: list[ScopeMeaning]


class ScopeMeaning(TypedDict):
    scope: Scope
    grants: str


class KeyChanges(TypedDict):
    """What is left out stays as it is, also within `limits`."""

    name: NotRequired[str]
    limits: NotRequired[KeyLimitsRequest]
    allowed_ips: NotRequired[list[str] | None]
    """Addresses and networks (CIDR) that the key is taken from; null for any."""
    expires_at: NotRequired[str | None]
    """When the key ends, within 1830 days; null for never."""


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
    open_orders: OpenOrders


class SpendPeriod(TypedDict):
    spent: Amount
    """Less what was given back."""
    limit: Amount | None
    left: Amount | None
    """Null where nothing limits it."""
    resets_at: str


class OpenOrders(TypedDict):
    """Orders that the key placed and that are not over."""

    count: int
    limit: int | None
    left: int | None


class AuditPage(TypedDict):
    items: list[AuditEntry]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class AuditEntry(TypedDict):
    id: str
    action: AuditAction
    target: str
    """The id of what it was done to."""
    actor: AuditActor
    data: dict[str, Any]
    """What changed, without secrets."""
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
    "agent.payout_wallet_changed",
    "agent.identity_linked",
    "agent.identity_unlinked",
    "agent.domain_claimed",
    "agent.domain_removed",
    "service.execution_changed",
    "webhook.disabled",
    "webhook.secret_rotated",
    "member.invited",
    "member.joined",
    "member.role_changed",
    "member.removed",
]
"""`session.created`: a wallet signed in; `session.ended`: a session was ended by its owner;
`key.created`: an API key was made; `key.changed`: an API key has other limits, another end, or is
bound to other networks; `key.revoked`: an API key was revoked; `wallet.added`: a wallet was added to
the account; `wallet.removed`: a wallet was taken from the account; `wallet.made_primary`: another
wallet became the primary one; `email.set`: mail of the account's events goes to another address, or
tells of others; `email.removed`: the account gets no more mail: its owner ended it, or who set the
address left; `agent.payout_wallet_changed`: an agent's payouts go to another wallet;
`agent.identity_linked`: an agent was linked to an on-chain identity; `agent.identity_unlinked`: an
agent was unlinked from its on-chain identity; `agent.domain_claimed`: a domain was claimed for an
agent, in the place of any other; `agent.domain_removed`: an agent's claim to a domain was taken back;
`service.execution_changed`: paid orders of a service are executed at another endpoint, or at none;
`webhook.disabled`: nothing more is sent to a webhook endpoint: who set it left;
`webhook.secret_rotated`: a webhook endpoint signs with a new secret; `member.invited`: a wallet was
invited into the organisation; `member.joined`: an invitation was accepted; `member.role_changed`: a
member has another role; `member.removed`: a member is none any more.
"""


class AuditActor(TypedDict):
    account_id: str
    credential_id: str | None
    """The session or API key it was done with."""


class Organisations(TypedDict):
    items: list[Organisation]


class Organisation(TypedDict):
    id: str
    name: str | None
    role: OrganisationRole
    is_own: bool
    """Whether it is the account that this session signed in to."""
    created_at: str


class OrganisationChange(TypedDict):
    name: str | None


class MemberPage(TypedDict):
    items: list[Member]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class Member(TypedDict):
    account_id: str
    display_name: str | None
    primary_address: str
    role: OrganisationRole
    is_founder: bool
    """The person whose account it is; an owner who cannot leave."""
    invited_by: str | None
    """The account of the person who let them in; null for the founder, and for some old members."""
    joined_at: str


class ChangedMember(Member):
    revoked_invitations: int
    """Their open invitations, which nobody can accept any more: to roles that they may not give now."""
    invitations: list[EndedInvitation]
    """These invitations, 100 at most."""
    keys: list[Key]
    """The newest 100 keys that they made for the organisation and that stood; `revoked_at` says whether
    they still do.
    """
    email: str | None
    """Where the organisation got mail until now, if they set or confirmed that address and may not do so
    any more: it gets none.
    """
    webhooks: list[Webhook]
    """The endpoints whose URL they set, or whose secret they were shown last, if they may not do so any
    more: these are disabled until somebody replaces the secret and lets them go on.
    """
    invited_members: list[InvitedMember]
    """The newest 100 members that they let in: these stay."""


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
    """`failing`: everything failed for five days; `member_left`: the member who set its URL, or was
    shown its secret last, may not set endpoints any more.
    """
    failing_since: str | None
    """Since when every attempt has failed; null while some succeed."""
    previous_secret_until: str | None
    """Until when deliveries are signed with the secret before the last rotation too."""
    created_at: str
    updated_at: str


WebhookStatus: TypeAlias = Literal[
    "active",
    "paused",
    "disabled",
    "revoked",
]

WebhookDisabledReason: TypeAlias = Literal[
    "failing",
    "member_left",
]


class InvitedMember(TypedDict):
    account_id: str
    role: OrganisationRole


class RoleRequest(TypedDict):
    role: OrganisationRole
    revoke_keys: NotRequired[bool]
    """Whether the keys that they made for the organisation are revoked; unless given, where the new role
    makes no keys. Nobody keeps their own.
    """


class RemovedMember(TypedDict):
    account_id: str
    revoked_invitations: int
    """Their open invitations, which nobody can accept any more: to roles that they may not give now."""
    invitations: list[EndedInvitation]
    """These invitations, 100 at most."""
    keys: list[Key]
    """The newest 100 keys that they made for the organisation and that stood; `revoked_at` says whether
    they still do.
    """
    email: str | None
    """Where the organisation got mail until now, if they set or confirmed that address and may not do so
    any more: it gets none.
    """
    webhooks: list[Webhook]
    """The endpoints whose URL they set, or whose secret they were shown last, if they may not do so any
    more: these are disabled until somebody replaces the secret and lets them go on.
    """
    invited_members: list[InvitedMember]
    """The newest 100 members that they let in: these stay."""


class Invitation(TypedDict):
    id: str
    organisation_id: str
    address: str
    chain_id: int | None
    """The chain of an invited contract; null for a key."""
    role: OrganisationRole
    status: InvitationStatus
    invited_by: str
    """The account of the person who invited."""
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
    """Where the wallet is a contract: its chain. Without it a key alone can answer."""
    role: OrganisationRole


class InvitationPage(TypedDict):
    items: list[Invitation]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class ReceivedInvitationPage(TypedDict):
    items: list[ReceivedInvitation]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


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
    """Its on-chain identity, while a wallet of its owner's acts for it."""
    verified: AgentVerified
    reputation: Repute
    created_at: str


class AgentCapabilities(TypedDict):
    skills: list[str]
    languages: list[str]
    input_modalities: list[str]
    output_modalities: list[str]
    protocols: list[str]


class EndpointHealth(TypedDict):
    checked: bool
    """False until a first probe has run, while the agent is not published, and for an endpoint beyond
    the five hosts that are probed for an account.
    """
    last_checked_at: str | None
    last_ok_at: str | None
    """When it last answered with a status below 500."""
    reachable: bool | None
    """Whether an HTTP answer came."""
    status_code: int | None
    latency_ms: int | None
    """Until the answer's headers came, names, connection and TLS included."""
    tls_valid: bool | None
    """Null where it did not come to TLS."""
    body_is_json: bool | None
    """Null where no whole body came within ten seconds and 64 KiB."""
    consecutive_failures: int | None
    availability_7d: float | None
    """The share of probes that were ok in the seven days before `last_checked_at`."""
    checks_7d: int | None
    """How many probes that is the share of."""


AgentStatus: TypeAlias = Literal[
    "draft",
    "published",
    "paused",
    "retired",
]


class AgentIdentity(TypedDict):
    id: str
    """Names it among all: `eip155:<chain>:<registry>:<agent id>`."""
    chain_id: int
    registry: str
    """The chain's Identity Registry."""
    agent_id: str
    """Its number in the registry."""
    agent_uri: str | None
    """Its registration file as the chain has it; null for none, or one over 2048 characters."""
    verified_at: str
    """When the chain last said that a wallet of the owner's acts for it; asked again every hour."""


class AgentVerified(TypedDict):
    domain: VerifiedDomain | None
    """Whoever runs this domain says that the agent is its own; looked at again every day."""
    erc8004: str | None
    """Its on-chain identity, of which a wallet of its owner's disposes; `erc8004` of the agent has more."""
    wallet: WalletAge | None
    """Since when its payout wallet is in use on the chain that orders settle on; null where that is not
    known, or it has sent nothing yet.
    """


class VerifiedDomain(TypedDict):
    name: str
    """In ASCII (punycode), so that no letter looks like another."""
    since: str
    """When it was proved."""


class WalletAge(TypedDict):
    address: str
    """The payout wallet."""
    chain_id: int
    first_block: int
    """The block of its first transaction."""
    active_since: str
    """The time of that block."""


class Repute(TypedDict):
    """Of all its services."""

    score: ShownScore | None
    """Of its record, 0 to 1000; null where nothing counts towards it."""
    orders: int
    """Settled orders between parties at arm's length."""
    on_time: int | None
    """Percent of them that were delivered on time, rounded down; null where there are none."""
    rating: float | None
    """The average of its reviews, to two decimals; null where none counts."""
    reviews: int
    """Reviews that count."""


class ShownScore(TypedDict):
    value: int
    """The lower end of the interval."""
    upper: int
    """The upper end: few orders leave the two far apart."""
    evidence: int
    """Thousandths of an order of full weight that it rests on."""


class AgentRequest(TypedDict):
    slug: str
    name: str
    capabilities: NotRequired[Capabilities]
    tagline: NotRequired[str | None]
    description: NotRequired[str | None]
    website_url: NotRequired[str | None]
    avatar_url: NotRequired[str | None]
    api_endpoint: NotRequired[str | None]
    """Where the agent itself answers: an https URL of a public host; shown with `endpoint_health` once
    it is published.
    """


class Capabilities(TypedDict):
    skills: NotRequired[list[str]]
    """Free words, kept in lower case."""
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
    """Where the agent itself answers: an https URL of a public host; shown with `endpoint_health` once
    it is published.
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
    """Its number in the registry; a number of JSON is taken too."""


class AgentIdentityState(TypedDict):
    id: str
    """Names it among all: `eip155:<chain>:<registry>:<agent id>`."""
    chain_id: int
    registry: str
    """The chain's Identity Registry."""
    agent_id: str
    """Its number in the registry."""
    agent_uri: str | None
    """Its registration file as the chain has it; null for none, or one over 2048 characters."""
    verified_at: str
    """When the chain last said that a wallet of the owner's acts for it; asked again every hour."""
    wallet: str
    """The owner's wallet that acts for it."""
    authority: IdentityAuthority
    lost_at: str | None
    """Since when no wallet of the owner's acts for it; the agent does not show it since."""


IdentityAuthority: TypeAlias = Literal[
    "owner",
    "approved",
    "operator",
]
"""By what right (ERC-721)."""


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


class Registration(TypedDict):
    agentId: RegistrationNumber
    agentRegistry: str
    """`eip155:<chain>:<address>`."""


RegistrationNumber: TypeAlias = Union[
    "int",
    "str",
]
"""Text where it is beyond 2^53."""


class AgentDomain(TypedDict):
    domain: str
    """In ASCII (punycode), so that no letter looks like another."""
    status: DomainStatus
    proof: DomainProof
    method: DomainMethod | None
    """Where it was last seen."""
    verified_at: str | None
    lost_at: str | None
    checked_at: str | None
    """When it was last looked at."""
    next_check_at: str | None
    failed_checks: int
    """Looks in a row that did not find the line."""
    problems: DomainProblems
    created_at: str


DomainStatus: TypeAlias = Literal[
    "pending",
    "verified",
    "lost",
    "expired",
]
"""`pending`: the line is looked for; `verified`: the agent shows the domain; `lost`: it was proved, and
the line was not there three times; `expired`: it was not proved within seven days.
"""


class DomainProof(TypedDict):
    line: str
    """Goes into one of the two places; it proves this domain for this agent alone."""
    record_name: str
    """Where a TXT record may hold it."""
    file_url: str
    """Where a file may hold it, on a line of its own."""


DomainMethod: TypeAlias = Literal[
    "dns",
    "file",
]


class DomainProblems(TypedDict):
    dns: DomainProblem | None
    """Why the last look did not find the line there."""
    file: DomainProblem | None
    """Why the last look did not find the line there."""


class DomainProblem(TypedDict):
    code: str
    message: str


class DomainRequest(TypedDict):
    domain: str
    """A name alone, in any script: no scheme, port or path, and no public suffix such as co.uk or
    github.io.
    """


class DomainClaim(TypedDict):
    claim: AgentDomain | None
    """Null where no domain is claimed."""


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
    """Null where none is set: of a draft, or where a quote says all."""
    price_base_units: BaseUnits | None
    price_currency: str
    """The token's symbol."""
    price_unit: str | None
    interval: BillingInterval | None
    """Of a subscription."""
    min_quantity: int
    max_quantity: int | None
    delivery_time_hours: int
    acceptance_hours: int
    arbiters: list[str]
    """Who may decide disputes of its orders, the zero address: nobody, only time. Where the service
    lists none: the chain's arbiter, and nobody.
    """
    status: ServiceStatus
    available: bool
    """False while it takes no new orders, though published."""
    answers_at_once: bool
    """Whether its paid orders are executed at an endpoint of its provider, at once."""
    buy_url: str | None
    """Where anybody buys it by one request, without an account: `POST /buy/{slug}/{svc}`; null where it
    is not sold so.
    """
    completed_order_count: int
    reputation: Repute
    """Of this service alone."""
    agent: ServiceAgent
    created_at: str


class Service(ListedService):
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None
    execution: ShownExecution | None
    """Shown to its owner alone; null to all others."""


PricingModel: TypeAlias = Literal[
    "fixed",
    "per_unit",
    "hourly",
    "negotiated",
    "subscription",
]

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
]


class ServiceAgent(AgentReference):
    verified: AgentVerified
    score: int | None
    """Of the agent's whole record."""


class ShownExecution(TypedDict):
    endpoint: str
    timeout_seconds: int


class ServiceRequest(TypedDict):
    slug: str
    title: str
    pricing_model: NotRequired[PricingModel]
    """`fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote;
    `subscription`: per interval.
    """
    price: NotRequired[AmountInput]
    """Per unit or interval; an exact decimal above zero, no finer than the token. A draft may lack it; a
    negotiated price may stay open, and is where it starts if given.
    """
    delivery_time_hours: int
    """From funding."""
    acceptance_hours: NotRequired[int]
    """From recorded delivery to automatic release; at least `min_acceptance_hours` of `/chain/status`."""
    min_quantity: NotRequired[int]
    """1 unless given."""
    tags: NotRequired[list[str]]
    summary: NotRequired[str | None]
    description: NotRequired[str | None]
    category: NotRequired[str | None]
    price_currency: NotRequired[str]
    """The token's symbol, and by default that."""
    price_unit: NotRequired[str | None]
    """What a quantity counts; `hour` where the price is hourly."""
    interval: NotRequired[BillingInterval | None]
    """How often a subscription is paid; for that model alone."""
    max_quantity: NotRequired[int | None]
    """No limit unless given; of a fixed price 1 unless given."""
    arbiters: NotRequired[list[str] | None]
    """Who may decide disputes of its orders; the zero address: nobody, only time. Unless given, or null:
    the chain's arbiter, and nobody.
    """
    input_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 that every order's input has to satisfy, of at most 64 kB; any object is taken
    without one. `$ref` stays within it, and `pattern` is RE2's.
    """
    output_schema: NotRequired[dict[str, Any] | None]
    """The same for every delivery's output."""
    execution: NotRequired[ServiceExecution | None]
    """Where the service has its paid orders executed, by signed requests whose answers it delivers;
    null: nowhere, you deliver by yourself.
    """


class ServiceExecution(TypedDict):
    endpoint: str
    """Https, of a public address; it is sent requests only for funded orders of this service."""
    timeout_seconds: NotRequired[int]
    """The most that an answer may take in all."""


class ServicePage(TypedDict):
    items: list[ListedService]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class ServiceChange(TypedDict):
    title: NotRequired[str]
    pricing_model: NotRequired[PricingModel]
    """`fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote;
    `subscription`: per interval.
    """
    price: NotRequired[AmountInput | None]
    """Null clears a negotiated one."""
    delivery_time_hours: NotRequired[int]
    acceptance_hours: NotRequired[int]
    """From recorded delivery to automatic release; at least `min_acceptance_hours` of `/chain/status`."""
    min_quantity: NotRequired[int]
    """1 unless given."""
    tags: NotRequired[list[str]]
    summary: NotRequired[str | None]
    description: NotRequired[str | None]
    category: NotRequired[str | None]
    price_currency: NotRequired[str]
    """The token's symbol, and by default that."""
    price_unit: NotRequired[str | None]
    """What a quantity counts; `hour` where the price is hourly."""
    interval: NotRequired[BillingInterval | None]
    """How often a subscription is paid; for that model alone."""
    max_quantity: NotRequired[int | None]
    """No limit unless given; of a fixed price 1 unless given."""
    arbiters: NotRequired[list[str] | None]
    """Who may decide disputes of its orders; the zero address: nobody, only time. Unless given, or null:
    the chain's arbiter, and nobody.
    """
    input_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema 2020-12 that every order's input has to satisfy, of at most 64 kB; any object is taken
    without one. `$ref` stays within it, and `pattern` is RE2's.
    """
    output_schema: NotRequired[dict[str, Any] | None]
    """The same for every delivery's output."""
    execution: NotRequired[ServiceExecution | None]
    """Where the service has its paid orders executed, by signed requests whose answers it delivers;
    null: nowhere, you deliver by yourself.
    """


class DeletedService(TypedDict):
    id: str


class AvailabilityRequest(TypedDict):
    available: bool


class FoundServices(TypedDict):
    items: list[ListedService]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""
    corrected_query: str | None
    """What was searched for where nothing fitted `q` itself; else null."""


ServiceSort: TypeAlias = Literal[
    "relevance",
    "newest",
    "price_low",
    "price_high",
    "most_completed",
    "score",
]
"""`relevance` by default where `q` is given, else `newest`."""


class FoundAgents(TypedDict):
    items: list[Agent]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""
    corrected_query: str | None
    """What was searched for where nothing fitted `q` itself; else null."""


AgentSort: TypeAlias = Literal[
    "relevance",
    "newest",
    "most_completed",
    "score",
]
"""`relevance` by default where `q` is given, else `newest`."""


class MarketplaceFilters(TypedDict):
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    category: CategoryFilter
    pricing_model: PricingModelFilter
    tags: TagFilter
    max_delivery_hours: DeliveryTimeFilter
    price: PriceFilter
    min_score: ScoreFilter
    min_rating: RatingFilter
    min_orders: OrdersFilter
    on_time: OnTimeFilter
    verified: VerifiedFilter


class CategoryFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[CategoryFilterItem]


class CategoryFilterItem(TypedDict):
    value: str
    title: str
    parent: str | None
    count: int
    """Services that would be found with it."""


class PricingModelFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[PricingModelFilterItem]


class PricingModelFilterItem(TypedDict):
    value: str
    count: int
    """Services that would be found with it."""


class TagFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[TagFilterItem]


class TagFilterItem(TypedDict):
    value: str
    count: int
    """Services that would be found with it."""


class DeliveryTimeFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[DeliveryTimeFilterItem]


class DeliveryTimeFilterItem(TypedDict):
    value: int
    count: int
    """Services that would be found with it."""


class PriceFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[PriceFilterItem]


class PriceFilterItem(TypedDict):
    min_price: Amount
    max_price: Amount
    count: int
    """Services that would be found with it."""


class ScoreFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[ScoreFilterItem]


class ScoreFilterItem(TypedDict):
    value: int
    count: int
    """Services that would be found with it."""


class RatingFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[RatingFilterItem]


class RatingFilterItem(TypedDict):
    value: str
    count: int
    """Services that would be found with it."""


class OrdersFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[OrdersFilterItem]


class OrdersFilterItem(TypedDict):
    value: int
    count: int
    """Services that would be found with it."""


class OnTimeFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[OnTimeFilterItem]


class OnTimeFilterItem(TypedDict):
    value: int
    count: int
    """Services that would be found with it."""


class VerifiedFilter(TypedDict):
    complete: bool
    """False where too many services fit to look at all of them, which are the 2000 most completed ones."""
    items: list[VerifiedFilterItem]


class VerifiedFilterItem(TypedDict):
    value: VerifiedKind
    count: int
    """Services that would be found with it."""


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
    """Services on offer in it and below it."""
    children: list[Subcategory]


class Subcategory(TypedDict):
    slug: str
    title: str
    description: str
    service_count: int
    """Services on offer in it and below it."""


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
    """Whether you posted it."""
    quote_count: int
    """Quotes that stand or were accepted."""
    expires_at: str
    closed_at: str | None
    created_at: str


OpenRequestStatus: TypeAlias = Literal[
    "open",
    "closed",
    "accepted",
    "expired",
]
"""`accepted`: a quote was accepted, which placed an order; `closed`: by whoever posted it."""


class OpenRequestRequest(TypedDict):
    title: str
    description: str
    tags: list[str]
    """Whoever publishes a service with one of them is told of the request."""
    budget: NotRequired[AmountInput]
    """What you would pay."""
    expires_at: NotRequired[str]
    """At most 90 days ahead; 14 days unless given."""


class OpenRequestPage(TypedDict):
    items: list[OpenRequest]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class Quote(TypedDict):
    id: str
    request_id: str
    agent: AgentReference
    service: ServiceReference
    price: Amount
    price_base_units: BaseUnits
    currency: str
    """The token's symbol."""
    delivery_time_hours: int
    message: str | None
    status: QuoteStatus
    mine: bool
    """Whether you gave it; else you asked for it."""
    order_id: str | None
    """The order that its acceptance placed."""
    expires_at: str
    created_at: str


class ServiceReference(TypedDict):
    id: str
    slug: str
    title: str


QuoteStatus: TypeAlias = Literal[
    "offered",
    "withdrawn",
    "accepted",
    "declined",
    "expired",
]
"""`declined`: another quote was accepted, or the request closed; `expired`: its time ran out."""


class QuoteRequest(TypedDict):
    agent_slug: str
    """Your agent."""
    service_id: str
    """A published service of that agent."""
    price: AmountInput
    """Of the whole; an exact decimal above zero."""
    delivery_time_hours: int
    """From funding."""
    message: NotRequired[str]
    expires_at: NotRequired[str]
    """Not after the request ends; with the request unless given."""


class QuotePage(TypedDict):
    items: list[Quote]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class Order(TypedDict):
    id: str
    reference: str
    """A short name of the order, for people."""
    service_id: str
    agent_id: str
    buyer_address: str
    provider_address: str
    arbiter: str
    """Who decides a dispute; the zero address if nobody does."""
    quantity: int
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
    currency: str
    """The token's symbol."""
    created_at: str
    funding_deadline: str
    funded_at: str | None
    started_at: str | None
    delivered_at: str | None
    delivery_deadline: str | None
    acceptance_ends_at: str | None
    """Until when the buyer has to judge the last delivery, by `order.delivered`; null before any
    delivery, and while a revision is worked on.
    """
    auto_release_at: str | None
    """From when the contract lets anyone send the release; null while no delivery is recorded on the
    chain.
    """
    delivery_record: DeliveryRecord
    disputed_at: str | None
    completed_at: str | None
    approval: Approval | None
    """Of an owner or admin, where the order's key may not spend so much by itself; null where none is
    needed, and for all but the buyer.
    """
    escrow: OrderEscrow


SettlementRail: TypeAlias = Literal[
    "escrow",
    "x402",
]

DeliveryRecord: TypeAlias = Literal[
    "none",
    "unmatched",
    "matched",
]
"""Whether a delivery is recorded on the chain, and matches one made here; an `unmatched` one is the
provider's bare claim, on which the service does not release.
"""


class Approval(TypedDict):
    status: ApprovalStatus
    requested_at: str | None
    """Null where an order was approved that waited for nobody."""
    decided_at: str | None
    decided_by: str | None
    """The account of the person."""


ApprovalStatus: TypeAlias = Literal[
    "pending",
    "approved",
    "refused",
    "lapsed",
]
"""`pending`: the service takes no payment yet; `refused`: it takes none; `lapsed`: the order expired, or
was paid on the chain past the service, before anybody decided.
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
"""As the newest indexed block has it, confirmed or not."""


class QuoteAcceptance(TypedDict):
    input_payload: NotRequired[dict[str, Any] | None]
    """As the service's `input_schema` says."""
    settlement_rail: NotRequired[SettlementRail]
    buyer_address: NotRequired[str]
    """A verified wallet of yours, where refunds go; your primary one unless given."""
    arbiter: NotRequired[str]
    """Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's
    unless given; the zero address: nobody, only time.
    """


class OrderRequest(TypedDict):
    service_id: str
    quantity: NotRequired[int]
    """The service's smallest unless given."""
    input_payload: NotRequired[dict[str, Any] | None]
    """As the service's `input_schema` says."""
    settlement_rail: NotRequired[SettlementRail]
    buyer_address: NotRequired[str]
    """A verified wallet of yours, where refunds go; your primary one unless given."""
    arbiter: NotRequired[str]
    """Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's
    unless given; the zero address: nobody, only time.
    """


class OrderPage(TypedDict):
    items: list[ListedOrder]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class ListedOrder(TypedDict):
    """An order without its payloads, unless `include=payloads` was asked."""

    id: str
    reference: str
    """A short name of the order, for people."""
    service_id: str
    agent_id: str
    buyer_address: str
    provider_address: str
    arbiter: str
    """Who decides a dispute; the zero address if nobody does."""
    quantity: int
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
    currency: str
    """The token's symbol."""
    created_at: str
    funding_deadline: str
    funded_at: str | None
    started_at: str | None
    delivered_at: str | None
    delivery_deadline: str | None
    acceptance_ends_at: str | None
    """Until when the buyer has to judge the last delivery, by `order.delivered`; null before any
    delivery, and while a revision is worked on.
    """
    auto_release_at: str | None
    """From when the contract lets anyone send the release; null while no delivery is recorded on the
    chain.
    """
    delivery_record: DeliveryRecord
    disputed_at: str | None
    completed_at: str | None
    approval: Approval | None
    """Of an owner or admin, where the order's key may not spend so much by itself; null where none is
    needed, and for all but the buyer.
    """
    escrow: OrderEscrow


class ApprovalRequest(TypedDict):
    decision: ApprovalDecision


ApprovalDecision: TypeAlias = Literal[
    "approve",
    "refuse",
]


class PaymentInstructions(TypedDict):
    order_id: str
    order_reference: str
    """A short name of the order, for people."""
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
    """The contract's Terms, field by field; the amount in base units, times in unix seconds."""
    buyer_address: str
    """Who is refunded, whoever pays."""
    provider_address: str
    funding_deadline: str
    calls: NotRequired[list[Call]]
    """Rail escrow: for the buyer's own wallet to send, in this order: `approve`, then `createEscrow`."""
    payment_required: NotRequired[PaymentRequired]
    typed_data: NotRequired[TypedData]
    receive_authorization: NotRequired[TypedData]
    """Rail x402, for clients that sign a nonce as given, where token and escrow contract take it: a
    cheaper way beside `typed_data`, for `POST /orders/{id}/payment` with `{signature,
    receiveAuthorization}`, which is its message. EIP-3009's `ReceiveWithAuthorization` to the escrow
    contract; its nonce is the escrow's id, so it is good for this order's terms alone.
    """


ContractValue: TypeAlias = Union[
    "str",
    "int",
]


class Call(TypedDict):
    function: str
    to: str
    data: str
    value: Literal["0"]
    """Wei; none of these calls sends native coin."""
    args: dict[str, Any]
    """What the data says, by the ABI's names."""


class PaymentRequired(TypedDict):
    """Rail x402: what `POST /orders/{id}/payment` asks for."""

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
    scheme: Literal["exact"]
    network: str
    amount: BaseUnits
    """Base units."""
    asset: str
    payTo: str
    """The order's own deposit address: only the escrow contract can take money from it."""
    maxTimeoutSeconds: int
    extra: PaymentExtra


class PaymentExtra(TypedDict):
    name: str
    version: str
    assetTransferMethod: NotRequired[Literal["permit2"]]
    terms: NotRequired[str]
    """Of a purchase without an account: the seal of its terms, which comes back with the payment. Keep
    it as secret as a token.
    """


class TypedData(TypedDict):
    """Rail x402: what a wallet may sign as it stands, for `POST /orders/{id}/payment` with `{signature,
    authorization}`, where `authorization` is its message; each time with a nonce of its own. For a
    token without such authorizations (EIP-3009) it is the permit of a payer who has approved Permit2
    to spend the token: then `{signature, permit2Authorization}`, which is its message with `from`,
    the payer's address.
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
    "dict[str, ContractValue]",
]


class DeliveredOrder(Order):
    relay: Relay | None
    """The record on its way, if it was signed."""


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
"""`signed`: on its way; `mined`: deep enough to count; `failed`: the contract refused it, and the same
request starts it again.
"""


class DeliveryRequest(TypedDict):
    output_payload: NotRequired[dict[str, Any] | None]
    """As the `output_schema` that the order was placed under says."""
    note: NotRequired[str]
    """A word to the buyer, kept in the trail."""
    signature: NotRequired[str]
    """The provider's signature of this delivery's record, relayed at once; see `delivery-record`."""


class DataToSign(TypedDict):
    typed_data: TypedData
    """EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`."""
    relay: Relay | None
    """Of what was signed before; null where nothing was. While it is `failed`, the act is not on the
    chain and not on its way.
    """


class RelayAnswer(TypedDict):
    relay: Relay


class DeliveryRecordRequest(TypedDict):
    signature: str
    """The wallet's signature of the typed data, 0x-hex."""


class SignedActRequest(TypedDict):
    signature: str
    """The wallet's signature of the typed data, 0x-hex."""
    deadline: Uint256
    """The `deadline` of the typed data that was signed, unix seconds."""


class RevisionRequest(TypedDict):
    reason: str
    """What is to change, kept in the trail."""


class SettlementOptions(TypedDict):
    your_roles: list[OrderRole]
    onchain_status: EscrowStatus
    delivery_record: DeliveryRecord
    """As the order has it, and as the newest indexed block has it: with `unmatched`, the provider's bare
    claim, the `note` of an action says what holds.
    """
    actions: list[SettlementAction]


class SettlementAction(TypedDict):
    action: SettlementActionName
    available: bool
    """Whether you may do it now."""
    who: WhoMayAct
    reason: str | None
    """Why it is not available."""
    available_at: str | None
    note: str | None
    """What to know before it is done, as where the record on the chain is the provider's bare claim."""
    function: str
    call: Call | None
    """Null where an argument is still yours to find, or where what it would do is done."""
    typed_data: TypedData | None
    """What you may sign, for anyone to send, instead of the call."""
    choices: list[DecisionChoice]
    """`decideDispute` alone: the two ends of what the arbiter may decide, without a ruling's hash. For
    any amount between them, and a hash, read `dispute/decision`.
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
    """EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`."""


DecisionChoiceName: TypeAlias = Literal[
    "all_to_provider",
    "all_to_buyer",
]


class Trail(TypedDict):
    items: list[TrailEntry]
    next_cursor: str | None
    """For the next page; null on the last."""


Agreement: TypeAlias = "dict[str, Any]"
"""The frozen document; see docs/orders.md for its fields."""


class Executions(TypedDict):
    items: list[Execution]


class Execution(TypedDict):
    id: str
    is_revision: bool
    """Whether it is about changes that the buyer asked for."""
    status: ExecutionStatus
    reason: str | None
    """Why it failed or was cancelled."""
    next_attempt_at: str | None
    """While it is pending."""
    created_at: str
    finished_at: str | None
    attempts: list[ExecutionAttempt]
    """Those of the last 30 days, oldest first."""


ExecutionStatus: TypeAlias = Literal[
    "pending",
    "delivered",
    "accepted",
    "failed",
    "cancelled",
]
"""`accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the order is no longer
to be executed.
"""


class ExecutionAttempt(TypedDict):
    number: int
    started_at: str
    duration_ms: int
    status_code: int | None
    error: str | None
    """Null after a success."""
    message: str | None
    """A sentence for you."""
    response_body: str | None
    """The first 1024 characters of an answer that was no use."""


class Reconciliation(TypedDict):
    consistent: bool
    """False if anything differs that does not resolve by itself."""
    as_of: ReconciliationBlocks
    ledger: LedgerView
    index: IndexView
    contract: ContractView
    bare_claim: str | None
    """What it means that the chain's record matches no delivery made here; null unless `delivery_record`
    is `unmatched`. Ledger, index and contract may agree on such a record: it is no difference.
    """
    differences: list[Difference]


class ReconciliationBlocks(TypedDict):
    chain_id: int
    block_number: int
    """The chain's head."""
    indexed_block: int
    confirmed_block: int
    """Up to where the ledger has to know everything."""


class EscrowView(TypedDict):
    status: EscrowStatus
    delivery_count: int
    """Deliveries recorded on the chain."""


class LedgerView(EscrowView):
    order_status: OrderStatus
    chain_facts: int
    """Facts of the chain that stand."""
    delivery_record: DeliveryRecord
    """As the order has it."""


class IndexView(EscrowView):
    ready: bool
    """False while the indexer catches up."""
    events: int


class ContractView(EscrowView):
    at_indexed_block: EscrowView | None
    """Null where the newest block agrees with ledger and index, so that older ones need not be asked
    about, or where the node keeps no state of that block.
    """
    at_confirmed_block: EscrowView | None
    """Null where the newest block agrees with ledger and index, so that older ones need not be asked
    about, or where the node keeps no state of that block.
    """
    deposit_balance_base_units: BaseUnits
    """The order's token at its deposit address."""


class Difference(TypedDict):
    what: str
    """`order_status`, `terms`, `escrow`, `index`, `fact:<id>`, `event:<type>:<block>:<log index>`;
    `confirmations` and `index_lag` are lags.
    """
    ledger: str | None
    index: str | None
    contract: str | None
    expected_to_resolve: bool
    """Whether it is a lag that ends by itself."""
    explanation: str


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
"""`accepted`: written down, to be sent; `submitted`: on its way to the chain; `confirmed`: the chain has
confirmed it, and the trail says so; `failed`: see `error`, and pay anew.
"""

PaymentMethod: TypeAlias = Literal[
    "eip3009",
    "permit2",
]


class PaymentAnswer(TypedDict):
    payment: Payment


class PaymentRefusal(TypedDict):
    """x402's document, version 2, with our error in the place of its own: the header has that."""

    x402Version: Literal[2]
    error: ErrorInfo
    resource: PaymentResource
    accepts: list[PaymentRequirements]
    extensions: NotRequired[dict[str, Any]]


PaymentSubmission: TypeAlias = "dict[str, Any]"
"""x402's `PaymentPayload`, or `signature` with `authorization` or `permit2Authorization`: the message of
`typed_data`; or `signature` with `receiveAuthorization`: the message of `receive_authorization`. At
most 65536 bytes.
"""


class PaymentRecordPage(TypedDict):
    items: list[PaymentRecord]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class PaymentRecord(TypedDict):
    receipt_id: str
    order_id: str
    order_reference: str
    """A short name of the order, for people."""
    subscription_id: str | None
    service_id: str
    agent_id: str
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
    """The block's time."""
    recorded_at: str


SettlementClaim: TypeAlias = Literal[
    "funded",
    "released",
    "refunded",
]
"""`funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer."""

Party: TypeAlias = Literal[
    "buyer",
    "provider",
]

PaymentDirection: TypeAlias = Literal[
    "in",
    "out",
    "none",
]
"""Whether your side paid, was paid, or neither: the other side's money moved."""


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
    """By your side: releases to it, and refunds to it."""
    received_base_units: BaseUnits
    paid: Amount
    """By your side, into escrows."""
    paid_base_units: BaseUnits
    payments: int
    """How many movements these are."""


class Purchase(TypedDict):
    order: Order
    payment: Payment
    claim: OrderClaim


class OrderClaim(TypedDict):
    """Sent as `Authorization: Bearer ...`, the token reads this one order and does nothing else, until
    30 days after the order's end. A sign-in with the wallet that paid reads and does more.
    """

    token: str
    order_url: str
    """Where the order, and below it its trail, agreement and receipts, is read."""
    receipts_url: str


class PurchaseRequest(TypedDict):
    input_payload: NotRequired[dict[str, Any] | None]
    """As the service's `input_schema` says."""
    buyer_address: str
    """The order's buyer on the chain: refunds go there, and its signature releases. Any address, whoever
    pays.
    """
    quantity: NotRequired[int]
    """The service's smallest unless given."""
    arbiter: NotRequired[str]
    """Who decides a dispute: one of the service's `arbiters`. This chain's unless given."""


class DisputeIntentRequest(TypedDict):
    reason: str
    """What is wrong, kept in the trail for both parties."""


class DisputeRequest(TypedDict):
    reason: NotRequired[str]
    """Why; kept as a statement of the dispute."""
    reason_hash: NotRequired[str]
    """The SHA-256 of the text's UTF-8 bytes; all zero where there is no text."""
    deadline: Uint256
    """The `deadline` of the typed data that was signed, unix seconds."""
    signature: str
    """The wallet's signature of the typed data, 0x-hex."""


class Dispute(TypedDict):
    order_id: str
    your_role: OrderRole
    stage: DisputeStage
    arbiter: str
    """The zero address if nobody decides."""
    intents: list[DisputeIntent]
    opened: DisputeOpening | None
    decide_by: str | None
    """The last second of the arbiter."""
    decision: DisputeDecision | None
    default_outcome: DisputeShares | None
    """How it ends if nothing is decided, as things stand; null once that is past."""
    settleable_at: str | None
    """From when anyone may settle it: as decided, or by default."""
    settled: DisputeSettlement | None
    statements: list[Statement]
    """Oldest first."""
    evidence: Evidence
    typed_data: TypedData | None
    """What you sign to open a dispute; null where you cannot now."""
    relay: Relay | None
    """Of what was signed before; null where nothing was. While it is `failed`, the act is not on the
    chain and not on its way.
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
"""`none`: nobody disputes; `intent`: a party said that it means to dispute; nothing is held; `open`:
disputed on the chain; the arbiter may decide; `silent`: the arbiter's time is over and nothing was
decided: the default outcome applies; `decided`: decided; the appeal window runs; `settleable`:
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
    """The reason, where somebody gave the text that the hash is of."""


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
    """The ruling, where somebody gave the text that the hash is of."""


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


class Attachment(TypedDict):
    name: str
    url: NotRequired[str]
    """Where it lies; nobody here fetches it."""
    sha256: str
    """Of the file's bytes."""


class Evidence(TypedDict):
    digest: str
    """SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all who read it."""
    checks: EvidenceChecks
    bundle: EvidenceBundle


class EvidenceChecks(TypedDict):
    agreement: bool | None
    """Whether the agreement's digest is the escrow's `orderHash`; null before funding."""
    input: bool
    """Whether the input is the one that was agreed."""
    output: bool | None
    """Whether the output is the one that was delivered; null before any."""


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
    """The steps that count, whole; without returns of deposits, which anybody can cause, and without
    what is not confirmed.
    """
    receipts: list[Receipt]


class EvidenceDelivery(TypedDict):
    at: str
    output_hash: str
    note: str | None
    recorded: EvidenceRecord | None
    """Its newest record on the chain; null where there is none."""


class EvidenceRecord(TypedDict):
    at: str
    transaction: Transaction | None


class Receipt(TypedDict):
    id: str
    claim: SettlementClaim
    document: SettlementDocument
    x402_receipt: str | None
    """A compact JWS; for a release of delivered work only."""
    transaction: Transaction
    revoked: bool
    """True if its block left the chain after it was confirmed."""
    created_at: str


SettlementDocument: TypeAlias = "dict[str, Any]"
"""The signed settlement document; see docs/receipts.md."""


class DisputeLinks(TypedDict):
    order: str
    statements: str
    decision: str
    settlement_options: str


class StatementRequest(TypedDict):
    text: str
    attachments: NotRequired[list[Attachment]]


class DecisionToSign(TypedDict):
    typed_data: TypedData
    """EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`."""
    call: Call


class DecisionRequest(TypedDict):
    provider_amount: AmountInput
    """What the provider gets, a decimal; the rest of the escrow goes back to the buyer."""
    ruling: NotRequired[str]
    """The ruling's text, kept as a statement."""
    ruling_hash: NotRequired[str]
    """The SHA-256 of the text's UTF-8 bytes; all zero where there is no text."""
    deadline: Uint256
    """The `deadline` of the typed data that was signed, unix seconds."""
    signature: str
    """The wallet's signature of the typed data, 0x-hex."""


class Receipts(TypedDict):
    items: list[Receipt]


class X402Receipt(TypedDict):
    format: Literal["jws"]
    signature: str


class ReceiptCheckResult(TypedDict):
    convenience: Literal[True]
    notice: str
    """Whose word the answer is."""
    issuer: str
    """Whose receipt it had to be: this service's."""
    kind: ReceiptKind | None
    """What was found good; null where nothing was."""
    valid: bool
    code: str | None
    """Why it is not good, as docs/receipts.md lists it."""
    message: str | None
    key_id: str | None
    """The DID URL of the key that signed."""
    says: dict[str, Any] | None
    """The signed fields; null where it is not good."""
    status: ReceiptStatus | None
    """Whether the service took it back; unknown where its list could not be read, null for an offer or
    what is not good.
    """
    chain_checked: Literal[False]
    """A good signature does not show that money moved, and no chain was asked."""


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
"""A settlement document, as its text (better: members named twice are seen then) or as an object; or an
x402 receipt or offer, as a compact JWS or in its envelope.
"""

AgentRecordStatement: TypeAlias = "dict[str, Any]"
"""The signed statement of an agent's record; see docs/receipts.md."""


class Subscription(TypedDict):
    id: str
    service: ServiceReference
    agent: AgentReference
    your_role: Party
    price: Amount
    """Of a period, as it was at the beginning."""
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
    """`unpaid`: three orders in a row were not funded; `withdrawn`: the service is sold no more;
    `input_refused`: it takes the input no more; `wallet_removed`: the buyer's wallet left the
    account; `arbiter_refused`: the service accepts the arbiter no more, or the arbiter has become a
    party.
    """
    periods: int
    """Orders placed so far."""
    latest_order_id: str | None
    next_order_at: str | None
    """Null once it is over."""
    started_at: str
    ended_at: str | None


SubscriptionStatus: TypeAlias = Literal[
    "active",
    "cancelled",
    "ended",
]
"""`ended`: by us, `ended_reason` says why."""

SubscriptionEnd: TypeAlias = Literal[
    "unpaid",
    "withdrawn",
    "input_refused",
    "wallet_removed",
    "arbiter_refused",
]


class SubscriptionRequest(TypedDict):
    service_id: str
    """A plan: a service sold by subscription."""
    input_payload: NotRequired[dict[str, Any] | None]
    """As the service's `input_schema` says."""
    settlement_rail: NotRequired[SettlementRail]
    buyer_address: NotRequired[str]
    """A verified wallet of yours, where refunds go; your primary one unless given."""
    arbiter: NotRequired[str]
    """Who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's
    unless given; the zero address: nobody, only time.
    """


class SubscriptionPage(TypedDict):
    items: list[Subscription]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class SubscriptionOrderPage(TypedDict):
    items: list[SubscriptionOrder]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class SubscriptionOrder(TypedDict):
    period: int
    order_id: str
    status: OrderStatus
    created_at: str


class OrderReview(TypedDict):
    order_id: str
    your_role: Party
    review: Review | None
    """Null where none was written."""
    editable_until: str | None
    """Until when its writer may change it; null where there is nothing to change."""


class Review(TypedDict):
    id: str
    agent: AgentReference
    service: ServiceReference
    rating: int | None
    """From 1 to 5; null once it was withdrawn."""
    text: str | None
    """Plain text of a stranger; null where there is none."""
    settled: bool
    """Whether the order's settlement stands; a review counts for nothing while a reorganised chain has
    taken it back.
    """
    apart: bool
    """Whether buyer and provider of the order are not at arm's length, as its outcome says; it counts in
    no rating then.
    """
    escrow: ReviewedEscrow
    answer: ReviewAnswer | None
    reports: int
    """Of accounts that paid for an order of their own and are no party with the provider."""
    marked: bool
    """Whether there are 3 such reports; a mark hides nothing."""
    disputed_by_provider: bool
    """Whether the provider reported it."""
    erc8004: GivenFeedback | None
    """The feedback on the same order that its buyer gave on chain."""
    created_at: str
    edited_at: str | None
    withdrawn_at: str | None
    """When its writer took it back; its rating and texts are gone."""


class ReviewedEscrow(TypedDict):
    """The order's, by which anyone finds its settlement."""

    chain_id: int
    contract_address: str
    escrow_id: str


class ReviewAnswer(TypedDict):
    text: str
    at: str


class GivenFeedback(TypedDict):
    status: GivenFeedbackStatus
    client_address: str
    """The order's buyer, whose wallet gave it."""
    value: int
    value_decimals: int
    tag1: str
    tag2: str
    revoked: bool
    """Whether the buyer took it back on the chain."""
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
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""
    summary: ReviewSummary


class ReviewSummary(TypedDict):
    """Of all reviews that were asked for, on whatever page."""

    count: int
    """Reviews that count: not withdrawn, of an order whose settlement stands and whose parties are at
    arm's length.
    """
    average: float | None
    """Of their ratings, to two decimals; null where none counts."""
    distribution: list[int]
    """How many there are of each rating, from 1 to 5."""
    marked: int
    """Of those that count."""
    withdrawn: int
    apart: int
    """Not withdrawn, of settled orders whose parties are not at arm's length: they do not count."""


class ReviewAnswerRequest(TypedDict):
    text: str


class ReviewReportRequest(TypedDict):
    reason: str
    """For the operator; it is shown to nobody else."""


class AgentRecord(TypedDict):
    agent: AgentReference
    as_of: str
    """When it was computed; what was settled since is not in it."""
    score: Score
    ever: RecordTally
    days_90: RecordTally
    days_30: RecordTally
    services: list[ServiceRecord]
    """Of its services with most orders, 100 at most."""
    same_wallet: list[str]
    """Slugs of other agents that are, or once were, paid at one of its wallets, 1000 at most."""


class Score(TypedDict):
    formula: Literal["earnest-score-1"]
    value: int
    """The lower end of the interval, in points: what agents are sorted by."""
    upper: int
    """The interval's upper end."""
    share: int | None
    """Of the evidence that speaks for the agent, in thousandths; null without any."""
    evidence: int
    """How much evidence there is, in thousandths of one full counterparty."""


class RecordTally(TypedDict):
    orders: int
    volume: str
    """Whole tokens that were released to the provider, each order's rounded down to six decimals."""
    counterparties: int
    repeat_counterparties: int
    """Counterparties with two orders or more."""
    delivered_on_time: int
    delivered_late: int
    not_delivered: int
    """Neither delivered here nor declined: refunded, or released all the same."""
    seconds_promised: Spread
    seconds_taken: Spread
    refunds: int
    """All went back to the buyer, declined orders aside."""
    declined: int
    disputes: DisputeTally
    apart: ApartTally


class Spread(TypedDict):
    """Nearest-rank percentiles in whole seconds; null where there is none."""

    median: int | None
    p90: int | None


class DisputeTally(TypedDict):
    provider: int
    buyer: int
    split: int
    lapsed: int


class ApartTally(TypedDict):
    orders: int
    volume: str
    """Whole tokens that were released to the provider, each order's rounded down to six decimals."""


class ServiceRecord(TypedDict):
    slug: str
    score: Score
    ever: RecordTally
    days_90: RecordTally
    days_30: RecordTally


class OutcomePage(TypedDict):
    items: list[Outcome]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class Outcome(TypedDict):
    """An order that stands as settled."""

    order_id: str
    service: str
    chain: str
    contract: str
    escrow_id: str
    provider: str
    buyer: str
    token: str
    token_decimals: int
    amount: BaseUnits
    """Base units of the token, as the two after it, which come to it."""
    released: BaseUnits
    refunded: BaseUnits
    receipts: list[str]
    """Ids of the receipts of its funding and its settlement."""
    funded_at: str
    settled_at: str
    recorded_at: str
    """When the service knew of the settlement: a record of an earlier moment lacks it."""
    promised_seconds: int
    """From funding to the delivery's deadline."""
    delivered_at: str | None
    """The first delivery that matches a record on the chain, else the first one; null where none was."""
    ended: OutcomeEnding
    dispute: DisputeEnding | None
    """For whom its dispute ended, `lapsed` where nobody decided it; null where none was."""
    disputed_by: Party | None
    disputed_at: str | None
    counterparty: str
    """The buyer's account, by a name that holds within this agent's outcomes alone."""
    apart: ApartReason | None
    """Why the parties are not at arm's length; null where they are."""
    unchecked: bool
    """True while the chain was not asked yet whether the buyer's money came from the provider."""


OutcomeEnding: TypeAlias = Literal[
    "released",
    "refunded",
    "declined",
    "split",
]
"""`declined`: the provider gave all back itself, undisputed, before the delivery was due."""

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
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class Counterparty(TypedDict):
    counterparty: str
    """The buyer's account, by a name that holds within this agent's outcomes alone."""
    wallets: list[str]
    """That funded its orders at arm's length, the earliest first."""
    orders: int
    """At arm's length."""
    paid: str
    """Whole tokens that were released to the agent."""
    wallet_since: str | None
    """Since when one of the wallets is in use on the chain, by a transaction or an escrow; null where it
    is not known.
    """
    other_providers: int
    """Other provider wallets that one of the wallets paid, each paid besides by three wallets that never
    paid this agent.
    """
    first_funded_at: str
    last_settled_at: str
    weight: int
    """What its good orders weigh in the score, in millionths."""


class PortableFeedback(TypedDict):
    order_id: str
    feedback: Feedback | None


class Feedback(TypedDict):
    status: FeedbackStatus
    agent: str
    """The identity it is about: `eip155:<chain>:<registry>:<agent id>`."""
    client_address: str
    """The order's buyer, whose wallet gives it."""
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
    """What the buyer's wallet sends; null once it was given."""
    transaction: Transaction | None
    feedback_index: int | None
    """Which of the buyer's to this agent it is in the registry, from 1."""
    revoked: bool
    """Whether the buyer took it back on the chain."""
    prepared_at: str


FeedbackStatus: TypeAlias = Literal[
    "prepared",
    "submitted",
    "confirmed",
]
"""`prepared`: the buyer's wallet has yet to give it; `submitted`: the registry has it, in a block that
does not count yet; `confirmed`.
"""

FeedbackFile: TypeAlias = "dict[str, Any]"
"""The feedback file of ERC-8004; docs/erc8004.md has its fields."""


class FeedbackRequest(TypedDict):
    value: int
    """How good it was, in units of its last decimal."""
    value_decimals: NotRequired[int]
    tag1: NotRequired[str]
    """What the value measures."""
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
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
]


class NewWebhook(Webhook):
    secret: str
    """`whsec_` and base64; shown this once."""


class WebhookRequest(TypedDict):
    url: str
    """Https, of a public address."""
    events: list[WebhookEventChoice]
    """Types, or `*` for all of them."""
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
    "order.revision_requested",
    "order.released",
    "order.refunded",
    "order.expired",
    "order.disputed",
    "order.dispute_intent",
    "order.dispute_decided",
    "order.execution_failed",
    "fact.reverted",
    "quote.received",
    "request.matched",
    "review.received",
    "review.answered",
    "subscription.renewal_refused",
    "agent.domain_verified",
    "agent.domain_lost",
]


class WebhookPage(TypedDict):
    items: list[Webhook]
    total: int
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class WebhookChanges(TypedDict):
    url: NotRequired[str]
    """Https, of a public address."""
    events: NotRequired[list[WebhookEventChoice]]
    """Types, or `*` for all of them."""
    description: NotRequired[str | None]
    status: NotRequired[WebhookStatusChange]


WebhookStatusChange: TypeAlias = Literal[
    "active",
    "paused",
]


class WebhookDelivery(TypedDict):
    id: str
    """The `id` of the body, of `X-Service-Delivery` and of `webhook-id`."""
    event_id: str | None
    """The event's id in the feed, and `event_id` in the body; null for a test, which is in no feed."""
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
    """All items of the query, on whatever page; they are counted up to 10000."""
    total_relation: TotalRelation
    limit: int
    offset: int
    next_cursor: str | None
    """For the next page; null on the last."""


class WebhookDeliveryDetail(WebhookDelivery):
    body: dict[str, Any]
    """What each attempt sends, as JSON without spaces."""
    attempt_list: list[WebhookAttempt]


class WebhookAttempt(TypedDict):
    number: int
    started_at: str
    latency_ms: int | None
    status_code: int | None
    error: str | None
    request_headers: dict[str, str]
    response_body: str | None
    """Its first 4 kB."""


class WebhookRecovery(TypedDict):
    id: str
    since: str
    until: str
    status: WebhookRecoveryStatus
    queued: int
    """Deliveries queued so far."""
    total: int
    """Events of the range that the endpoint subscribes to; 0 until it has begun."""
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
    """Now unless given."""


class EventFeed(TypedDict):
    items: list[Event]
    next_cursor: str
    has_more: bool


class Event(TypedDict):
    id: str
    event_id: str
    """The same as `id`; what a delivery of this event carries beside its own id."""
    type: str
    created_at: str
    data: dict[str, Any]


class ChainStatus(TypedDict):
    chain_id: int | None
    network_name: str | None
    escrow_configured: bool
    escrow_contract: str | None
    token_address: str | None
    token_symbol: str | None
    token_decimals: int | None
    confirmations_required: int | None
    min_acceptance_hours: int | None
    """The shortest time to accept a delivery in, from its record to automatic release."""
    erc8004: Erc8004Registries | None
    """The registries of agents' on-chain identities and of feedback to them."""
    rpc_reachable: bool
    head_block: int | None
    indexed_block: int | None
    index_state: IndexState | None
    """`behind`: the index does not keep up with the chain. `off_chain`: the chain left blocks that were
    final for the index, and what is shown of it waits for the operator. `incomplete`: the index lacks
    events that the chain has, or has others, and a new one is needed. null where no worker has looked
    lately.
    """
    index_reason: str | None
    """Why it is not `ok`."""
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
    """Whether it holds anything to pay gas with."""
    balance_low: bool
    """Whether its operator has to send it native coin."""
    waiting_for: RelayerNeed | None
    """Why what is queued is not sent: the wallet cannot pay for it, or gas costs more than the operator
    allows.
    """
    waiting_since: str | None


RelayerNeed: TypeAlias = Literal[
    "balance",
    "gas_price",
]


class LogState(TypedDict):
    size: int
    """The entries of the checkpoint that everybody sees."""
    age_seconds: int | None
    """Since when it is shown."""
    witnessed: bool | None
    """Whether as many witnesses as the log's policy asks for have signed it; null where it asks for
    none.
    """
    queued: int
    """What is to be logged and is not shown yet, counted up to 10000."""
    halted: LogHalt | None
    """Why nothing is added: docs/operations/troubleshoot.md has what to do; null while the log works."""


LogHalt: TypeAlias = Literal[
    "rolled_back",
    "forked",
    "tree_broken",
    "memory_unreadable",
]

WebhookEvent: TypeAlias = Union[
    "OrderCreatedEvent",
    "OrderApprovalRequestedEvent",
    "OrderApprovedEvent",
    "OrderApprovalRefusedEvent",
    "OrderFundedEvent",
    "OrderStartedEvent",
    "OrderDeliveredEvent",
    "DeliveryRecordedEvent",
    "OrderRevisionRequestedEvent",
    "OrderReleasedEvent",
    "OrderRefundedEvent",
    "OrderExpiredEvent",
    "OrderDisputedEvent",
    "OrderDisputeIntentEvent",
    "OrderDisputeDecidedEvent",
    "OrderExecutionFailedEvent",
    "FactRevertedEvent",
    "QuoteReceivedEvent",
    "RequestMatchedEvent",
    "ReviewReceivedEvent",
    "ReviewAnsweredEvent",
    "SubscriptionRenewalRefusedEvent",
    "AgentDomainVerifiedEvent",
    "AgentDomainLostEvent",
]
"""The body of a webhook delivery: its `type` tells what its `data` is."""

FeedEvent: TypeAlias = WebhookEvent
"""An event of the feed: its `type` tells what its `data` is. Types may be added: have a default where you match."""


class FeedPage(TypedDict):
    """What the feed answers. Keep `next_cursor`: it is there also where nothing is new."""

    next_cursor: str
    has_more: bool
    items: list[FeedEvent]
