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

// GetStatus: read the state of the chain and its index. A value that cannot be determined now is null.
func (r *ChainResource) GetStatus(ctx context.Context, opts ...Option) (*ChainStatus, error) {
	return send[ChainStatus](ctx, r.sender, call{operation: "readChainStatus", verb: "GET", path: "/chain/status", open: true}, opts)
}
