// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// PasskeysFindQuery is what client.Passkeys.Find may be asked with.
type PasskeysFindQuery struct {
	// The accounts to look for, with commas between them: at most 4.
	Addresses string `json:"addresses"`
}

// PasskeysResource is client.Passkeys.
type PasskeysResource struct {
	sender sender
}

func newPasskeysResource(sender sender) *PasskeysResource {
	return &PasskeysResource{sender: sender}
}

// Find: find the accounts that belong to passkeys. A signature of a passkey fits two public keys, or
// rarely more. Compute the account of each: the one that is found has signed in here.
func (r *PasskeysResource) Find(ctx context.Context, query PasskeysFindQuery, opts ...Option) (*PasskeyList, error) {
	return send[PasskeyList](ctx, r.sender, call{operation: "findPasskeys", verb: "GET", path: "/passkeys", query: query, open: true}, opts)
}
