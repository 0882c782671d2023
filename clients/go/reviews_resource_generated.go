// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ReviewsListQuery is what client.Reviews.List may be asked with.
type ReviewsListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// The slug of a service of the agent: only its reviews.
	Service string `json:"service,omitzero"`
}

// ReviewsResource is client.Reviews.
type ReviewsResource struct {
	sender sender
}

func newReviewsResource(sender sender) *ReviewsResource {
	return &ReviewsResource{sender: sender}
}

// List: the reviews of an agent's work, newest first, and what they come to. Open to all. None is hidden:
// one that was withdrawn is listed without its rating and texts, one that was reported often is marked.
func (r *ReviewsResource) List(ctx context.Context, agentSlug string, query ReviewsListQuery, opts ...Option) *List[Review, ReviewPage] {
	return newList[Review, ReviewPage](ctx, r.sender, call{operation: "listAgentReviews", verb: "GET", path: pathOf("/agents/%s/reviews", agentSlug), query: query, open: true}, func(page *ReviewPage) ([]Review, *string) { return page.Items, page.NextCursor }, opts)
}

// GetForOrder: the review of an order of yours. For buyer and provider. `review` is null before one was
// written. A key needs orders:read.
func (r *ReviewsResource) GetForOrder(ctx context.Context, orderID string, opts ...Option) (*OrderReview, error) {
	return send[OrderReview](ctx, r.sender, call{operation: "readOrderReview", verb: "GET", path: pathOf("/orders/%s/review", orderID)}, opts)
}

// Write: review a settled order, as its buyer. An order has one review. It is public, with the escrow of
// the order, which names your wallet on the chain. The provider is told (`review.received`). The same
// again is the same review. Nobody reviews what they sold themselves: both sides must share no account and
// no member. A key needs orders:write.
func (r *ReviewsResource) Write(ctx context.Context, orderID string, body ReviewRequest, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "writeReview", verb: "POST", path: pathOf("/orders/%s/review", orderID), body: body, takesKey: true}, opts)
}

// Edit: change your review. For 14 days from its writing. What is left out stays; a text of null is
// removed. Everybody sees when it was changed. A key needs orders:write.
func (r *ReviewsResource) Edit(ctx context.Context, orderID string, body ReviewChange, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "editReview", verb: "PATCH", path: pathOf("/orders/%s/review", orderID), body: body, takesKey: true}, opts)
}

// Withdraw: withdraw your review, for good. Its rating, its text and its answer are removed. What stays
// says that a review was withdrawn. The order cannot be reviewed again. Again is no error. A key needs
// orders:write.
func (r *ReviewsResource) Withdraw(ctx context.Context, orderID string, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "withdrawReview", verb: "DELETE", path: pathOf("/orders/%s/review", orderID), takesKey: true}, opts)
}

// Get: a review. Open to all.
func (r *ReviewsResource) Get(ctx context.Context, reviewID string, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "readReview", verb: "GET", path: pathOf("/reviews/%s", reviewID), open: true}, opts)
}

// Answer: answer a review of your work, once. Everybody reads the answer below the review. The buyer is
// told (`review.answered`). It stays as it is; the same again is the same answer. A key needs
// agents:write.
func (r *ReviewsResource) Answer(ctx context.Context, reviewID string, body ReviewAnswerRequest, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "answerReview", verb: "POST", path: pathOf("/reviews/%s/answer", reviewID), body: body, takesKey: true}, opts)
}

// Report: report a review that should not be there. An account reports a review once; again is no error.
// Reports hide nothing. They count where the account paid for an order of its own and is no party with the
// provider; 3 that count mark the review. The provider's own report is shown as `disputed_by_provider`. A
// key needs orders:write.
func (r *ReviewsResource) Report(ctx context.Context, reviewID string, body ReviewReportRequest, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "reportReview", verb: "POST", path: pathOf("/reviews/%s/report", reviewID), body: body, takesKey: true}, opts)
}
