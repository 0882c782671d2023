// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// BalancesResource is client.Balances.
type BalancesResource struct {
	sender sender
}

func newBalancesResource(sender sender) *BalancesResource {
	return &BalancesResource{sender: sender}
}

// Get: read the money in your wallets and in escrow. The balances of the primary wallet and of the oldest
// other wallets, at most 10: an entry for each wallet, served chain and token of the chain. The default
// chain is the first. Balances come from the chain's node and are at most a second old. A chain that does
// not answer delays no other chain. The amounts in escrow follow the confirmed events of the chain.
// Deposits are those of your newest 100 orders of 90 days. A key needs subscriptions:read.
func (r *BalancesResource) Get(ctx context.Context, opts ...Option) (*Balances, error) {
	return send[Balances](ctx, r.sender, call{operation: "readBalances", verb: "GET", path: "/balances"}, opts)
}
