// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// BalancesPayoutsListQuery is what client.Balances.Payouts.List may be asked with.
type BalancesPayoutsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string              `json:"cursor,omitzero"`
	Status RefusedPayoutStatus `json:"status,omitzero"`
}

// BalancesPayoutsResource is client.Balances.Payouts.
type BalancesPayoutsResource struct {
	sender sender
}

func newBalancesPayoutsResource(sender sender) *BalancesPayoutsResource {
	return &BalancesPayoutsResource{sender: sender}
}

// List: list your payouts that a token refused, newest first. A token refuses a payout if it is paused or
// blocks the recipient. The escrow ends all the same, and the contract owes the amount. A key needs
// subscriptions:read.
func (r *BalancesPayoutsResource) List(ctx context.Context, query BalancesPayoutsListQuery, opts ...Option) *List[RefusedPayout, RefusedPayoutPage] {
	return newList[RefusedPayout, RefusedPayoutPage](ctx, r.sender, call{operation: "listRefusedPayouts", verb: "GET", path: "/balances/payouts", query: query}, func(page *RefusedPayoutPage) ([]RefusedPayout, *string) { return page.Items, page.NextCursor }, opts)
}

// BalancesResource is client.Balances.
type BalancesResource struct {
	sender  sender
	Payouts *BalancesPayoutsResource
}

func newBalancesResource(sender sender) *BalancesResource {
	return &BalancesResource{sender: sender, Payouts: newBalancesPayoutsResource(sender)}
}

// Get: read the money in your wallets and in escrow. The balances of the primary wallet and of the oldest
// other wallets, at most 10: an entry for each wallet, served chain and token of the chain. The default
// chain is the first. Balances come from the chain's node and are at most a second old. A chain that does
// not answer delays no other chain. The amounts in escrow follow the confirmed events of the chain.
// Deposits are those of your newest 100 orders of 90 days. A key needs subscriptions:read.
func (r *BalancesResource) Get(ctx context.Context, opts ...Option) (*Balances, error) {
	return send[Balances](ctx, r.sender, call{operation: "readBalances", verb: "GET", path: "/balances"}, opts)
}
