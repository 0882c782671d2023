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

// Add: add a wallet to your account. The proof is a message of `POST /auth/nonce` with the purpose
// `link_wallet`, made in a session of this account and signed by the wallet. The wallet may then sign in,
// receive payments and place orders for the account.
func (r *WalletsResource) Add(ctx context.Context, body WalletProof, opts ...Option) (*Wallet, error) {
	return send[Wallet](ctx, r.sender, call{operation: "addWallet", verb: "POST", path: "/auth/me/wallets", body: body, takesKey: true}, opts)
}

// Remove: remove a wallet from your account. The primary wallet and payout wallets cannot be removed.
// Sessions of the wallet end. Its orders continue, and the contract still allows the wallet what it
// allowed before.
func (r *WalletsResource) Remove(ctx context.Context, walletID string, opts ...Option) (*RemovedWallet, error) {
	return send[RemovedWallet](ctx, r.sender, call{operation: "removeWallet", verb: "DELETE", path: pathOf("/auth/me/wallets/%s", walletID), takesKey: true}, opts)
}

// MakePrimary: make a wallet your primary one. The primary wallet is the buyer's wallet of orders that
// name none.
func (r *WalletsResource) MakePrimary(ctx context.Context, walletID string, opts ...Option) (*Wallet, error) {
	return send[Wallet](ctx, r.sender, call{operation: "makeWalletPrimary", verb: "PUT", path: pathOf("/auth/me/wallets/%s/primary", walletID), takesKey: true}, opts)
}
