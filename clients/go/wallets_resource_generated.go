// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// WalletsResource is client.Wallets.
type WalletsResource struct {
	sender sender
}

func newWalletsResource(sender sender) *WalletsResource {
	return &WalletsResource{sender: sender}
}

// List: list your verified wallets.
func (r *WalletsResource) List(ctx context.Context, opts ...Option) (*Wallets, error) {
	return send[Wallets](ctx, r.sender, call{operation: "listWallets", verb: "GET", path: "/auth/me/wallets"}, opts)
}

// Add: add a wallet to your account. Signed by that wallet: a message of `POST /auth/nonce` with the
// purpose `link_wallet`, asked for in a session of this account. It may then sign in, be paid and place
// orders for it.
func (r *WalletsResource) Add(ctx context.Context, body WalletProof, opts ...Option) (*Wallet, error) {
	return send[Wallet](ctx, r.sender, call{operation: "addWallet", verb: "POST", path: "/auth/me/wallets", body: body, takesKey: true}, opts)
}

// Remove: take a wallet from your account. Not the primary one, nor one that an agent is paid to. Sessions
// that it signed in end. Orders that name it go on: what it may do on the chain is the contract's to say.
func (r *WalletsResource) Remove(ctx context.Context, walletID string, opts ...Option) (*RemovedWallet, error) {
	return send[RemovedWallet](ctx, r.sender, call{operation: "removeWallet", verb: "DELETE", path: pathOf("/auth/me/wallets/%s", walletID), takesKey: true}, opts)
}

// MakePrimary: make a wallet your primary one. It is the buyer's wallet of orders that name none.
func (r *WalletsResource) MakePrimary(ctx context.Context, walletID string, opts ...Option) (*Wallet, error) {
	return send[Wallet](ctx, r.sender, call{operation: "makeWalletPrimary", verb: "PUT", path: pathOf("/auth/me/wallets/%s/primary", walletID), takesKey: true}, opts)
}
