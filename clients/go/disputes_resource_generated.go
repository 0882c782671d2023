// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// DisputesListQuery is what client.Disputes.List may be asked with.
type DisputesListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10.
	Include string `json:"include,omitzero"`
	// `true`: those that are not settled yet; `false`: those that are.
	Open Opt[bool] `json:"open,omitzero"`
}

// DisputesGetQuery is what client.Disputes.Get may be asked with.
type DisputesGetQuery struct {
	// Goes into `typed_data`.
	ReasonHash string `json:"reason_hash,omitzero"`
}

// DisputesGetDecisionToSignQuery is what client.Disputes.GetDecisionToSign may be asked with.
type DisputesGetDecisionToSignQuery struct {
	// What the provider gets, a decimal; the rest of the escrow goes back to the buyer.
	ProviderAmount Amount `json:"provider_amount"`
	// The SHA-256 of the text's UTF-8 bytes; all zero where there is no text.
	RulingHash string `json:"ruling_hash,omitzero"`
}

// DisputesResource is client.Disputes.
type DisputesResource struct {
	sender sender
}

func newDisputesResource(sender sender) *DisputesResource {
	return &DisputesResource{sender: sender}
}

// List: the disputed orders whose arbiter is a wallet of yours, newest dispute first. A key needs
// orders:read.
func (r *DisputesResource) List(ctx context.Context, query DisputesListQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listDisputes", verb: "GET", path: "/disputes", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// Open: have the escrow disputed. Takes the party's signature of the typed data, with its `deadline`, and
// sends it; the service pays the gas. The same request again gives the same relay. What became of it is in
// the trail. A key needs orders:write.
func (r *DisputesResource) Open(ctx context.Context, orderID string, body DisputeRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "disputeOrder", verb: "POST", path: pathOf("/orders/%s/dispute", orderID), body: body, takesKey: true}, opts)
}

// Get: an order's dispute with all its evidence, and what a party signs to open one. For both parties at
// any time, and for the arbiter from the confirmed dispute on. The evidence is one bundle with one digest,
// which a ruling can name. A key needs orders:read.
func (r *DisputesResource) Get(ctx context.Context, orderID string, query DisputesGetQuery, opts ...Option) (*Dispute, error) {
	return send[Dispute](ctx, r.sender, call{operation: "readDispute", verb: "GET", path: pathOf("/orders/%s/dispute", orderID), query: query}, opts)
}

// Signal: tell the other party that you mean to dispute, and why. Once for each party. It is a word only:
// the status stays, and no clock stops, auto-release included. Only `dispute`, on the chain, holds the
// money. A key needs orders:write.
func (r *DisputesResource) Signal(ctx context.Context, orderID string, body DisputeIntentRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "signalDispute", verb: "POST", path: pathOf("/orders/%s/dispute-intent", orderID), body: body, takesKey: true}, opts)
}

// GetDecisionToSign: what the arbiter signs, or sends, to decide a dispute. A key needs orders:read.
func (r *DisputesResource) GetDecisionToSign(ctx context.Context, orderID string, query DisputesGetDecisionToSignQuery, opts ...Option) (*DecisionToSign, error) {
	return send[DecisionToSign](ctx, r.sender, call{operation: "readDecisionToSign", verb: "GET", path: pathOf("/orders/%s/dispute/decision", orderID), query: query}, opts)
}

// Decide: have a dispute decided. Takes the arbiter's signature of the typed data and sends it; the
// service pays the gas. The same request again gives the same relay. That it is decided is known by the
// trail's `order.dispute_decided`; anyone may settle it once the appeal window is over. A key needs
// orders:write.
func (r *DisputesResource) Decide(ctx context.Context, orderID string, body DecisionRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "decideDispute", verb: "POST", path: pathOf("/orders/%s/dispute/decision", orderID), body: body, takesKey: true}, opts)
}

// AddStatement: say something about a dispute, for the other party and the arbiter to read. Both parties
// and the arbiter may, until the escrow is paid out, each 20 times at most. What was said stays as it is.
// The same again is the same statement. A key needs orders:write.
func (r *DisputesResource) AddStatement(ctx context.Context, orderID string, body StatementRequest, opts ...Option) (*Statement, error) {
	return send[Statement](ctx, r.sender, call{operation: "stateOnDispute", verb: "POST", path: pathOf("/orders/%s/dispute/statements", orderID), body: body, takesKey: true}, opts)
}
