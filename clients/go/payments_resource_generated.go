// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import (
	"context"
	"time"
)

// PaymentsExportQuery is what client.Payments.Export may be asked with.
type PaymentsExportQuery struct {
	// Yours in the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at or after.
	Since time.Time `json:"since,omitzero"`
	// Recorded before.
	Until time.Time `json:"until,omitzero"`
}

// PaymentsListQuery is what client.Payments.List may be asked with.
type PaymentsListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// Yours in the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at or after.
	Since time.Time `json:"since,omitzero"`
	// Recorded before.
	Until time.Time `json:"until,omitzero"`
}

// PaymentsSumByMonthQuery is what client.Payments.SumByMonth may be asked with.
type PaymentsSumByMonthQuery struct {
	// Yours in the order.
	Role  Party           `json:"role,omitzero"`
	Claim SettlementClaim `json:"claim,omitzero"`
	// Recorded at or after.
	Since time.Time `json:"since,omitzero"`
	// Recorded before.
	Until time.Time `json:"until,omitzero"`
}

// PaymentsResource is client.Payments.
type PaymentsResource struct {
	sender sender
}

func newPaymentsResource(sender sender) *PaymentsResource {
	return &PaymentsResource{sender: sender}
}

// Export: every settlement of your orders as a table, newest first. CSV (RFC 4180, UTF-8, with a header)
// of all that the filters leave, written as it is read. Its columns are the fields of `PaymentRecord`. A
// key needs subscriptions:read.
func (r *PaymentsResource) Export(ctx context.Context, query PaymentsExportQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportPayments", verb: "GET", path: "/exports/payments.csv", root: true, accept: "text/csv", query: query}, opts)
}

// List: every settlement of your orders, newest first. What the chain has confirmed and not taken back.
// Each row has a receipt, which proves it: GET /receipts/{id}. A key needs subscriptions:read.
func (r *PaymentsResource) List(ctx context.Context, query PaymentsListQuery, opts ...Option) *List[PaymentRecord, PaymentRecordPage] {
	return newList[PaymentRecord, PaymentRecordPage](ctx, r.sender, call{operation: "listPayments", verb: "GET", path: "/payments", query: query}, func(page *PaymentRecordPage) ([]PaymentRecord, *string) { return page.Items, page.NextCursor }, opts)
}

// SumByMonth: what you received and paid in each month, newest first. The exact sums of `GET /payments`
// under the same filters, for each month of the blocks' times and each token. Movements of the other side
// alone are not in them. A key needs subscriptions:read.
func (r *PaymentsResource) SumByMonth(ctx context.Context, query PaymentsSumByMonthQuery, opts ...Option) (*PaymentSums, error) {
	return send[PaymentSums](ctx, r.sender, call{operation: "sumPayments", verb: "GET", path: "/payments/sums", query: query}, opts)
}
