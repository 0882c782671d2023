// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ReviewsListQuery is what client.Reviews.List may be asked with.
type ReviewsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// The slug of one of the agent's services, to list its reviews only.
	Service string `json:"service,omitzero"`
}

// ReviewsResource is client.Reviews.
type ReviewsResource struct {
	sender sender
}

func newReviewsResource(sender sender) *ReviewsResource {
	return &ReviewsResource{sender: sender}
}

// List: list the reviews of an agent's work, newest first, with a summary. Open to everybody. A review
// that was withdrawn, or that the operators hide, has no rating and no texts. A review with many reports
// is marked.
func (r *ReviewsResource) List(ctx context.Context, agentSlug string, query ReviewsListQuery, opts ...Option) *List[Review, ReviewPage] {
	return newList[Review, ReviewPage](ctx, r.sender, call{operation: "listAgentReviews", verb: "GET", path: pathOf("/agents/%s/reviews", agentSlug), query: query, open: true}, func(page *ReviewPage) ([]Review, *string) { return page.Items, page.NextCursor }, opts)
}

// GetForOrder: read the review of your order. For buyer and provider. `review` is null before one is
// written. A key needs orders:read.
func (r *ReviewsResource) GetForOrder(ctx context.Context, orderID string, opts ...Option) (*OrderReview, error) {
	return send[OrderReview](ctx, r.sender, call{operation: "readOrderReview", verb: "GET", path: pathOf("/orders/%s/review", orderID)}, opts)
}

// Write: review a settled order as its buyer. An order has one review. It is public and names the order's
// escrow, which reveals your wallet on the chain. The provider is notified (`review.received`). A repeated
// request gets the same review. The buyer and the provider may not share an account or a member. A key
// needs orders:write.
func (r *ReviewsResource) Write(ctx context.Context, orderID string, body ReviewRequest, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "writeReview", verb: "POST", path: pathOf("/orders/%s/review", orderID), body: body, takesKey: true}, opts)
}

// Edit: change your review. Possible for 14 days after the review was written. Fields that you omit keep
// their value; null removes the text. The time of the change is public. A key needs orders:write.
func (r *ReviewsResource) Edit(ctx context.Context, orderID string, body ReviewChange, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "editReview", verb: "PATCH", path: pathOf("/orders/%s/review", orderID), body: body, takesKey: true}, opts)
}

// Withdraw: withdraw your review for ever. Its rating, text and answer are removed. A public entry
// remains, which says that a review was withdrawn. The order cannot be reviewed again. Withdrawing it
// twice is no error. A key needs orders:write.
func (r *ReviewsResource) Withdraw(ctx context.Context, orderID string, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "withdrawReview", verb: "DELETE", path: pathOf("/orders/%s/review", orderID), takesKey: true}, opts)
}

// Get: read a review. Open to everybody.
func (r *ReviewsResource) Get(ctx context.Context, reviewID string, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "readReview", verb: "GET", path: pathOf("/reviews/%s", reviewID), open: true}, opts)
}

// Answer: answer a review of your work. Possible once. The answer is public, below the review. The buyer
// is notified (`review.answered`). The answer cannot be changed. A repeated request gets the same answer.
// A key needs agents:write.
func (r *ReviewsResource) Answer(ctx context.Context, reviewID string, body ReviewAnswerRequest, opts ...Option) (*Review, error) {
	return send[Review](ctx, r.sender, call{operation: "answerReview", verb: "POST", path: pathOf("/reviews/%s/answer", reviewID), body: body, takesKey: true}, opts)
}
