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

// GetFile: a feedback file, byte by byte as its name's keccak256 has it. It never changes.
func (r *FeedbackResource) GetFile(ctx context.Context, file string, opts ...Option) (FeedbackFile, error) {
	return sendFor[FeedbackFile](ctx, r.sender, call{operation: "readFeedbackFile", verb: "GET", path: pathOf("/feedback/%s", file), open: true}, opts)
}

// Get: the order's portable feedback, and what the buyer's wallet sends to give it. `feedback` is null
// before any was prepared. For the buyer. A key needs orders:read.
func (r *FeedbackResource) Get(ctx context.Context, orderID string, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "readPortableFeedback", verb: "GET", path: pathOf("/orders/%s/portable-feedback", orderID)}, opts)
}

// Prepare: prepare portable feedback on a settled order. Makes the ERC-8004 feedback file, with the
// settlement's transaction as proof of payment, serves it for ever under its keccak256, and answers the
// `giveFeedback` call for the buyer's own wallet. Nothing is on the chain before that wallet sends it.
// Until then it can be prepared anew, up to ten times; the same words again give the same file. A key
// needs orders:write.
func (r *FeedbackResource) Prepare(ctx context.Context, orderID string, body FeedbackRequest, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "preparePortableFeedback", verb: "POST", path: pathOf("/orders/%s/portable-feedback", orderID), body: body, takesKey: true}, opts)
}

// Submit: tell which transaction gave the feedback. Checked in that transaction's receipt: the registry's
// event must be of this agent, the order's buyer and a file prepared for this order. It is `submitted`
// until its block counts, then `confirmed`. Without this call it is found by itself, a little later. The
// same transaction again gets the same answer. A key needs orders:write.
func (r *FeedbackResource) Submit(ctx context.Context, orderID string, body FeedbackSubmission, opts ...Option) (*PortableFeedback, error) {
	return send[PortableFeedback](ctx, r.sender, call{operation: "submitPortableFeedback", verb: "POST", path: pathOf("/orders/%s/portable-feedback/submitted", orderID), body: body, takesKey: true}, opts)
}
