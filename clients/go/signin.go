package earnest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrUntrustedText means that the message to sign is not as expected. Nothing was signed.
var ErrUntrustedText = errors.New("earnest: the sign-in message is not as expected; nothing was signed")

// SignInOptions say who signs in.
type SignInOptions struct {
	Wallet  Signer
	ChainID int64
	// Host is the host that the message must name, if the service has another host. Default: the base URL's host.
	Host string
}

// SignIn signs a wallet in. It checks the text before the wallet signs. Afterwards this client sends the session's token.
func (c *Client) SignIn(ctx context.Context, options SignInOptions, opts ...Option) (*SignIn, error) {
	proof, err := c.prove(ctx, options, NoncePurposeSignIn, "", opts)
	if err != nil {
		return nil, err
	}
	signedIn, err := c.Auth.SignIn(ctx, *proof, opts...)
	if err != nil {
		return nil, err
	}
	c.sender.session.Store(&signedIn.Tokens.AccessToken)
	return signedIn, nil
}

// SignOut ends the session. Afterwards this client sends no token of a session.
func (c *Client) SignOut(ctx context.Context, opts ...Option) (*SignOut, error) {
	signedOut, err := c.Auth.SignOut(ctx, ownAccount(opts)...)
	if err != nil {
		return nil, err
	}
	c.sender.session.Store(nil)
	return signedOut, nil
}

// LinkWallet adds a wallet to the account of this session: it signs a text that names the account.
func (c *Client) LinkWallet(ctx context.Context, options SignInOptions, opts ...Option) (*Wallet, error) {
	me, err := c.Me(ctx, ownAccount(withoutKey(opts))...)
	if err != nil {
		return nil, err
	}
	proof, err := c.prove(ctx, options, NoncePurposeLinkWallet, me.ID, opts)
	if err != nil {
		return nil, err
	}
	return c.Wallets.Add(ctx, *proof, ownAccount(opts)...)
}

// ownAccount removes the client's organisation from a call about the person's own account.
func ownAccount(opts []Option) []Option {
	return append(opts[:len(opts):len(opts)], WithOrganisation(""))
}

// withoutKey removes a caller's idempotency key, because each step is a write of its own.
func withoutKey(opts []Option) []Option {
	return append(opts[:len(opts):len(opts)], func(s *settings) error {
		s.idempotencyKey = ""
		return nil
	})
}

func (c *Client) prove(ctx context.Context, options SignInOptions, purpose NoncePurpose, accountID string, opts []Option) (*WalletProof, error) {
	address := options.Wallet.Address()
	asked := NonceRequest{Address: address, ChainID: options.ChainID, Purpose: purpose}
	nonce, err := c.Auth.CreateNonce(ctx, asked, ownAccount(withoutKey(opts))...)
	if err != nil {
		return nil, err
	}
	expected := ExpectedText{Host: options.Host, Address: address, ChainID: options.ChainID, Nonce: nonce.Nonce, AccountID: accountID}
	if expected.Host == "" {
		expected.Host = c.sender.base.Host
	}
	if err := CheckSignInText(nonce.Message, expected); err != nil {
		return nil, err
	}
	signature, err := options.Wallet.SignHash(ctx, personalHash(nonce.Message))
	if err != nil {
		return nil, fmt.Errorf("earnest: the wallet did not sign: %w", err)
	}
	return &WalletProof{Message: nonce.Message, Nonce: nonce.Nonce, Signature: hexOf(signature)}, nil
}

// ExpectedText has the facts that a text to sign must state.
type ExpectedText struct {
	// Host includes a port other than the scheme's own, as in localhost:42069.
	Host    string
	Address string
	ChainID int64
	Nonce   string
	// For NoncePurposeLinkWallet, the account that the wallet is added to.
	AccountID string
	// For a device's approval, the code that the device shows.
	UserCode string
	// The time of the check; now if it is zero.
	Now time.Time
}

// textShape is the whole text of a message (EIP-4361), in order. Nothing may follow, above all no resources.
var textShape = regexp.MustCompile(`\A(\S+) wants you to sign in with your Ethereum account:
(0x[0-9a-fA-F]{40})

([^\n]+)

URI: (\S+)
Version: 1
Chain ID: ([0-9]+)
Nonce: ([A-Za-z0-9]{8,})
Issued At: (\S+)
Expiration Time: (\S+)\z`)

// CheckSignInText checks a sign-in message before a wallet signs it: host, URI, wallet, chain, nonce, purpose and expiry. The
// message may have nothing else. The error is an ErrUntrustedText with all faults.
func CheckSignInText(text string, expected ExpectedText) error {
	found := textShape.FindStringSubmatch(text)
	if found == nil {
		return fmt.Errorf("%w: it is not the sign-in that EIP-4361 describes, or asks for more", ErrUntrustedText)
	}
	host, address, statement, uri, chain, nonce, expiry := found[1], found[2], found[3], found[4], found[5], found[6], found[8]
	begin := "Sign in to Earnest."
	if expected.AccountID != "" {
		begin = "Add this wallet to the Earnest account " + expected.AccountID + ","
	} else if expected.UserCode != "" {
		begin = "Sign in the device that shows the code " + expected.UserCode + ":"
	}
	now := expected.Now
	if now.IsZero() {
		now = time.Now()
	}
	var wrong []string
	check := func(good bool, problem string, values ...any) {
		if !good {
			wrong = append(wrong, fmt.Sprintf(problem, values...))
		}
	}
	check(host == expected.Host, "it is for the host %s, not %s", host, expected.Host)
	check(hostOf(uri) == expected.Host, "its URI is %s, not of host %s", uri, expected.Host)
	check(strings.EqualFold(address, expected.Address), "it is for the wallet %s, not %s", address, expected.Address)
	check(chain == strconv.FormatInt(expected.ChainID, 10), "it is for chain %s, not %d", chain, expected.ChainID)
	check(nonce == expected.Nonce, "its nonce is not the one that came with it")
	check(strings.HasPrefix(statement, begin), "its statement is %q, not %q", statement, begin)
	expires, err := time.Parse(time.RFC3339, expiry)
	check(err == nil && expires.After(now), "it expired at %s", expiry)
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", ErrUntrustedText, strings.Join(wrong, "; "))
	}
	return nil
}

func hostOf(uri string) string {
	address, err := url.Parse(uri)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.User != nil {
		return ""
	}
	return address.Host
}
