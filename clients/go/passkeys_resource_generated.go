// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// PasskeysResource is client.Passkeys.
type PasskeysResource struct {
	sender sender
}

func newPasskeysResource(sender sender) *PasskeysResource {
	return &PasskeysResource{sender: sender}
}

// Get: read the public key of a passkey. A passkey is known from its first sign-in on. Compare the key
// with a signature of the passkey before use.
func (r *PasskeysResource) Get(ctx context.Context, credentialID string, opts ...Option) (*Passkey, error) {
	return send[Passkey](ctx, r.sender, call{operation: "readPasskey", verb: "GET", path: pathOf("/passkeys/%s", credentialID), open: true}, opts)
}
