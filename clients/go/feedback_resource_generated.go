// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// FeedbackResource is client.Feedback.
type FeedbackResource struct {
	sender sender
}

func newFeedbackResource(sender sender) *FeedbackResource {
	return &FeedbackResource{sender: sender}
}

// GetFile: read a feedback file. The bytes match the keccak256 in the file's name and never change.
func (r *FeedbackResource) GetFile(ctx context.Context, file string, opts ...Option) (FeedbackFile, error) {
	return sendFor[FeedbackFile](ctx, r.sender, call{operation: "readFeedbackFile", verb: "GET", path: pathOf("/feedback/%s", file), open: true}, opts)
}

// Get: read the portable feedback of an order. For the buyer. `feedback` is null until one is prepared. A
// key needs orders:read.
func (r *FeedbackResource) Get(ctx context.Context, orderID string, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "readPortableFeedback", verb: "GET", path: pathOf("/orders/%s/portable-feedback", orderID)}, opts)
}

// Prepare: prepare portable feedback on a settled order. Writes the ERC-8004 feedback file, with the
// settlement's transaction as proof of payment, and serves it for ever under its keccak256. The answer has
// the `giveFeedback` call for the buyer's own wallet. Nothing is on the chain until that wallet sends the
// call. Until then the feedback can be prepared again, up to ten times. The same content gives the same
// file. A key needs orders:write.
func (r *FeedbackResource) Prepare(ctx context.Context, orderID string, body FeedbackRequest, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "preparePortableFeedback", verb: "POST", path: pathOf("/orders/%s/portable-feedback", orderID), body: body, takesKey: true}, opts)
}

// Submit: report the transaction that gave the feedback. The transaction's receipt must have the
// registry's event for this agent, the order's buyer and a file of this order. The feedback is `submitted`
// until its block is confirmed. Without this call, the service finds the event itself a little later. A
// repeated request gets the same answer. A key needs orders:write.
func (r *FeedbackResource) Submit(ctx context.Context, orderID string, body FeedbackSubmission, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "submitPortableFeedback", verb: "POST", path: pathOf("/orders/%s/portable-feedback/submitted", orderID), body: body, takesKey: true}, opts)
}
