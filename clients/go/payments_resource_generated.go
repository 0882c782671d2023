// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import (
	"context"
	"time"
)

// PaymentsExportQuery is what client.Payments.Export may be asked with.
type PaymentsExportQuery struct {
	// Your side of the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at this time or later.
	Since time.Time `json:"since,omitzero"`
	// Recorded before this time.
	Until time.Time `json:"until,omitzero"`
}

// PaymentsListQuery is what client.Payments.List may be asked with.
type PaymentsListQuery struct {
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

// PaymentsSumByMonthQuery is what client.Payments.SumByMonth may be asked with.
type PaymentsSumByMonthQuery struct {
	// Your side of the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at this time or later.
	Since time.Time `json:"since,omitzero"`
	// Recorded before this time.
	Until time.Time `json:"until,omitzero"`
}

// PaymentsResource is client.Payments.
type PaymentsResource struct {
	sender sender
}

func newPaymentsResource(sender sender) *PaymentsResource {
	return &PaymentsResource{sender: sender}
}

// Export: export the settlements of your orders, newest first. All rows that the filters leave, as CSV
// (RFC 4180, UTF-8, with a header). The table is sent while it is read. Its columns are the fields of
// `PaymentRecord`. A key needs subscriptions:read.
func (r *PaymentsResource) Export(ctx context.Context, query PaymentsExportQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportPayments", verb: "GET", path: "/exports/payments.csv", root: true, accept: "text/csv", query: query}, opts)
}

// List: list the settlements of your orders, newest first. Settlements that the chain has confirmed,
// without those that a reorganisation removed. Each has a receipt, which proves it: GET /receipts/{id}. A
// key needs subscriptions:read.
func (r *PaymentsResource) List(ctx context.Context, query PaymentsListQuery, opts ...Option) *List[PaymentRecord, PaymentRecordPage] {
	return newList[PaymentRecord, PaymentRecordPage](ctx, r.sender, call{operation: "listPayments", verb: "GET", path: "/payments", query: query}, func(page *PaymentRecordPage) ([]PaymentRecord, *string) { return page.Items, page.NextCursor }, opts)
}

// SumByMonth: read what you received and paid in each month, newest first. The exact sums of `GET
// /payments` with the same filters, for each month (UTC, by the time of the block) and token. Settlements
// of the other side alone are left out. A key needs subscriptions:read.
func (r *PaymentsResource) SumByMonth(ctx context.Context, query PaymentsSumByMonthQuery, opts ...Option) (*PaymentSums, error) {
	return send[PaymentSums](ctx, r.sender, call{operation: "sumPayments", verb: "GET", path: "/payments/sums", query: query}, opts)
}
