// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ErasureResource is client.Erasure.
type ErasureResource struct {
	sender sender
}

func newErasureResource(sender sender) *ErasureResource {
	return &ErasureResource{sender: sender}
}

// Request: request the erasure of your account's words and files. A worker begins after 3 days. Until then
// DELETE takes the request back. The account buys and sells nothing meanwhile.
func (r *ErasureResource) Request(ctx context.Context, body ErasureRequest, opts ...Option) (*Erasure, error) {
	return send[Erasure](ctx, r.sender, call{operation: "requestErasure", verb: "POST", path: "/me/erasure", body: body, takesKey: true}, opts)
}

// Get: read the state of the newest erasure of your account.
func (r *ErasureResource) Get(ctx context.Context, opts ...Option) (*Erasure, error) {
	return send[Erasure](ctx, r.sender, call{operation: "readErasure", verb: "GET", path: "/me/erasure"}, opts)
}

// TakeBack: take the request of an erasure back.
func (r *ErasureResource) TakeBack(ctx context.Context, opts ...Option) (*ErasureTakenBack, error) {
	return send[ErasureTakenBack](ctx, r.sender, call{operation: "takeBackErasure", verb: "DELETE", path: "/me/erasure", takesKey: true}, opts)
}
