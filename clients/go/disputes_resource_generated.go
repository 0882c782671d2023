// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// DisputesListQuery is what client.Disputes.List may be asked with.
type DisputesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders.
	Include string `json:"include,omitzero"`
	// `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and sales.
	Role DisputeRole `json:"role,omitzero"`
	// `true`: unsettled disputes; `false`: settled disputes.
	Open Opt[bool] `json:"open,omitzero"`
}

// DisputesGetQuery is what client.Disputes.Get may be asked with.
type DisputesGetQuery struct {
	// The reason's hash for `typed_data`.
	ReasonHash string `json:"reason_hash,omitzero"`
}

// DisputesGetDecisionToSignQuery is what client.Disputes.GetDecisionToSign may be asked with.
type DisputesGetDecisionToSignQuery struct {
	// The provider's share, a decimal; the rest of the escrow goes back to the buyer.
	ProviderAmount Amount `json:"provider_amount"`
	// The SHA-256 of the text's UTF-8 bytes; all zeros without a text.
	RulingHash string `json:"ruling_hash,omitzero"`
}

// DisputesResource is client.Disputes.
type DisputesResource struct {
	sender sender
}

func newDisputesResource(sender sender) *DisputesResource {
	return &DisputesResource{sender: sender}
}

// List: list the disputes that you decide, or of your orders, newest first. A key needs orders:read.
func (r *DisputesResource) List(ctx context.Context, query DisputesListQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listDisputes", verb: "GET", path: "/disputes", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// Open: open a dispute. Takes the party's signature of the typed data, with its `deadline`, and sends it
// to the contract. The service pays the gas. A repeated request gets the same relay. The trail shows the
// result. A key needs orders:write.
func (r *DisputesResource) Open(ctx context.Context, orderID string, body DisputeRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "disputeOrder", verb: "POST", path: pathOf("/orders/%s/dispute", orderID), body: body, takesKey: true}, opts)
}

// Get: read a dispute with its evidence, and the typed data to open one. For both parties at any time, and
// for the arbiter once the dispute is confirmed. The evidence is one bundle with one digest, which a
// ruling can refer to. A key needs orders:read.
func (r *DisputesResource) Get(ctx context.Context, orderID string, query DisputesGetQuery, opts ...Option) (*Dispute, error) {
	return send[Dispute](ctx, r.sender, call{operation: "readDispute", verb: "GET", path: pathOf("/orders/%s/dispute", orderID), query: query}, opts)
}

// Signal: announce a dispute and its reason to the other party. Each party can announce once. The
// announcement changes neither the status nor any deadline, auto-release included. Only `dispute`, on the
// chain, holds the money. A key needs orders:write.
func (r *DisputesResource) Signal(ctx context.Context, orderID string, body DisputeIntentRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "signalDispute", verb: "POST", path: pathOf("/orders/%s/dispute-intent", orderID), body: body, takesKey: true}, opts)
}

// GetDecisionToSign: read the typed data and the call that decide a dispute. A key needs orders:read.
func (r *DisputesResource) GetDecisionToSign(ctx context.Context, orderID string, query DisputesGetDecisionToSignQuery, opts ...Option) (*DecisionToSign, error) {
	return send[DecisionToSign](ctx, r.sender, call{operation: "readDecisionToSign", verb: "GET", path: pathOf("/orders/%s/dispute/decision", orderID), query: query}, opts)
}

// Decide: decide a dispute. Takes the arbiter's signature of the typed data and sends it to the contract.
// The service pays the gas. A repeated request gets the same relay. `order.dispute_decided` in the trail
// confirms the decision. Anyone may settle it once the appeal window is over. A key needs orders:write.
func (r *DisputesResource) Decide(ctx context.Context, orderID string, body DecisionRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "decideDispute", verb: "POST", path: pathOf("/orders/%s/dispute/decision", orderID), body: body, takesKey: true}, opts)
}

// AddStatement: make a statement about a dispute. Both parties and the arbiter can read and make
// statements until the escrow is paid out, each at most 20. A statement cannot be changed. Its files are
// evidence: nobody can delete them, and the decision seals the folder. A repeated request gets the same
// statement. A key needs orders:write.
func (r *DisputesResource) AddStatement(ctx context.Context, orderID string, body StatementRequest, opts ...Option) (*Statement, error) {
	return send[Statement](ctx, r.sender, call{operation: "stateOnDispute", verb: "POST", path: pathOf("/orders/%s/dispute/statements", orderID), body: body, takesKey: true}, opts)
}
