// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AuthResource is client.Auth.
type AuthResource struct {
	sender sender
}

func newAuthResource(sender sender) *AuthResource {
	return &AuthResource{sender: sender}
}

// SignOut: end this session.
func (r *AuthResource) SignOut(ctx context.Context, opts ...Option) (*SignOut, error) {
	return send[SignOut](ctx, r.sender, call{operation: "signOut", verb: "POST", path: "/auth/logout", takesKey: true}, opts)
}

// CreateNonce: create a message for a wallet to sign.
func (r *AuthResource) CreateNonce(ctx context.Context, body NonceRequest, opts ...Option) (*Nonce, error) {
	return send[Nonce](ctx, r.sender, call{operation: "createNonce", verb: "POST", path: "/auth/nonce", body: body, takesKey: true}, opts)
}

// SignIn: sign in with a signed message. The first attempt uses up the nonce, even if it fails. The first
// sign-in of a wallet creates its account. A key is the same wallet on every chain. A contract wallet
// (ERC-1271) is known on the chain that the message names; its address on another chain is another wallet.
func (r *AuthResource) SignIn(ctx context.Context, body WalletProof, opts ...Option) (*SignIn, error) {
	return send[SignIn](ctx, r.sender, call{operation: "signIn", verb: "POST", path: "/auth/signin", body: body, open: true, once: true}, opts)
}
