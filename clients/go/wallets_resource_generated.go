// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// WalletsGetTransferToSignQuery is what client.Wallets.GetTransferToSign may be asked with.
type WalletsGetTransferToSignQuery struct {
	To     string `json:"to"`
	Amount Amount `json:"amount"`
	// A token of the wallet's chain; its default token unless given.
	Token string `json:"token,omitzero"`
}

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

// Deploy: deploy a passkey account. The escrow accepts signatures of deployed accounts only. A payment
// deploys its payer's account; a provider's account needs this before its first delivery record. The
// service pays the gas once one of your orders is funded.
func (r *WalletsResource) Deploy(ctx context.Context, walletID string, opts ...Option) (*AccountDeployment, error) {
	return send[AccountDeployment](ctx, r.sender, call{operation: "deployPasskeyAccount", verb: "POST", path: pathOf("/auth/me/wallets/%s/deployment", walletID), takesKey: true}, opts)
}

// MakePrimary: make a wallet your primary one. The primary wallet is the buyer's wallet of orders that
// name none.
func (r *WalletsResource) MakePrimary(ctx context.Context, walletID string, opts ...Option) (*Wallet, error) {
	return send[Wallet](ctx, r.sender, call{operation: "makeWalletPrimary", verb: "PUT", path: pathOf("/auth/me/wallets/%s/primary", walletID), takesKey: true}, opts)
}

// GetTransferToSign: read what a passkey signs to move tokens out of its account.
func (r *WalletsResource) GetTransferToSign(ctx context.Context, walletID string, query WalletsGetTransferToSignQuery, opts ...Option) (*TransferToSign, error) {
	return send[TransferToSign](ctx, r.sender, call{operation: "readTransferToSign", verb: "GET", path: pathOf("/auth/me/wallets/%s/transfer", walletID), query: query}, opts)
}

// Transfer: move tokens out of a passkey account. Takes the passkey's signature of the transfer and sends
// it. The service pays the gas. The account is deployed with it if it does not exist. A repeated request
// gets the same relay.
func (r *WalletsResource) Transfer(ctx context.Context, walletID string, body SignedTransfer, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "sendTransfer", verb: "POST", path: pathOf("/auth/me/wallets/%s/transfer", walletID), body: body, takesKey: true}, opts)
}
