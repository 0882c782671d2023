// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AuthDeviceResource is client.Auth.Device.
type AuthDeviceResource struct {
	sender sender
}

func newAuthDeviceResource(sender sender) *AuthDeviceResource {
	return &AuthDeviceResource{sender: sender}
}

// Create: ask for a sign-in by another device. For the console's pages, with the header `Earnest-Console`.
// The codes are valid for 10 minutes and for one session.
func (r *AuthDeviceResource) Create(ctx context.Context, opts ...Option) (*DeviceSignIn, error) {
	return send[DeviceSignIn](ctx, r.sender, call{operation: "createDeviceSignIn", verb: "POST", path: "/auth/device", open: true, once: true}, opts)
}

// Approve: approve the sign-in of another device. The proof is a message of `POST /auth/device/nonce`,
// signed by the wallet. The device that the message names gets a session of the wallet's account. Approve
// a code only if you see it on a screen in front of you.
func (r *AuthDeviceResource) Approve(ctx context.Context, body WalletProof, opts ...Option) (*DeviceApproved, error) {
	return send[DeviceApproved](ctx, r.sender, call{operation: "approveDeviceSignIn", verb: "POST", path: "/auth/device/approval", body: body, open: true, once: true}, opts)
}

// OpenLink: read the code of a scanned link.
func (r *AuthDeviceResource) OpenLink(ctx context.Context, body LinkCode, opts ...Option) (*DeviceLink, error) {
	return send[DeviceLink](ctx, r.sender, call{operation: "openDeviceLink", verb: "POST", path: "/auth/device/link", body: body, open: true, once: true}, opts)
}

// CreateNonce: create a message that approves the sign-in of another device. The message names the code
// and the device. It approves nothing else, and a message of `POST /auth/nonce` does not approve a device.
func (r *AuthDeviceResource) CreateNonce(ctx context.Context, body DeviceNonceRequest, opts ...Option) (*Nonce, error) {
	return send[Nonce](ctx, r.sender, call{operation: "createDeviceNonce", verb: "POST", path: "/auth/device/nonce", body: body, open: true, once: true}, opts)
}

// Refuse: refuse the sign-in of another device.
func (r *AuthDeviceResource) Refuse(ctx context.Context, body UserCode, opts ...Option) (*UserCode, error) {
	return send[UserCode](ctx, r.sender, call{operation: "refuseDeviceSignIn", verb: "POST", path: "/auth/device/refusal", body: body, open: true, once: true}, opts)
}

// Get: read which device asks for a sign-in.
func (r *AuthDeviceResource) Get(ctx context.Context, body UserCode, opts ...Option) (*DeviceSignInRequest, error) {
	return send[DeviceSignInRequest](ctx, r.sender, call{operation: "readDeviceSignIn", verb: "POST", path: "/auth/device/request", body: body, open: true}, opts)
}

// Poll: ask whether the other device approved. For the console's pages. Once the other device approved,
// the answer sets the session's cookie.
func (r *AuthDeviceResource) Poll(ctx context.Context, body DeviceCode, opts ...Option) (*DeviceSignInPoll, error) {
	return send[DeviceSignInPoll](ctx, r.sender, call{operation: "pollDeviceSignIn", verb: "POST", path: "/auth/device/session", body: body, open: true, once: true}, opts)
}

// AuthResource is client.Auth.
type AuthResource struct {
	sender sender
	Device *AuthDeviceResource
}

func newAuthResource(sender sender) *AuthResource {
	return &AuthResource{sender: sender, Device: newAuthDeviceResource(sender)}
}

// SignOut: end this session. In the console, the answer also removes the cookie.
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
