// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ChainResource is client.Chain.
type ChainResource struct {
	sender sender
}

func newChainResource(sender sender) *ChainResource {
	return &ChainResource{sender: sender}
}

// GetStatus: read the state of the default chain and its index. A value that cannot be determined now is
// null. `GET /chains` describes every chain.
func (r *ChainResource) GetStatus(ctx context.Context, opts ...Option) (*ChainStatus, error) {
	return send[ChainStatus](ctx, r.sender, call{operation: "readChainStatus", verb: "GET", path: "/chain/status", open: true}, opts)
}

// List: list the chains, their tokens and their state. The chains on which orders can settle. One chain
// that does not answer delays no order on another.
func (r *ChainResource) List(ctx context.Context, opts ...Option) (*ChainList, error) {
	return send[ChainList](ctx, r.sender, call{operation: "listChains", verb: "GET", path: "/chains", open: true}, opts)
}
