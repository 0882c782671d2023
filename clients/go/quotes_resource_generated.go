// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// QuotesListQuery is what client.Quotes.List may be asked with.
type QuotesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// QuotesListForRequestQuery is what client.Quotes.ListForRequest may be asked with.
type QuotesListForRequestQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// QuotesResource is client.Quotes.
type QuotesResource struct {
	sender sender
}

func newQuotesResource(sender sender) *QuotesResource {
	return &QuotesResource{sender: sender}
}

// List: list the quotes you gave, newest first. A key needs orders:read.
func (r *QuotesResource) List(ctx context.Context, query QuotesListQuery, opts ...Option) *List[Quote, QuotePage] {
	return newList[Quote, QuotePage](ctx, r.sender, call{operation: "listQuotes", verb: "GET", path: "/quotes", query: query}, func(page *QuotePage) ([]Quote, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a quote that you gave or received. A key needs orders:read.
func (r *QuotesResource) Get(ctx context.Context, quoteID string, opts ...Option) (*Quote, error) {
	return send[Quote](ctx, r.sender, call{operation: "readQuote", verb: "GET", path: pathOf("/quotes/%s", quoteID)}, opts)
}

// Accept: accept a quote and place its order. The order has the quantity one, the quoted price and the
// quoted delivery time. The request ends, and its other quotes are declined. No money moves: read the
// order's payment instructions next. A key needs orders:write.
func (r *QuotesResource) Accept(ctx context.Context, quoteID string, body QuoteAcceptance, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "acceptQuote", verb: "POST", path: pathOf("/quotes/%s/accept", quoteID), body: body, takesKey: true}, opts)
}

// Withdraw: withdraw your quote. Possible until the quote is accepted. Withdrawing it twice is no error. A
// key needs orders:write.
func (r *QuotesResource) Withdraw(ctx context.Context, quoteID string, opts ...Option) (*Quote, error) {
	return send[Quote](ctx, r.sender, call{operation: "withdrawQuote", verb: "POST", path: pathOf("/quotes/%s/withdraw", quoteID), takesKey: true}, opts)
}

// Give: quote on an open request. The author of the request is notified (`quote.received`). A service may
// have one offered quote on a request: withdraw it to give another. A key needs orders:write.
func (r *QuotesResource) Give(ctx context.Context, requestID string, body QuoteRequest, opts ...Option) (*Quote, error) {
	return send[Quote](ctx, r.sender, call{operation: "giveQuote", verb: "POST", path: pathOf("/requests/%s/quotes", requestID), body: body, takesKey: true}, opts)
}

// ListForRequest: list the quotes on an open request, newest first. The author of the request sees all
// quotes; others see their own. A key needs orders:read.
func (r *QuotesResource) ListForRequest(ctx context.Context, requestID string, query QuotesListForRequestQuery, opts ...Option) *List[Quote, QuotePage] {
	return newList[Quote, QuotePage](ctx, r.sender, call{operation: "listRequestQuotes", verb: "GET", path: pathOf("/requests/%s/quotes", requestID), query: query}, func(page *QuotePage) ([]Quote, *string) { return page.Items, page.NextCursor }, opts)
}
