// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import (
	"context"
	"time"
)

// SubscriptionsExportPaymentsQuery is what client.Subscriptions.ExportPayments may be asked with.
type SubscriptionsExportPaymentsQuery struct {
	// Your side of the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at this time or later.
	Since time.Time `json:"since,omitzero"`
	// Recorded before this time.
	Until time.Time `json:"until,omitzero"`
}

// SubscriptionsListQuery is what client.Subscriptions.List may be asked with.
type SubscriptionsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string             `json:"cursor,omitzero"`
	Status SubscriptionStatus `json:"status,omitzero"`
}

// SubscriptionsListMineQuery is what client.Subscriptions.ListMine may be asked with.
type SubscriptionsListMineQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string             `json:"cursor,omitzero"`
	Status SubscriptionStatus `json:"status,omitzero"`
}

// SubscriptionsListPaymentsQuery is what client.Subscriptions.ListPayments may be asked with.
type SubscriptionsListPaymentsQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// Your side of the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at this time or later.
	Since time.Time `json:"since,omitzero"`
	// Recorded before this time.
	Until time.Time `json:"until,omitzero"`
}

// SubscriptionsListPlansQuery is what client.Subscriptions.ListPlans may be asked with.
type SubscriptionsListPlansQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// An agent's slug.
	Agent string `json:"agent,omitzero"`
}

// SubscriptionsListOrdersQuery is what client.Subscriptions.ListOrders may be asked with.
type SubscriptionsListOrdersQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// SubscriptionsResource is client.Subscriptions.
type SubscriptionsResource struct {
	sender sender
}

func newSubscriptionsResource(sender sender) *SubscriptionsResource {
	return &SubscriptionsResource{sender: sender}
}

// ExportPayments: export the settlements of your subscriptions' orders, newest first. All rows that the
// filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent while it is read. Its columns
// are the fields of `PaymentRecord`. A key needs subscriptions:read.
func (r *SubscriptionsResource) ExportPayments(ctx context.Context, query SubscriptionsExportPaymentsQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportSubscriptionPayments", verb: "GET", path: "/exports/subscription-payments.csv", root: true, accept: "text/csv", query: query}, opts)
}

// Create: subscribe to a plan. Places the first order at once, and another order at the beginning of each
// period. Orders are unfunded: `order.created` notifies you, and you pay those you want. Price, input and
// wallets do not change. No money is taken by itself. A key needs orders:write.
func (r *SubscriptionsResource) Create(ctx context.Context, body SubscriptionRequest, opts ...Option) (*Subscription, error) {
	return send[Subscription](ctx, r.sender, call{operation: "subscribe", verb: "POST", path: "/subscriptions", body: body, takesKey: true}, opts)
}

// List: list your subscriptions and those with your agents, newest first. A key needs subscriptions:read.
func (r *SubscriptionsResource) List(ctx context.Context, query SubscriptionsListQuery, opts ...Option) *List[Subscription, SubscriptionPage] {
	return newList[Subscription, SubscriptionPage](ctx, r.sender, call{operation: "listSubscriptions", verb: "GET", path: "/subscriptions", query: query}, func(page *SubscriptionPage) ([]Subscription, *string) { return page.Items, page.NextCursor }, opts)
}

// ListMine: list your own subscriptions, newest first. A key needs subscriptions:read.
func (r *SubscriptionsResource) ListMine(ctx context.Context, query SubscriptionsListMineQuery, opts ...Option) *List[Subscription, SubscriptionPage] {
	return newList[Subscription, SubscriptionPage](ctx, r.sender, call{operation: "listOwnSubscriptions", verb: "GET", path: "/subscriptions/me", query: query}, func(page *SubscriptionPage) ([]Subscription, *string) { return page.Items, page.NextCursor }, opts)
}

// ListPayments: list the settlements of your subscriptions' orders, newest first. Settlements that the
// chain has confirmed, without those that a reorganisation removed. Each has a receipt, which proves it:
// GET /receipts/{id}. A key needs subscriptions:read.
func (r *SubscriptionsResource) ListPayments(ctx context.Context, query SubscriptionsListPaymentsQuery, opts ...Option) *List[PaymentRecord, PaymentRecordPage] {
	return newList[PaymentRecord, PaymentRecordPage](ctx, r.sender, call{operation: "listSubscriptionPayments", verb: "GET", path: "/subscriptions/me/payments", query: query}, func(page *PaymentRecordPage) ([]PaymentRecord, *string) { return page.Items, page.NextCursor }, opts)
}

// ListPlans: list the plans, newest first. A plan is a published service with the pricing model
// `subscription`. Its price is for one `interval`. A key needs marketplace:read.
func (r *SubscriptionsResource) ListPlans(ctx context.Context, query SubscriptionsListPlansQuery, opts ...Option) *List[ListedService, ServicePage] {
	return newList[ListedService, ServicePage](ctx, r.sender, call{operation: "listPlans", verb: "GET", path: "/subscriptions/plans", query: query}, func(page *ServicePage) ([]ListedService, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a subscription. A key needs subscriptions:read.
func (r *SubscriptionsResource) Get(ctx context.Context, subscriptionID string, opts ...Option) (*Subscription, error) {
	return send[Subscription](ctx, r.sender, call{operation: "readSubscription", verb: "GET", path: pathOf("/subscriptions/%s", subscriptionID)}, opts)
}

// Cancel: cancel a subscription. Either side can cancel. No further order is placed. Existing orders
// continue. Cancelling it twice is no error. A key needs orders:write.
func (r *SubscriptionsResource) Cancel(ctx context.Context, subscriptionID string, opts ...Option) (*Subscription, error) {
	return send[Subscription](ctx, r.sender, call{operation: "cancelSubscription", verb: "POST", path: pathOf("/subscriptions/%s/cancel", subscriptionID), takesKey: true}, opts)
}

// ListOrders: list the orders of a subscription, newest first. A key needs subscriptions:read.
func (r *SubscriptionsResource) ListOrders(ctx context.Context, subscriptionID string, query SubscriptionsListOrdersQuery, opts ...Option) *List[SubscriptionOrder, SubscriptionOrderPage] {
	return newList[SubscriptionOrder, SubscriptionOrderPage](ctx, r.sender, call{operation: "listSubscriptionOrders", verb: "GET", path: pathOf("/subscriptions/%s/orders", subscriptionID), query: query}, func(page *SubscriptionOrderPage) ([]SubscriptionOrder, *string) { return page.Items, page.NextCursor }, opts)
}
