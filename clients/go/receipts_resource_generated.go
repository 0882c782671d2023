// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ReceiptsResource is client.Receipts.
type ReceiptsResource struct {
	sender sender
}

func newReceiptsResource(sender sender) *ReceiptsResource {
	return &ReceiptsResource{sender: sender}
}

// GetFinal: read the signed document of an order's final settlement. A key needs orders:read.
func (r *ReceiptsResource) GetFinal(ctx context.Context, orderID string, opts ...Option) (SettlementDocument, error) {
	return sendFor[SettlementDocument](ctx, r.sender, call{operation: "readFinalReceipt", verb: "GET", path: pathOf("/orders/%s/receipt", orderID)}, opts)
}

// GetX402: read the x402 receipt of a released order. A key needs orders:read.
func (r *ReceiptsResource) GetX402(ctx context.Context, orderID string, opts ...Option) (*X402Receipt, error) {
	return send[X402Receipt](ctx, r.sender, call{operation: "readX402Receipt", verb: "GET", path: pathOf("/orders/%s/receipt/x402", orderID)}, opts)
}

// List: list the receipts of an order, oldest first. A key needs orders:read.
func (r *ReceiptsResource) List(ctx context.Context, orderID string, opts ...Option) (*Receipts, error) {
	return send[Receipts](ctx, r.sender, call{operation: "listOrderReceipts", verb: "GET", path: pathOf("/orders/%s/receipts", orderID)}, opts)
}

// VerifyRemotely: check a receipt, if you trust this service's answer.
func (r *ReceiptsResource) VerifyRemotely(ctx context.Context, body ReceiptCheck, opts ...Option) (*ReceiptCheckResult, error) {
	return send[ReceiptCheckResult](ctx, r.sender, call{operation: "verifyReceipt", verb: "POST", path: "/receipts/verify", body: body, open: true}, opts)
}

// Get: read a receipt by its id, without an account.
func (r *ReceiptsResource) Get(ctx context.Context, receiptID string, opts ...Option) (*Receipt, error) {
	return send[Receipt](ctx, r.sender, call{operation: "readReceipt", verb: "GET", path: pathOf("/receipts/%s", receiptID), open: true}, opts)
}

// GetSchema: read a JSON Schema (draft 2020-12) of a signed document.
func (r *ReceiptsResource) GetSchema(ctx context.Context, name string, opts ...Option) (JSON, error) {
	return sendFor[JSON](ctx, r.sender, call{operation: "readSchema", verb: "GET", path: pathOf("/schemas/%s", name), open: true}, opts)
}
