// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// BillingDetailsResource is client.BillingDetails.
type BillingDetailsResource struct {
	sender sender
}

func newBillingDetailsResource(sender sender) *BillingDetailsResource {
	return &BillingDetailsResource{sender: sender}
}

// Get: read the billing details of this account.
func (r *BillingDetailsResource) Get(ctx context.Context, opts ...Option) (*BillingDetails, error) {
	return send[BillingDetails](ctx, r.sender, call{operation: "readBillingDetails", verb: "GET", path: "/me/billing-details"}, opts)
}

// Set: set the billing details of this account. Invoices of your sales state them as seller, invoices of
// your purchases as buyer. The other party of an order reads them only there. An invoice keeps the details
// with which it was issued.
func (r *BillingDetailsResource) Set(ctx context.Context, body BillingDetailsRequest, opts ...Option) (*BillingDetails, error) {
	return send[BillingDetails](ctx, r.sender, call{operation: "setBillingDetails", verb: "PUT", path: "/me/billing-details", body: body, takesKey: true}, opts)
}

// Remove: remove the billing details of this account. Issued invoices keep the details. Later invoices of
// your sales are payment records.
func (r *BillingDetailsResource) Remove(ctx context.Context, opts ...Option) (*BillingDetailsRemoved, error) {
	return send[BillingDetailsRemoved](ctx, r.sender, call{operation: "removeBillingDetails", verb: "DELETE", path: "/me/billing-details", takesKey: true}, opts)
}
