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

// PaymentsExportStatementCsvQuery is what client.Payments.ExportStatementCsv may be asked with.
type PaymentsExportStatementCsvQuery struct {
	// In UTC, by the time at which the service recorded it.
	Month string `json:"month"`
}

// PaymentsExportStatementQuery is what client.Payments.ExportStatement may be asked with.
type PaymentsExportStatementQuery struct {
	// In UTC, by the time at which the service recorded it.
	Month string `json:"month"`
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

// ExportStatementCsv: read the statement of a month as CSV. One row for the settlement of each order that
// you sold or bought, oldest first, and then the sums for each side, chain and token. The month counts by
// `recorded_at`, so that a past month gets no new rows. A row whose payment left the chain is omitted. The
// table is sent while it is read. A key needs subscriptions:read.
func (r *PaymentsResource) ExportStatementCsv(ctx context.Context, query PaymentsExportStatementCsvQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportStatementCsv", verb: "GET", path: "/exports/statement.csv", root: true, accept: "text/csv", query: query}, opts)
}

// ExportStatement: read the statement of a month as PDF. One row for the settlement of each order that you
// sold or bought, oldest first, and then the sums for each side, chain and token. The month counts by
// `recorded_at`, so that a past month gets no new rows. A row whose payment left the chain is omitted. A
// month with more than 2000 settlements is 409 `invalid_state`: use the CSV. A key needs
// subscriptions:read.
func (r *PaymentsResource) ExportStatement(ctx context.Context, query PaymentsExportStatementQuery, opts ...Option) ([]byte, error) {
	return sendForFile(ctx, r.sender, call{operation: "exportStatement", verb: "GET", path: "/exports/statement.pdf", root: true, accept: "application/pdf", query: query}, opts)
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
