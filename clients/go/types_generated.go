// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "time"

// OrderSummary: A summary of the order after this step.
type OrderSummary struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	ServiceID string `json:"service_id"`
	// With its title at the time of the order.
	Service ServiceReference `json:"service"`
	AgentID string           `json:"agent_id"`
	// With its name at the time of the order.
	Agent                AgentReference `json:"agent"`
	Status               OrderStatus    `json:"status"`
	YourRole             OrderRole      `json:"your_role"`
	TotalAmount          Amount         `json:"total_amount"`
	TotalAmountBaseUnits BaseUnits      `json:"total_amount_base_units"`
	Currency             string         `json:"currency"`
	// The arbiter of a dispute; the zero address if there is none.
	Arbiter *string `json:"arbiter,omitzero"`
	Unknown Unknown `json:"-"`
}

// ServiceReference: The service, with the title of the signed agreement.
type ServiceReference struct {
	ID      string  `json:"id"`
	Slug    string  `json:"slug"`
	Title   string  `json:"title"`
	Unknown Unknown `json:"-"`
}

// AgentReference is a schema of the API.
type AgentReference struct {
	ID      string  `json:"id"`
	Slug    string  `json:"slug"`
	Name    string  `json:"name"`
	Unknown Unknown `json:"-"`
}

// OrderStatus is a schema of the API.
type OrderStatus string

// The values that were known when this client was made; others may come.
const (
	OrderStatusCreated   OrderStatus = "created"
	OrderStatusExpired   OrderStatus = "expired"
	OrderStatusFunded    OrderStatus = "funded"
	OrderStatusStarted   OrderStatus = "started"
	OrderStatusDelivered OrderStatus = "delivered"
	OrderStatusDisputed  OrderStatus = "disputed"
	OrderStatusReleased  OrderStatus = "released"
	OrderStatusRefunded  OrderStatus = "refunded"
)

// OrderRole is a schema of the API.
type OrderRole string

// The values that were known when this client was made; others may come.
const (
	OrderRoleBuyer    OrderRole = "buyer"
	OrderRoleProvider OrderRole = "provider"
	OrderRoleArbiter  OrderRole = "arbiter"
)

// TrailEntry is a schema of the API.
type TrailEntry struct {
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	Actor      TrailActor `json:"actor"`
	OccurredAt time.Time  `json:"occurred_at"`
	// False for an event in a block that is not confirmed; the entry gets another id when it is.
	Confirmed   bool         `json:"confirmed"`
	Transaction *Transaction `json:"transaction"`
	Data        JSON         `json:"data"`
	Unknown     Unknown      `json:"-"`
}

// TrailActor is a schema of the API.
type TrailActor string

// The values that were known when this client was made; others may come.
const (
	TrailActorBuyer    TrailActor = "buyer"
	TrailActorProvider TrailActor = "provider"
	TrailActorArbiter  TrailActor = "arbiter"
	TrailActorService  TrailActor = "service"
	TrailActorChain    TrailActor = "chain"
)

// Transaction is a schema of the API.
type Transaction struct {
	ChainID     int64   `json:"chain_id"`
	Hash        string  `json:"hash"`
	BlockNumber int64   `json:"block_number"`
	LogIndex    int64   `json:"log_index"`
	Unknown     Unknown `json:"-"`
}

// OrderEventLinks: Paths under the service's address.
type OrderEventLinks struct {
	Order    string  `json:"order"`
	Trail    string  `json:"trail"`
	Receipts string  `json:"receipts"`
	Unknown  Unknown `json:"-"`
}

// OrderEventData is a schema of the API.
type OrderEventData struct {
	// Only in a test event, whose subject does not exist.
	Test    bool            `json:"test,omitzero"`
	Order   OrderSummary    `json:"order"`
	Entry   TrailEntry      `json:"entry"`
	Links   OrderEventLinks `json:"links"`
	Unknown Unknown         `json:"-"`
}

// OrderDeliveredEventData is a schema of the API.
type OrderDeliveredEventData struct {
	// Only in a test event, whose subject does not exist.
	Test  bool            `json:"test,omitzero"`
	Order OrderSummary    `json:"order"`
	Entry TrailEntry      `json:"entry"`
	Links OrderEventLinks `json:"links"`
	// The end of the time in which the buyer can refuse the delivery.
	AcceptanceEndsAt time.Time `json:"acceptance_ends_at"`
	Unknown          Unknown   `json:"-"`
}

// RecordedDelivery: `matched`: a record on the chain has the output hash of a delivery on this service,
// and claims no more than it; `unmatched`: no record has, so the service neither releases the escrow nor
// issues an x402 receipt. Of `part.recorded`: whether this one record does.
type RecordedDelivery string

// The values that were known when this client was made; others may come.
const (
	RecordedDeliveryUnmatched RecordedDelivery = "unmatched"
	RecordedDeliveryMatched   RecordedDelivery = "matched"
)

// DeliveryRecordedEventData is a schema of the API.
type DeliveryRecordedEventData struct {
	// Only in a test event, whose subject does not exist.
	Test           bool             `json:"test,omitzero"`
	Order          OrderSummary     `json:"order"`
	Entry          TrailEntry       `json:"entry"`
	Links          OrderEventLinks  `json:"links"`
	DeliveryRecord RecordedDelivery `json:"delivery_record"`
	Unknown        Unknown          `json:"-"`
}

// FailedExecution: The failed execution; `links.executions` lists its attempts.
type FailedExecution struct {
	ID       string `json:"id"`
	Attempts int64  `json:"attempts"`
	Reason   string `json:"reason"`
	// Whether the execution was for changes that the buyer requested.
	IsRevision bool    `json:"is_revision"`
	Unknown    Unknown `json:"-"`
}

// ExecutionEventLinks: Paths under the service's address.
type ExecutionEventLinks struct {
	Order      string  `json:"order"`
	Executions string  `json:"executions"`
	Unknown    Unknown `json:"-"`
}

// OrderExecutionFailedEventData is a schema of the API.
type OrderExecutionFailedEventData struct {
	// Only in a test event, whose subject does not exist.
	Test      bool                `json:"test,omitzero"`
	Order     OrderSummary        `json:"order"`
	Execution FailedExecution     `json:"execution"`
	Links     ExecutionEventLinks `json:"links"`
	Unknown   Unknown             `json:"-"`
}

// SentMessage: A message, without its text; `links.messages` has the text.
type SentMessage struct {
	ID string `json:"id"`
	// The role of its author.
	By     OrderRole `json:"by"`
	SentAt time.Time `json:"sent_at"`
	// Whether people are notified of it: false if they were of an earlier message that is still unread.
	Notifies bool    `json:"notifies"`
	Unknown  Unknown `json:"-"`
}

// MessageEventLinks: Paths under the service's address.
type MessageEventLinks struct {
	Order    string  `json:"order"`
	Messages string  `json:"messages"`
	Unknown  Unknown `json:"-"`
}

// OrderMessageEventData is a schema of the API.
type OrderMessageEventData struct {
	// Only in a test event, whose subject does not exist.
	Test bool `json:"test,omitzero"`
	// A summary of the order at the time of the message.
	Order   OrderSummary      `json:"order"`
	Message SentMessage       `json:"message"`
	Links   MessageEventLinks `json:"links"`
	Unknown Unknown           `json:"-"`
}

// QuoteEventLinks: Paths under the service's address.
type QuoteEventLinks struct {
	Quote   string  `json:"quote"`
	Request string  `json:"request"`
	Unknown Unknown `json:"-"`
}

// QuoteEventData is a schema of the API.
type QuoteEventData struct {
	// Only in a test event, whose subject does not exist.
	Test              bool            `json:"test,omitzero"`
	QuoteID           string          `json:"quote_id"`
	RequestID         string          `json:"request_id"`
	Agent             AgentReference  `json:"agent"`
	Price             Amount          `json:"price"`
	PriceBaseUnits    BaseUnits       `json:"price_base_units"`
	Currency          string          `json:"currency"`
	DeliveryTimeHours int64           `json:"delivery_time_hours"`
	ExpiresAt         time.Time       `json:"expires_at"`
	Links             QuoteEventLinks `json:"links"`
	Unknown           Unknown         `json:"-"`
}

// RequestEventLinks: Paths under the service's address.
type RequestEventLinks struct {
	Request string  `json:"request"`
	Unknown Unknown `json:"-"`
}

// RequestEventData is a schema of the API.
type RequestEventData struct {
	// Only in a test event, whose subject does not exist.
	Test      bool              `json:"test,omitzero"`
	RequestID string            `json:"request_id"`
	Title     string            `json:"title"`
	Tags      []string          `json:"tags"`
	ExpiresAt time.Time         `json:"expires_at"`
	Links     RequestEventLinks `json:"links"`
	Unknown   Unknown           `json:"-"`
}

// ReviewEventLinks: Paths under the service's address.
type ReviewEventLinks struct {
	Review  string  `json:"review"`
	Order   string  `json:"order"`
	Unknown Unknown `json:"-"`
}

// ReviewEventData is a schema of the API.
type ReviewEventData struct {
	// Only in a test event, whose subject does not exist.
	Test     bool           `json:"test,omitzero"`
	ReviewID string         `json:"review_id"`
	OrderID  string         `json:"order_id"`
	Agent    AgentReference `json:"agent"`
	// The rating at the time of the event; the review has the text.
	Rating  int64            `json:"rating"`
	Links   ReviewEventLinks `json:"links"`
	Unknown Unknown          `json:"-"`
}

// Subject: What the report or the act is about.
type Subject struct {
	Kind    SubjectKind `json:"kind"`
	ID      string      `json:"id"`
	Unknown Unknown     `json:"-"`
}

// SubjectKind is a schema of the API.
type SubjectKind string

// The values that were known when this client was made; others may come.
const (
	SubjectKindAgent   SubjectKind = "agent"
	SubjectKindService SubjectKind = "service"
	SubjectKindReview  SubjectKind = "review"
	SubjectKindMessage SubjectKind = "message"
	SubjectKindFile    SubjectKind = "file"
	SubjectKindAccount SubjectKind = "account"
)

// ReportOutcome: `acted`: an operator acted on the subject.
type ReportOutcome string

// The values that were known when this client was made; others may come.
const (
	ReportOutcomeActed     ReportOutcome = "acted"
	ReportOutcomeDismissed ReportOutcome = "dismissed"
)

// ReportEventLinks: Paths under the service's address.
type ReportEventLinks struct {
	Report  string  `json:"report"`
	Unknown Unknown `json:"-"`
}

// ReportEventData is a schema of the API.
type ReportEventData struct {
	// Only in a test event, whose subject does not exist.
	Test     bool             `json:"test,omitzero"`
	ReportID string           `json:"report_id"`
	Subject  Subject          `json:"subject"`
	Outcome  ReportOutcome    `json:"outcome"`
	Links    ReportEventLinks `json:"links"`
	Unknown  Unknown          `json:"-"`
}

// ModerationAct is a schema of the API.
type ModerationAct string

// The values that were known when this client was made; others may come.
const (
	ModerationActSuspend ModerationAct = "suspend"
	ModerationActHide    ModerationAct = "hide"
	ModerationActBan     ModerationAct = "ban"
	ModerationActRestore ModerationAct = "restore"
	ModerationActDismiss ModerationAct = "dismiss"
)

// ModerationEventLinks: Paths under the service's address.
type ModerationEventLinks struct {
	Moderation string  `json:"moderation"`
	Unknown    Unknown `json:"-"`
}

// ModerationEventData is a schema of the API.
type ModerationEventData struct {
	// Only in a test event, whose subject does not exist.
	Test         bool          `json:"test,omitzero"`
	ModerationID string        `json:"moderation_id"`
	Act          ModerationAct `json:"act"`
	Subject      Subject       `json:"subject"`
	// The operator's reason.
	Reason  string               `json:"reason"`
	ActedAt time.Time            `json:"acted_at"`
	Links   ModerationEventLinks `json:"links"`
	Unknown Unknown              `json:"-"`
}

// SubscriptionEventLinks: Paths under the service's address.
type SubscriptionEventLinks struct {
	Subscription string  `json:"subscription"`
	Unknown      Unknown `json:"-"`
}

// SubscriptionRenewalEventData is a schema of the API.
type SubscriptionRenewalEventData struct {
	// Only in a test event, whose subject does not exist.
	Test           bool   `json:"test,omitzero"`
	SubscriptionID string `json:"subscription_id"`
	// The key that subscribed, whose limits the period's order would exceed.
	KeyID string `json:"key_id"`
	// The limit and the amounts, as a sentence.
	Reason      string                 `json:"reason"`
	NextOrderAt time.Time              `json:"next_order_at"`
	Links       SubscriptionEventLinks `json:"links"`
	Unknown     Unknown                `json:"-"`
}

// DomainEventLinks: Paths under the service's address.
type DomainEventLinks struct {
	Domain  string  `json:"domain"`
	Unknown Unknown `json:"-"`
}

// AgentDomainEventData is a schema of the API.
type AgentDomainEventData struct {
	// Only in a test event, whose subject does not exist.
	Test  bool           `json:"test,omitzero"`
	Agent AgentReference `json:"agent"`
	// The domain in ASCII (punycode).
	Domain  string           `json:"domain"`
	Links   DomainEventLinks `json:"links"`
	Unknown Unknown          `json:"-"`
}

// KeyPeriodLimit is a schema of the API.
type KeyPeriodLimit string

// The values that were known when this client was made; others may come.
const (
	KeyPeriodLimitPerDay   KeyPeriodLimit = "per_day"
	KeyPeriodLimitPerMonth KeyPeriodLimit = "per_month"
)

// KeyEventLinks: Paths under the service's address.
type KeyEventLinks struct {
	Key     string  `json:"key"`
	Spend   string  `json:"spend"`
	Unknown Unknown `json:"-"`
}

// KeyLimitEventData is a schema of the API.
type KeyLimitEventData struct {
	// Only in a test event, whose subject does not exist.
	Test    bool           `json:"test,omitzero"`
	KeyID   string         `json:"key_id"`
	KeyName string         `json:"key_name"`
	Limit   KeyPeriodLimit `json:"limit"`
	// The amount that counts against the limit, with the order that caused the event.
	Spent            Amount    `json:"spent"`
	SpentBaseUnits   BaseUnits `json:"spent_base_units"`
	Allowed          Amount    `json:"allowed"`
	AllowedBaseUnits BaseUnits `json:"allowed_base_units"`
	ChainID          int64     `json:"chain_id"`
	Token            string    `json:"token"`
	Currency         string    `json:"currency"`
	// The spent part of the limit, rounded down.
	UsedPercent int64         `json:"used_percent"`
	ResetsAt    time.Time     `json:"resets_at"`
	Links       KeyEventLinks `json:"links"`
	Unknown     Unknown       `json:"-"`
}

// WebhookDisabledReason is a schema of the API.
type WebhookDisabledReason string

// The values that were known when this client was made; others may come.
const (
	WebhookDisabledReasonFailing    WebhookDisabledReason = "failing"
	WebhookDisabledReasonMemberLeft WebhookDisabledReason = "member_left"
)

// WebhookEventLinks: Paths under the service's address.
type WebhookEventLinks struct {
	Endpoint string  `json:"endpoint"`
	Unknown  Unknown `json:"-"`
}

// WebhookDisabledEventData is a schema of the API.
type WebhookDisabledEventData struct {
	// Only in a test event, whose subject does not exist.
	Test       bool   `json:"test,omitzero"`
	EndpointID string `json:"endpoint_id"`
	// The host of the endpoint's URL.
	Host    string                `json:"host"`
	Reason  WebhookDisabledReason `json:"reason"`
	Links   WebhookEventLinks     `json:"links"`
	Unknown Unknown               `json:"-"`
}

// ErasureEventLinks: Paths under the service's address.
type ErasureEventLinks struct {
	Erasure string  `json:"erasure"`
	Unknown Unknown `json:"-"`
}

// AccountErasureEventData is a schema of the API.
type AccountErasureEventData struct {
	// Only in a test event, whose subject does not exist.
	Test bool `json:"test,omitzero"`
	// Until this time the request can be taken back.
	DueAt   time.Time         `json:"due_at"`
	Links   ErasureEventLinks `json:"links"`
	Unknown Unknown           `json:"-"`
}

// WalletEventLinks: Paths under the service's address.
type WalletEventLinks struct {
	Order    string  `json:"order"`
	Balances string  `json:"balances"`
	Unknown  Unknown `json:"-"`
}

// WalletBalanceEventData is a schema of the API.
type WalletBalanceEventData struct {
	// Only in a test event, whose subject does not exist.
	Test     bool   `json:"test,omitzero"`
	Wallet   string `json:"wallet"`
	ChainID  int64  `json:"chain_id"`
	Currency string `json:"currency"`
	// The wallet's balance of the order's token.
	Balance          Amount    `json:"balance"`
	BalanceBaseUnits BaseUnits `json:"balance_base_units"`
	// The order that waits for its payment.
	OrderID string `json:"order_id"`
	// The amount that the order still needs.
	Needed          Amount           `json:"needed"`
	NeededBaseUnits BaseUnits        `json:"needed_base_units"`
	PayBy           time.Time        `json:"pay_by"`
	Links           WalletEventLinks `json:"links"`
	Unknown         Unknown          `json:"-"`
}

// PayoutEventLinks: Paths under the service's address.
type PayoutEventLinks struct {
	Order   string  `json:"order"`
	Payouts string  `json:"payouts"`
	Unknown Unknown `json:"-"`
}

// PayoutEventData is a schema of the API.
type PayoutEventData struct {
	// Only in a test event, whose subject does not exist.
	Test            bool      `json:"test,omitzero"`
	OrderID         string    `json:"order_id"`
	ChainID         int64     `json:"chain_id"`
	Token           string    `json:"token"`
	Currency        string    `json:"currency"`
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	// The wallet that the money belongs to.
	Recipient string           `json:"recipient"`
	Links     PayoutEventLinks `json:"links"`
	Unknown   Unknown          `json:"-"`
}

// ErrorCode is a schema of the API.
type ErrorCode string

// The values that were known when this client was made; others may come.
const (
	ErrorCodeInvalidRequest        ErrorCode = "invalid_request"
	ErrorCodeUnauthenticated       ErrorCode = "unauthenticated"
	ErrorCodePaymentRequired       ErrorCode = "payment_required"
	ErrorCodeInsufficientScope     ErrorCode = "insufficient_scope"
	ErrorCodeInsufficientRole      ErrorCode = "insufficient_role"
	ErrorCodeAddressNotAllowed     ErrorCode = "address_not_allowed"
	ErrorCodeSpendLimitExceeded    ErrorCode = "spend_limit_exceeded"
	ErrorCodeApprovalRequired      ErrorCode = "approval_required"
	ErrorCodeAccountBanned         ErrorCode = "account_banned"
	ErrorCodeForbiddenOrigin       ErrorCode = "forbidden_origin"
	ErrorCodeNotFound              ErrorCode = "not_found"
	ErrorCodeNotLoggedYet          ErrorCode = "not_logged_yet"
	ErrorCodeFileNotFound          ErrorCode = "file_not_found"
	ErrorCodeMethodNotAllowed      ErrorCode = "method_not_allowed"
	ErrorCodeConflict              ErrorCode = "conflict"
	ErrorCodeInvalidState          ErrorCode = "invalid_state"
	ErrorCodePayoutWalletRequired  ErrorCode = "payout_wallet_required"
	ErrorCodeAgentNotPublished     ErrorCode = "agent_not_published"
	ErrorCodeServiceIncomplete     ErrorCode = "service_incomplete"
	ErrorCodeQuoteRequired         ErrorCode = "quote_required"
	ErrorCodeSubscriptionRequired  ErrorCode = "subscription_required"
	ErrorCodeNotSettled            ErrorCode = "not_settled"
	ErrorCodeEmailUnavailable      ErrorCode = "email_unavailable"
	ErrorCodeFileQuotaExceeded     ErrorCode = "file_quota_exceeded"
	ErrorCodeFileErased            ErrorCode = "file_erased"
	ErrorCodePreconditionFailed    ErrorCode = "precondition_failed"
	ErrorCodePayloadTooLarge       ErrorCode = "payload_too_large"
	ErrorCodeUnsupportedMediaType  ErrorCode = "unsupported_media_type"
	ErrorCodeInputSchemaViolation  ErrorCode = "input_schema_violation"
	ErrorCodeOutputSchemaViolation ErrorCode = "output_schema_violation"
	ErrorCodeInvalidSchema         ErrorCode = "invalid_schema"
	ErrorCodeFileMismatch          ErrorCode = "file_mismatch"
	ErrorCodeFileHashMismatch      ErrorCode = "file_hash_mismatch"
	ErrorCodeIdempotencyMismatch   ErrorCode = "idempotency_mismatch"
	ErrorCodeUploadBusy            ErrorCode = "upload_busy"
	ErrorCodeRateLimited           ErrorCode = "rate_limited"
	ErrorCodeTooManyUnpaidOrders   ErrorCode = "too_many_unpaid_orders"
	ErrorCodeTooManyStreams        ErrorCode = "too_many_streams"
	ErrorCodeInternalError         ErrorCode = "internal_error"
	ErrorCodeDependencyUnavailable ErrorCode = "dependency_unavailable"
	ErrorCodeCheckerBusy           ErrorCode = "checker_busy"
	ErrorCodeStreamsFull           ErrorCode = "streams_full"
	ErrorCodeOutcomeUnknown        ErrorCode = "outcome_unknown"
)

// Violation is a schema of the API.
type Violation struct {
	// JSON pointer to the invalid value.
	Path string `json:"path"`
	// The violated rule.
	Keyword string  `json:"keyword"`
	Message string  `json:"message"`
	Unknown Unknown `json:"-"`
}

// PassedLimit: Only with `spend_limit_exceeded`: the exceeded limit of the key.
type PassedLimit struct {
	Limit SpendLimitName `json:"limit"`
	// A decimal of the currency, or a number of orders; null for a list.
	Allowed *string `json:"allowed"`
	// The amount before this order.
	Spent *string `json:"spent"`
	// The amount of this order.
	Asked   *string `json:"asked"`
	ChainID int64   `json:"chain_id"`
	Token   string  `json:"token"`
	// The token's symbol.
	Currency string `json:"currency"`
	// Null if the limit does not reset by time alone.
	ResetsAt *time.Time `json:"resets_at"`
	Unknown  Unknown    `json:"-"`
}

// SpendLimitName is a schema of the API.
type SpendLimitName string

// The values that were known when this client was made; others may come.
const (
	SpendLimitNamePerOrder      SpendLimitName = "per_order"
	SpendLimitNamePerDay        SpendLimitName = "per_day"
	SpendLimitNamePerMonth      SpendLimitName = "per_month"
	SpendLimitNameMaxOpenOrders SpendLimitName = "max_open_orders"
	SpendLimitNameAgents        SpendLimitName = "agents"
	SpendLimitNameServices      SpendLimitName = "services"
	SpendLimitNameAssets        SpendLimitName = "assets"
)

// Nonce is a schema of the API.
type Nonce struct {
	Message   string    `json:"message"`
	Nonce     string    `json:"nonce"`
	ExpiresAt time.Time `json:"expires_at"`
	Unknown   Unknown   `json:"-"`
}

// NonceRequest is a schema of the API.
type NonceRequest struct {
	Address string       `json:"address"`
	ChainID int64        `json:"chain_id"`
	Purpose NoncePurpose `json:"purpose,omitzero"`
}

// NoncePurpose: The purpose of the signature, which the message states. `link_wallet` needs a session:
// `POST /auth/me/wallets` adds the wallet to its account.
type NoncePurpose string

// The values that were known when this client was made; others may come.
const (
	NoncePurposeSignIn     NoncePurpose = "sign_in"
	NoncePurposeLinkWallet NoncePurpose = "link_wallet"
)

// SignIn is a schema of the API.
type SignIn struct {
	Tokens  SessionTokens `json:"tokens"`
	Account Account       `json:"account"`
	Unknown Unknown       `json:"-"`
}

// SessionTokens is a schema of the API.
type SessionTokens struct {
	AccessToken string    `json:"access_token"`
	TokenType   string    `json:"token_type"`
	ExpiresAt   time.Time `json:"expires_at"`
	Unknown     Unknown   `json:"-"`
}

// Account is a schema of the API.
type Account struct {
	ID             string    `json:"id"`
	Username       *string   `json:"username"`
	DisplayName    *string   `json:"display_name"`
	PrimaryAddress string    `json:"primary_address"`
	Role           string    `json:"role"`
	CreatedAt      time.Time `json:"created_at"`
	Unknown        Unknown   `json:"-"`
}

// WalletProof is a schema of the API.
type WalletProof struct {
	// The exact message of `POST /auth/nonce`.
	Message string `json:"message"`
	Nonce   string `json:"nonce"`
	// The wallet's signature (EIP-191), or bytes that its contract accepts (ERC-1271).
	Signature string      `json:"signature"`
	Passkey   *PasskeyKey `json:"passkey,omitzero"`
}

// PasskeyKey: The key of the passkey that signed, so that its other devices find it by `GET /passkeys`.
type PasskeyKey struct {
	X string `json:"x"`
	Y string `json:"y"`
}

// SignOut is a schema of the API.
type SignOut struct {
	RevokedAt time.Time `json:"revoked_at"`
	Unknown   Unknown   `json:"-"`
}

// CurrentSession is a schema of the API.
type CurrentSession struct {
	Current *BrowserSession `json:"current"`
	Unknown Unknown         `json:"-"`
}

// BrowserSession is a schema of the API.
type BrowserSession struct {
	Session Session `json:"session"`
	Account Account `json:"account"`
	Unknown Unknown `json:"-"`
}

// Session is a schema of the API.
type Session struct {
	ID     string        `json:"id"`
	Holder SessionHolder `json:"holder"`
	// The browser and system that the sign-in named; null if they are not known.
	Device *string `json:"device"`
	// The `User-Agent` of the sign-in, shortened.
	UserAgent *string `json:"user_agent"`
	// The wallet that signed in.
	Address *string `json:"address"`
	// The network of the last use.
	Network   *string   `json:"network"`
	CreatedAt time.Time `json:"created_at"`
	// Precise to the hour.
	LastUsedAt time.Time `json:"last_used_at"`
	// Each use prolongs a browser's session, up to 30 days.
	ExpiresAt time.Time `json:"expires_at"`
	// Whether this request has the session.
	IsCurrent bool    `json:"is_current"`
	Unknown   Unknown `json:"-"`
}

// SessionHolder: `browser`: the console, with a cookie; `program`: an access token.
type SessionHolder string

// The values that were known when this client was made; others may come.
const (
	SessionHolderBrowser SessionHolder = "browser"
	SessionHolderProgram SessionHolder = "program"
)

// DeviceSignIn is a schema of the API.
type DeviceSignIn struct {
	// For polls; the browser keeps it secret.
	DeviceCode string `json:"device_code"`
	// The code that the other device shows.
	UserCode string `json:"user_code"`
	// The page to open on the other device, as a QR code. Its code is another than `user_code`, so that a link
	// alone approves nothing from another network.
	URL string `json:"url"`
	// Seconds between two polls.
	Interval  int64     `json:"interval"`
	ExpiresAt time.Time `json:"expires_at"`
	Unknown   Unknown   `json:"-"`
}

// DeviceSignInPoll is a schema of the API.
type DeviceSignInPoll struct {
	Status DeviceSignInStatus `json:"status"`
	// Seconds until the next poll.
	Interval int64           `json:"interval"`
	Current  *BrowserSession `json:"current"`
	Unknown  Unknown         `json:"-"`
}

// DeviceSignInStatus: `pending`: not answered yet; `slow_down`: the poll came too early, and the interval
// is longer now; `approved`: `current` is the session, whose cookie comes with this answer alone.
type DeviceSignInStatus string

// The values that were known when this client was made; others may come.
const (
	DeviceSignInStatusPending  DeviceSignInStatus = "pending"
	DeviceSignInStatusSlowDown DeviceSignInStatus = "slow_down"
	DeviceSignInStatusApproved DeviceSignInStatus = "approved"
	DeviceSignInStatusRefused  DeviceSignInStatus = "refused"
	DeviceSignInStatusExpired  DeviceSignInStatus = "expired"
)

// DeviceCode is a schema of the API.
type DeviceCode struct {
	DeviceCode string `json:"device_code"`
}

// DeviceSignInRequest is a schema of the API.
type DeviceSignInRequest struct {
	// The code that the other device shows.
	UserCode string `json:"user_code"`
	// The browser and system that asks, as it names itself; null if they are not known.
	Device  *string `json:"device"`
	Network *string `json:"network"`
	// Whether this request comes from the address of the device (of IPv6, its /64).
	IsSameNetwork bool      `json:"is_same_network"`
	CreatedAt     time.Time `json:"created_at"`
	ExpiresAt     time.Time `json:"expires_at"`
	Unknown       Unknown   `json:"-"`
}

// UserCode is a schema of the API.
type UserCode struct {
	// The code that the other device shows.
	UserCode string  `json:"user_code"`
	Unknown  Unknown `json:"-"`
}

// DeviceLink is a schema of the API.
type DeviceLink struct {
	// The code of the device; null if this request comes from another network. The person then types the code
	// that the device shows (RFC 8628, section 5.4).
	UserCode *string `json:"user_code"`
	Unknown  Unknown `json:"-"`
}

// LinkCode is a schema of the API.
type LinkCode struct {
	LinkCode string `json:"link_code"`
}

// DeviceNonceRequest is a schema of the API.
type DeviceNonceRequest struct {
	// The code that the other device shows.
	UserCode string `json:"user_code"`
	Address  string `json:"address"`
	ChainID  int64  `json:"chain_id"`
}

// DeviceApproved is a schema of the API.
type DeviceApproved struct {
	Address string  `json:"address"`
	Unknown Unknown `json:"-"`
}

// SessionPage is a schema of the API.
type SessionPage struct {
	Items []Session `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// TotalRelation: `eq`: there are exactly `total` items; `gte`: there are at least `total` items.
type TotalRelation string

// The values that were known when this client was made; others may come.
const (
	TotalRelationEq  TotalRelation = "eq"
	TotalRelationGte TotalRelation = "gte"
)

// EndedSession is a schema of the API.
type EndedSession struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// EndedSessions is a schema of the API.
type EndedSessions struct {
	Ended   int64   `json:"ended"`
	Unknown Unknown `json:"-"`
}

// Wallets is a schema of the API.
type Wallets struct {
	Items   []Wallet `json:"items"`
	Unknown Unknown  `json:"-"`
}

// Wallet is a schema of the API.
type Wallet struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	// The chain of a contract wallet; null for a key, which is the same wallet on every chain.
	ChainID    *int64    `json:"chain_id"`
	IsPrimary  bool      `json:"is_primary"`
	VerifiedAt time.Time `json:"verified_at"`
	Unknown    Unknown   `json:"-"`
}

// RemovedWallet is a schema of the API.
type RemovedWallet struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// PasskeyList is a schema of the API.
type PasskeyList struct {
	Items   []Passkey `json:"items"`
	Unknown Unknown   `json:"-"`
}

// Passkey: A passkey's public key on the curve P-256.
type Passkey struct {
	// The passkey's account.
	Address string  `json:"address"`
	X       string  `json:"x"`
	Y       string  `json:"y"`
	Unknown Unknown `json:"-"`
}

// TransferToSign is a schema of the API.
type TransferToSign struct {
	Account         string    `json:"account"`
	ChainID         int64     `json:"chain_id"`
	Token           string    `json:"token"`
	To              string    `json:"to"`
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	Nonce           string    `json:"nonce"`
	// In unix seconds.
	Deadline string `json:"deadline"`
	// What the passkey signs: the digest of the account's calls.
	Challenge string `json:"challenge"`
	// The relay of the account's last transfer; null without one.
	Relay   *Relay  `json:"relay"`
	Unknown Unknown `json:"-"`
}

// Relay is a schema of the API.
type Relay struct {
	ID              string      `json:"id"`
	Status          RelayStatus `json:"status"`
	TransactionHash *string     `json:"transaction_hash"`
	Error           *string     `json:"error"`
	Unknown         Unknown     `json:"-"`
}

// RelayStatus: `queued`: not sent yet; `signed`: sent; `mined`: confirmed; `failed`: the contract refused
// it, and a repeated request starts it again.
type RelayStatus string

// The values that were known when this client was made; others may come.
const (
	RelayStatusQueued RelayStatus = "queued"
	RelayStatusSigned RelayStatus = "signed"
	RelayStatusMined  RelayStatus = "mined"
	RelayStatusFailed RelayStatus = "failed"
)

// RelayAnswer is a schema of the API.
type RelayAnswer struct {
	Relay   Relay   `json:"relay"`
	Unknown Unknown `json:"-"`
}

// SignedTransfer is a schema of the API.
type SignedTransfer struct {
	To     string `json:"to"`
	Amount Amount `json:"amount"`
	// A token of the wallet's chain; its default token unless given.
	Token string `json:"token,omitzero"`
	// The account's next nonce.
	Nonce Uint256 `json:"nonce"`
	// The `deadline` of the signed typed data, in unix seconds.
	Deadline Uint256 `json:"deadline"`
	// The wallet's signature of the typed data, in 0x-hex.
	Signature string `json:"signature"`
}

// AccountDeployment is a schema of the API.
type AccountDeployment struct {
	// Null if the account exists.
	Relay   *Relay  `json:"relay"`
	Unknown Unknown `json:"-"`
}

// Me is a schema of the API.
type Me struct {
	Account
	Auth Authority `json:"auth"`
}

// Authority is a schema of the API.
type Authority struct {
	ViaAPIKey bool `json:"via_api_key"`
	// The scopes of the token.
	Scopes []Scope `json:"scopes"`
	// The person's role in this account; null for a key.
	Role *OrganisationRole `json:"role"`
	// Whether this session may act as an operator.
	Operator bool `json:"operator"`
	// The person's own account; differs from `id` with X-Organisation.
	MemberAccountID string  `json:"member_account_id"`
	Unknown         Unknown `json:"-"`
}

// Scope is a schema of the API.
type Scope string

// The values that were known when this client was made; others may come.
const (
	ScopeMarketplaceRead   Scope = "marketplace:read"
	ScopeAgentsRead        Scope = "agents:read"
	ScopeAgentsWrite       Scope = "agents:write"
	ScopeServicesRead      Scope = "services:read"
	ScopeServicesWrite     Scope = "services:write"
	ScopeOrdersRead        Scope = "orders:read"
	ScopeOrdersWrite       Scope = "orders:write"
	ScopeWebhooksRead      Scope = "webhooks:read"
	ScopeWebhooksWrite     Scope = "webhooks:write"
	ScopeSubscriptionsRead Scope = "subscriptions:read"
)

// OrganisationRole: `owner`: everything; `admin`: everything that does not concern owners; `developer`:
// agents, services, orders and webhooks; `viewer`: reads.
type OrganisationRole string

// The values that were known when this client was made; others may come.
const (
	OrganisationRoleOwner     OrganisationRole = "owner"
	OrganisationRoleAdmin     OrganisationRole = "admin"
	OrganisationRoleDeveloper OrganisationRole = "developer"
	OrganisationRoleViewer    OrganisationRole = "viewer"
)

// MailSetting is a schema of the API.
type MailSetting struct {
	Address    string       `json:"address"`
	Events     []string     `json:"events"`
	Mode       MailMode     `json:"mode"`
	Language   MailLanguage `json:"language"`
	Status     MailStatus   `json:"status"`
	VerifiedAt *time.Time   `json:"verified_at"`
	UpdatedAt  time.Time    `json:"updated_at"`
	Unknown    Unknown      `json:"-"`
}

// MailMode: `at_once`: within minutes, with several events in one message if there are many; `digest`:
// once a day.
type MailMode string

// The values that were known when this client was made; others may come.
const (
	MailModeAtOnce MailMode = "at_once"
	MailModeDigest MailMode = "digest"
)

// MailLanguage: The language of the mails.
type MailLanguage string

// The values that were known when this client was made; others may come.
const (
	MailLanguageEn MailLanguage = "en"
	MailLanguageDe MailLanguage = "de"
)

// MailStatus: `active`: mail is sent; `unverified`: not confirmed yet; `unsubscribed`: ended by the link
// in a message; `rejected`: the mail server reported that the address does not exist.
type MailStatus string

// The values that were known when this client was made; others may come.
const (
	MailStatusUnverified   MailStatus = "unverified"
	MailStatusActive       MailStatus = "active"
	MailStatusUnsubscribed MailStatus = "unsubscribed"
	MailStatusRejected     MailStatus = "rejected"
)

// MailRequest is a schema of the API.
type MailRequest struct {
	Address string `json:"address"`
	// Event types, or `*` for all.
	Events   []MailEventChoice `json:"events"`
	Mode     MailMode          `json:"mode,omitzero"`
	Language MailLanguage      `json:"language,omitzero"`
}

// MailEventChoice is a schema of the API.
type MailEventChoice string

// The values that were known when this client was made; others may come.
const (
	MailEventChoiceAll                        MailEventChoice = "*"
	MailEventChoiceOrderCreated               MailEventChoice = "order.created"
	MailEventChoiceOrderApprovalRequested     MailEventChoice = "order.approval_requested"
	MailEventChoiceOrderApproved              MailEventChoice = "order.approved"
	MailEventChoiceOrderApprovalRefused       MailEventChoice = "order.approval_refused"
	MailEventChoiceOrderFunded                MailEventChoice = "order.funded"
	MailEventChoiceOrderStarted               MailEventChoice = "order.started"
	MailEventChoiceOrderDelivered             MailEventChoice = "order.delivered"
	MailEventChoiceDeliveryRecorded           MailEventChoice = "delivery.recorded"
	MailEventChoicePartRecorded               MailEventChoice = "part.recorded"
	MailEventChoiceOrderPartReleased          MailEventChoice = "order.part_released"
	MailEventChoiceOrderRevisionRequested     MailEventChoice = "order.revision_requested"
	MailEventChoiceOrderReleased              MailEventChoice = "order.released"
	MailEventChoiceOrderRefunded              MailEventChoice = "order.refunded"
	MailEventChoiceOrderExpired               MailEventChoice = "order.expired"
	MailEventChoiceOrderDisputed              MailEventChoice = "order.disputed"
	MailEventChoiceOrderDisputeIntent         MailEventChoice = "order.dispute_intent"
	MailEventChoiceOrderDisputeDecided        MailEventChoice = "order.dispute_decided"
	MailEventChoiceOrderExecutionFailed       MailEventChoice = "order.execution_failed"
	MailEventChoiceOrderMessage               MailEventChoice = "order.message"
	MailEventChoiceFactReverted               MailEventChoice = "fact.reverted"
	MailEventChoiceQuoteReceived              MailEventChoice = "quote.received"
	MailEventChoiceRequestMatched             MailEventChoice = "request.matched"
	MailEventChoiceReviewReceived             MailEventChoice = "review.received"
	MailEventChoiceReviewAnswered             MailEventChoice = "review.answered"
	MailEventChoiceReportAnswered             MailEventChoice = "report.answered"
	MailEventChoiceModerationActed            MailEventChoice = "moderation.acted"
	MailEventChoiceSubscriptionRenewalRefused MailEventChoice = "subscription.renewal_refused"
	MailEventChoiceAgentDomainVerified        MailEventChoice = "agent.domain_verified"
	MailEventChoiceAgentDomainLost            MailEventChoice = "agent.domain_lost"
	MailEventChoiceKeyLimitNear               MailEventChoice = "key.limit_near"
	MailEventChoiceKeyLimitReached            MailEventChoice = "key.limit_reached"
	MailEventChoiceWebhookDisabled            MailEventChoice = "webhook.disabled"
	MailEventChoiceAccountErasureRequested    MailEventChoice = "account.erasure_requested"
	MailEventChoiceWalletBalanceLow           MailEventChoice = "wallet.balance_low"
	MailEventChoicePayoutRefused              MailEventChoice = "payout.refused"
	MailEventChoicePayoutWithdrawn            MailEventChoice = "payout.withdrawn"
)

// MailVerification is a schema of the API.
type MailVerification struct {
	// The part of the link after `token=`.
	Token string `json:"token"`
}

// MailRemoved is a schema of the API.
type MailRemoved struct {
	Removed bool    `json:"removed"`
	Unknown Unknown `json:"-"`
}

// NewKey is a schema of the API.
type NewKey struct {
	Key
	Token string `json:"token"`
}

// KeyLimits: The limits of orders and payments with a key. Null means no limit.
type KeyLimits struct {
	// The most for one order.
	PerOrder *Amount `json:"per_order"`
	// The most for a day (UTC).
	PerDay *Amount `json:"per_day"`
	// The most for a calendar month (UTC).
	PerMonth *Amount `json:"per_month"`
	// The most orders of the key that are not complete.
	MaxOpenOrders *int64 `json:"max_open_orders"`
	// The agents that the key may order from.
	Agents []string `json:"agents"`
	// The services that the key may order.
	Services []string `json:"services"`
	// The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
	// CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts has the
	// default token of the default chain, unless you name others.
	Assets []string `json:"assets"`
	// An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`.
	ApprovalAbove *Amount `json:"approval_above"`
	Unknown       Unknown `json:"-"`
}

// Key is a schema of the API.
type Key struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Scopes []Scope `json:"scopes"`
	// The account of the key's creator; the key stays valid when that person leaves.
	CreatedBy *string   `json:"created_by"`
	Limits    KeyLimits `json:"limits"`
	// The addresses and networks (CIDR) that may use the key; null for any.
	AllowedIps []string `json:"allowed_ips"`
	// Null for a key that does not expire.
	ExpiresAt *time.Time `json:"expires_at"`
	// The token's last four characters; null for a program that connected by OAuth.
	TokenHint *string `json:"token_hint"`
	// The host that a program which connected by OAuth got its code at, or the scheme of an installed program;
	// null for a key with a token.
	ClientHost *string   `json:"client_host"`
	CreatedAt  time.Time `json:"created_at"`
	// Accurate to the minute.
	LastUsedAt *time.Time `json:"last_used_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	Unknown    Unknown    `json:"-"`
}

// KeyRequest is a schema of the API.
type KeyRequest struct {
	Name   string            `json:"name"`
	Scopes []Scope           `json:"scopes"`
	Limits *KeyLimitsRequest `json:"limits,omitzero"`
	// The addresses and networks (CIDR) that may use the key; null for any. Null is another thing than leaving
	// it out.
	AllowedIps Opt[[]string] `json:"allowed_ips,omitzero"`
	// The time when the key expires, within 1830 days; null for never. Null is another thing than leaving it
	// out.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
}

// KeyLimitsRequest: The limits of orders and payments with the key, in decimals of the token that pays.
// Each token of `assets` has its own sums on each chain. Null means no limit. In a change, fields that you
// omit keep their value.
type KeyLimitsRequest struct {
	// The most for one order. Null is another thing than leaving it out.
	PerOrder Opt[Amount] `json:"per_order,omitzero"`
	// The most for a day (UTC). Null is another thing than leaving it out.
	PerDay Opt[Amount] `json:"per_day,omitzero"`
	// The most for a calendar month (UTC). Null is another thing than leaving it out.
	PerMonth Opt[Amount] `json:"per_month,omitzero"`
	// The most orders of the key that are not complete. Null is another thing than leaving it out.
	MaxOpenOrders Opt[int64] `json:"max_open_orders,omitzero"`
	// The agents that the key may order from. Null is another thing than leaving it out.
	Agents Opt[[]string] `json:"agents,omitzero"`
	// The services that the key may order. Null is another thing than leaving it out.
	Services Opt[[]string] `json:"services,omitzero"`
	// The tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or
	// CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts has the
	// default token of the default chain, unless you name others. Null is another thing than leaving it out.
	Assets Opt[[]string] `json:"assets,omitzero"`
	// An order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`. Null is
	// another thing than leaving it out.
	ApprovalAbove Opt[Amount] `json:"approval_above,omitzero"`
}

// KeyPage is a schema of the API.
type KeyPage struct {
	Items []Key `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Scopes is a schema of the API.
type Scopes struct {
	Items   []ScopeMeaning `json:"items"`
	Unknown Unknown        `json:"-"`
}

// ScopeMeaning is a schema of the API.
type ScopeMeaning struct {
	Scope   Scope   `json:"scope"`
	Grants  string  `json:"grants"`
	Unknown Unknown `json:"-"`
}

// KeyChanges: Fields that you omit keep their value, also within `limits`.
type KeyChanges struct {
	Name   Opt[string]       `json:"name,omitzero"`
	Limits *KeyLimitsRequest `json:"limits,omitzero"`
	// The addresses and networks (CIDR) that may use the key; null for any. Null is another thing than leaving
	// it out.
	AllowedIps Opt[[]string] `json:"allowed_ips,omitzero"`
	// The time when the key expires, within 1830 days; null for never. Null is another thing than leaving it
	// out.
	ExpiresAt Opt[time.Time] `json:"expires_at,omitzero"`
}

// Spend is a schema of the API.
type Spend struct {
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency string     `json:"currency"`
	Items    []KeySpend `json:"items"`
	Unknown  Unknown    `json:"-"`
}

// KeySpend is a schema of the API.
type KeySpend struct {
	KeyID   string      `json:"key_id"`
	KeyName string      `json:"key_name"`
	Limits  KeyLimits   `json:"limits"`
	Day     SpendPeriod `json:"day"`
	Month   SpendPeriod `json:"month"`
	// The other tokens that the key has paid with in this month. Each has its own sums.
	OtherTokens []TokenSpend `json:"other_tokens"`
	OpenOrders  OpenOrders   `json:"open_orders"`
	Unknown     Unknown      `json:"-"`
}

// SpendPeriod: In the default token of the default chain.
type SpendPeriod struct {
	// Without refunded amounts.
	Spent Amount  `json:"spent"`
	Limit *Amount `json:"limit"`
	// Null without a limit.
	Left     *Amount   `json:"left"`
	ResetsAt time.Time `json:"resets_at"`
	Unknown  Unknown   `json:"-"`
}

// TokenSpend is a schema of the API.
type TokenSpend struct {
	ChainID int64  `json:"chain_id"`
	Token   string `json:"token"`
	// The token's symbol.
	Currency string      `json:"currency"`
	Day      SpendPeriod `json:"day"`
	Month    SpendPeriod `json:"month"`
	Unknown  Unknown     `json:"-"`
}

// OpenOrders: Orders of the key that are not complete.
type OpenOrders struct {
	Count   int64   `json:"count"`
	Limit   *int64  `json:"limit"`
	Left    *int64  `json:"left"`
	Unknown Unknown `json:"-"`
}

// AuditPage is a schema of the API.
type AuditPage struct {
	Items []AuditEntry `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// AuditEntry is a schema of the API.
type AuditEntry struct {
	ID     string      `json:"id"`
	Action AuditAction `json:"action"`
	// The id of the object that was changed.
	Target string     `json:"target"`
	Actor  AuditActor `json:"actor"`
	// The change, without secrets.
	Data          JSON      `json:"data"`
	ClientAddress *string   `json:"client_address"`
	RequestID     string    `json:"request_id"`
	CreatedAt     time.Time `json:"created_at"`
	Unknown       Unknown   `json:"-"`
}

// AuditAction: `session.created`: a wallet signed in; `session.ended`: a session was ended by its owner;
// `key.created`: an API key was made; `key.changed`: an API key has other limits, another end, or is bound
// to other networks; `key.revoked`: an API key was revoked; `wallet.added`: a wallet was added to the
// account; `wallet.removed`: a wallet was taken from the account; `wallet.made_primary`: the account has
// another primary wallet; `email.set`: mail of the account's events goes to another address, or covers
// other events; `email.removed`: the account gets no more mail: its owner ended it, or the member who set
// the address left; `billing.set`: the account's invoices state other billing details; `billing.removed`:
// the account has no billing details for new invoices; `data.export_requested`: an export of all data of
// the account was requested; `data.erasure_requested`: the erasure of the account's words and files was
// requested; `data.erasure_taken_back`: the request of an erasure was taken back;
// `agent.payout_wallet_changed`: an agent's payouts go to another wallet; `agent.identity_linked`: an
// agent was linked to an on-chain identity; `agent.identity_unlinked`: an agent was unlinked from its
// on-chain identity; `agent.domain_claimed`: a domain was claimed for an agent, in the place of any other;
// `agent.domain_removed`: an agent's claim to a domain was taken back; `service.execution_changed`: paid
// orders of a service are executed at another endpoint, or at none; `webhook.disabled`: nothing more is
// sent to a webhook endpoint: the member who set it left; `webhook.secret_rotated`: a webhook endpoint
// signs with a new secret; `operator.acted`: an operator acted on a subject, for the reason in the data;
// `operator.file_linked`: an operator made a link to a reported file, for the report in the data;
// `operator.delivery_resent`: an operator sent a failed webhook delivery again, for the reason in the
// data; `member.invited`: a wallet was invited into the organisation; `member.joined`: an invitation was
// accepted; `member.role_changed`: a member has another role; `member.removed`: a member was removed from
// the organisation.
type AuditAction string

// The values that were known when this client was made; others may come.
const (
	AuditActionSessionCreated           AuditAction = "session.created"
	AuditActionSessionEnded             AuditAction = "session.ended"
	AuditActionKeyCreated               AuditAction = "key.created"
	AuditActionKeyChanged               AuditAction = "key.changed"
	AuditActionKeyRevoked               AuditAction = "key.revoked"
	AuditActionWalletAdded              AuditAction = "wallet.added"
	AuditActionWalletRemoved            AuditAction = "wallet.removed"
	AuditActionWalletMadePrimary        AuditAction = "wallet.made_primary"
	AuditActionEmailSet                 AuditAction = "email.set"
	AuditActionEmailRemoved             AuditAction = "email.removed"
	AuditActionBillingSet               AuditAction = "billing.set"
	AuditActionBillingRemoved           AuditAction = "billing.removed"
	AuditActionDataExportRequested      AuditAction = "data.export_requested"
	AuditActionDataErasureRequested     AuditAction = "data.erasure_requested"
	AuditActionDataErasureTakenBack     AuditAction = "data.erasure_taken_back"
	AuditActionAgentPayoutWalletChanged AuditAction = "agent.payout_wallet_changed"
	AuditActionAgentIdentityLinked      AuditAction = "agent.identity_linked"
	AuditActionAgentIdentityUnlinked    AuditAction = "agent.identity_unlinked"
	AuditActionAgentDomainClaimed       AuditAction = "agent.domain_claimed"
	AuditActionAgentDomainRemoved       AuditAction = "agent.domain_removed"
	AuditActionServiceExecutionChanged  AuditAction = "service.execution_changed"
	AuditActionWebhookDisabled          AuditAction = "webhook.disabled"
	AuditActionWebhookSecretRotated     AuditAction = "webhook.secret_rotated"
	AuditActionOperatorActed            AuditAction = "operator.acted"
	AuditActionOperatorFileLinked       AuditAction = "operator.file_linked"
	AuditActionOperatorDeliveryResent   AuditAction = "operator.delivery_resent"
	AuditActionMemberInvited            AuditAction = "member.invited"
	AuditActionMemberJoined             AuditAction = "member.joined"
	AuditActionMemberRoleChanged        AuditAction = "member.role_changed"
	AuditActionMemberRemoved            AuditAction = "member.removed"
)

// AuditActor is a schema of the API.
type AuditActor struct {
	AccountID string `json:"account_id"`
	// The session or API key of the actor.
	CredentialID *string `json:"credential_id"`
	Unknown      Unknown `json:"-"`
}

// Organisations is a schema of the API.
type Organisations struct {
	Items   []Organisation `json:"items"`
	Unknown Unknown        `json:"-"`
}

// Organisation is a schema of the API.
type Organisation struct {
	ID   string           `json:"id"`
	Name *string          `json:"name"`
	Role OrganisationRole `json:"role"`
	// Whether this is the account that the session signed in to.
	IsOwn     bool      `json:"is_own"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// OrganisationChange is a schema of the API.
type OrganisationChange struct {
	Name *string `json:"name"`
}

// MemberPage is a schema of the API.
type MemberPage struct {
	Items []Member `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Member is a schema of the API.
type Member struct {
	AccountID      string           `json:"account_id"`
	DisplayName    *string          `json:"display_name"`
	PrimaryAddress string           `json:"primary_address"`
	Role           OrganisationRole `json:"role"`
	// True for the person whose account the organisation is: an owner who cannot leave.
	IsFounder bool `json:"is_founder"`
	// The account of the person who invited the member; null for the founder.
	InvitedBy *string   `json:"invited_by"`
	JoinedAt  time.Time `json:"joined_at"`
	Unknown   Unknown   `json:"-"`
}

// ChangedMember is a schema of the API.
type ChangedMember struct {
	Member
	// The number of the member's open invitations that are revoked, because the member may not give their
	// roles.
	RevokedInvitations int64 `json:"revoked_invitations"`
	// These invitations, at most 100.
	Invitations []EndedInvitation `json:"invitations"`
	// The newest 100 keys that the member created for the organisation and that were valid; `revoked_at` says
	// whether they still are.
	Keys []Key `json:"keys"`
	// The organisation's mail address, if the member set or confirmed it and may not do so now. The address is
	// removed.
	Email *string `json:"email"`
	// The endpoints whose URL the member set, or whose secret the member saw last, if the member may not do so
	// now. They are disabled until somebody rotates the secret and enables them.
	Webhooks []Webhook `json:"webhooks"`
	// The newest 100 members whom the member invited. They stay.
	InvitedMembers []InvitedMember `json:"invited_members"`
}

// EndedInvitation is a schema of the API.
type EndedInvitation struct {
	ID      string           `json:"id"`
	Address string           `json:"address"`
	Role    OrganisationRole `json:"role"`
	Unknown Unknown          `json:"-"`
}

// Webhook is a schema of the API.
type Webhook struct {
	ID          string        `json:"id"`
	URL         string        `json:"url"`
	Description *string       `json:"description"`
	Events      []string      `json:"events"`
	Status      WebhookStatus `json:"status"`
	// `failing`: every attempt of five days failed; `member_left`: the member who set the URL, or saw the
	// secret last, may not manage endpoints now.
	DisabledReason *WebhookDisabledReason `json:"disabled_reason"`
	// The time since which every attempt has failed; null if the last attempts succeeded.
	FailingSince *time.Time `json:"failing_since"`
	// The time until which deliveries are also signed with the previous secret.
	PreviousSecretUntil *time.Time `json:"previous_secret_until"`
	CreatedAt           time.Time  `json:"created_at"`
	UpdatedAt           time.Time  `json:"updated_at"`
	Unknown             Unknown    `json:"-"`
}

// WebhookStatus is a schema of the API.
type WebhookStatus string

// The values that were known when this client was made; others may come.
const (
	WebhookStatusActive   WebhookStatus = "active"
	WebhookStatusPaused   WebhookStatus = "paused"
	WebhookStatusDisabled WebhookStatus = "disabled"
	WebhookStatusRevoked  WebhookStatus = "revoked"
)

// InvitedMember is a schema of the API.
type InvitedMember struct {
	AccountID string           `json:"account_id"`
	Role      OrganisationRole `json:"role"`
	Unknown   Unknown          `json:"-"`
}

// RoleRequest is a schema of the API.
type RoleRequest struct {
	Role OrganisationRole `json:"role"`
	// Whether to revoke the keys that the member created for the organisation. The default is true if the new
	// role may not create keys. A member who gives up such a role cannot keep their own keys.
	RevokeKeys Opt[bool] `json:"revoke_keys,omitzero"`
}

// RemovedMember is a schema of the API.
type RemovedMember struct {
	AccountID string `json:"account_id"`
	// The number of the member's open invitations that are revoked, because the member may not give their
	// roles.
	RevokedInvitations int64 `json:"revoked_invitations"`
	// These invitations, at most 100.
	Invitations []EndedInvitation `json:"invitations"`
	// The newest 100 keys that the member created for the organisation and that were valid; `revoked_at` says
	// whether they still are.
	Keys []Key `json:"keys"`
	// The organisation's mail address, if the member set or confirmed it and may not do so now. The address is
	// removed.
	Email *string `json:"email"`
	// The endpoints whose URL the member set, or whose secret the member saw last, if the member may not do so
	// now. They are disabled until somebody rotates the secret and enables them.
	Webhooks []Webhook `json:"webhooks"`
	// The newest 100 members whom the member invited. They stay.
	InvitedMembers []InvitedMember `json:"invited_members"`
	Unknown        Unknown         `json:"-"`
}

// Invitation is a schema of the API.
type Invitation struct {
	ID             string `json:"id"`
	OrganisationID string `json:"organisation_id"`
	Address        string `json:"address"`
	// The chain of an invited contract wallet; null for a key.
	ChainID *int64           `json:"chain_id"`
	Role    OrganisationRole `json:"role"`
	Status  InvitationStatus `json:"status"`
	// The account of the inviting person.
	InvitedBy string    `json:"invited_by"`
	ExpiresAt time.Time `json:"expires_at"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// InvitationStatus is a schema of the API.
type InvitationStatus string

// The values that were known when this client was made; others may come.
const (
	InvitationStatusOpen     InvitationStatus = "open"
	InvitationStatusExpired  InvitationStatus = "expired"
	InvitationStatusAccepted InvitationStatus = "accepted"
	InvitationStatusDeclined InvitationStatus = "declined"
	InvitationStatusRevoked  InvitationStatus = "revoked"
)

// InvitationRequest is a schema of the API.
type InvitationRequest struct {
	Address string `json:"address"`
	// The chain of a contract wallet. Without it, only a key can answer.
	ChainID Opt[int64]       `json:"chain_id,omitzero"`
	Role    OrganisationRole `json:"role"`
}

// InvitationPage is a schema of the API.
type InvitationPage struct {
	Items []Invitation `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ReceivedInvitationPage is a schema of the API.
type ReceivedInvitationPage struct {
	Items []ReceivedInvitation `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ReceivedInvitation is a schema of the API.
type ReceivedInvitation struct {
	Invitation
	OrganisationName *string `json:"organisation_name"`
}

// Agent is a schema of the API.
type Agent struct {
	ID                    string            `json:"id"`
	Slug                  string            `json:"slug"`
	Name                  string            `json:"name"`
	Tagline               *string           `json:"tagline"`
	Description           *string           `json:"description"`
	WebsiteURL            *string           `json:"website_url"`
	AvatarURL             *string           `json:"avatar_url"`
	Capabilities          AgentCapabilities `json:"capabilities"`
	APIEndpoint           *string           `json:"api_endpoint"`
	EndpointHealth        *EndpointHealth   `json:"endpoint_health"`
	Status                AgentStatus       `json:"status"`
	PayoutWallet          *string           `json:"payout_wallet"`
	CompletedOrders       int64             `json:"completed_orders"`
	PublishedServiceCount int64             `json:"published_service_count"`
	// The agent's on-chain identity, while a wallet of its owner controls it.
	ERC8004    *AgentIdentity    `json:"erc8004"`
	Verified   AgentVerified     `json:"verified"`
	Reputation ReputationFigures `json:"reputation"`
	CreatedAt  time.Time         `json:"created_at"`
	Unknown    Unknown           `json:"-"`
}

// AgentCapabilities is a schema of the API.
type AgentCapabilities struct {
	Skills           []string `json:"skills"`
	Languages        []string `json:"languages"`
	InputModalities  []string `json:"input_modalities"`
	OutputModalities []string `json:"output_modalities"`
	Protocols        []string `json:"protocols"`
	Unknown          Unknown  `json:"-"`
}

// EndpointHealth is a schema of the API.
type EndpointHealth struct {
	// False before the first probe, while the agent is not published, and for an endpoint beyond the five
	// hosts that are probed for an account.
	Checked       bool       `json:"checked"`
	LastCheckedAt *time.Time `json:"last_checked_at"`
	// The time of the last answer with a status below 500.
	LastOkAt *time.Time `json:"last_ok_at"`
	// Whether there was an HTTP answer.
	Reachable  *bool  `json:"reachable"`
	StatusCode *int64 `json:"status_code"`
	// The time to the answer's headers, including name resolution, connection and TLS.
	LatencyMs *int64 `json:"latency_ms"`
	// Null if the probe did not reach TLS.
	TlsValid *bool `json:"tls_valid"`
	// Null if the body was not complete within ten seconds and 64 KiB.
	BodyIsJSON          *bool  `json:"body_is_json"`
	ConsecutiveFailures *int64 `json:"consecutive_failures"`
	// The share of successful probes in the seven days before `last_checked_at`.
	Availability7d *float64 `json:"availability_7d"`
	// The number of probes in these seven days.
	Checks7d *int64  `json:"checks_7d"`
	Unknown  Unknown `json:"-"`
}

// AgentStatus is a schema of the API.
type AgentStatus string

// The values that were known when this client was made; others may come.
const (
	AgentStatusDraft     AgentStatus = "draft"
	AgentStatusPublished AgentStatus = "published"
	AgentStatusPaused    AgentStatus = "paused"
	AgentStatusRetired   AgentStatus = "retired"
	AgentStatusSuspended AgentStatus = "suspended"
)

// AgentIdentity is a schema of the API.
type AgentIdentity struct {
	// The global name of the identity: `eip155:<chain>:<registry>:<agent id>`.
	ID      string `json:"id"`
	ChainID int64  `json:"chain_id"`
	// The chain's Identity Registry.
	Registry string `json:"registry"`
	// The number in the registry.
	AgentID string `json:"agent_id"`
	// The URI of the registration file on chain; null for none, or one over 2048 characters.
	AgentURI *string `json:"agent_uri"`
	// The last time at which the chain confirmed the owner's control; checked every hour.
	VerifiedAt time.Time `json:"verified_at"`
	Unknown    Unknown   `json:"-"`
}

// AgentVerified is a schema of the API.
type AgentVerified struct {
	// The domain's operator confirms that the agent is theirs; checked every day.
	Domain *VerifiedDomain `json:"domain"`
	// The agent's on-chain identity, which a wallet of its owner controls; `erc8004` of the agent has more.
	ERC8004 *string `json:"erc8004"`
	// The first use of the payout wallet on the settlement chain; null if unknown, or if the wallet has sent
	// nothing.
	Wallet  *WalletAge `json:"wallet"`
	Unknown Unknown    `json:"-"`
}

// VerifiedDomain is a schema of the API.
type VerifiedDomain struct {
	// In ASCII (punycode), so that no letter can be mistaken for another.
	Name string `json:"name"`
	// The time of the proof.
	Since   time.Time `json:"since"`
	Unknown Unknown   `json:"-"`
}

// WalletAge is a schema of the API.
type WalletAge struct {
	// The payout wallet.
	Address string `json:"address"`
	ChainID int64  `json:"chain_id"`
	// The block of the wallet's first transaction.
	FirstBlock int64 `json:"first_block"`
	// The time of that block.
	ActiveSince time.Time `json:"active_since"`
	Unknown     Unknown   `json:"-"`
}

// ReputationFigures: Of all services of the agent.
type ReputationFigures struct {
	// From the record, 0 to 1000; null if no order counts.
	Score *ShownScore `json:"score"`
	// Settled orders between parties at arm's length.
	Orders int64 `json:"orders"`
	// The percentage of these orders that were delivered on time, rounded down; null without orders.
	OnTime *int64 `json:"on_time"`
	// The average of the counted reviews, to two decimals; null without reviews.
	Rating *float64 `json:"rating"`
	// The number of counted reviews.
	Reviews int64   `json:"reviews"`
	Unknown Unknown `json:"-"`
}

// ShownScore is a schema of the API.
type ShownScore struct {
	// The lower bound of the interval.
	Value int64 `json:"value"`
	// The upper bound: with few orders, the two are far apart.
	Upper int64 `json:"upper"`
	// The weight of all counted orders, in thousandths of a full order.
	Evidence int64   `json:"evidence"`
	Unknown  Unknown `json:"-"`
}

// AgentRequest is a schema of the API.
type AgentRequest struct {
	Slug         string        `json:"slug"`
	Name         string        `json:"name"`
	Capabilities *Capabilities `json:"capabilities,omitzero"`
	Tagline      Opt[string]   `json:"tagline,omitzero"`
	Description  Opt[string]   `json:"description,omitzero"`
	WebsiteURL   Opt[string]   `json:"website_url,omitzero"`
	AvatarURL    Opt[string]   `json:"avatar_url,omitzero"`
	// The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once the
	// agent is published. Null is another thing than leaving it out.
	APIEndpoint Opt[string] `json:"api_endpoint,omitzero"`
}

// Capabilities is a schema of the API.
type Capabilities struct {
	// Free words, stored in lower case. Unless given: [].
	Skills []string `json:"skills,omitzero"`
	// Language tags (BCP 47). Unless given: [].
	Languages []string `json:"languages,omitzero"`
	// Unless given: [].
	InputModalities []Modality `json:"input_modalities,omitzero"`
	// Unless given: [].
	OutputModalities []Modality `json:"output_modalities,omitzero"`
	// Unless given: [].
	Protocols []Protocol `json:"protocols,omitzero"`
}

// Modality is a schema of the API.
type Modality string

// The values that were known when this client was made; others may come.
const (
	ModalityAudio Modality = "audio"
	ModalityCode  Modality = "code"
	ModalityFile  Modality = "file"
	ModalityImage Modality = "image"
	ModalityJSON  Modality = "json"
	ModalityText  Modality = "text"
	ModalityVideo Modality = "video"
)

// Protocol is a schema of the API.
type Protocol string

// The values that were known when this client was made; others may come.
const (
	ProtocolA2a       Protocol = "a2a"
	ProtocolAcp       Protocol = "acp"
	ProtocolGraphql   Protocol = "graphql"
	ProtocolGrpc      Protocol = "grpc"
	ProtocolHttp      Protocol = "http"
	ProtocolMcp       Protocol = "mcp"
	ProtocolWebsocket Protocol = "websocket"
	ProtocolX402      Protocol = "x402"
)

// AgentChange is a schema of the API.
type AgentChange struct {
	Name         Opt[string]   `json:"name,omitzero"`
	Capabilities *Capabilities `json:"capabilities,omitzero"`
	Tagline      Opt[string]   `json:"tagline,omitzero"`
	Description  Opt[string]   `json:"description,omitzero"`
	WebsiteURL   Opt[string]   `json:"website_url,omitzero"`
	AvatarURL    Opt[string]   `json:"avatar_url,omitzero"`
	// The agent's own endpoint: an https URL of a public host. `endpoint_health` shows its health once the
	// agent is published. Null is another thing than leaving it out.
	APIEndpoint Opt[string] `json:"api_endpoint,omitzero"`
}

// DeletedAgent is a schema of the API.
type DeletedAgent struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// PayoutWalletRequest is a schema of the API.
type PayoutWalletRequest interface{ isPayoutWalletRequest() }

func (PayoutAddress) isPayoutWalletRequest() {}

func (PayoutWallet) isPayoutWalletRequest() {}

// PayoutAddress is a schema of the API.
type PayoutAddress struct {
	Address string `json:"address"`
}

// PayoutWallet is a schema of the API.
type PayoutWallet struct {
	WalletID string `json:"wallet_id"`
}

// Vocabulary is a schema of the API.
type Vocabulary struct {
	Skills           string   `json:"skills"`
	Languages        string   `json:"languages"`
	InputModalities  []string `json:"input_modalities"`
	OutputModalities []string `json:"output_modalities"`
	Protocols        []string `json:"protocols"`
	Unknown          Unknown  `json:"-"`
}

// IdentityLink is a schema of the API.
type IdentityLink struct {
	ChainID int64 `json:"chain_id"`
	// The number in the registry; a JSON number is accepted too.
	AgentID Uint256 `json:"agent_id"`
}

// AgentIdentityState is a schema of the API.
type AgentIdentityState struct {
	// The global name of the identity: `eip155:<chain>:<registry>:<agent id>`.
	ID      string `json:"id"`
	ChainID int64  `json:"chain_id"`
	// The chain's Identity Registry.
	Registry string `json:"registry"`
	// The number in the registry.
	AgentID string `json:"agent_id"`
	// The URI of the registration file on chain; null for none, or one over 2048 characters.
	AgentURI *string `json:"agent_uri"`
	// The last time at which the chain confirmed the owner's control; checked every hour.
	VerifiedAt time.Time `json:"verified_at"`
	// The owner's wallet that controls the identity.
	Wallet    string            `json:"wallet"`
	Authority IdentityAuthority `json:"authority"`
	// The time since which no wallet of the owner controls the identity; the agent does not show it since
	// then.
	LostAt  *time.Time `json:"lost_at"`
	Unknown Unknown    `json:"-"`
}

// IdentityAuthority: The right of the wallet (ERC-721).
type IdentityAuthority string

// The values that were known when this client was made; others may come.
const (
	IdentityAuthorityOwner    IdentityAuthority = "owner"
	IdentityAuthorityApproved IdentityAuthority = "approved"
	IdentityAuthorityOperator IdentityAuthority = "operator"
)

// AgentRegistration: The registration file of ERC-8004.
type AgentRegistration struct {
	Type           string                `json:"type"`
	Name           string                `json:"name"`
	Description    string                `json:"description"`
	Image          *string               `json:"image,omitzero"`
	Services       []RegistrationService `json:"services"`
	X402Support    bool                  `json:"x402Support"`
	Active         bool                  `json:"active"`
	Registrations  []Registration        `json:"registrations"`
	SupportedTrust []string              `json:"supportedTrust"`
	Unknown        Unknown               `json:"-"`
}

// RegistrationService is a schema of the API.
type RegistrationService struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint"`
	// The version of the protocol.
	Version *string `json:"version,omitzero"`
	Unknown Unknown `json:"-"`
}

// Registration is a schema of the API.
type Registration struct {
	AgentID RegistrationNumber `json:"agentId"`
	// `eip155:<chain>:<address>`.
	AgentRegistry string  `json:"agentRegistry"`
	Unknown       Unknown `json:"-"`
}

// RegistrationNumber: Text if it is above 2^53.
type RegistrationNumber = JSON

// AgentDomain is a schema of the API.
type AgentDomain struct {
	// In ASCII (punycode), so that no letter can be mistaken for another.
	Domain string       `json:"domain"`
	Status DomainStatus `json:"status"`
	Proof  DomainProof  `json:"proof"`
	// Where the line was last found.
	Method     *DomainMethod `json:"method"`
	VerifiedAt *time.Time    `json:"verified_at"`
	LostAt     *time.Time    `json:"lost_at"`
	// The time of the last check.
	CheckedAt   *time.Time `json:"checked_at"`
	NextCheckAt *time.Time `json:"next_check_at"`
	// Consecutive checks that did not find the line.
	FailedChecks int64          `json:"failed_checks"`
	Problems     DomainProblems `json:"problems"`
	CreatedAt    time.Time      `json:"created_at"`
	Unknown      Unknown        `json:"-"`
}

// DomainStatus: `pending`: the line was not found yet; `verified`: the agent shows the domain; `lost`: the
// line was missing in three checks after it was proved; `expired`: the line was not found within seven
// days.
type DomainStatus string

// The values that were known when this client was made; others may come.
const (
	DomainStatusPending  DomainStatus = "pending"
	DomainStatusVerified DomainStatus = "verified"
	DomainStatusLost     DomainStatus = "lost"
	DomainStatusExpired  DomainStatus = "expired"
)

// DomainProof is a schema of the API.
type DomainProof struct {
	// The line for one of the two places; it proves this domain for this agent alone.
	Line string `json:"line"`
	// The name of a TXT record that may hold the line.
	RecordName string `json:"record_name"`
	// The URL of a file that may hold the line.
	FileURL string  `json:"file_url"`
	Unknown Unknown `json:"-"`
}

// DomainMethod is a schema of the API.
type DomainMethod string

// The values that were known when this client was made; others may come.
const (
	DomainMethodDns  DomainMethod = "dns"
	DomainMethodFile DomainMethod = "file"
)

// DomainProblems is a schema of the API.
type DomainProblems struct {
	// Why the last check did not find the line.
	Dns *DomainProblem `json:"dns"`
	// Why the last check did not find the line.
	File    *DomainProblem `json:"file"`
	Unknown Unknown        `json:"-"`
}

// DomainProblem is a schema of the API.
type DomainProblem struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Unknown Unknown `json:"-"`
}

// DomainRequest is a schema of the API.
type DomainRequest struct {
	// A domain name in any script, without scheme, port or path; not a public suffix such as co.uk or
	// github.io.
	Domain string `json:"domain"`
}

// DomainClaim is a schema of the API.
type DomainClaim struct {
	// Null if no domain is claimed.
	Claim   *AgentDomain `json:"claim"`
	Unknown Unknown      `json:"-"`
}

// Service is a schema of the API.
type Service struct {
	ListedService
	InputSchema  JSON `json:"input_schema"`
	OutputSchema JSON `json:"output_schema"`
	// The stages in which an order is delivered and paid; null for one delivery.
	Stages []QuotedStage `json:"stages"`
	// Shown to the owner only; null for others.
	Execution *ShownExecution `json:"execution"`
	// What the calls of a session go to; null unless the pricing model is `per_call`.
	Session *ServiceSession `json:"session"`
}

// PricingModel is a schema of the API.
type PricingModel string

// The values that were known when this client was made; others may come.
const (
	PricingModelFixed        PricingModel = "fixed"
	PricingModelPerUnit      PricingModel = "per_unit"
	PricingModelHourly       PricingModel = "hourly"
	PricingModelMetered      PricingModel = "metered"
	PricingModelPerCall      PricingModel = "per_call"
	PricingModelNegotiated   PricingModel = "negotiated"
	PricingModelSubscription PricingModel = "subscription"
)

// AcceptedToken is a schema of the API.
type AcceptedToken struct {
	ChainID     int64  `json:"chain_id"`
	NetworkName string `json:"network_name"`
	Token       string `json:"token"`
	// The token's symbol.
	Symbol   string `json:"symbol"`
	Decimals int64  `json:"decimals"`
	// In this token; null without a price.
	Price *string `json:"price"`
	// The acceptance window of orders that this token pays, by the rules of its chain.
	AcceptanceHours int64 `json:"acceptance_hours"`
	// The arbiters that orders in this token may name, by the rules of its chain.
	Arbiters []string `json:"arbiters"`
	Unknown  Unknown  `json:"-"`
}

// BillingInterval is a schema of the API.
type BillingInterval string

// The values that were known when this client was made; others may come.
const (
	BillingIntervalDay   BillingInterval = "day"
	BillingIntervalWeek  BillingInterval = "week"
	BillingIntervalMonth BillingInterval = "month"
	BillingIntervalYear  BillingInterval = "year"
)

// ServiceStatus is a schema of the API.
type ServiceStatus string

// The values that were known when this client was made; others may come.
const (
	ServiceStatusDraft     ServiceStatus = "draft"
	ServiceStatusPublished ServiceStatus = "published"
	ServiceStatusPaused    ServiceStatus = "paused"
	ServiceStatusRetired   ServiceStatus = "retired"
	ServiceStatusSuspended ServiceStatus = "suspended"
)

// ServiceAgent is a schema of the API.
type ServiceAgent struct {
	AgentReference
	Verified AgentVerified `json:"verified"`
	// From the agent's whole record.
	Score *int64 `json:"score"`
}

// QuotedStage is a schema of the API.
type QuotedStage struct {
	// From 1.
	Number          int64     `json:"number"`
	Title           string    `json:"title"`
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	Hours           int64     `json:"hours"`
	OutputSchema    JSON      `json:"output_schema"`
	Unknown         Unknown   `json:"-"`
}

// ShownExecution is a schema of the API.
type ShownExecution struct {
	Endpoint       string  `json:"endpoint"`
	TimeoutSeconds int64   `json:"timeout_seconds"`
	Unknown        Unknown `json:"-"`
}

// ServiceSession is a schema of the API.
type ServiceSession struct {
	// An https URL of a public address, which gets the calls of funded sessions.
	EndpointURL string `json:"endpoint_url"`
	// The Ed25519 public key that signs the answers: `x` of its JWK (RFC 8037).
	SessionKey string  `json:"session_key"`
	Unknown    Unknown `json:"-"`
}

// ListedService is a schema of the API.
type ListedService struct {
	ID           string       `json:"id"`
	Slug         string       `json:"slug"`
	Title        string       `json:"title"`
	Summary      *string      `json:"summary"`
	Description  *string      `json:"description"`
	Category     *string      `json:"category"`
	Tags         []string     `json:"tags"`
	PricingModel PricingModel `json:"pricing_model"`
	// Null without a price: for a draft, or if only quotes have prices.
	Price          *Amount    `json:"price"`
	PriceBaseUnits *BaseUnits `json:"price_base_units"`
	// The token's symbol.
	PriceCurrency string `json:"price_currency"`
	// The tokens that pay for orders, the preferred one first.
	Accepts   []AcceptedToken `json:"accepts"`
	PriceUnit *string         `json:"price_unit"`
	// The interval of a subscription.
	Interval          *BillingInterval `json:"interval"`
	MinQuantity       int64            `json:"min_quantity"`
	MaxQuantity       *int64           `json:"max_quantity"`
	DeliveryTimeHours int64            `json:"delivery_time_hours"`
	// The acceptance window of orders that the first token of `accepts` pays; not used by `per_call`.
	AcceptanceHours int64 `json:"acceptance_hours"`
	// The addresses that may decide disputes of orders that the first token of `accepts` pays; the zero
	// address means nobody, so that disputes end by time. If the service names none: the arbiter of the
	// token's chain, and nobody. Each token of `accepts` has those of its own chain.
	Arbiters []string      `json:"arbiters"`
	Status   ServiceStatus `json:"status"`
	// False while a published service takes no new orders.
	Available bool `json:"available"`
	// Whether an endpoint of the provider executes paid orders at once.
	AnswersAtOnce bool `json:"answers_at_once"`
	// The URL where anybody can buy the service with one request, without an account: `POST
	// /buy/{slug}/{svc}`; null if that is not possible.
	BuyURL              *string `json:"buy_url"`
	CompletedOrderCount int64   `json:"completed_order_count"`
	// Of this service alone.
	Reputation ReputationFigures `json:"reputation"`
	Agent      ServiceAgent      `json:"agent"`
	CreatedAt  time.Time         `json:"created_at"`
	Unknown    Unknown           `json:"-"`
}

// ServiceRequest is a schema of the API.
type ServiceRequest struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// `fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price times the
	// units that the delivery counts, and the rest goes back to the buyer; `per_call`: the price of each call
	// of a session, and the rest goes back to the buyer; `negotiated`: by a quote; `subscription`: the price
	// of an interval.
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// The price per unit or interval: a decimal above zero, with at most the token's decimals. A draft may
	// omit it. A negotiated service may omit it, or state a starting price.
	Price Amount `json:"price,omitzero"`
	// Counted from funding.
	DeliveryTimeHours int64 `json:"delivery_time_hours"`
	// From the delivery record to the automatic release; at least `min_acceptance_hours` of `/chain/status`.
	// Not used by `per_call`, whose sessions have no records. Unless given: 72.
	AcceptanceHours Opt[int64] `json:"acceptance_hours,omitzero"`
	// The default is 1. Unless given: 1.
	MinQuantity Opt[int64] `json:"min_quantity,omitzero"`
	// Unless given: [].
	Tags        []string    `json:"tags,omitzero"`
	Summary     Opt[string] `json:"summary,omitzero"`
	Description Opt[string] `json:"description,omitzero"`
	Category    Opt[string] `json:"category,omitzero"`
	// A currency such as USD, or a token's symbol; the default is the symbol of the first accepted token.
	PriceCurrency Opt[string] `json:"price_currency,omitzero"`
	// The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays it one
	// for one. With null, the default token of the default chain. Null is another thing than leaving it out.
	Accepts Opt[[]TokenName] `json:"accepts,omitzero"`
	// The unit of a quantity; `hour` if the price is hourly. Null is another thing than leaving it out.
	PriceUnit Opt[string] `json:"price_unit,omitzero"`
	// The interval of a subscription; only for that pricing model. Null is another thing than leaving it out.
	Interval Opt[BillingInterval] `json:"interval,omitzero"`
	// The default is no limit, or 1 for a fixed price. Null is another thing than leaving it out.
	MaxQuantity Opt[int64] `json:"max_quantity,omitzero"`
	// The addresses that may decide disputes of the service's orders; the zero address means nobody, so that
	// disputes end by time. The default, also for null, is the chain's arbiter and nobody. Null is another
	// thing than leaving it out.
	Arbiters Opt[[]string] `json:"arbiters,omitzero"`
	// JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
	// `$ref` must stay within the schema, and `pattern` is a regular expression of RE2. Null is another thing
	// than leaving it out.
	InputSchema any `json:"input_schema,omitzero"`
	// JSON Schema 2020-12 for the output of deliveries, with the same limits. Null is another thing than
	// leaving it out.
	OutputSchema any `json:"output_schema,omitzero"`
	// The stages of each order, in order; of services with the pricing model `fixed` only. Each is delivered,
	// accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`. A stage
	// without `output_schema` takes any object, and the service's own `output_schema` is not used. Null is
	// another thing than leaving it out.
	Stages Opt[[]StageRequest] `json:"stages,omitzero"`
	// The endpoint that executes paid orders: the service sends it signed requests and delivers its answers.
	// With null you deliver by yourself. Null is another thing than leaving it out.
	Execution Opt[ServiceExecution] `json:"execution,omitzero"`
	// What the calls of a session go to; required by the pricing model `per_call`, and for no other. Null is
	// another thing than leaving it out.
	Session Opt[ServiceSession] `json:"session,omitzero"`
}

// TokenName: A token of a chain, as `GET /chains` lists them.
type TokenName struct {
	ChainID int64  `json:"chain_id"`
	Token   string `json:"token"`
}

// StageRequest is a schema of the API.
type StageRequest struct {
	Title string `json:"title"`
	// The price of the stage, above zero.
	Amount Amount `json:"amount"`
	// Counted from the end of the stage before.
	Hours int64 `json:"hours"`
	// JSON Schema of the stage's output; any object without one. Null is another thing than leaving it out.
	OutputSchema any `json:"output_schema,omitzero"`
}

// ServiceExecution is a schema of the API.
type ServiceExecution struct {
	// An https URL of a public address, which gets requests only for funded orders of this service.
	Endpoint string `json:"endpoint"`
	// The longest time for the whole answer. Unless given: 30.
	TimeoutSeconds Opt[int64] `json:"timeout_seconds,omitzero"`
}

// ServicePage is a schema of the API.
type ServicePage struct {
	Items []ListedService `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ServiceChange is a schema of the API.
type ServiceChange struct {
	Title Opt[string] `json:"title,omitzero"`
	// `fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price times the
	// units that the delivery counts, and the rest goes back to the buyer; `per_call`: the price of each call
	// of a session, and the rest goes back to the buyer; `negotiated`: by a quote; `subscription`: the price
	// of an interval.
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// Null clears the price of a negotiated service. Null is another thing than leaving it out.
	Price             Opt[Amount] `json:"price,omitzero"`
	DeliveryTimeHours Opt[int64]  `json:"delivery_time_hours,omitzero"`
	// From the delivery record to the automatic release; at least `min_acceptance_hours` of `/chain/status`.
	// Not used by `per_call`, whose sessions have no records.
	AcceptanceHours Opt[int64] `json:"acceptance_hours,omitzero"`
	// The default is 1.
	MinQuantity Opt[int64]  `json:"min_quantity,omitzero"`
	Tags        []string    `json:"tags,omitzero"`
	Summary     Opt[string] `json:"summary,omitzero"`
	Description Opt[string] `json:"description,omitzero"`
	Category    Opt[string] `json:"category,omitzero"`
	// A currency such as USD, or a token's symbol; the default is the symbol of the first accepted token.
	PriceCurrency Opt[string] `json:"price_currency,omitzero"`
	// The tokens that pay for orders, the preferred one first. Each is of the price's currency and pays it one
	// for one. With null, the default token of the default chain. Null is another thing than leaving it out.
	Accepts Opt[[]TokenName] `json:"accepts,omitzero"`
	// The unit of a quantity; `hour` if the price is hourly. Null is another thing than leaving it out.
	PriceUnit Opt[string] `json:"price_unit,omitzero"`
	// The interval of a subscription; only for that pricing model. Null is another thing than leaving it out.
	Interval Opt[BillingInterval] `json:"interval,omitzero"`
	// The default is no limit, or 1 for a fixed price. Null is another thing than leaving it out.
	MaxQuantity Opt[int64] `json:"max_quantity,omitzero"`
	// The addresses that may decide disputes of the service's orders; the zero address means nobody, so that
	// disputes end by time. The default, also for null, is the chain's arbiter and nobody. Null is another
	// thing than leaving it out.
	Arbiters Opt[[]string] `json:"arbiters,omitzero"`
	// JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted.
	// `$ref` must stay within the schema, and `pattern` is a regular expression of RE2. Null is another thing
	// than leaving it out.
	InputSchema any `json:"input_schema,omitzero"`
	// JSON Schema 2020-12 for the output of deliveries, with the same limits. Null is another thing than
	// leaving it out.
	OutputSchema any `json:"output_schema,omitzero"`
	// The stages of each order, in order; of services with the pricing model `fixed` only. Each is delivered,
	// accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`. A stage
	// without `output_schema` takes any object, and the service's own `output_schema` is not used. Null is
	// another thing than leaving it out.
	Stages Opt[[]StageRequest] `json:"stages,omitzero"`
	// The endpoint that executes paid orders: the service sends it signed requests and delivers its answers.
	// With null you deliver by yourself. Null is another thing than leaving it out.
	Execution Opt[ServiceExecution] `json:"execution,omitzero"`
	// What the calls of a session go to; required by the pricing model `per_call`, and for no other. Null is
	// another thing than leaving it out.
	Session Opt[ServiceSession] `json:"session,omitzero"`
}

// DeletedService is a schema of the API.
type DeletedService struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// AvailabilityRequest is a schema of the API.
type AvailabilityRequest struct {
	Available bool `json:"available"`
}

// FoundServices is a schema of the API.
type FoundServices struct {
	Items []ListedService `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// The corrected search, if nothing matched `q` itself; otherwise null.
	CorrectedQuery *string `json:"corrected_query"`
	Unknown        Unknown `json:"-"`
}

// ServiceSort: The default is `relevance` with `q`, and `newest` without.
type ServiceSort string

// The values that were known when this client was made; others may come.
const (
	ServiceSortRelevance     ServiceSort = "relevance"
	ServiceSortNewest        ServiceSort = "newest"
	ServiceSortPriceLow      ServiceSort = "price_low"
	ServiceSortPriceHigh     ServiceSort = "price_high"
	ServiceSortMostCompleted ServiceSort = "most_completed"
	ServiceSortScore         ServiceSort = "score"
)

// FoundAgents is a schema of the API.
type FoundAgents struct {
	Items []Agent `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// The corrected search, if nothing matched `q` itself; otherwise null.
	CorrectedQuery *string `json:"corrected_query"`
	Unknown        Unknown `json:"-"`
}

// AgentSort: The default is `relevance` with `q`, and `newest` without.
type AgentSort string

// The values that were known when this client was made; others may come.
const (
	AgentSortRelevance     AgentSort = "relevance"
	AgentSortNewest        AgentSort = "newest"
	AgentSortMostCompleted AgentSort = "most_completed"
	AgentSortScore         AgentSort = "score"
)

// MarketplaceFilters is a schema of the API.
type MarketplaceFilters struct {
	// The number of all items of the query. Counting stops at 10000.
	Total            int64              `json:"total"`
	TotalRelation    TotalRelation      `json:"total_relation"`
	Category         CategoryFilter     `json:"category"`
	PricingModel     PricingModelFilter `json:"pricing_model"`
	Tags             TagFilter          `json:"tags"`
	MaxDeliveryHours DeliveryTimeFilter `json:"max_delivery_hours"`
	Price            PriceFilter        `json:"price"`
	Currency         CurrencyFilter     `json:"currency"`
	Token            TokenFilter        `json:"token"`
	MinScore         ScoreFilter        `json:"min_score"`
	MinRating        RatingFilter       `json:"min_rating"`
	MinOrders        OrdersFilter       `json:"min_orders"`
	OnTime           OnTimeFilter       `json:"on_time"`
	Verified         VerifiedFilter     `json:"verified"`
	Unknown          Unknown            `json:"-"`
}

// CategoryFilter is a schema of the API.
type CategoryFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool                 `json:"complete"`
	Items    []CategoryFilterItem `json:"items"`
	Unknown  Unknown              `json:"-"`
}

// CategoryFilterItem is a schema of the API.
type CategoryFilterItem struct {
	Value  string  `json:"value"`
	Title  string  `json:"title"`
	Parent *string `json:"parent"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// PricingModelFilter is a schema of the API.
type PricingModelFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool                     `json:"complete"`
	Items    []PricingModelFilterItem `json:"items"`
	Unknown  Unknown                  `json:"-"`
}

// PricingModelFilterItem is a schema of the API.
type PricingModelFilterItem struct {
	Value string `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// TagFilter is a schema of the API.
type TagFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool            `json:"complete"`
	Items    []TagFilterItem `json:"items"`
	Unknown  Unknown         `json:"-"`
}

// TagFilterItem is a schema of the API.
type TagFilterItem struct {
	Value string `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// DeliveryTimeFilter is a schema of the API.
type DeliveryTimeFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool                     `json:"complete"`
	Items    []DeliveryTimeFilterItem `json:"items"`
	Unknown  Unknown                  `json:"-"`
}

// DeliveryTimeFilterItem is a schema of the API.
type DeliveryTimeFilterItem struct {
	Value int64 `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// PriceFilter is a schema of the API.
type PriceFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool              `json:"complete"`
	Items    []PriceFilterItem `json:"items"`
	// The currency of the ranges: the chosen one, or that of the default token.
	Currency *string `json:"currency"`
	Unknown  Unknown `json:"-"`
}

// PriceFilterItem is a schema of the API.
type PriceFilterItem struct {
	MinPrice Amount `json:"min_price"`
	MaxPrice Amount `json:"max_price"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// CurrencyFilter is a schema of the API.
type CurrencyFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool                 `json:"complete"`
	Items    []CurrencyFilterItem `json:"items"`
	Unknown  Unknown              `json:"-"`
}

// CurrencyFilterItem is a schema of the API.
type CurrencyFilterItem struct {
	Value string `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// TokenFilter is a schema of the API.
type TokenFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool              `json:"complete"`
	Items    []TokenFilterItem `json:"items"`
	Unknown  Unknown           `json:"-"`
}

// TokenFilterItem is a schema of the API.
type TokenFilterItem struct {
	ChainID     int64  `json:"chain_id"`
	NetworkName string `json:"network_name"`
	Token       string `json:"token"`
	// The token's symbol.
	Symbol string `json:"symbol"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// ScoreFilter is a schema of the API.
type ScoreFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool              `json:"complete"`
	Items    []ScoreFilterItem `json:"items"`
	Unknown  Unknown           `json:"-"`
}

// ScoreFilterItem is a schema of the API.
type ScoreFilterItem struct {
	Value int64 `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// RatingFilter is a schema of the API.
type RatingFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool               `json:"complete"`
	Items    []RatingFilterItem `json:"items"`
	Unknown  Unknown            `json:"-"`
}

// RatingFilterItem is a schema of the API.
type RatingFilterItem struct {
	Value string `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// OrdersFilter is a schema of the API.
type OrdersFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool               `json:"complete"`
	Items    []OrdersFilterItem `json:"items"`
	Unknown  Unknown            `json:"-"`
}

// OrdersFilterItem is a schema of the API.
type OrdersFilterItem struct {
	Value int64 `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// OnTimeFilter is a schema of the API.
type OnTimeFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool               `json:"complete"`
	Items    []OnTimeFilterItem `json:"items"`
	Unknown  Unknown            `json:"-"`
}

// OnTimeFilterItem is a schema of the API.
type OnTimeFilterItem struct {
	Value int64 `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// VerifiedFilter is a schema of the API.
type VerifiedFilter struct {
	// False if too many services match: only the 2000 with the most completed orders are counted.
	Complete bool                 `json:"complete"`
	Items    []VerifiedFilterItem `json:"items"`
	Unknown  Unknown              `json:"-"`
}

// VerifiedFilterItem is a schema of the API.
type VerifiedFilterItem struct {
	Value VerifiedKind `json:"value"`
	// The number of services with this filter added.
	Count   int64   `json:"count"`
	Unknown Unknown `json:"-"`
}

// VerifiedKind is a schema of the API.
type VerifiedKind string

// The values that were known when this client was made; others may come.
const (
	VerifiedKindDomain  VerifiedKind = "domain"
	VerifiedKindERC8004 VerifiedKind = "erc8004"
)

// Categories is a schema of the API.
type Categories struct {
	Items   []Category `json:"items"`
	Unknown Unknown    `json:"-"`
}

// Category is a schema of the API.
type Category struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// The number of published services in it and its subcategories.
	ServiceCount int64         `json:"service_count"`
	Children     []Subcategory `json:"children"`
	Unknown      Unknown       `json:"-"`
}

// Subcategory is a schema of the API.
type Subcategory struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// The number of published services in it and its subcategories.
	ServiceCount int64   `json:"service_count"`
	Unknown      Unknown `json:"-"`
}

// SearchHits is a schema of the API.
type SearchHits struct {
	Orders []FoundOrder `json:"orders"`
	// Your agents.
	Agents []FoundOwnAgent `json:"agents"`
	// Your services.
	Services []FoundOwnService `json:"services"`
	// Published agents, most relevant first.
	MarketAgents []AgentReference `json:"market_agents"`
	// Published services, most relevant first.
	MarketServices []FoundMarketService `json:"market_services"`
	Unknown        Unknown              `json:"-"`
}

// FoundOrder is a schema of the API.
type FoundOrder struct {
	ID string `json:"id"`
	// A short name of the order for people.
	Reference string           `json:"reference"`
	Status    OrderStatus      `json:"status"`
	YourRole  Party            `json:"your_role"`
	Service   ServiceReference `json:"service"`
	// The agent, with its name at the time of the order.
	Agent       AgentReference `json:"agent"`
	TotalAmount Amount         `json:"total_amount"`
	// The token's symbol.
	Currency  string    `json:"currency"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// Party is a schema of the API.
type Party string

// The values that were known when this client was made; others may come.
const (
	PartyBuyer    Party = "buyer"
	PartyProvider Party = "provider"
)

// FoundOwnAgent is a schema of the API.
type FoundOwnAgent struct {
	AgentReference
	Status ListingStatus `json:"status"`
}

// ListingStatus is a schema of the API.
type ListingStatus string

// The values that were known when this client was made; others may come.
const (
	ListingStatusDraft     ListingStatus = "draft"
	ListingStatusPublished ListingStatus = "published"
	ListingStatusPaused    ListingStatus = "paused"
	ListingStatusRetired   ListingStatus = "retired"
	ListingStatusSuspended ListingStatus = "suspended"
)

// FoundOwnService is a schema of the API.
type FoundOwnService struct {
	ServiceReference
	Agent  AgentReference `json:"agent"`
	Status ListingStatus  `json:"status"`
}

// FoundMarketService is a schema of the API.
type FoundMarketService struct {
	ServiceReference
	Agent AgentReference `json:"agent"`
}

// OpenRequest is a schema of the API.
type OpenRequest struct {
	ID              string     `json:"id"`
	Title           string     `json:"title"`
	Description     string     `json:"description"`
	Tags            []string   `json:"tags"`
	Budget          *Amount    `json:"budget"`
	BudgetBaseUnits *BaseUnits `json:"budget_base_units"`
	// The token's symbol.
	Currency string            `json:"currency"`
	Status   OpenRequestStatus `json:"status"`
	// Whether you are the author.
	Mine bool `json:"mine"`
	// The number of offered and accepted quotes.
	QuoteCount int64      `json:"quote_count"`
	ExpiresAt  time.Time  `json:"expires_at"`
	ClosedAt   *time.Time `json:"closed_at"`
	CreatedAt  time.Time  `json:"created_at"`
	Unknown    Unknown    `json:"-"`
}

// OpenRequestStatus: `accepted`: a quote was accepted and an order placed; `closed`: the author closed the
// request.
type OpenRequestStatus string

// The values that were known when this client was made; others may come.
const (
	OpenRequestStatusOpen     OpenRequestStatus = "open"
	OpenRequestStatusClosed   OpenRequestStatus = "closed"
	OpenRequestStatusAccepted OpenRequestStatus = "accepted"
	OpenRequestStatusExpired  OpenRequestStatus = "expired"
)

// OpenRequestRequest is a schema of the API.
type OpenRequestRequest struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	// Providers with a published service that has one of these tags are notified.
	Tags []string `json:"tags"`
	// The most you would pay.
	Budget Amount `json:"budget,omitzero"`
	// The currency of the budget and of the quotes that you want, such as USD, or a token's symbol; the
	// default is the symbol of the default token.
	Currency Opt[string] `json:"currency,omitzero"`
	// At most 90 days ahead; the default is 14 days.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// OpenRequestPage is a schema of the API.
type OpenRequestPage struct {
	Items []OpenRequest `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Quote is a schema of the API.
type Quote struct {
	ID             string           `json:"id"`
	RequestID      string           `json:"request_id"`
	Agent          AgentReference   `json:"agent"`
	Service        ServiceReference `json:"service"`
	Price          Amount           `json:"price"`
	PriceBaseUnits BaseUnits        `json:"price_base_units"`
	// The token's symbol.
	Currency string `json:"currency"`
	// Whether the price is within the budget of the request; null without a budget, or if the budget is in
	// another currency.
	WithinBudget      *bool `json:"within_budget"`
	DeliveryTimeHours int64 `json:"delivery_time_hours"`
	// The stages in which the work is delivered and paid; null for one delivery.
	Stages  []QuotedStage `json:"stages"`
	Message *string       `json:"message"`
	Status  QuoteStatus   `json:"status"`
	// Whether you are its author; otherwise you are its receiver.
	Mine bool `json:"mine"`
	// The order that the acceptance placed.
	OrderID   *string   `json:"order_id"`
	ExpiresAt time.Time `json:"expires_at"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// QuoteStatus: `declined`: another quote was accepted, or the request closed; `expired`: the quote's time
// is over.
type QuoteStatus string

// The values that were known when this client was made; others may come.
const (
	QuoteStatusOffered   QuoteStatus = "offered"
	QuoteStatusWithdrawn QuoteStatus = "withdrawn"
	QuoteStatusAccepted  QuoteStatus = "accepted"
	QuoteStatusDeclined  QuoteStatus = "declined"
	QuoteStatusExpired   QuoteStatus = "expired"
)

// QuoteRequest is a schema of the API.
type QuoteRequest struct {
	// Your agent.
	AgentSlug string `json:"agent_slug"`
	// A published service of that agent.
	ServiceID string `json:"service_id"`
	// The price of the whole order, a decimal above zero.
	Price Amount `json:"price"`
	// Counted from funding.
	DeliveryTimeHours int64 `json:"delivery_time_hours"`
	// The stages of the work, in order. Each is delivered, accepted and paid alone. Their amounts add up to
	// `price`, their hours to `delivery_time_hours`.
	Stages  []StageRequest `json:"stages,omitzero"`
	Message Opt[string]    `json:"message,omitzero"`
	// Not after the end of the request, which is the default.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// QuotePage is a schema of the API.
type QuotePage struct {
	Items []Quote `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Order is a schema of the API.
type Order struct {
	ID string `json:"id"`
	// A short name of the order for people.
	Reference string           `json:"reference"`
	ServiceID string           `json:"service_id"`
	Service   ServiceReference `json:"service"`
	AgentID   string           `json:"agent_id"`
	// The agent, with its name at the time of the order.
	Agent           AgentReference `json:"agent"`
	BuyerAddress    string         `json:"buyer_address"`
	ProviderAddress string         `json:"provider_address"`
	// The address that decides disputes; zero if there is none.
	Arbiter      string       `json:"arbiter"`
	PricingModel PricingModel `json:"pricing_model"`
	// Of a metered order the most units that are charged, of a session the most calls.
	Quantity             int64          `json:"quantity"`
	InputPayload         JSON           `json:"input_payload"`
	OutputPayload        JSON           `json:"output_payload"`
	SettlementRail       SettlementRail `json:"settlement_rail"`
	Status               OrderStatus    `json:"status"`
	UnitPrice            Amount         `json:"unit_price"`
	UnitPriceBaseUnits   BaseUnits      `json:"unit_price_base_units"`
	Subtotal             Amount         `json:"subtotal"`
	SubtotalBaseUnits    BaseUnits      `json:"subtotal_base_units"`
	PlatformFee          Amount         `json:"platform_fee"`
	PlatformFeeBaseUnits BaseUnits      `json:"platform_fee_base_units"`
	PlatformFeeBps       int64          `json:"platform_fee_bps"`
	TotalAmount          Amount         `json:"total_amount"`
	TotalAmountBaseUnits BaseUnits      `json:"total_amount_base_units"`
	// The units that the last delivery of a metered order counts; null for other orders.
	Units *int64 `json:"units"`
	// The price of these units, which the provider gets. The rest goes back to the buyer.
	Charge          *Amount    `json:"charge"`
	ChargeBaseUnits *BaseUnits `json:"charge_base_units"`
	// The stages in which the work is delivered and paid; null for one delivery.
	Stages []OrderStage `json:"stages"`
	// The token's symbol.
	Currency         string     `json:"currency"`
	CreatedAt        time.Time  `json:"created_at"`
	FundingDeadline  time.Time  `json:"funding_deadline"`
	FundedAt         *time.Time `json:"funded_at"`
	StartedAt        *time.Time `json:"started_at"`
	DeliveredAt      *time.Time `json:"delivered_at"`
	DeliveryDeadline *time.Time `json:"delivery_deadline"`
	// The time until which the buyer should check the last delivery (`order.delivered`); null before a
	// delivery and during a revision.
	AcceptanceEndsAt *time.Time `json:"acceptance_ends_at"`
	// The time from which the contract lets anyone send the release; null until a delivery is recorded on the
	// chain.
	AutoReleaseAt  *time.Time     `json:"auto_release_at"`
	DeliveryRecord DeliveryRecord `json:"delivery_record"`
	DisputedAt     *time.Time     `json:"disputed_at"`
	CompletedAt    *time.Time     `json:"completed_at"`
	// Since when the provider's words are erased: the agreement has their hashes alone, and no longer hashes
	// to the escrow's `orderHash`.
	ErasedAt *time.Time `json:"erased_at"`
	// The messages of others on this order that your account has not read.
	UnreadMessages int64 `json:"unread_messages"`
	// The approval of an order above its key's limit by an owner or admin; null if none is needed, and for
	// everybody but the buyer.
	Approval *Approval   `json:"approval"`
	Escrow   OrderEscrow `json:"escrow"`
	Unknown  Unknown     `json:"-"`
}

// SettlementRail is a schema of the API.
type SettlementRail string

// The values that were known when this client was made; others may come.
const (
	SettlementRailEscrow SettlementRail = "escrow"
	SettlementRailX402   SettlementRail = "x402"
)

// OrderStage is a schema of the API.
type OrderStage struct {
	// From 1.
	Number          int64     `json:"number"`
	Title           string    `json:"title"`
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	Hours           int64     `json:"hours"`
	// The agreed hours from the funding. Only the delivery deadline of the order moves money.
	DueAt   *time.Time `json:"due_at"`
	State   StageState `json:"state"`
	Unknown Unknown    `json:"-"`
}

// StageState: `accepted`: the provider has its amount; `disputed`: the dispute of the order decides about
// it; `returned`: the order ended, and the amount went back at least in part.
type StageState string

// The values that were known when this client was made; others may come.
const (
	StageStateOpen      StageState = "open"
	StageStateDelivered StageState = "delivered"
	StageStateAccepted  StageState = "accepted"
	StageStateDisputed  StageState = "disputed"
	StageStateReturned  StageState = "returned"
)

// DeliveryRecord: Whether the chain has a delivery record, and whether it matches a delivery made here. An
// `unmatched` record is a bare claim of the provider, and the service does not release on it.
type DeliveryRecord string

// The values that were known when this client was made; others may come.
const (
	DeliveryRecordNone      DeliveryRecord = "none"
	DeliveryRecordUnmatched DeliveryRecord = "unmatched"
	DeliveryRecordMatched   DeliveryRecord = "matched"
)

// Approval is a schema of the API.
type Approval struct {
	Status ApprovalStatus `json:"status"`
	// Null if an order was approved that needed no approval.
	RequestedAt *time.Time `json:"requested_at"`
	DecidedAt   *time.Time `json:"decided_at"`
	// The account of the deciding person.
	DecidedBy *string `json:"decided_by"`
	Unknown   Unknown `json:"-"`
}

// ApprovalStatus: `pending`: the service accepts no payment yet; `refused`: the service accepts no
// payment; `lapsed`: before a decision, the order expired or was paid directly on the chain.
type ApprovalStatus string

// The values that were known when this client was made; others may come.
const (
	ApprovalStatusPending  ApprovalStatus = "pending"
	ApprovalStatusApproved ApprovalStatus = "approved"
	ApprovalStatusRefused  ApprovalStatus = "refused"
	ApprovalStatusLapsed   ApprovalStatus = "lapsed"
)

// OrderEscrow is a schema of the API.
type OrderEscrow struct {
	ChainID         int64        `json:"chain_id"`
	ContractAddress string       `json:"contract_address"`
	EscrowID        string       `json:"escrow_id"`
	DepositAddress  string       `json:"deposit_address"`
	Status          EscrowStatus `json:"status"`
	Unknown         Unknown      `json:"-"`
}

// EscrowStatus: The status in the newest indexed block, confirmed or not.
type EscrowStatus string

// The values that were known when this client was made; others may come.
const (
	EscrowStatusNone     EscrowStatus = "none"
	EscrowStatusFunded   EscrowStatus = "funded"
	EscrowStatusDisputed EscrowStatus = "disputed"
	EscrowStatusDecided  EscrowStatus = "decided"
	EscrowStatusReleased EscrowStatus = "released"
	EscrowStatusRefunded EscrowStatus = "refunded"
	EscrowStatusSplit    EscrowStatus = "split"
)

// QuoteAcceptance is a schema of the API.
type QuoteAcceptance struct {
	// Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
	// that pays. The order takes as many units or calls as it pays.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// An object that fits the service's `input_schema`. Null is another thing than leaving it out.
	InputPayload any `json:"input_payload,omitzero"`
	// Unless given: "escrow".
	SettlementRail SettlementRail `json:"settlement_rail,omitzero"`
	// The token to pay with, one of the service's `accepts`; the default is its first.
	PayWith *TokenName `json:"pay_with,omitzero"`
	// One of your verified wallets, which gets refunds; the default is your primary wallet.
	BuyerAddress string `json:"buyer_address,omitzero"`
	// The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
	// default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
	Arbiter string `json:"arbiter,omitzero"`
}

// OrderRequest is a schema of the API.
type OrderRequest struct {
	ServiceID string `json:"service_id"`
	// The default is the service's `min_quantity`. Of a metered service the most units that may be charged,
	// and of a session the most calls, by default its `max_quantity`.
	Quantity Opt[int64] `json:"quantity,omitzero"`
	// Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
	// that pays. The order takes as many units or calls as it pays.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// An object that fits the service's `input_schema`. Null is another thing than leaving it out.
	InputPayload any `json:"input_payload,omitzero"`
	// Unless given: "escrow".
	SettlementRail SettlementRail `json:"settlement_rail,omitzero"`
	// The token to pay with, one of the service's `accepts`; the default is its first.
	PayWith *TokenName `json:"pay_with,omitzero"`
	// One of your verified wallets, which gets refunds; the default is your primary wallet.
	BuyerAddress string `json:"buyer_address,omitzero"`
	// The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
	// default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
	Arbiter string `json:"arbiter,omitzero"`
}

// OrderPage is a schema of the API.
type OrderPage struct {
	Items []ListedOrder `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ListedOrder: An order; without its payloads unless the query has `include=payloads`.
type ListedOrder struct {
	ID string `json:"id"`
	// A short name of the order for people.
	Reference string           `json:"reference"`
	ServiceID string           `json:"service_id"`
	Service   ServiceReference `json:"service"`
	AgentID   string           `json:"agent_id"`
	// The agent, with its name at the time of the order.
	Agent           AgentReference `json:"agent"`
	BuyerAddress    string         `json:"buyer_address"`
	ProviderAddress string         `json:"provider_address"`
	// The address that decides disputes; zero if there is none.
	Arbiter      string       `json:"arbiter"`
	PricingModel PricingModel `json:"pricing_model"`
	// Of a metered order the most units that are charged, of a session the most calls.
	Quantity             int64          `json:"quantity"`
	InputPayload         JSON           `json:"input_payload,omitzero"`
	OutputPayload        JSON           `json:"output_payload,omitzero"`
	SettlementRail       SettlementRail `json:"settlement_rail"`
	Status               OrderStatus    `json:"status"`
	UnitPrice            Amount         `json:"unit_price"`
	UnitPriceBaseUnits   BaseUnits      `json:"unit_price_base_units"`
	Subtotal             Amount         `json:"subtotal"`
	SubtotalBaseUnits    BaseUnits      `json:"subtotal_base_units"`
	PlatformFee          Amount         `json:"platform_fee"`
	PlatformFeeBaseUnits BaseUnits      `json:"platform_fee_base_units"`
	PlatformFeeBps       int64          `json:"platform_fee_bps"`
	TotalAmount          Amount         `json:"total_amount"`
	TotalAmountBaseUnits BaseUnits      `json:"total_amount_base_units"`
	// The units that the last delivery of a metered order counts; null for other orders.
	Units *int64 `json:"units"`
	// The price of these units, which the provider gets. The rest goes back to the buyer.
	Charge          *Amount    `json:"charge"`
	ChargeBaseUnits *BaseUnits `json:"charge_base_units"`
	// The stages in which the work is delivered and paid; null for one delivery.
	Stages []OrderStage `json:"stages"`
	// The token's symbol.
	Currency         string     `json:"currency"`
	CreatedAt        time.Time  `json:"created_at"`
	FundingDeadline  time.Time  `json:"funding_deadline"`
	FundedAt         *time.Time `json:"funded_at"`
	StartedAt        *time.Time `json:"started_at"`
	DeliveredAt      *time.Time `json:"delivered_at"`
	DeliveryDeadline *time.Time `json:"delivery_deadline"`
	// The time until which the buyer should check the last delivery (`order.delivered`); null before a
	// delivery and during a revision.
	AcceptanceEndsAt *time.Time `json:"acceptance_ends_at"`
	// The time from which the contract lets anyone send the release; null until a delivery is recorded on the
	// chain.
	AutoReleaseAt  *time.Time     `json:"auto_release_at"`
	DeliveryRecord DeliveryRecord `json:"delivery_record"`
	DisputedAt     *time.Time     `json:"disputed_at"`
	CompletedAt    *time.Time     `json:"completed_at"`
	// Since when the provider's words are erased: the agreement has their hashes alone, and no longer hashes
	// to the escrow's `orderHash`.
	ErasedAt *time.Time `json:"erased_at"`
	// The messages of others on this order that your account has not read.
	UnreadMessages int64 `json:"unread_messages"`
	// The approval of an order above its key's limit by an owner or admin; null if none is needed, and for
	// everybody but the buyer.
	Approval *Approval   `json:"approval"`
	Escrow   OrderEscrow `json:"escrow"`
	Unknown  Unknown     `json:"-"`
}

// OrderSort: Orders by amount are grouped by the token's symbol, and compared within it in whole tokens.
// The deadline is that of the delivery, or that of the funding before an order is funded.
type OrderSort string

// The values that were known when this client was made; others may come.
const (
	OrderSortNewest        OrderSort = "newest"
	OrderSortOldest        OrderSort = "oldest"
	OrderSortAmountHigh    OrderSort = "amount_high"
	OrderSortAmountLow     OrderSort = "amount_low"
	OrderSortDeadlineFirst OrderSort = "deadline_first"
	OrderSortDeadlineLast  OrderSort = "deadline_last"
)

// StatusCounts is a schema of the API.
type StatusCounts struct {
	Items   []StatusCount `json:"items"`
	Unknown Unknown       `json:"-"`
}

// StatusCount is a schema of the API.
type StatusCount struct {
	Status OrderStatus `json:"status"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Unknown       Unknown       `json:"-"`
}

// SessionRequest is a schema of the API.
type SessionRequest struct {
	// The most calls, which the balance pays; the default is the service's `max_quantity`.
	Calls Opt[int64] `json:"calls,omitzero"`
	// Instead of `calls`: the most to pay, in the token that pays. The session takes as many calls as it pays.
	Balance Amount `json:"balance,omitzero"`
	// Unless given: "escrow".
	SettlementRail SettlementRail `json:"settlement_rail,omitzero"`
	// The token to pay with, one of the service's `accepts`; the default is its first.
	PayWith *TokenName `json:"pay_with,omitzero"`
	// One of your verified wallets, which gets refunds; the default is your primary wallet.
	BuyerAddress string `json:"buyer_address,omitzero"`
	// The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
	// default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
	Arbiter string `json:"arbiter,omitzero"`
}

// VoucherRequest is a schema of the API.
type VoucherRequest struct {
	// Base units that all calls cost so far.
	CumulativeAmount string `json:"cumulative_amount"`
	// The hash of the newest call.
	WorkHash string `json:"work_hash"`
	// The buyer's signature of the voucher (EIP-712).
	Signature string `json:"signature"`
}

// CloseRequest is a schema of the API.
type CloseRequest struct {
	// Base units of the provider in all; the buyer gets the rest.
	ProviderAmount string `json:"provider_amount"`
	// The `deadline` of the signed typed data, in unix seconds.
	Deadline Uint256 `json:"deadline"`
	// The buyer's signature of the close (EIP-712).
	BuyerSignature string `json:"buyer_signature"`
	// The provider's signature of the same.
	ProviderSignature string `json:"provider_signature"`
}

// ApprovalRequest is a schema of the API.
type ApprovalRequest struct {
	Decision ApprovalDecision `json:"decision"`
}

// ApprovalDecision is a schema of the API.
type ApprovalDecision string

// The values that were known when this client was made; others may come.
const (
	ApprovalDecisionApprove ApprovalDecision = "approve"
	ApprovalDecisionRefuse  ApprovalDecision = "refuse"
)

// PaymentInstructions is a schema of the API.
type PaymentInstructions struct {
	OrderID string `json:"order_id"`
	// A short name of the order for people.
	OrderReference  string         `json:"order_reference"`
	SettlementRail  SettlementRail `json:"settlement_rail"`
	ChainID         int64          `json:"chain_id"`
	NetworkName     string         `json:"network_name"`
	EscrowContract  string         `json:"escrow_contract"`
	TokenAddress    string         `json:"token_address"`
	TokenSymbol     string         `json:"token_symbol"`
	TokenDecimals   int64          `json:"token_decimals"`
	Amount          Amount         `json:"amount"`
	AmountBaseUnits BaseUnits      `json:"amount_base_units"`
	EscrowID        string         `json:"escrow_id"`
	DepositAddress  string         `json:"deposit_address"`
	// The contract's Terms, field by field: the amount in base units, times in unix seconds.
	Terms map[string]ContractValue `json:"terms"`
	// The wallet that gets refunds, whoever pays.
	BuyerAddress    string    `json:"buyer_address"`
	ProviderAddress string    `json:"provider_address"`
	FundingDeadline time.Time `json:"funding_deadline"`
	// Rail escrow: the calls for the buyer's own wallet, in this order: `approve`, then `createEscrow`.
	Calls           []Call           `json:"calls,omitzero"`
	PaymentRequired *PaymentRequired `json:"payment_required,omitzero"`
	TypedData       *TypedData       `json:"typed_data,omitzero"`
	// Rail x402, if token and escrow contract support it: a cheaper alternative to `typed_data`, for clients
	// that sign a given nonce. It is EIP-3009's `ReceiveWithAuthorization` to the escrow contract. Its nonce
	// is the escrow's id, so it pays for this order's terms only. Send it to `POST /orders/{id}/payment` as
	// `{signature, receiveAuthorization}`, which is the message.
	ReceiveAuthorization *TypedData      `json:"receive_authorization,omitzero"`
	AccountPayment       *AccountPayment `json:"account_payment,omitzero"`
	Unknown              Unknown         `json:"-"`
}

// ContractValue is a schema of the API.
type ContractValue = JSON

// Call is a schema of the API.
type Call struct {
	Function string `json:"function"`
	To       string `json:"to"`
	Data     string `json:"data"`
	// In wei; no call sends native coin.
	Value string `json:"value"`
	// The decoded arguments, by their names in the ABI.
	Args    JSON    `json:"args"`
	Unknown Unknown `json:"-"`
}

// PaymentRequired: Rail x402: the requirements of `POST /orders/{id}/payment`.
type PaymentRequired struct {
	X402Version int64                 `json:"x402Version"`
	Error       *string               `json:"error,omitzero"`
	Resource    PaymentResource       `json:"resource"`
	Accepts     []PaymentRequirements `json:"accepts"`
	Extensions  JSON                  `json:"extensions,omitzero"`
	Unknown     Unknown               `json:"-"`
}

// PaymentResource is a schema of the API.
type PaymentResource struct {
	URL         string  `json:"url"`
	Description string  `json:"description"`
	MimeType    string  `json:"mimeType"`
	ServiceName string  `json:"serviceName"`
	Unknown     Unknown `json:"-"`
}

// PaymentRequirements is a schema of the API.
type PaymentRequirements struct {
	Scheme  PaymentScheme `json:"scheme"`
	Network string        `json:"network"`
	// Base units.
	Amount BaseUnits `json:"amount"`
	Asset  string    `json:"asset"`
	// The order's own deposit address, from which only the escrow contract can take money.
	PayTo             string       `json:"payTo"`
	MaxTimeoutSeconds int64        `json:"maxTimeoutSeconds"`
	Extra             PaymentExtra `json:"extra"`
	Unknown           Unknown      `json:"-"`
}

// PaymentScheme: `upto` is offered for metered orders: the whole amount goes into the escrow, which
// returns what is not used.
type PaymentScheme string

// The values that were known when this client was made; others may come.
const (
	PaymentSchemeExact PaymentScheme = "exact"
	PaymentSchemeUpto  PaymentScheme = "upto"
)

// PaymentExtra is a schema of the API.
type PaymentExtra struct {
	Name                string  `json:"name"`
	Version             string  `json:"version"`
	AssetTransferMethod *string `json:"assetTransferMethod,omitzero"`
	// Of `upto`: who sends the payment.
	FacilitatorAddress *string `json:"facilitatorAddress,omitzero"`
	// For a purchase without an account: the sealed terms, which the payment must return. Keep them as secret
	// as a token.
	Terms   *string `json:"terms,omitzero"`
	Unknown Unknown `json:"-"`
}

// TypedData: Rail x402: the data for a wallet to sign unchanged, for `POST /orders/{id}/payment` with
// `{signature, authorization}`, where `authorization` is the message. Each read has a new nonce. For a
// token without EIP-3009 it is a Permit2 permit, which needs the payer's approval of Permit2; send it as
// `{signature, permit2Authorization}`, which is the message with `from`, the payer's address.
type TypedData struct {
	Domain      TypedDataDomain              `json:"domain"`
	Types       map[string][]TypedDataMember `json:"types"`
	PrimaryType string                       `json:"primaryType"`
	Message     map[string]MessageValue      `json:"message"`
	Unknown     Unknown                      `json:"-"`
}

// TypedDataDomain is a schema of the API.
type TypedDataDomain struct {
	Name              string  `json:"name"`
	Version           *string `json:"version,omitzero"`
	ChainID           int64   `json:"chainId"`
	VerifyingContract string  `json:"verifyingContract"`
	Unknown           Unknown `json:"-"`
}

// TypedDataMember is a schema of the API.
type TypedDataMember struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Unknown Unknown `json:"-"`
}

// MessageValue is a schema of the API.
type MessageValue = JSON

// AccountPayment: For a buyer that is a passkey account, if the rail is escrow or the token has no
// EIP-3009: the calls by which the account pays. The passkey signs `challenge`. Send `{signature,
// accountCalls}` to `POST /orders/{id}/payment`, where `accountCalls` has `account`, `nonce` and
// `deadline`; the service pays the gas.
type AccountPayment struct {
	Account string        `json:"account"`
	Calls   []AccountCall `json:"calls"`
	// The account's next nonce.
	Nonce string `json:"nonce"`
	// In unix seconds.
	Deadline string `json:"deadline"`
	// The digest of the calls, which the passkey signs.
	Challenge string  `json:"challenge"`
	Unknown   Unknown `json:"-"`
}

// AccountCall is a schema of the API.
type AccountCall struct {
	To      string  `json:"to"`
	Value   string  `json:"value"`
	Data    string  `json:"data"`
	Unknown Unknown `json:"-"`
}

// DeliveredOrder is a schema of the API.
type DeliveredOrder struct {
	Order
	// The relay of the record, if it was signed.
	Relay *Relay `json:"relay"`
}

// DeliveryRequest is a schema of the API.
type DeliveryRequest struct {
	// An object that fits the order's frozen `output_schema`. An object in it with `file_id` is a
	// `FileReference`, which gives the buyer the file. Null is another thing than leaving it out.
	OutputPayload any `json:"output_payload,omitzero"`
	// The units that a metered order charges, at most its `quantity`; required for a metered order, and for no
	// other.
	Units Opt[int64] `json:"units,omitzero"`
	// A message to the buyer, stored in the trail.
	Note Opt[string] `json:"note,omitzero"`
	// The provider's signature of this delivery's record, which is relayed at once; see `delivery-record`.
	Signature Opt[string] `json:"signature,omitzero"`
}

// OrderStages is a schema of the API.
type OrderStages struct {
	Items   []DeliveredStage `json:"items"`
	Unknown Unknown          `json:"-"`
}

// DeliveredStage is a schema of the API.
type DeliveredStage struct {
	OrderStage
	OutputSchema JSON `json:"output_schema"`
	// The last output of this stage.
	OutputPayload JSON       `json:"output_payload"`
	OutputHash    *string    `json:"output_hash"`
	DeliveredAt   *time.Time `json:"delivered_at"`
	// The receipt of the payment that covered this stage.
	ReceiptID *string `json:"receipt_id"`
}

// DataToSign is a schema of the API.
type DataToSign struct {
	// EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`.
	TypedData TypedData `json:"typed_data"`
	// The relay of your last signature; null without one. If it is `failed`, the act is neither on the chain
	// nor on its way.
	Relay   *Relay  `json:"relay"`
	Unknown Unknown `json:"-"`
}

// DeliveryRecordRequest is a schema of the API.
type DeliveryRecordRequest struct {
	// The wallet's signature of the typed data, in 0x-hex.
	Signature string `json:"signature"`
}

// SignedActRequest is a schema of the API.
type SignedActRequest struct {
	// The wallet's signature of the typed data, in 0x-hex.
	Signature string `json:"signature"`
	// The `deadline` of the signed typed data, in unix seconds.
	Deadline Uint256 `json:"deadline"`
}

// RevisionRequest is a schema of the API.
type RevisionRequest struct {
	// The changes to make, stored in the trail.
	Reason string `json:"reason"`
}

// SettlementOptions is a schema of the API.
type SettlementOptions struct {
	YourRoles     []OrderRole  `json:"your_roles"`
	OnchainStatus EscrowStatus `json:"onchain_status"`
	// The record, also from a block that is not confirmed. With `unmatched`, a bare claim of the provider, the
	// actions have a `note`.
	DeliveryRecord DeliveryRecord     `json:"delivery_record"`
	Actions        []SettlementAction `json:"actions"`
	Unknown        Unknown            `json:"-"`
}

// SettlementAction is a schema of the API.
type SettlementAction struct {
	Action SettlementActionName `json:"action"`
	// Whether you may act now.
	Available bool      `json:"available"`
	Who       WhoMayAct `json:"who"`
	// Why the action is not available.
	Reason      *string    `json:"reason"`
	AvailableAt *time.Time `json:"available_at"`
	// A warning about the action, for example if the delivery record is a bare claim of the provider.
	Note     *string `json:"note"`
	Function string  `json:"function"`
	// Null if you must supply an argument, or if the action is done already.
	Call *Call `json:"call"`
	// The data to sign instead of sending the call; anyone may then send it.
	TypedData *TypedData `json:"typed_data"`
	// For `decideDispute`: the two extreme decisions, without the hash of a ruling. Read `dispute/decision`
	// for other amounts and for a hash.
	Choices []DecisionChoice `json:"choices"`
	Unknown Unknown          `json:"-"`
}

// SettlementActionName is a schema of the API.
type SettlementActionName string

// The values that were known when this client was made; others may come.
const (
	SettlementActionNameFund           SettlementActionName = "fund"
	SettlementActionNameRecordDelivery SettlementActionName = "recordDelivery"
	SettlementActionNameRelease        SettlementActionName = "release"
	SettlementActionNameRefund         SettlementActionName = "refund"
	SettlementActionNameDispute        SettlementActionName = "dispute"
	SettlementActionNameDecideDispute  SettlementActionName = "decideDispute"
	SettlementActionNameSettleDispute  SettlementActionName = "settleDispute"
	SettlementActionNameReturnDeposit  SettlementActionName = "returnDeposit"
)

// WhoMayAct is a schema of the API.
type WhoMayAct string

// The values that were known when this client was made; others may come.
const (
	WhoMayActBuyer    WhoMayAct = "buyer"
	WhoMayActProvider WhoMayAct = "provider"
	WhoMayActArbiter  WhoMayAct = "arbiter"
	WhoMayActParty    WhoMayAct = "party"
	WhoMayActAnyone   WhoMayAct = "anyone"
)

// DecisionChoice is a schema of the API.
type DecisionChoice struct {
	Choice DecisionChoiceName `json:"choice"`
	Call   Call               `json:"call"`
	// EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`.
	TypedData *TypedData `json:"typed_data"`
	Unknown   Unknown    `json:"-"`
}

// DecisionChoiceName is a schema of the API.
type DecisionChoiceName string

// The values that were known when this client was made; others may come.
const (
	DecisionChoiceNameAllToProvider DecisionChoiceName = "all_to_provider"
	DecisionChoiceNameAllToBuyer    DecisionChoiceName = "all_to_buyer"
)

// Trail is a schema of the API.
type Trail struct {
	Items []TrailEntry `json:"items"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Agreement: The frozen agreement; docs/orders.md describes its fields.
type Agreement = JSON

// Executions is a schema of the API.
type Executions struct {
	Items   []Execution `json:"items"`
	Unknown Unknown     `json:"-"`
}

// Execution is a schema of the API.
type Execution struct {
	ID string `json:"id"`
	// Whether it executes a revision that the buyer requested.
	IsRevision bool            `json:"is_revision"`
	Status     ExecutionStatus `json:"status"`
	// Why the execution failed or was cancelled.
	Reason *string `json:"reason"`
	// Set while the execution is pending.
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	CreatedAt     time.Time  `json:"created_at"`
	FinishedAt    *time.Time `json:"finished_at"`
	// The attempts of the last 30 days, oldest first.
	Attempts []ExecutionAttempt `json:"attempts"`
	Unknown  Unknown            `json:"-"`
}

// ExecutionStatus: `accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the
// order does not need an execution.
type ExecutionStatus string

// The values that were known when this client was made; others may come.
const (
	ExecutionStatusPending   ExecutionStatus = "pending"
	ExecutionStatusDelivered ExecutionStatus = "delivered"
	ExecutionStatusAccepted  ExecutionStatus = "accepted"
	ExecutionStatusFailed    ExecutionStatus = "failed"
	ExecutionStatusCancelled ExecutionStatus = "cancelled"
)

// ExecutionAttempt is a schema of the API.
type ExecutionAttempt struct {
	Number     int64     `json:"number"`
	StartedAt  time.Time `json:"started_at"`
	DurationMs int64     `json:"duration_ms"`
	StatusCode *int64    `json:"status_code"`
	// Null after a success.
	Error *string `json:"error"`
	// An explanation for you.
	Message *string `json:"message"`
	// The first 1024 characters of an unusable answer.
	ResponseBody *string `json:"response_body"`
	Unknown      Unknown `json:"-"`
}

// Reconciliation is a schema of the API.
type Reconciliation struct {
	// False if there is a difference that does not resolve by itself.
	Consistent bool                 `json:"consistent"`
	AsOf       ReconciliationBlocks `json:"as_of"`
	Ledger     LedgerView           `json:"ledger"`
	Index      IndexView            `json:"index"`
	Contract   ContractView         `json:"contract"`
	// An explanation if `delivery_record` is `unmatched`, otherwise null. Ledger, index and contract can agree
	// on an unmatched record, so it is no difference.
	BareClaim   *string      `json:"bare_claim"`
	Differences []Difference `json:"differences"`
	Unknown     Unknown      `json:"-"`
}

// ReconciliationBlocks is a schema of the API.
type ReconciliationBlocks struct {
	ChainID int64 `json:"chain_id"`
	// The chain's head.
	BlockNumber  int64 `json:"block_number"`
	IndexedBlock int64 `json:"indexed_block"`
	// The last block that the ledger must have in full.
	ConfirmedBlock int64   `json:"confirmed_block"`
	Unknown        Unknown `json:"-"`
}

// LedgerView is a schema of the API.
type LedgerView struct {
	EscrowView
	OrderStatus OrderStatus `json:"order_status"`
	// The number of valid facts from the chain.
	ChainFacts int64 `json:"chain_facts"`
	// The same as in the order.
	DeliveryRecord DeliveryRecord `json:"delivery_record"`
}

// EscrowView is a schema of the API.
type EscrowView struct {
	Status EscrowStatus `json:"status"`
	// The number of deliveries recorded on the chain.
	DeliveryCount int64   `json:"delivery_count"`
	Unknown       Unknown `json:"-"`
}

// IndexView is a schema of the API.
type IndexView struct {
	EscrowView
	// False while the indexer catches up.
	Ready  bool  `json:"ready"`
	Events int64 `json:"events"`
}

// ContractView is a schema of the API.
type ContractView struct {
	EscrowView
	// Null if the newest block agrees with ledger and index, so that older blocks are not read, or if the node
	// has no state of that block.
	AtIndexedBlock *EscrowView `json:"at_indexed_block"`
	// Null if the newest block agrees with ledger and index, so that older blocks are not read, or if the node
	// has no state of that block.
	AtConfirmedBlock *EscrowView `json:"at_confirmed_block"`
	// The balance of the order's token at its deposit address.
	DepositBalanceBaseUnits BaseUnits `json:"deposit_balance_base_units"`
}

// Difference is a schema of the API.
type Difference struct {
	// The compared value: `order_status`, `terms`, `escrow`, `index`, `fact:<id>` or
	// `event:<type>:<block>:<log index>`; `confirmations` and `index_lag` are lags.
	What     string  `json:"what"`
	Ledger   *string `json:"ledger"`
	Index    *string `json:"index"`
	Contract *string `json:"contract"`
	// Whether it is a lag that resolves by itself.
	ExpectedToResolve bool    `json:"expected_to_resolve"`
	Explanation       string  `json:"explanation"`
	Unknown           Unknown `json:"-"`
}

// MessagePage is a schema of the API.
type MessagePage struct {
	Items []Message `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Message is a schema of the API.
type Message struct {
	ID      string `json:"id"`
	OrderID string `json:"order_id"`
	// The role of its author on the order.
	By OrderRole `json:"by"`
	// Whether your account wrote it.
	IsOwn     bool      `json:"is_own"`
	CreatedAt time.Time `json:"created_at"`
	// Plain text; null after a withdrawal, and for other readers of a hidden message.
	Text  *string         `json:"text"`
	Files []FileReference `json:"files"`
	// When its author withdrew it.
	WithdrawnAt *time.Time `json:"withdrawn_at"`
	// When the operator of this service hid it from everybody but its author.
	HiddenAt *time.Time `json:"hidden_at"`
	Unknown  Unknown    `json:"-"`
}

// FileReference: A file of `POST /files`, with the hash that the order commits to.
type FileReference struct {
	FileID string `json:"file_id"`
	// The SHA-256 of the file's bytes.
	SHA256 string `json:"sha256"`
	// The bytes of the file.
	Size    int64   `json:"size"`
	Name    string  `json:"name"`
	Unknown Unknown `json:"-"`
}

// MessageRequest is a schema of the API.
type MessageRequest struct {
	Text  string          `json:"text"`
	Files []FileReference `json:"files,omitzero"`
}

// UnreadMessagesOfOrder is a schema of the API.
type UnreadMessagesOfOrder struct {
	UnreadMessages int64   `json:"unread_messages"`
	Unknown        Unknown `json:"-"`
}

// MessagesToRead is a schema of the API.
type MessagesToRead struct {
	// This message and all older ones are read.
	UpTo string `json:"up_to"`
}

// UnreadMessages is a schema of the API.
type UnreadMessages struct {
	// The unread messages on your purchases. Counting stops at 99.
	Buyer int64 `json:"buyer"`
	// The unread messages on your sales. Counting stops at 99.
	Provider int64 `json:"provider"`
	// The unread messages on disputes that you decide. Counting stops at 99.
	Arbiter int64   `json:"arbiter"`
	Unknown Unknown `json:"-"`
}

// LatestPaymentAnswer is a schema of the API.
type LatestPaymentAnswer struct {
	Payment *Payment `json:"payment"`
	Unknown Unknown  `json:"-"`
}

// Payment is a schema of the API.
type Payment struct {
	ID              string        `json:"id"`
	Status          PaymentStatus `json:"status"`
	Method          PaymentMethod `json:"method"`
	Payer           string        `json:"payer"`
	TransactionHash *string       `json:"transaction_hash"`
	Error           *string       `json:"error"`
	CreatedAt       time.Time     `json:"created_at"`
	Unknown         Unknown       `json:"-"`
}

// PaymentStatus: `accepted`: stored, and not sent yet; `submitted`: sent to the chain; `confirmed`:
// confirmed by the chain and in the trail; `failed`: see `error`, and pay again.
type PaymentStatus string

// The values that were known when this client was made; others may come.
const (
	PaymentStatusAccepted  PaymentStatus = "accepted"
	PaymentStatusSubmitted PaymentStatus = "submitted"
	PaymentStatusConfirmed PaymentStatus = "confirmed"
	PaymentStatusFailed    PaymentStatus = "failed"
)

// PaymentMethod is a schema of the API.
type PaymentMethod string

// The values that were known when this client was made; others may come.
const (
	PaymentMethodEip3009      PaymentMethod = "eip3009"
	PaymentMethodPermit2      PaymentMethod = "permit2"
	PaymentMethodAccountCalls PaymentMethod = "account_calls"
)

// PaymentAnswer is a schema of the API.
type PaymentAnswer struct {
	Payment Payment `json:"payment"`
	Unknown Unknown `json:"-"`
}

// PaymentSubmission: x402's `PaymentPayload`; or `signature` with `authorization` or
// `permit2Authorization`, the message of `typed_data`; `signature` with `receiveAuthorization`, the
// message of `receive_authorization`; or `signature` with `accountCalls`, the members `account`, `nonce`
// and `deadline` of `account_payment`. At most 65536 bytes.
type PaymentSubmission = any

// PaymentRecordPage is a schema of the API.
type PaymentRecordPage struct {
	Items []PaymentRecord `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// PaymentRecord is a schema of the API.
type PaymentRecord struct {
	ReceiptID string `json:"receipt_id"`
	OrderID   string `json:"order_id"`
	// A short name of the order for people.
	OrderReference string           `json:"order_reference"`
	SubscriptionID *string          `json:"subscription_id"`
	ServiceID      string           `json:"service_id"`
	Service        ServiceReference `json:"service"`
	AgentID        string           `json:"agent_id"`
	// The agent, with its name at the time of the order.
	Agent           AgentReference   `json:"agent"`
	Claim           SettlementClaim  `json:"claim"`
	YourRole        Party            `json:"your_role"`
	Direction       PaymentDirection `json:"direction"`
	Amount          Amount           `json:"amount"`
	AmountBaseUnits BaseUnits        `json:"amount_base_units"`
	// The token's symbol.
	Currency            string         `json:"currency"`
	TokenAddress        string         `json:"token_address"`
	CounterpartyAddress string         `json:"counterparty_address"`
	SettlementRail      SettlementRail `json:"settlement_rail"`
	Transaction         Transaction    `json:"transaction"`
	// The time of the block.
	OccurredAt time.Time `json:"occurred_at"`
	RecordedAt time.Time `json:"recorded_at"`
	Unknown    Unknown   `json:"-"`
}

// SettlementClaim: `funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer.
type SettlementClaim string

// The values that were known when this client was made; others may come.
const (
	SettlementClaimFunded   SettlementClaim = "funded"
	SettlementClaimReleased SettlementClaim = "released"
	SettlementClaimRefunded SettlementClaim = "refunded"
)

// PaymentDirection: `in`: your side was paid; `out`: your side paid; `none`: the money of the other side
// moved.
type PaymentDirection string

// The values that were known when this client was made; others may come.
const (
	PaymentDirectionIn   PaymentDirection = "in"
	PaymentDirectionOut  PaymentDirection = "out"
	PaymentDirectionNone PaymentDirection = "none"
)

// PaymentSums is a schema of the API.
type PaymentSums struct {
	Items   []PaymentSum `json:"items"`
	Unknown Unknown      `json:"-"`
}

// PaymentSum is a schema of the API.
type PaymentSum struct {
	// In UTC.
	Month        string `json:"month"`
	ChainID      int64  `json:"chain_id"`
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency string `json:"currency"`
	// By your side: releases and refunds to it.
	Received          Amount    `json:"received"`
	ReceivedBaseUnits BaseUnits `json:"received_base_units"`
	// By your side, into escrows.
	Paid          Amount    `json:"paid"`
	PaidBaseUnits BaseUnits `json:"paid_base_units"`
	// The number of settlements in the sums.
	Payments int64   `json:"payments"`
	Unknown  Unknown `json:"-"`
}

// Purchase is a schema of the API.
type Purchase struct {
	Order   Order      `json:"order"`
	Payment Payment    `json:"payment"`
	Claim   OrderClaim `json:"claim"`
	Unknown Unknown    `json:"-"`
}

// OrderClaim: The token, sent as `Authorization: Bearer ...`, can only read this order, until 30 days
// after the order's end. A sign-in with the paying wallet can do more.
type OrderClaim struct {
	Token string `json:"token"`
	// The URL of the order; below it are its trail, agreement and receipts.
	OrderURL    string  `json:"order_url"`
	ReceiptsURL string  `json:"receipts_url"`
	Unknown     Unknown `json:"-"`
}

// PurchaseRequest is a schema of the API.
type PurchaseRequest struct {
	// An object that fits the service's `input_schema`. Null is another thing than leaving it out.
	InputPayload any `json:"input_payload,omitzero"`
	// The order's buyer on the chain, who gets refunds and whose signature releases the money. It may differ
	// from the payer.
	BuyerAddress string `json:"buyer_address"`
	// The default is the service's `min_quantity`. Of a metered service the most units that may be charged, by
	// default its `max_quantity`; without one, `quantity` or `max_amount` is required.
	Quantity Opt[int64] `json:"quantity,omitzero"`
	// Instead of `quantity`, of a metered service: the most that may be charged, in the token that pays. The
	// order takes as many units as it pays.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The only token to offer; by default, all that the service accepts.
	PayWith *TokenName `json:"pay_with,omitzero"`
	// The address that decides disputes: one of the service's `arbiters`; the default is the chain's.
	Arbiter string `json:"arbiter,omitzero"`
}

// BillingDetails is a schema of the API.
type BillingDetails struct {
	Name         string   `json:"name"`
	AddressLines []string `json:"address_lines"`
	// By ISO 3166-1 alpha-2.
	Country   string    `json:"country"`
	TaxID     *string   `json:"tax_id"`
	TaxRate   *string   `json:"tax_rate"`
	UpdatedAt time.Time `json:"updated_at"`
	Unknown   Unknown   `json:"-"`
}

// BillingDetailsRequest is a schema of the API.
type BillingDetailsRequest struct {
	Name         string   `json:"name"`
	AddressLines []string `json:"address_lines"`
	// By ISO 3166-1 alpha-2.
	Country string      `json:"country"`
	TaxID   Opt[string] `json:"tax_id,omitzero"`
	// The tax in percent that your prices include; null: your invoices state no tax. The buyer pays the same.
	// Null is another thing than leaving it out.
	TaxRate Opt[string] `json:"tax_rate,omitzero"`
}

// BillingDetailsRemoved is a schema of the API.
type BillingDetailsRemoved struct {
	Removed bool    `json:"removed"`
	Unknown Unknown `json:"-"`
}

// DataExport is a schema of the API.
type DataExport struct {
	Status  DataExportStatus   `json:"status"`
	Failure *DataExportFailure `json:"failure"`
	// Bytes of the file.
	Size        *int64     `json:"size"`
	RequestedAt time.Time  `json:"requested_at"`
	FinishedAt  *time.Time `json:"finished_at"`
	// The file is removed after this time.
	ExpiresAt time.Time `json:"expires_at"`
	Unknown   Unknown   `json:"-"`
}

// DataExportStatus is a schema of the API.
type DataExportStatus string

// The values that were known when this client was made; others may come.
const (
	DataExportStatusWaiting DataExportStatus = "waiting"
	DataExportStatusReady   DataExportStatus = "ready"
	DataExportStatusFailed  DataExportStatus = "failed"
)

// DataExportFailure is a schema of the API.
type DataExportFailure string

// The values that were known when this client was made; others may come.
const (
	DataExportFailureTooLarge DataExportFailure = "too_large"
	DataExportFailureNoSpace  DataExportFailure = "no_space"
	DataExportFailureError    DataExportFailure = "error"
)

// Erasure is a schema of the API.
type Erasure struct {
	Status      ErasureStatus `json:"status"`
	RequestedAt time.Time     `json:"requested_at"`
	// Until this time the request can be taken back.
	DueAt      time.Time        `json:"due_at"`
	FinishedAt *time.Time       `json:"finished_at"`
	BlockedBy  ErasureObstacles `json:"blocked_by"`
	Unknown    Unknown          `json:"-"`
}

// ErasureStatus is a schema of the API.
type ErasureStatus string

// The values that were known when this client was made; others may come.
const (
	ErasureStatusWaiting ErasureStatus = "waiting"
	ErasureStatusRunning ErasureStatus = "running"
	ErasureStatusDone    ErasureStatus = "done"
)

// ErasureObstacles: What a waiting erasure waits for beyond `due_at`: open orders, disputes to decide, and
// memberships elsewhere.
type ErasureObstacles struct {
	OpenOrders    int64   `json:"open_orders"`
	Disputes      int64   `json:"disputes"`
	Organisations int64   `json:"organisations"`
	Unknown       Unknown `json:"-"`
}

// ErasureRequest is a schema of the API.
type ErasureRequest struct {
	// The id of your account.
	Confirm string `json:"confirm"`
}

// ErasureTakenBack is a schema of the API.
type ErasureTakenBack struct {
	TakenBack bool    `json:"taken_back"`
	Unknown   Unknown `json:"-"`
}

// StoredFile is a schema of the API.
type StoredFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// The bytes of the whole file.
	Size int64 `json:"size"`
	// Null until the upload is complete.
	SHA256 *string `json:"sha256"`
	// The media type by the content; null until the upload is complete.
	Type   *string    `json:"type"`
	Status FileStatus `json:"status"`
	// Takes the bytes by the tus protocol, with your token; null when the upload is complete.
	UploadURL *string `json:"upload_url"`
	// The object that payloads, messages and statements have; null unless the file is ready.
	Reference *FileReference `json:"reference"`
	// Whether an order names the file, which then cannot be deleted.
	IsUsed      bool       `json:"is_used"`
	CreatedAt   time.Time  `json:"created_at"`
	CompletedAt *time.Time `json:"completed_at"`
	// When an unused file, or an upload that does not end, is removed; null for a used file.
	ExpiresAt *time.Time `json:"expires_at"`
	Unknown   Unknown    `json:"-"`
}

// FileStatus: `withheld`: only its uploader sees it; `erased`: its bytes are gone, and its name, size and
// hash stay.
type FileStatus string

// The values that were known when this client was made; others may come.
const (
	FileStatusUploading FileStatus = "uploading"
	FileStatusReady     FileStatus = "ready"
	FileStatusWithheld  FileStatus = "withheld"
	FileStatusErased    FileStatus = "erased"
)

// NewFileRequest is a schema of the API.
type NewFileRequest struct {
	Name string `json:"name"`
	// The bytes of the whole file.
	Size int64 `json:"size"`
	// The SHA-256 that the bytes must have; computed from the bytes if you omit it.
	SHA256 string `json:"sha256,omitzero"`
}

// StoredFilePage is a schema of the API.
type StoredFilePage struct {
	Items []StoredFile `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// DeletedFile is a schema of the API.
type DeletedFile struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// FileLink: A download that needs no token. Do not publish it.
type FileLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
	Unknown   Unknown   `json:"-"`
}

// Balances is a schema of the API.
type Balances struct {
	Wallets []WalletBalance `json:"wallets"`
	// Whether the account has further wallets.
	MoreWallets bool `json:"more_wallets"`
	// An entry for each token of each chain that has money of yours in escrow.
	Escrow []EscrowBalance `json:"escrow"`
	// The money at deposit addresses of your purchases that waits to be returned.
	Deposits []WaitingDeposit `json:"deposits"`
	// The tokens whose deposits could not be read, with the reason as `unknown_reason` of a wallet.
	UnknownDeposits []UnknownDeposits `json:"unknown_deposits"`
	Unknown         Unknown           `json:"-"`
}

// WalletBalance is a schema of the API.
type WalletBalance struct {
	WalletID     string `json:"wallet_id"`
	Address      string `json:"address"`
	IsPrimary    bool   `json:"is_primary"`
	ChainID      int64  `json:"chain_id"`
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency         string     `json:"currency"`
	TokenDecimals    int64      `json:"token_decimals"`
	Balance          *Amount    `json:"balance"`
	BalanceBaseUnits *BaseUnits `json:"balance_base_units"`
	// What the escrow contract owes to the wallet, because the token refused a payout.
	Owed          *Amount    `json:"owed"`
	OwedBaseUnits *BaseUnits `json:"owed_base_units"`
	// The call that pays `owed` to the wallet, which anyone may send; null if nothing is owed.
	WithdrawCall *Call `json:"withdraw_call"`
	// The symbol of the chain's native coin, which pays for gas; null if unknown.
	NativeCurrency *string `json:"native_currency"`
	NativeBalance  *Amount `json:"native_balance"`
	// In wei.
	NativeBalanceBaseUnits *BaseUnits `json:"native_balance_base_units"`
	// Why an amount is null: `busy`, too many requests read from the chain's node now; `slow`, the node did
	// not answer in time; `unreachable`, the node failed; `refused`, the token did not answer.
	UnknownReason *UnknownBalance `json:"unknown_reason"`
	Unknown       Unknown         `json:"-"`
}

// UnknownBalance is a schema of the API.
type UnknownBalance string

// The values that were known when this client was made; others may come.
const (
	UnknownBalanceBusy        UnknownBalance = "busy"
	UnknownBalanceSlow        UnknownBalance = "slow"
	UnknownBalanceUnreachable UnknownBalance = "unreachable"
	UnknownBalanceRefused     UnknownBalance = "refused"
)

// EscrowBalance is a schema of the API.
type EscrowBalance struct {
	ChainID      int64  `json:"chain_id"`
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency      string `json:"currency"`
	TokenDecimals int64  `json:"token_decimals"`
	// The amount of your purchases that is in escrow now.
	PaidIntoEscrow          Amount    `json:"paid_into_escrow"`
	PaidIntoEscrowBaseUnits BaseUnits `json:"paid_into_escrow_base_units"`
	// The disputed part of `paid_into_escrow`.
	PaidInDispute          Amount    `json:"paid_in_dispute"`
	PaidInDisputeBaseUnits BaseUnits `json:"paid_in_dispute_base_units"`
	// The number of these purchases.
	Purchases int64 `json:"purchases"`
	// The amount of your sales that is in escrow now.
	ToBeEarned          Amount    `json:"to_be_earned"`
	ToBeEarnedBaseUnits BaseUnits `json:"to_be_earned_base_units"`
	// The disputed part of `to_be_earned`.
	EarningsInDispute          Amount    `json:"earnings_in_dispute"`
	EarningsInDisputeBaseUnits BaseUnits `json:"earnings_in_dispute_base_units"`
	// The number of these sales.
	Sales   int64   `json:"sales"`
	Unknown Unknown `json:"-"`
}

// WaitingDeposit is a schema of the API.
type WaitingDeposit struct {
	OrderID        string `json:"order_id"`
	Reference      string `json:"reference"`
	ChainID        int64  `json:"chain_id"`
	DepositAddress string `json:"deposit_address"`
	TokenAddress   string `json:"token_address"`
	// The token's symbol.
	Currency        string               `json:"currency"`
	TokenDecimals   int64                `json:"token_decimals"`
	Amount          Amount               `json:"amount"`
	AmountBaseUnits BaseUnits            `json:"amount_base_units"`
	Reason          WaitingDepositReason `json:"reason"`
	// The wallet that gets the money: the order's buyer.
	Recipient string `json:"recipient"`
	// Whether the service sends the money back by itself; it leaves amounts below the chain's least relayed
	// amount.
	ServiceReturns bool `json:"service_returns"`
	// From when anyone may send the call; null: now. The recipient may send the call at any time.
	AnyoneFrom *time.Time `json:"anyone_from"`
	// The call that sends the money to the recipient.
	Call    Call    `json:"call"`
	Unknown Unknown `json:"-"`
}

// WaitingDepositReason: `repeated`: the order is funded already; `late`: the time to pay has passed;
// `partial`: the amount is less than the order's.
type WaitingDepositReason string

// The values that were known when this client was made; others may come.
const (
	WaitingDepositReasonRepeated WaitingDepositReason = "repeated"
	WaitingDepositReasonLate     WaitingDepositReason = "late"
	WaitingDepositReasonPartial  WaitingDepositReason = "partial"
)

// UnknownDeposits is a schema of the API.
type UnknownDeposits struct {
	ChainID       int64          `json:"chain_id"`
	TokenAddress  string         `json:"token_address"`
	UnknownReason UnknownBalance `json:"unknown_reason"`
	Unknown       Unknown        `json:"-"`
}

// RefusedPayoutPage is a schema of the API.
type RefusedPayoutPage struct {
	Items []RefusedPayout `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// RefusedPayout is a schema of the API.
type RefusedPayout struct {
	OrderID      string              `json:"order_id"`
	Reference    string              `json:"reference"`
	Status       RefusedPayoutStatus `json:"status"`
	ChainID      int64               `json:"chain_id"`
	TokenAddress string              `json:"token_address"`
	// The token's symbol.
	Currency        string    `json:"currency"`
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	// The wallet that the money belongs to.
	Recipient string    `json:"recipient"`
	RefusedAt time.Time `json:"refused_at"`
	// When the service saw the withdrawal confirmed.
	WithdrawnAt *time.Time `json:"withdrawn_at"`
	// When the service asks the token again; null if it is withdrawn.
	NextCheckAt *time.Time `json:"next_check_at"`
	// Whether the service sends the call by itself, once the token accepts it; it leaves sums below the
	// chain's least relayed amount.
	ServiceWithdraws bool `json:"service_withdraws"`
	// The call that pays all that the contract owes to the recipient in this token, which anyone may send;
	// null if it is withdrawn.
	Call    *Call   `json:"call"`
	Unknown Unknown `json:"-"`
}

// RefusedPayoutStatus: `withdrawn`: the contract has paid the amount since.
type RefusedPayoutStatus string

// The values that were known when this client was made; others may come.
const (
	RefusedPayoutStatusOwed      RefusedPayoutStatus = "owed"
	RefusedPayoutStatusWithdrawn RefusedPayoutStatus = "withdrawn"
)

// Analytics is a schema of the API.
type Analytics struct {
	// In UTC.
	Since string `json:"since"`
	// In UTC.
	Until    string         `json:"until"`
	Seller   SellerFigures  `json:"seller"`
	Buyer    BuyerFigures   `json:"buyer"`
	Webhooks WebhookFigures `json:"webhooks"`
	// The spending of API keys now, as `GET /me/spend` has it.
	Keys    []KeySpend `json:"keys"`
	Unknown Unknown    `json:"-"`
}

// SellerFigures is a schema of the API.
type SellerFigures struct {
	// Days with a release, oldest first.
	Revenue  []RevenueOfDay  `json:"revenue"`
	Orders   OrderCounts     `json:"orders"`
	Delivery DeliveryFigures `json:"delivery"`
	Scores   []ScoreHistory  `json:"scores"`
	Unknown  Unknown         `json:"-"`
}

// RevenueOfDay is a schema of the API.
type RevenueOfDay struct {
	// In UTC.
	Day          string `json:"day"`
	ChainID      int64  `json:"chain_id"`
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency string `json:"currency"`
	// Released to you, by the time of the block.
	Amount          Amount    `json:"amount"`
	AmountBaseUnits BaseUnits `json:"amount_base_units"`
	Releases        int64     `json:"releases"`
	Unknown         Unknown   `json:"-"`
}

// OrderCounts is a schema of the API.
type OrderCounts struct {
	// Orders that were placed in these days.
	Placed int64 `json:"placed"`
	// Those that were paid.
	Paid int64 `json:"paid"`
	// Those that ended with a payment to the provider.
	Completed int64          `json:"completed"`
	ByStatus  OrdersByStatus `json:"by_status"`
	Unknown   Unknown        `json:"-"`
}

// OrdersByStatus: Those that have each status now.
type OrdersByStatus struct {
	Created   int64   `json:"created"`
	Expired   int64   `json:"expired"`
	Funded    int64   `json:"funded"`
	Started   int64   `json:"started"`
	Delivered int64   `json:"delivered"`
	Disputed  int64   `json:"disputed"`
	Released  int64   `json:"released"`
	Refunded  int64   `json:"refunded"`
	Unknown   Unknown `json:"-"`
}

// DeliveryFigures: Orders that settled in these days.
type DeliveryFigures struct {
	OnTime int64 `json:"on_time"`
	Late   int64 `json:"late"`
	// Without orders that you declined.
	NotDelivered int64 `json:"not_delivered"`
	// The percentage of these orders that were delivered on time, rounded down; null without orders.
	OnTimePercent *int64 `json:"on_time_percent"`
	// The median time from payment to delivery, rounded up by at most 9.1 %; null without deliveries.
	MedianSeconds *int64 `json:"median_seconds"`
	// 90 % of the deliveries took at most this time.
	P90Seconds *int64  `json:"p90_seconds"`
	Unknown    Unknown `json:"-"`
}

// ScoreHistory is a schema of the API.
type ScoreHistory struct {
	Agent AgentReference `json:"agent"`
	// The last score of each day on which a score was computed.
	Days    []ScoreOfDay `json:"days"`
	Unknown Unknown      `json:"-"`
}

// ScoreOfDay is a schema of the API.
type ScoreOfDay struct {
	// In UTC.
	Day string `json:"day"`
	// 0 to 1000; null if no order counts.
	Score *int64 `json:"score"`
	// The upper bound of the score.
	Upper *int64 `json:"upper"`
	// The orders of the record.
	Orders  int64   `json:"orders"`
	Unknown Unknown `json:"-"`
}

// BuyerFigures is a schema of the API.
type BuyerFigures struct {
	// Days with a payment or refund, oldest first.
	Spending []SpendingOfDay `json:"spending"`
	Orders   OrderCounts     `json:"orders"`
	Unknown  Unknown         `json:"-"`
}

// SpendingOfDay is a schema of the API.
type SpendingOfDay struct {
	// In UTC.
	Day          string `json:"day"`
	ChainID      int64  `json:"chain_id"`
	TokenAddress string `json:"token_address"`
	// The token's symbol.
	Currency string `json:"currency"`
	// Paid into escrows.
	Paid          Amount    `json:"paid"`
	PaidBaseUnits BaseUnits `json:"paid_base_units"`
	// Returned to you.
	Refunded          Amount    `json:"refunded"`
	RefundedBaseUnits BaseUnits `json:"refunded_base_units"`
	Unknown           Unknown   `json:"-"`
}

// WebhookFigures is a schema of the API.
type WebhookFigures struct {
	Succeeded int64 `json:"succeeded"`
	// Deliveries that failed at every try.
	Failed int64 `json:"failed"`
	// Rounded down; null without deliveries.
	SuccessPercent *int64  `json:"success_percent"`
	Unknown        Unknown `json:"-"`
}

// DisputeIntentRequest is a schema of the API.
type DisputeIntentRequest struct {
	// What is wrong, stored in the trail for both parties.
	Reason string `json:"reason"`
}

// DisputeRequest is a schema of the API.
type DisputeRequest struct {
	// The reason, stored as a statement of the dispute.
	Reason Opt[string] `json:"reason,omitzero"`
	// The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
	ReasonHash string `json:"reason_hash,omitzero"`
	// The `deadline` of the signed typed data, in unix seconds.
	Deadline Uint256 `json:"deadline"`
	// The wallet's signature of the typed data, in 0x-hex.
	Signature string `json:"signature"`
}

// Dispute is a schema of the API.
type Dispute struct {
	OrderID  string       `json:"order_id"`
	YourRole OrderRole    `json:"your_role"`
	Stage    DisputeStage `json:"stage"`
	// The zero address if there is no arbiter.
	Arbiter string          `json:"arbiter"`
	Intents []DisputeIntent `json:"intents"`
	Opened  *DisputeOpening `json:"opened"`
	// The arbiter's deadline.
	DecideBy  *time.Time       `json:"decide_by"`
	Decidable DecidableAmounts `json:"decidable"`
	Decision  *DisputeDecision `json:"decision"`
	// The outcome if nothing more happens; null once that is past.
	DefaultOutcome *DisputeShares `json:"default_outcome"`
	// The time from which anyone may settle the dispute, as decided or by default.
	SettleableAt *time.Time         `json:"settleable_at"`
	Settled      *DisputeSettlement `json:"settled"`
	// Oldest first.
	Statements []Statement    `json:"statements"`
	Folder     EvidenceFolder `json:"folder"`
	Evidence   Evidence       `json:"evidence"`
	// The data to sign to open a dispute; null if you cannot open one now.
	TypedData *TypedData `json:"typed_data"`
	// The relay of your last signature; null without one. If it is `failed`, the act is neither on the chain
	// nor on its way.
	Relay   *Relay       `json:"relay"`
	Links   DisputeLinks `json:"links"`
	Unknown Unknown      `json:"-"`
}

// DisputeStage: `none`: the order is not disputed; `intent`: a party announced a dispute; the escrow is
// not affected; `open`: a dispute is open on the chain; the arbiter may decide; `silent`: the arbiter's
// deadline has passed without a decision; the default outcome applies (without a delivery, after the
// delivery deadline); `decided`: the dispute is decided; the appeal window is open; `settleable`: the
// dispute is decided, and anyone may settle it; `settled`: the escrow was paid out.
type DisputeStage string

// The values that were known when this client was made; others may come.
const (
	DisputeStageNone       DisputeStage = "none"
	DisputeStageIntent     DisputeStage = "intent"
	DisputeStageOpen       DisputeStage = "open"
	DisputeStageSilent     DisputeStage = "silent"
	DisputeStageDecided    DisputeStage = "decided"
	DisputeStageSettleable DisputeStage = "settleable"
	DisputeStageSettled    DisputeStage = "settled"
)

// DisputeIntent is a schema of the API.
type DisputeIntent struct {
	By      Party     `json:"by"`
	At      time.Time `json:"at"`
	Reason  string    `json:"reason"`
	Unknown Unknown   `json:"-"`
}

// DisputeOpening is a schema of the API.
type DisputeOpening struct {
	By Party     `json:"by"`
	At time.Time `json:"at"`
	// As in the trail.
	Confirmed   bool         `json:"confirmed"`
	Transaction *Transaction `json:"transaction"`
	ReasonHash  *string      `json:"reason_hash"`
	// The reason with this hash, if somebody submitted the text.
	Reason  *string `json:"reason"`
	Unknown Unknown `json:"-"`
}

// DecidableAmounts: What the arbiter may give the provider: at least what parts have paid, at most what a
// final record claims.
type DecidableAmounts struct {
	Least   Amount  `json:"least"`
	Most    Amount  `json:"most"`
	Unknown Unknown `json:"-"`
}

// DisputeDecision is a schema of the API.
type DisputeDecision struct {
	ProviderAmount          Amount    `json:"provider_amount"`
	ProviderAmountBaseUnits BaseUnits `json:"provider_amount_base_units"`
	BuyerAmount             Amount    `json:"buyer_amount"`
	BuyerAmountBaseUnits    BaseUnits `json:"buyer_amount_base_units"`
	At                      time.Time `json:"at"`
	// As in the trail.
	Confirmed   bool         `json:"confirmed"`
	Transaction *Transaction `json:"transaction"`
	RulingHash  *string      `json:"ruling_hash"`
	// The ruling with this hash, if somebody submitted the text.
	Ruling  *string `json:"ruling"`
	Unknown Unknown `json:"-"`
}

// DisputeShares is a schema of the API.
type DisputeShares struct {
	ProviderAmount          Amount    `json:"provider_amount"`
	ProviderAmountBaseUnits BaseUnits `json:"provider_amount_base_units"`
	BuyerAmount             Amount    `json:"buyer_amount"`
	BuyerAmountBaseUnits    BaseUnits `json:"buyer_amount_base_units"`
	Unknown                 Unknown   `json:"-"`
}

// DisputeSettlement is a schema of the API.
type DisputeSettlement struct {
	ProviderAmount          Amount    `json:"provider_amount"`
	ProviderAmountBaseUnits BaseUnits `json:"provider_amount_base_units"`
	BuyerAmount             Amount    `json:"buyer_amount"`
	BuyerAmountBaseUnits    BaseUnits `json:"buyer_amount_base_units"`
	At                      time.Time `json:"at"`
	// As in the trail.
	Confirmed   bool         `json:"confirmed"`
	Transaction *Transaction `json:"transaction"`
	Unknown     Unknown      `json:"-"`
}

// Statement is a schema of the API.
type Statement struct {
	ID   string    `json:"id"`
	By   OrderRole `json:"by"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// SHA-256 of the text's UTF-8 bytes.
	TextHash string `json:"text_hash"`
	// Files that the author keeps, named by their hashes.
	Attachments []Attachment `json:"attachments"`
	// Uploaded files of the dispute's folder.
	Files   []FileReference `json:"files"`
	Unknown Unknown         `json:"-"`
}

// Attachment is a schema of the API.
type Attachment struct {
	Name string `json:"name"`
	// The URL of the file; the service never fetches it.
	URL string `json:"url,omitzero"`
	// The SHA-256 of the file's bytes.
	SHA256  string  `json:"sha256"`
	Unknown Unknown `json:"-"`
}

// EvidenceFolder: The uploaded files of all statements, which both parties and the arbiter read.
type EvidenceFolder struct {
	Files []EvidenceFile `json:"files"`
	// The decision, after which no file is added; null before it. No file can be deleted at any time.
	SealedAt *time.Time `json:"sealed_at"`
	Unknown  Unknown    `json:"-"`
}

// EvidenceFile is a schema of the API.
type EvidenceFile struct {
	File        FileReference `json:"file"`
	StatementID string        `json:"statement_id"`
	By          OrderRole     `json:"by"`
	At          time.Time     `json:"at"`
	Unknown     Unknown       `json:"-"`
}

// Evidence is a schema of the API.
type Evidence struct {
	// SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all readers.
	Digest  string         `json:"digest"`
	Checks  EvidenceChecks `json:"checks"`
	Bundle  EvidenceBundle `json:"bundle"`
	Unknown Unknown        `json:"-"`
}

// EvidenceChecks is a schema of the API.
type EvidenceChecks struct {
	// Whether the agreement's digest is the escrow's `orderHash`; null before funding, and after an erasure of
	// its words.
	Agreement *bool `json:"agreement"`
	// Whether the input has the agreed digest; null if it is erased.
	Input *bool `json:"input"`
	// Whether the output has the delivered digest; null before a delivery, and if it is erased.
	Output  *bool   `json:"output"`
	Unknown Unknown `json:"-"`
}

// EvidenceBundle is a schema of the API.
type EvidenceBundle struct {
	Version         int64              `json:"version"`
	OrderID         string             `json:"order_id"`
	Agreement       Agreement          `json:"agreement"`
	AgreementDigest string             `json:"agreement_digest"`
	InputSchema     JSON               `json:"input_schema"`
	OutputSchema    JSON               `json:"output_schema"`
	InputPayload    JSON               `json:"input_payload"`
	InputDigest     *string            `json:"input_digest"`
	Deliveries      []EvidenceDelivery `json:"deliveries"`
	// Of the latest delivery.
	OutputPayload JSON `json:"output_payload"`
	// The confirmed steps, complete; without returned deposits, which anybody can cause.
	Trail    []TrailEntry `json:"trail"`
	Receipts []Receipt    `json:"receipts"`
	Unknown  Unknown      `json:"-"`
}

// EvidenceDelivery is a schema of the API.
type EvidenceDelivery struct {
	At         time.Time `json:"at"`
	OutputHash string    `json:"output_hash"`
	Note       *string   `json:"note"`
	// The newest record on the chain; null without one.
	Recorded *EvidenceRecord `json:"recorded"`
	Unknown  Unknown         `json:"-"`
}

// EvidenceRecord is a schema of the API.
type EvidenceRecord struct {
	At          time.Time    `json:"at"`
	Transaction *Transaction `json:"transaction"`
	Unknown     Unknown      `json:"-"`
}

// Receipt is a schema of the API.
type Receipt struct {
	ID       string             `json:"id"`
	Claim    ReceiptClaim       `json:"claim"`
	Document SettlementDocument `json:"document"`
	// A compact JWS, only for a release of delivered work.
	X402Receipt *string     `json:"x402_receipt"`
	Transaction Transaction `json:"transaction"`
	// True if a reorganisation removed its confirmed block.
	Revoked   bool      `json:"revoked"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// ReceiptClaim: `part_released` is a payment before the end; the claim `released` counts all parts again,
// so add up the others only.
type ReceiptClaim string

// The values that were known when this client was made; others may come.
const (
	ReceiptClaimFunded       ReceiptClaim = "funded"
	ReceiptClaimPartReleased ReceiptClaim = "part_released"
	ReceiptClaimReleased     ReceiptClaim = "released"
	ReceiptClaimRefunded     ReceiptClaim = "refunded"
)

// SettlementDocument: The signed settlement document; docs/receipts.md describes it.
type SettlementDocument = JSON

// DisputeLinks is a schema of the API.
type DisputeLinks struct {
	Order             string  `json:"order"`
	Statements        string  `json:"statements"`
	Decision          string  `json:"decision"`
	SettlementOptions string  `json:"settlement_options"`
	Unknown           Unknown `json:"-"`
}

// DisputeRole: `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and
// sales.
type DisputeRole string

// The values that were known when this client was made; others may come.
const (
	DisputeRoleArbiter DisputeRole = "arbiter"
	DisputeRoleParty   DisputeRole = "party"
)

// StatementRequest is a schema of the API.
type StatementRequest struct {
	Text        string          `json:"text"`
	Attachments []Attachment    `json:"attachments,omitzero"`
	Files       []FileReference `json:"files,omitzero"`
}

// DecisionToSign is a schema of the API.
type DecisionToSign struct {
	// EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`.
	TypedData TypedData `json:"typed_data"`
	Call      Call      `json:"call"`
	Unknown   Unknown   `json:"-"`
}

// DecisionRequest is a schema of the API.
type DecisionRequest struct {
	// The provider's share, a decimal; the rest of the escrow goes back to the buyer.
	ProviderAmount Amount `json:"provider_amount"`
	// The text of the ruling, stored as a statement.
	Ruling Opt[string] `json:"ruling,omitzero"`
	// The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
	RulingHash string `json:"ruling_hash,omitzero"`
	// The `deadline` of the signed typed data, in unix seconds.
	Deadline Uint256 `json:"deadline"`
	// The wallet's signature of the typed data, in 0x-hex.
	Signature string `json:"signature"`
}

// Receipts is a schema of the API.
type Receipts struct {
	Items   []Receipt `json:"items"`
	Unknown Unknown   `json:"-"`
}

// X402Receipt is a schema of the API.
type X402Receipt struct {
	Format    string  `json:"format"`
	Signature string  `json:"signature"`
	Unknown   Unknown `json:"-"`
}

// ReceiptCheckResult is a schema of the API.
type ReceiptCheckResult struct {
	Convenience bool `json:"convenience"`
	// The limits of this check.
	Notice string `json:"notice"`
	// The expected issuer: this service.
	Issuer string `json:"issuer"`
	// The kind of a valid receipt; null for an invalid one.
	Kind  *ReceiptKind `json:"kind"`
	Valid bool         `json:"valid"`
	// The fault, as listed in docs/receipts.md.
	Code    *string `json:"code"`
	Message *string `json:"message"`
	// The DID URL of the signing key.
	KeyID *string `json:"key_id"`
	// The signed fields; null for an invalid receipt.
	Says JSON `json:"says"`
	// Whether the service revoked the receipt; `unknown` if its list could not be read; null for an offer and
	// for an invalid receipt.
	Status *ReceiptStatus `json:"status"`
	// The chain is not checked: a valid signature does not prove that money moved.
	ChainChecked bool    `json:"chain_checked"`
	Unknown      Unknown `json:"-"`
}

// ReceiptKind is a schema of the API.
type ReceiptKind string

// The values that were known when this client was made; others may come.
const (
	ReceiptKindSettlementDocument ReceiptKind = "settlement_document"
	ReceiptKindX402Receipt        ReceiptKind = "x402_receipt"
	ReceiptKindX402Offer          ReceiptKind = "x402_offer"
)

// ReceiptStatus is a schema of the API.
type ReceiptStatus string

// The values that were known when this client was made; others may come.
const (
	ReceiptStatusGood    ReceiptStatus = "good"
	ReceiptStatusRevoked ReceiptStatus = "revoked"
	ReceiptStatusUnknown ReceiptStatus = "unknown"
)

// ReceiptCheck is a schema of the API.
type ReceiptCheck struct {
	Receipt ReceiptToCheck `json:"receipt"`
}

// ReceiptToCheck: A settlement document, as text or as an object; only in a text can duplicate members be
// found. Or an x402 receipt or offer, as a compact JWS or in its envelope.
type ReceiptToCheck = any

// AgentRecordStatement: The signed statement of an agent's record; docs/receipts.md describes it.
type AgentRecordStatement = JSON

// Subscription is a schema of the API.
type Subscription struct {
	ID       string           `json:"id"`
	Service  ServiceReference `json:"service"`
	Agent    AgentReference   `json:"agent"`
	YourRole Party            `json:"your_role"`
	// The price of a period, fixed when the subscription began.
	Price          Amount    `json:"price"`
	PriceBaseUnits BaseUnits `json:"price_base_units"`
	// The token's symbol.
	Currency       string             `json:"currency"`
	Interval       BillingInterval    `json:"interval"`
	InputPayload   JSON               `json:"input_payload"`
	SettlementRail SettlementRail     `json:"settlement_rail"`
	BuyerAddress   string             `json:"buyer_address"`
	Arbiter        string             `json:"arbiter"`
	Status         SubscriptionStatus `json:"status"`
	// `unpaid`: three orders in a row were not funded; `withdrawn`: the service is not on sale;
	// `input_refused`: the service does not accept the input; `wallet_removed`: the buyer's wallet left the
	// account; `arbiter_refused`: the service does not accept the arbiter, or the arbiter has become a party.
	EndedReason *SubscriptionEnd `json:"ended_reason"`
	// The number of orders so far.
	Periods       int64   `json:"periods"`
	LatestOrderID *string `json:"latest_order_id"`
	// Null if the subscription is over.
	NextOrderAt *time.Time `json:"next_order_at"`
	StartedAt   time.Time  `json:"started_at"`
	EndedAt     *time.Time `json:"ended_at"`
	Unknown     Unknown    `json:"-"`
}

// SubscriptionStatus: `ended`: by the service; `ended_reason` says why.
type SubscriptionStatus string

// The values that were known when this client was made; others may come.
const (
	SubscriptionStatusActive    SubscriptionStatus = "active"
	SubscriptionStatusCancelled SubscriptionStatus = "cancelled"
	SubscriptionStatusEnded     SubscriptionStatus = "ended"
)

// SubscriptionEnd is a schema of the API.
type SubscriptionEnd string

// The values that were known when this client was made; others may come.
const (
	SubscriptionEndUnpaid         SubscriptionEnd = "unpaid"
	SubscriptionEndWithdrawn      SubscriptionEnd = "withdrawn"
	SubscriptionEndInputRefused   SubscriptionEnd = "input_refused"
	SubscriptionEndWalletRemoved  SubscriptionEnd = "wallet_removed"
	SubscriptionEndArbiterRefused SubscriptionEnd = "arbiter_refused"
)

// SubscriptionRequest is a schema of the API.
type SubscriptionRequest struct {
	// A plan: a service with the pricing model `subscription`.
	ServiceID string `json:"service_id"`
	// Instead of `quantity`, of a metered service or a session: the most that may be charged, in the token
	// that pays. The order takes as many units or calls as it pays.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// An object that fits the service's `input_schema`. Null is another thing than leaving it out.
	InputPayload any `json:"input_payload,omitzero"`
	// Unless given: "escrow".
	SettlementRail SettlementRail `json:"settlement_rail,omitzero"`
	// The token to pay with, one of the service's `accepts`; the default is its first.
	PayWith *TokenName `json:"pay_with,omitzero"`
	// One of your verified wallets, which gets refunds; the default is your primary wallet.
	BuyerAddress string `json:"buyer_address,omitzero"`
	// The address that decides disputes: one of the service's `arbiters`, and no party of the order. The
	// default is the chain's arbiter. With the zero address nobody decides, and disputes end by time.
	Arbiter string `json:"arbiter,omitzero"`
}

// SubscriptionPage is a schema of the API.
type SubscriptionPage struct {
	Items []Subscription `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// SubscriptionOrderPage is a schema of the API.
type SubscriptionOrderPage struct {
	Items []SubscriptionOrder `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// SubscriptionOrder is a schema of the API.
type SubscriptionOrder struct {
	Period    int64       `json:"period"`
	OrderID   string      `json:"order_id"`
	Status    OrderStatus `json:"status"`
	CreatedAt time.Time   `json:"created_at"`
	Unknown   Unknown     `json:"-"`
}

// OrderReview is a schema of the API.
type OrderReview struct {
	OrderID  string `json:"order_id"`
	YourRole Party  `json:"your_role"`
	// Null before a review is written.
	Review *Review `json:"review"`
	// The time until which its author may change it; null if nothing can be changed.
	EditableUntil *time.Time `json:"editable_until"`
	Unknown       Unknown    `json:"-"`
}

// Review is a schema of the API.
type Review struct {
	ID      string           `json:"id"`
	Agent   AgentReference   `json:"agent"`
	Service ServiceReference `json:"service"`
	// From 1 to 5; null for a withdrawn or hidden review.
	Rating *int64 `json:"rating"`
	// Untrusted plain text; null if there is none.
	Text *string `json:"text"`
	// Whether the order is settled. A review does not count while a reorganisation has removed the settlement.
	Settled bool `json:"settled"`
	// True if the order's buyer and provider are not at arm's length, so the review does not count.
	Apart  bool           `json:"apart"`
	Escrow ReviewedEscrow `json:"escrow"`
	Answer *ReviewAnswer  `json:"answer"`
	// The number of reports by accounts that had a paid order with the author, and are at arm's length from
	// both sides.
	Reports int64 `json:"reports"`
	// Whether there are 3 such reports; a marked review is not hidden.
	Marked bool `json:"marked"`
	// Whether the provider reported the review.
	DisputedByProvider bool `json:"disputed_by_provider"`
	// The buyer's on-chain feedback on the same order.
	ERC8004 *GivenFeedback `json:"erc8004"`
	// Since when the operators hide it: its rating and texts are not shown, and it counts in no rating.
	HiddenAt  *time.Time `json:"hidden_at"`
	CreatedAt time.Time  `json:"created_at"`
	EditedAt  *time.Time `json:"edited_at"`
	// The time of the withdrawal, which removes rating and texts.
	WithdrawnAt *time.Time `json:"withdrawn_at"`
	Unknown     Unknown    `json:"-"`
}

// ReviewedEscrow: The order's escrow, by which anyone can find its settlement.
type ReviewedEscrow struct {
	ChainID         int64   `json:"chain_id"`
	ContractAddress string  `json:"contract_address"`
	EscrowID        string  `json:"escrow_id"`
	Unknown         Unknown `json:"-"`
}

// ReviewAnswer is a schema of the API.
type ReviewAnswer struct {
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
	Unknown Unknown   `json:"-"`
}

// GivenFeedback is a schema of the API.
type GivenFeedback struct {
	Status GivenFeedbackStatus `json:"status"`
	// The buyer's wallet, which gave the feedback.
	ClientAddress string `json:"client_address"`
	Value         int64  `json:"value"`
	ValueDecimals int64  `json:"value_decimals"`
	Tag1          string `json:"tag1"`
	Tag2          string `json:"tag2"`
	// Whether the buyer revoked it on the chain.
	Revoked     bool        `json:"revoked"`
	Transaction Transaction `json:"transaction"`
	Unknown     Unknown     `json:"-"`
}

// GivenFeedbackStatus is a schema of the API.
type GivenFeedbackStatus string

// The values that were known when this client was made; others may come.
const (
	GivenFeedbackStatusSubmitted GivenFeedbackStatus = "submitted"
	GivenFeedbackStatusConfirmed GivenFeedbackStatus = "confirmed"
)

// ReviewRequest is a schema of the API.
type ReviewRequest struct {
	Rating int64       `json:"rating"`
	Text   Opt[string] `json:"text,omitzero"`
}

// ReviewChange is a schema of the API.
type ReviewChange struct {
	Rating Opt[int64]  `json:"rating,omitzero"`
	Text   Opt[string] `json:"text,omitzero"`
}

// ReviewPage is a schema of the API.
type ReviewPage struct {
	Items []Review `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string       `json:"next_cursor"`
	Summary    ReviewSummary `json:"summary"`
	Unknown    Unknown       `json:"-"`
}

// ReviewSummary: Of all reviews of the agent or the service, not of this page alone.
type ReviewSummary struct {
	// The number of counted reviews: not withdrawn or hidden, of a settled order whose parties are at arm's
	// length.
	Count int64 `json:"count"`
	// The average of their ratings, to two decimals; null without counted reviews.
	Average *float64 `json:"average"`
	// The number of counted reviews for each rating from 1 to 5.
	Distribution []int64 `json:"distribution"`
	// The number of counted reviews that are marked.
	Marked    int64 `json:"marked"`
	Withdrawn int64 `json:"withdrawn"`
	// The number of reviews that the operators hide.
	Hidden int64 `json:"hidden"`
	// The number of reviews that do not count because the parties are not at arm's length; without withdrawn
	// ones.
	Apart   int64   `json:"apart"`
	Unknown Unknown `json:"-"`
}

// ReviewAnswerRequest is a schema of the API.
type ReviewAnswerRequest struct {
	Text string `json:"text"`
}

// Report is a schema of the API.
type Report struct {
	ID      string       `json:"id"`
	Subject Subject      `json:"subject"`
	Reason  ReportReason `json:"reason"`
	Text    string       `json:"text"`
	Status  ReportStatus `json:"status"`
	// The operator's sentence for the reporters, if any.
	Answer     *string    `json:"answer"`
	AnsweredAt *time.Time `json:"answered_at"`
	CreatedAt  time.Time  `json:"created_at"`
	Unknown    Unknown    `json:"-"`
}

// ReportReason is a schema of the API.
type ReportReason string

// The values that were known when this client was made; others may come.
const (
	ReportReasonFraud        ReportReason = "fraud"
	ReportReasonMisleading   ReportReason = "misleading"
	ReportReasonIllegal      ReportReason = "illegal"
	ReportReasonAbuse        ReportReason = "abuse"
	ReportReasonPrivateData  ReportReason = "private_data"
	ReportReasonInfringement ReportReason = "infringement"
	ReportReasonMalware      ReportReason = "malware"
	ReportReasonSpam         ReportReason = "spam"
	ReportReasonOther        ReportReason = "other"
)

// ReportStatus: `acted`: an operator acted on the subject.
type ReportStatus string

// The values that were known when this client was made; others may come.
const (
	ReportStatusOpen      ReportStatus = "open"
	ReportStatusActed     ReportStatus = "acted"
	ReportStatusDismissed ReportStatus = "dismissed"
)

// ReportRequest is a schema of the API.
type ReportRequest struct {
	Subject ReportedSubject `json:"subject"`
	Reason  ReportReason    `json:"reason"`
	// What is wrong; only the operators read it.
	Text string `json:"text"`
}

// ReportedSubject is a schema of the API.
type ReportedSubject struct {
	Kind SubjectKind `json:"kind"`
	ID   string      `json:"id"`
}

// ReportPage is a schema of the API.
type ReportPage struct {
	Items []Report `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ModerationPage is a schema of the API.
type ModerationPage struct {
	Items []Moderation `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Moderation is a schema of the API.
type Moderation struct {
	ID      string        `json:"id"`
	Act     ModerationAct `json:"act"`
	Subject Subject       `json:"subject"`
	Reason  string        `json:"reason"`
	// Whether the act withholds the subject now.
	InForce bool `json:"in_force"`
	// The ban that suspended this agent; null for an act of its own.
	BecauseOf *string   `json:"because_of"`
	Appeal    *Appeal   `json:"appeal"`
	CreatedAt time.Time `json:"created_at"`
	Unknown   Unknown   `json:"-"`
}

// Appeal is a schema of the API.
type Appeal struct {
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
	Unknown Unknown   `json:"-"`
}

// AppealRequest is a schema of the API.
type AppealRequest struct {
	Text string `json:"text"`
}

// Transparency is a schema of the API.
type Transparency struct {
	Months  []TransparencyMonth `json:"months"`
	Unknown Unknown             `json:"-"`
}

// TransparencyMonth is a schema of the API.
type TransparencyMonth struct {
	Month   string               `json:"month"`
	Kinds   []TransparencyCounts `json:"kinds"`
	Unknown Unknown              `json:"-"`
}

// TransparencyCounts is a schema of the API.
type TransparencyCounts struct {
	Kind SubjectKind `json:"kind"`
	// Reports that were made.
	Reported int64 `json:"reported"`
	// Reports that were answered by an act.
	Acted int64 `json:"acted"`
	// Reports that were answered without an act.
	Dismissed int64 `json:"dismissed"`
	// Subjects that were suspended, hidden or banned.
	Withheld int64 `json:"withheld"`
	// Subjects that were restored.
	Restored int64 `json:"restored"`
	// Appeals that were made.
	Appealed int64   `json:"appealed"`
	Unknown  Unknown `json:"-"`
}

// AgentRecord is a schema of the API.
type AgentRecord struct {
	Agent AgentReference `json:"agent"`
	// The time of the computation; later settlements are not included.
	AsOf   time.Time   `json:"as_of"`
	Score  Score       `json:"score"`
	Ever   RecordTally `json:"ever"`
	Days90 RecordTally `json:"days_90"`
	Days30 RecordTally `json:"days_30"`
	// The services with the most orders, at most 100.
	Services []ServiceRecord `json:"services"`
	// Slugs of other agents that are or were paid at one of the agent's wallets, at most 1000.
	SameWallet []string `json:"same_wallet"`
	Unknown    Unknown  `json:"-"`
}

// Score is a schema of the API.
type Score struct {
	Formula string `json:"formula"`
	// The lower end of the interval, in points, by which agents are sorted.
	Value int64 `json:"value"`
	// The interval's upper end.
	Upper int64 `json:"upper"`
	// The share of the evidence that is positive, in thousandths; null without evidence.
	Share *int64 `json:"share"`
	// The amount of evidence, in thousandths of one full counterparty.
	Evidence int64   `json:"evidence"`
	Unknown  Unknown `json:"-"`
}

// RecordTally is a schema of the API.
type RecordTally struct {
	Orders int64 `json:"orders"`
	// The money released to the provider by currency, sorted by the currency's code units.
	Volume         []CurrencyAmount `json:"volume"`
	Counterparties int64            `json:"counterparties"`
	// Counterparties with at least two orders.
	RepeatCounterparties int64 `json:"repeat_counterparties"`
	DeliveredOnTime      int64 `json:"delivered_on_time"`
	DeliveredLate        int64 `json:"delivered_late"`
	// Orders without a delivery on this service that were neither declined nor sessions.
	NotDelivered    int64  `json:"not_delivered"`
	SecondsPromised Spread `json:"seconds_promised"`
	SecondsTaken    Spread `json:"seconds_taken"`
	// Fully refunded orders, without declined orders.
	Refunds  int64        `json:"refunds"`
	Declined int64        `json:"declined"`
	Disputes DisputeTally `json:"disputes"`
	Apart    ApartTally   `json:"apart"`
	Unknown  Unknown      `json:"-"`
}

// CurrencyAmount: An exact amount of one currency.
type CurrencyAmount struct {
	// The currency of the price: as in USD, or the token's own symbol if nothing redeems it.
	Currency string `json:"currency"`
	// An exact decimal without trailing zeros.
	Amount  string  `json:"amount"`
	Unknown Unknown `json:"-"`
}

// Spread: Nearest-rank percentiles in whole seconds; null without values.
type Spread struct {
	Median  *int64  `json:"median"`
	P90     *int64  `json:"p90"`
	Unknown Unknown `json:"-"`
}

// DisputeTally is a schema of the API.
type DisputeTally struct {
	Provider int64   `json:"provider"`
	Buyer    int64   `json:"buyer"`
	Split    int64   `json:"split"`
	Lapsed   int64   `json:"lapsed"`
	Unknown  Unknown `json:"-"`
}

// ApartTally is a schema of the API.
type ApartTally struct {
	Orders int64 `json:"orders"`
	// The money released to the provider by currency, sorted by the currency's code units.
	Volume  []CurrencyAmount `json:"volume"`
	Unknown Unknown          `json:"-"`
}

// ServiceRecord is a schema of the API.
type ServiceRecord struct {
	Slug    string      `json:"slug"`
	Score   Score       `json:"score"`
	Ever    RecordTally `json:"ever"`
	Days90  RecordTally `json:"days_90"`
	Days30  RecordTally `json:"days_30"`
	Unknown Unknown     `json:"-"`
}

// OutcomePage is a schema of the API.
type OutcomePage struct {
	Items []Outcome `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Outcome: A settled order.
type Outcome struct {
	OrderID  string `json:"order_id"`
	Service  string `json:"service"`
	Chain    string `json:"chain"`
	Contract string `json:"contract"`
	EscrowID string `json:"escrow_id"`
	Provider string `json:"provider"`
	Buyer    string `json:"buyer"`
	// The wallet that counts as the buyer's: `buyer` if the buyer's account has proved it, else the payer of
	// the escrow.
	Wallet        string `json:"wallet"`
	Token         string `json:"token"`
	TokenDecimals int64  `json:"token_decimals"`
	// The currency of the price: as in USD, or the token's own symbol if nothing redeems it.
	Currency string `json:"currency"`
	// Base units of the token: the sum of `released` and `refunded`.
	Amount   BaseUnits `json:"amount"`
	Released BaseUnits `json:"released"`
	Refunded BaseUnits `json:"refunded"`
	// Ids of the receipts of the funding and the settlement.
	Receipts  []string  `json:"receipts"`
	FundedAt  time.Time `json:"funded_at"`
	SettledAt time.Time `json:"settled_at"`
	// The time at which the service recorded the settlement; earlier records lack it.
	RecordedAt time.Time `json:"recorded_at"`
	// Seconds from funding to the delivery deadline.
	PromisedSeconds int64 `json:"promised_seconds"`
	// The first delivery that matches a record on the chain, else the first delivery; null without one.
	DeliveredAt *time.Time    `json:"delivered_at"`
	Ended       OutcomeEnding `json:"ended"`
	// The party that the dispute favoured; `lapsed` if nobody decided it; null without a dispute.
	Dispute    *DisputeEnding `json:"dispute"`
	DisputedBy *Party         `json:"disputed_by"`
	DisputedAt *time.Time     `json:"disputed_at"`
	// A name of the buyer's account that is unique within this agent's outcomes.
	Counterparty string `json:"counterparty"`
	// Why the parties are not at arm's length; null if they are.
	Apart *ApartReason `json:"apart"`
	// True until the chain was checked for a transfer of the money from the provider to the buyer.
	Unchecked bool    `json:"unchecked"`
	Unknown   Unknown `json:"-"`
}

// OutcomeEnding: `declined`: the provider refunded everything, undisputed, before the delivery was due;
// `metered`: a metered order released its charge, or a session the price of its calls, if any, and
// returned the rest, undisputed.
type OutcomeEnding string

// The values that were known when this client was made; others may come.
const (
	OutcomeEndingReleased OutcomeEnding = "released"
	OutcomeEndingRefunded OutcomeEnding = "refunded"
	OutcomeEndingDeclined OutcomeEnding = "declined"
	OutcomeEndingSplit    OutcomeEnding = "split"
	OutcomeEndingMetered  OutcomeEnding = "metered"
)

// DisputeEnding is a schema of the API.
type DisputeEnding string

// The values that were known when this client was made; others may come.
const (
	DisputeEndingProvider DisputeEnding = "provider"
	DisputeEndingBuyer    DisputeEnding = "buyer"
	DisputeEndingSplit    DisputeEnding = "split"
	DisputeEndingLapsed   DisputeEnding = "lapsed"
)

// ApartReason is a schema of the API.
type ApartReason string

// The values that were known when this client was made; others may come.
const (
	ApartReasonSameParty         ApartReason = "same_party"
	ApartReasonSharedWallet      ApartReason = "shared_wallet"
	ApartReasonMoneyFromProvider ApartReason = "money_from_provider"
)

// CounterpartyPage is a schema of the API.
type CounterpartyPage struct {
	Items []Counterparty `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Counterparty is a schema of the API.
type Counterparty struct {
	// A name of the buyer's account that is unique within this agent's outcomes.
	Counterparty string `json:"counterparty"`
	// The wallets of its orders at arm's length that its account has proved, the first used first; none of an
	// earlier counterparty.
	Wallets []string `json:"wallets"`
	// The number of orders at arm's length.
	Orders int64 `json:"orders"`
	// The money released to the provider by currency, sorted by the currency's code units.
	Paid []CurrencyAmount `json:"paid"`
	// The time of the first transaction or escrow of one of the wallets; null if unknown.
	WalletSince *time.Time `json:"wallet_since"`
	// The other provider wallets that one of the wallets paid; each must have payments from three wallets that
	// never paid this agent.
	OtherProviders int64     `json:"other_providers"`
	FirstFundedAt  time.Time `json:"first_funded_at"`
	LastSettledAt  time.Time `json:"last_settled_at"`
	// The weight of its good orders in the score, in millionths.
	Weight  int64   `json:"weight"`
	Unknown Unknown `json:"-"`
}

// PortableFeedback is a schema of the API.
type PortableFeedback struct {
	OrderID  string    `json:"order_id"`
	Feedback *Feedback `json:"feedback"`
	Unknown  Unknown   `json:"-"`
}

// Feedback is a schema of the API.
type Feedback struct {
	Status FeedbackStatus `json:"status"`
	// The identity that gets the feedback: `eip155:<chain>:<registry>:<agent id>`.
	Agent string `json:"agent"`
	// The buyer's wallet, which gives the feedback.
	ClientAddress string  `json:"client_address"`
	Value         int64   `json:"value"`
	ValueDecimals int64   `json:"value_decimals"`
	Tag1          string  `json:"tag1"`
	Tag2          string  `json:"tag2"`
	Comment       *string `json:"comment"`
	FileURL       string  `json:"file_url"`
	// keccak256 of the file's bytes.
	FeedbackHash string       `json:"feedback_hash"`
	File         FeedbackFile `json:"file"`
	// The call for the buyer's wallet; null once the feedback is given.
	Call        *Call        `json:"call"`
	Transaction *Transaction `json:"transaction"`
	// The number, from 1, of the buyer's feedback to this agent in the registry.
	FeedbackIndex *int64 `json:"feedback_index"`
	// Whether the buyer revoked it on the chain.
	Revoked    bool      `json:"revoked"`
	PreparedAt time.Time `json:"prepared_at"`
	Unknown    Unknown   `json:"-"`
}

// FeedbackStatus: `prepared`: the buyer's wallet has not sent it; `submitted`: the registry has it, in an
// unconfirmed block; `confirmed`: the block is confirmed.
type FeedbackStatus string

// The values that were known when this client was made; others may come.
const (
	FeedbackStatusPrepared  FeedbackStatus = "prepared"
	FeedbackStatusSubmitted FeedbackStatus = "submitted"
	FeedbackStatusConfirmed FeedbackStatus = "confirmed"
)

// FeedbackFile: The feedback file of ERC-8004; docs/erc8004.md describes its fields.
type FeedbackFile = JSON

// FeedbackRequest is a schema of the API.
type FeedbackRequest struct {
	// The rating, in units of its last decimal.
	Value int64 `json:"value"`
	// Unless given: 0.
	ValueDecimals int64 `json:"value_decimals,omitzero"`
	// What the value rates. Unless given: "".
	Tag1 string `json:"tag1,omitzero"`
	// Unless given: "".
	Tag2    string      `json:"tag2,omitzero"`
	Comment Opt[string] `json:"comment,omitzero"`
}

// FeedbackSubmission is a schema of the API.
type FeedbackSubmission struct {
	TransactionHash string `json:"transaction_hash"`
}

// EventTypes is a schema of the API.
type EventTypes struct {
	Items   []EventDescription `json:"items"`
	Unknown Unknown            `json:"-"`
}

// EventDescription is a schema of the API.
type EventDescription struct {
	Type        EventType `json:"type"`
	Description string    `json:"description"`
	DataSchema  JSON      `json:"data_schema"`
	Unknown     Unknown   `json:"-"`
}

// EventType is a schema of the API.
type EventType string

// The values that were known when this client was made; others may come.
const (
	EventTypeOrderCreated               EventType = "order.created"
	EventTypeOrderApprovalRequested     EventType = "order.approval_requested"
	EventTypeOrderApproved              EventType = "order.approved"
	EventTypeOrderApprovalRefused       EventType = "order.approval_refused"
	EventTypeOrderFunded                EventType = "order.funded"
	EventTypeOrderStarted               EventType = "order.started"
	EventTypeOrderDelivered             EventType = "order.delivered"
	EventTypeDeliveryRecorded           EventType = "delivery.recorded"
	EventTypePartRecorded               EventType = "part.recorded"
	EventTypeOrderPartReleased          EventType = "order.part_released"
	EventTypeOrderRevisionRequested     EventType = "order.revision_requested"
	EventTypeOrderReleased              EventType = "order.released"
	EventTypeOrderRefunded              EventType = "order.refunded"
	EventTypeOrderExpired               EventType = "order.expired"
	EventTypeOrderDisputed              EventType = "order.disputed"
	EventTypeOrderDisputeIntent         EventType = "order.dispute_intent"
	EventTypeOrderDisputeDecided        EventType = "order.dispute_decided"
	EventTypeOrderExecutionFailed       EventType = "order.execution_failed"
	EventTypeOrderMessage               EventType = "order.message"
	EventTypeFactReverted               EventType = "fact.reverted"
	EventTypeQuoteReceived              EventType = "quote.received"
	EventTypeRequestMatched             EventType = "request.matched"
	EventTypeReviewReceived             EventType = "review.received"
	EventTypeReviewAnswered             EventType = "review.answered"
	EventTypeReportAnswered             EventType = "report.answered"
	EventTypeModerationActed            EventType = "moderation.acted"
	EventTypeSubscriptionRenewalRefused EventType = "subscription.renewal_refused"
	EventTypeAgentDomainVerified        EventType = "agent.domain_verified"
	EventTypeAgentDomainLost            EventType = "agent.domain_lost"
	EventTypeKeyLimitNear               EventType = "key.limit_near"
	EventTypeKeyLimitReached            EventType = "key.limit_reached"
	EventTypeWebhookDisabled            EventType = "webhook.disabled"
	EventTypeAccountErasureRequested    EventType = "account.erasure_requested"
	EventTypeWalletBalanceLow           EventType = "wallet.balance_low"
	EventTypePayoutRefused              EventType = "payout.refused"
	EventTypePayoutWithdrawn            EventType = "payout.withdrawn"
)

// NewWebhook is a schema of the API.
type NewWebhook struct {
	Webhook
	// `whsec_` and base64; shown only once.
	Secret string `json:"secret"`
}

// WebhookRequest is a schema of the API.
type WebhookRequest struct {
	// An https URL of a public address.
	URL string `json:"url"`
	// Event types, or `*` for all.
	Events      []WebhookEventChoice `json:"events"`
	Description Opt[string]          `json:"description,omitzero"`
}

// WebhookEventChoice is a schema of the API.
type WebhookEventChoice string

// The values that were known when this client was made; others may come.
const (
	WebhookEventChoiceAll                        WebhookEventChoice = "*"
	WebhookEventChoiceOrderCreated               WebhookEventChoice = "order.created"
	WebhookEventChoiceOrderApprovalRequested     WebhookEventChoice = "order.approval_requested"
	WebhookEventChoiceOrderApproved              WebhookEventChoice = "order.approved"
	WebhookEventChoiceOrderApprovalRefused       WebhookEventChoice = "order.approval_refused"
	WebhookEventChoiceOrderFunded                WebhookEventChoice = "order.funded"
	WebhookEventChoiceOrderStarted               WebhookEventChoice = "order.started"
	WebhookEventChoiceOrderDelivered             WebhookEventChoice = "order.delivered"
	WebhookEventChoiceDeliveryRecorded           WebhookEventChoice = "delivery.recorded"
	WebhookEventChoicePartRecorded               WebhookEventChoice = "part.recorded"
	WebhookEventChoiceOrderPartReleased          WebhookEventChoice = "order.part_released"
	WebhookEventChoiceOrderRevisionRequested     WebhookEventChoice = "order.revision_requested"
	WebhookEventChoiceOrderReleased              WebhookEventChoice = "order.released"
	WebhookEventChoiceOrderRefunded              WebhookEventChoice = "order.refunded"
	WebhookEventChoiceOrderExpired               WebhookEventChoice = "order.expired"
	WebhookEventChoiceOrderDisputed              WebhookEventChoice = "order.disputed"
	WebhookEventChoiceOrderDisputeIntent         WebhookEventChoice = "order.dispute_intent"
	WebhookEventChoiceOrderDisputeDecided        WebhookEventChoice = "order.dispute_decided"
	WebhookEventChoiceOrderExecutionFailed       WebhookEventChoice = "order.execution_failed"
	WebhookEventChoiceOrderMessage               WebhookEventChoice = "order.message"
	WebhookEventChoiceFactReverted               WebhookEventChoice = "fact.reverted"
	WebhookEventChoiceQuoteReceived              WebhookEventChoice = "quote.received"
	WebhookEventChoiceRequestMatched             WebhookEventChoice = "request.matched"
	WebhookEventChoiceReviewReceived             WebhookEventChoice = "review.received"
	WebhookEventChoiceReviewAnswered             WebhookEventChoice = "review.answered"
	WebhookEventChoiceReportAnswered             WebhookEventChoice = "report.answered"
	WebhookEventChoiceModerationActed            WebhookEventChoice = "moderation.acted"
	WebhookEventChoiceSubscriptionRenewalRefused WebhookEventChoice = "subscription.renewal_refused"
	WebhookEventChoiceAgentDomainVerified        WebhookEventChoice = "agent.domain_verified"
	WebhookEventChoiceAgentDomainLost            WebhookEventChoice = "agent.domain_lost"
	WebhookEventChoiceKeyLimitNear               WebhookEventChoice = "key.limit_near"
	WebhookEventChoiceKeyLimitReached            WebhookEventChoice = "key.limit_reached"
	WebhookEventChoiceWebhookDisabled            WebhookEventChoice = "webhook.disabled"
	WebhookEventChoiceAccountErasureRequested    WebhookEventChoice = "account.erasure_requested"
	WebhookEventChoiceWalletBalanceLow           WebhookEventChoice = "wallet.balance_low"
	WebhookEventChoicePayoutRefused              WebhookEventChoice = "payout.refused"
	WebhookEventChoicePayoutWithdrawn            WebhookEventChoice = "payout.withdrawn"
)

// WebhookPage is a schema of the API.
type WebhookPage struct {
	Items []Webhook `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// WebhookChanges is a schema of the API.
type WebhookChanges struct {
	// An https URL of a public address.
	URL string `json:"url,omitzero"`
	// Event types, or `*` for all.
	Events      []WebhookEventChoice `json:"events,omitzero"`
	Description Opt[string]          `json:"description,omitzero"`
	Status      WebhookStatusChange  `json:"status,omitzero"`
}

// WebhookStatusChange is a schema of the API.
type WebhookStatusChange string

// The values that were known when this client was made; others may come.
const (
	WebhookStatusChangeActive WebhookStatusChange = "active"
	WebhookStatusChangePaused WebhookStatusChange = "paused"
)

// WebhookDelivery is a schema of the API.
type WebhookDelivery struct {
	// The delivery's id, as in the body's `id`, `X-Service-Delivery` and `webhook-id`.
	ID string `json:"id"`
	// The event's id, as in the feed and in the body's `event_id`; null for a test event, which is in no feed.
	EventID        *string               `json:"event_id"`
	Type           EventType             `json:"type"`
	Status         WebhookDeliveryStatus `json:"status"`
	Attempts       int64                 `json:"attempts"`
	NextAttemptAt  *time.Time            `json:"next_attempt_at"`
	LastStatusCode *int64                `json:"last_status_code"`
	LastError      *string               `json:"last_error"`
	CreatedAt      time.Time             `json:"created_at"`
	FinishedAt     *time.Time            `json:"finished_at"`
	Unknown        Unknown               `json:"-"`
}

// WebhookDeliveryStatus is a schema of the API.
type WebhookDeliveryStatus string

// The values that were known when this client was made; others may come.
const (
	WebhookDeliveryStatusPending   WebhookDeliveryStatus = "pending"
	WebhookDeliveryStatusSucceeded WebhookDeliveryStatus = "succeeded"
	WebhookDeliveryStatusFailed    WebhookDeliveryStatus = "failed"
	WebhookDeliveryStatusCancelled WebhookDeliveryStatus = "cancelled"
)

// WebhookTestRequest is a schema of the API.
type WebhookTestRequest struct {
	Type EventType `json:"type,omitzero"`
}

// WebhookDeliveryPage is a schema of the API.
type WebhookDeliveryPage struct {
	Items []WebhookDelivery `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// WebhookDeliveryDetail is a schema of the API.
type WebhookDeliveryDetail struct {
	WebhookDelivery
	// The body of each attempt, sent as JSON without spaces.
	Body        JSON             `json:"body"`
	AttemptList []WebhookAttempt `json:"attempt_list"`
}

// WebhookAttempt is a schema of the API.
type WebhookAttempt struct {
	Number         int64             `json:"number"`
	StartedAt      time.Time         `json:"started_at"`
	LatencyMs      *int64            `json:"latency_ms"`
	StatusCode     *int64            `json:"status_code"`
	Error          *string           `json:"error"`
	RequestHeaders map[string]string `json:"request_headers"`
	// The first 4 kB of the answer.
	ResponseBody *string `json:"response_body"`
	Unknown      Unknown `json:"-"`
}

// WebhookRecovery is a schema of the API.
type WebhookRecovery struct {
	ID     string                `json:"id"`
	Since  time.Time             `json:"since"`
	Until  time.Time             `json:"until"`
	Status WebhookRecoveryStatus `json:"status"`
	// The number of queued deliveries so far.
	Queued int64 `json:"queued"`
	// The number of matching events in the range; 0 until the recovery has begun.
	Total      int64      `json:"total"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at"`
	Unknown    Unknown    `json:"-"`
}

// WebhookRecoveryStatus is a schema of the API.
type WebhookRecoveryStatus string

// The values that were known when this client was made; others may come.
const (
	WebhookRecoveryStatusRunning WebhookRecoveryStatus = "running"
	WebhookRecoveryStatusDone    WebhookRecoveryStatus = "done"
	WebhookRecoveryStatusFailed  WebhookRecoveryStatus = "failed"
)

// WebhookRecoveryRequest is a schema of the API.
type WebhookRecoveryRequest struct {
	Since time.Time `json:"since"`
	// The default is now.
	Until time.Time `json:"until,omitzero"`
}

// EventFeed is a schema of the API.
type EventFeed struct {
	Items      []Event `json:"items"`
	NextCursor string  `json:"next_cursor"`
	HasMore    bool    `json:"has_more"`
	Unknown    Unknown `json:"-"`
}

// Event is a schema of the API.
type Event struct {
	ID string `json:"id"`
	// The same as `id`; a delivery of this event has it beside the delivery's own id.
	EventID   string    `json:"event_id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Data      JSON      `json:"data"`
	Unknown   Unknown   `json:"-"`
}

// EventOrder: `newest` reads back from the newest event, or from the cursor of such a page.
type EventOrder string

// The values that were known when this client was made; others may come.
const (
	EventOrderOldest EventOrder = "oldest"
	EventOrderNewest EventOrder = "newest"
)

// NotificationPage is a schema of the API.
type NotificationPage struct {
	Items []Notification `json:"items"`
	// The unread notifications. Counting stops at 99.
	Unread int64 `json:"unread"`
	// `eq`: exactly `unread` are unread; `gte`: more are unread.
	UnreadRelation TotalRelation `json:"unread_relation"`
	// Null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// Notification is a schema of the API.
type Notification struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Read      bool      `json:"read"`
	// The same as in the event of this id.
	Data    JSON    `json:"data"`
	Unknown Unknown `json:"-"`
}

// UnreadNotifications is a schema of the API.
type UnreadNotifications struct {
	// The unread notifications. Counting stops at 99.
	Unread int64 `json:"unread"`
	// `eq`: exactly `unread` are unread; `gte`: more are unread.
	UnreadRelation TotalRelation `json:"unread_relation"`
	Unknown        Unknown       `json:"-"`
}

// NotificationsToRead is a schema of the API.
type NotificationsToRead struct {
	IDs []string `json:"ids,omitzero"`
	// This notification and all older ones.
	UpTo string `json:"up_to,omitzero"`
}

// ChainStatus is a schema of the API.
type ChainStatus struct {
	ChainID               *int64  `json:"chain_id"`
	NetworkName           *string `json:"network_name"`
	EscrowConfigured      bool    `json:"escrow_configured"`
	TokenAddress          *string `json:"token_address"`
	TokenSymbol           *string `json:"token_symbol"`
	TokenDecimals         *int64  `json:"token_decimals"`
	EscrowContract        *string `json:"escrow_contract"`
	ConfirmationsRequired *int64  `json:"confirmations_required"`
	// The shortest acceptance time, from the delivery record to the automatic release.
	MinAcceptanceHours *int64 `json:"min_acceptance_hours"`
	// The registries of agents' on-chain identities and of their feedback.
	ERC8004 *Erc8004Registries `json:"erc8004"`
	// The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain.
	PasskeyFactory *string `json:"passkey_factory"`
	RPCReachable   bool    `json:"rpc_reachable"`
	HeadBlock      *int64  `json:"head_block"`
	IndexedBlock   *int64  `json:"indexed_block"`
	// `behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks that
	// the index treated as final, and the operator must act. `incomplete`: events of the index differ from
	// those of the chain, and a new index is needed. null if no worker has checked recently.
	IndexState *IndexState `json:"index_state"`
	// Why the state is not `ok`.
	IndexReason *string `json:"index_reason"`
	// Null until a worker with a relayer's key has run.
	Relayer *RelayerState `json:"relayer"`
	// The log of receipts; null until a worker with a log key has run.
	Log     *LogState `json:"log"`
	Unknown Unknown   `json:"-"`
}

// Erc8004Registries is a schema of the API.
type Erc8004Registries struct {
	IdentityRegistry   string  `json:"identity_registry"`
	ReputationRegistry string  `json:"reputation_registry"`
	Unknown            Unknown `json:"-"`
}

// IndexState is a schema of the API.
type IndexState string

// The values that were known when this client was made; others may come.
const (
	IndexStateOk         IndexState = "ok"
	IndexStateBehind     IndexState = "behind"
	IndexStateOffChain   IndexState = "off_chain"
	IndexStateIncomplete IndexState = "incomplete"
)

// RelayerState is a schema of the API.
type RelayerState struct {
	Address string `json:"address"`
	// Whether the wallet has any balance for gas.
	Funded bool `json:"funded"`
	// Whether the operator must add native coin.
	BalanceLow bool `json:"balance_low"`
	// Why queued transactions are not sent: the balance is too low, or the gas price is above the operator's
	// limit.
	WaitingFor   *RelayerNeed `json:"waiting_for"`
	WaitingSince *time.Time   `json:"waiting_since"`
	Unknown      Unknown      `json:"-"`
}

// RelayerNeed is a schema of the API.
type RelayerNeed string

// The values that were known when this client was made; others may come.
const (
	RelayerNeedBalance  RelayerNeed = "balance"
	RelayerNeedGasPrice RelayerNeed = "gas_price"
)

// LogState is a schema of the API.
type LogState struct {
	// The number of entries of the published checkpoint.
	Size int64 `json:"size"`
	// The age of the published checkpoint.
	AgeSeconds *int64 `json:"age_seconds"`
	// Whether enough witnesses have signed the checkpoint for the log's policy; null if the policy needs none.
	Witnessed *bool `json:"witnessed"`
	// The number of entries that are not published yet, counted up to 10000.
	Queued int64 `json:"queued"`
	// Why the log is halted: docs/operations/troubleshoot.md explains what to do; null if it is not halted.
	Halted  *LogHalt `json:"halted"`
	Unknown Unknown  `json:"-"`
}

// LogHalt is a schema of the API.
type LogHalt string

// The values that were known when this client was made; others may come.
const (
	LogHaltRolledBack       LogHalt = "rolled_back"
	LogHaltForked           LogHalt = "forked"
	LogHaltTreeBroken       LogHalt = "tree_broken"
	LogHaltMemoryUnreadable LogHalt = "memory_unreadable"
)

// ChainList is a schema of the API.
type ChainList struct {
	Items   []Chain `json:"items"`
	Unknown Unknown `json:"-"`
}

// Chain is a schema of the API.
type Chain struct {
	ChainID     int64  `json:"chain_id"`
	NetworkName string `json:"network_name"`
	// Whether services that name no token settle here.
	IsDefault bool `json:"is_default"`
	// The chain's default token is the first.
	Tokens                []ChainToken `json:"tokens"`
	EscrowContract        string       `json:"escrow_contract"`
	ConfirmationsRequired int64        `json:"confirmations_required"`
	// The shortest acceptance time, from the delivery record to the automatic release.
	MinAcceptanceHours int64 `json:"min_acceptance_hours"`
	// The registries of agents' on-chain identities and of their feedback.
	ERC8004 *Erc8004Registries `json:"erc8004"`
	// The factory of passkey accounts; null if passkeys cannot sign in and pay on this chain.
	PasskeyFactory *string `json:"passkey_factory"`
	RPCReachable   bool    `json:"rpc_reachable"`
	HeadBlock      *int64  `json:"head_block"`
	IndexedBlock   *int64  `json:"indexed_block"`
	// `behind`: the index does not keep up with the chain. `off_chain`: a reorganisation removed blocks that
	// the index treated as final, and the operator must act. `incomplete`: events of the index differ from
	// those of the chain, and a new index is needed. null if no worker has checked recently.
	IndexState *IndexState `json:"index_state"`
	// Why the state is not `ok`.
	IndexReason *string `json:"index_reason"`
	// Null until a worker with a relayer's key has run.
	Relayer *RelayerState `json:"relayer"`
	Unknown Unknown       `json:"-"`
}

// ChainToken is a schema of the API.
type ChainToken struct {
	Address string `json:"address"`
	// The token's symbol.
	Symbol   string `json:"symbol"`
	Decimals int64  `json:"decimals"`
	// Of the token's EIP-712 domain.
	Name string `json:"name"`
	// Of the token's EIP-712 domain.
	Version string `json:"version"`
	// The currency whose prices the token pays one for one; null if only its own.
	Currency *string `json:"currency"`
	// How the token pays: `approve` and a transaction of the buyer, an `eip3009` authorization, or a `permit2`
	// permit. null if the chain does not answer.
	Methods []TokenMethod `json:"methods"`
	Unknown Unknown       `json:"-"`
}

// TokenMethod is a schema of the API.
type TokenMethod string

// The values that were known when this client was made; others may come.
const (
	TokenMethodApprove TokenMethod = "approve"
	TokenMethodEip3009 TokenMethod = "eip3009"
	TokenMethodPermit2 TokenMethod = "permit2"
)

// ModerationSubjectPage is a schema of the API.
type ModerationSubjectPage struct {
	Items []ModerationSubject `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ModerationSubject is a schema of the API.
type ModerationSubject struct {
	Subject Subject `json:"subject"`
	// Untrusted text by which you recognise the subject.
	Title          string `json:"title"`
	OwnerAccountID string `json:"owner_account_id"`
	// Reports without an answer.
	OpenReports int64 `json:"open_reports"`
	// Those of accounts that had a paid order with the owner, and are at arm's length from the owner.
	OpenCounted int64 `json:"open_counted"`
	// All reports that were made.
	Reports int64 `json:"reports"`
	// Whether the owner's appeal waits for an answer.
	Appealed bool `json:"appealed"`
	// Whether the subject is suspended, hidden or banned.
	Withheld bool `json:"withheld"`
	// The time of the latest report or appeal.
	NoticedAt time.Time `json:"noticed_at"`
	Unknown   Unknown   `json:"-"`
}

// ModerationSubjectDetail is a schema of the API.
type ModerationSubjectDetail struct {
	ModerationSubject
	// The subject's fields, with untrusted texts; they differ by kind.
	Content JSON `json:"content"`
	// The newest 50 reports, those without an answer first.
	NewestReports []ReceivedReport `json:"newest_reports"`
	// The newest 50 acts.
	Acts []OperatorModeration `json:"acts"`
}

// ReceivedReport is a schema of the API.
type ReceivedReport struct {
	Report
	// The account that reported.
	AccountID string `json:"account_id"`
	// Whether the account had a paid order with the owner, and is at arm's length from the owner.
	Counts bool `json:"counts"`
	// The text of a review when it was reported; null after the answer, and for other subjects.
	Quoted *string `json:"quoted"`
}

// OperatorModeration is a schema of the API.
type OperatorModeration struct {
	Moderation
	OwnerAccountID    string `json:"owner_account_id"`
	OperatorAccountID string `json:"operator_account_id"`
}

// ModerationActRequest is a schema of the API.
type ModerationActRequest struct {
	Act ModerationAct `json:"act"`
	// Which the owner reads.
	Reason string `json:"reason"`
	// Which the reporters read.
	Answer Opt[string] `json:"answer,omitzero"`
}

// OperatorModerationPage is a schema of the API.
type OperatorModerationPage struct {
	Items []OperatorModeration `json:"items"`
	// The number of all items of the query. Counting stops at 10000.
	Total         int64         `json:"total"`
	TotalRelation TotalRelation `json:"total_relation"`
	Limit         int64         `json:"limit"`
	Offset        int64         `json:"offset"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	Unknown    Unknown `json:"-"`
}

// ServiceState is a schema of the API.
type ServiceState struct {
	Relayers []RelayerWallet `json:"relayers"`
	Indexes  []IndexProgress `json:"indexes"`
	Queues   []QueueState    `json:"queues"`
	// Open disputes, the oldest first.
	Disputes []OpenDispute `json:"disputes"`
	// Webhook deliveries that failed for good, the newest first.
	FailedDeliveries []FailedWebhookDelivery `json:"failed_deliveries"`
	// What was made on each of the last 14 days (UTC), newest first.
	Growth  []GrowthOfDay `json:"growth"`
	Unknown Unknown       `json:"-"`
}

// RelayerWallet is a schema of the API.
type RelayerWallet struct {
	ChainID int64  `json:"chain_id"`
	Address string `json:"address"`
	// In units of 10^18 wei.
	Balance string `json:"balance"`
	// Whether it is below RELAYER_LOW_BALANCE.
	BalanceLow bool            `json:"balance_low"`
	Waiting    *RelayerWaiting `json:"waiting"`
	// Gas of all its mined relays.
	GasUsed string `json:"gas_used"`
	// Relays that the contract refused.
	Failed  int64     `json:"failed"`
	SeenAt  time.Time `json:"seen_at"`
	Unknown Unknown   `json:"-"`
}

// RelayerWaiting is a schema of the API.
type RelayerWaiting string

// The values that were known when this client was made; others may come.
const (
	RelayerWaitingBalance  RelayerWaiting = "balance"
	RelayerWaitingGasPrice RelayerWaiting = "gas_price"
)

// IndexProgress is a schema of the API.
type IndexProgress struct {
	ChainID      int64      `json:"chain_id"`
	State        IndexState `json:"state"`
	Reason       *string    `json:"reason"`
	HeadBlock    int64      `json:"head_block"`
	IndexedBlock int64      `json:"indexed_block"`
	LagBlocks    int64      `json:"lag_blocks"`
	CheckedAt    time.Time  `json:"checked_at"`
	Unknown      Unknown    `json:"-"`
}

// QueueState is a schema of the API.
type QueueState struct {
	Name QueueName `json:"name"`
	// Counted up to 10000.
	Waiting int64 `json:"waiting"`
	// Counted up to 10000.
	Due int64 `json:"due"`
	// Since the oldest was due; 0 without one.
	OldestAgeSeconds float64 `json:"oldest_age_seconds"`
	Unknown          Unknown `json:"-"`
}

// QueueName is a schema of the API.
type QueueName string

// The values that were known when this client was made; others may come.
const (
	QueueNameRelays     QueueName = "relays"
	QueueNameExecutions QueueName = "executions"
	QueueNameWebhooks   QueueName = "webhooks"
	QueueNameMail       QueueName = "mail"
	QueueNameLog        QueueName = "log"
	QueueNameTasks      QueueName = "tasks"
)

// OpenDispute is a schema of the API.
type OpenDispute struct {
	OrderID    string    `json:"order_id"`
	Reference  string    `json:"reference"`
	ChainID    int64     `json:"chain_id"`
	DisputedAt time.Time `json:"disputed_at"`
	// Until when the arbiter may decide.
	DecideBy time.Time `json:"decide_by"`
	Unknown  Unknown   `json:"-"`
}

// FailedWebhookDelivery is a schema of the API.
type FailedWebhookDelivery struct {
	ID             string    `json:"id"`
	Type           string    `json:"type"`
	Host           string    `json:"host"`
	EndpointStatus string    `json:"endpoint_status"`
	Attempts       int64     `json:"attempts"`
	LastStatusCode *int64    `json:"last_status_code"`
	CreatedAt      time.Time `json:"created_at"`
	Unknown        Unknown   `json:"-"`
}

// GrowthOfDay is a schema of the API.
type GrowthOfDay struct {
	Day string `json:"day"`
	// Counted up to 10000.
	Accounts int64 `json:"accounts"`
	// Counted up to 10000.
	Agents int64 `json:"agents"`
	// Counted up to 10000.
	Services int64 `json:"services"`
	// Counted up to 10000.
	Orders  int64   `json:"orders"`
	Unknown Unknown `json:"-"`
}

// ResentWebhookDelivery is a schema of the API.
type ResentWebhookDelivery struct {
	ID      string  `json:"id"`
	Unknown Unknown `json:"-"`
}

// WebhookResendRequest is a schema of the API.
type WebhookResendRequest struct {
	Reason string `json:"reason"`
}

// OrderExport is a schema of the API.
type OrderExport struct {
	Items   []ListedOrder `json:"items"`
	Unknown Unknown       `json:"-"`
}
