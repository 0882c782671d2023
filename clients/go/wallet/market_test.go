//go:build service

// Whole calls to a real service, whose address the runner gives in EARNEST_URL, and that of its chain in EARNEST_RPC_URL:
// `npm run test:clients -- go` starts one.
package wallet_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"sync/atomic"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/wallet"
)

// The address of an uninvolved account of the local chain.
const stranger = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

func address(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: `npm run test:clients -- go` starts a service and sets it", name)
	}
	return value
}

type party struct {
	*earnest.Client
	key   *wallet.Key
	token string
}

// join signs a fresh wallet in and makes it a key.
func join(t *testing.T, scopes ...earnest.Scope) party {
	t.Helper()
	key, err := wallet.New()
	if err != nil {
		t.Fatal(err)
	}
	return joinWith(t, key, scopes...)
}

func joinWith(t *testing.T, key *wallet.Key, scopes ...earnest.Scope) party {
	t.Helper()
	url := address(t, "EARNEST_URL")
	person, err := earnest.NewClient(url)
	if err != nil {
		t.Fatal(err)
	}
	signedIn, err := person.SignIn(t.Context(), earnest.SignInOptions{Wallet: key, ChainID: 31337})
	if err != nil || signedIn.Account.PrimaryAddress != key.Address() {
		t.Fatalf("%+v, %v", signedIn, err)
	}
	made, err := person.APIKeys.Create(t.Context(), earnest.KeyRequest{Name: "test", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := person.SignOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := person.Me(t.Context()); !errors.Is(err, earnest.ErrorCodeUnauthenticated) {
		t.Errorf("after signing out: %v", err)
	}
	client, err := earnest.NewClient(url, earnest.WithAPIKey(made.Token))
	if err != nil {
		t.Fatal(err)
	}
	return party{client, key, made.Token}
}

var made atomic.Int64

func sell(t *testing.T, provider party) *earnest.Service {
	t.Helper()
	ctx := t.Context()
	slug := fmt.Sprintf("go-%d-%d", time.Now().UnixNano(), made.Add(1))
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(provider.Agents.Create(ctx, earnest.AgentRequest{Slug: slug, Name: "An agent in Go"}))
	must(provider.Agents.SetPayoutWallet(ctx, slug, earnest.PayoutAddress{Address: provider.key.Address()}))
	must(provider.Agents.Publish(ctx, slug))
	must(provider.Services.Create(ctx, slug, earnest.ServiceRequest{
		Slug: "sum", Title: "Sums", Price: "2.50", DeliveryTimeHours: 24, Tags: []string{"go-" + slug},
		InputSchema: map[string]any{"type": "object", "required": []string{"of"}},
	}))
	service, err := provider.Services.Publish(ctx, slug, "sum")
	must(service, err)
	return service
}

var providerScopes = []earnest.Scope{
	earnest.ScopeAgentsRead, earnest.ScopeAgentsWrite, earnest.ScopeServicesWrite, earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite,
	earnest.ScopeWebhooksRead,
}
var buyerScopes = []earnest.Scope{earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite}

// node is the node of the local chain.
func node(t *testing.T) receipts.RPC {
	t.Helper()
	return receipts.RPC{URL: address(t, "EARNEST_RPC_URL")}
}

// ask calls methods of the local chain's node, such as those that give coin.
func ask(t *testing.T, method string, parameters ...any) {
	t.Helper()
	var result any
	if err := node(t).Ask(t.Context(), &result, method, parameters...); err != nil {
		t.Fatal(err)
	}
}

// balance returns a wallet's balance of the test token.
func balance(t *testing.T, of party) int64 {
	t.Helper()
	status, err := of.Chain.GetStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, _ := settlement.ParseAddress(*status.TokenAddress)
	holder, _ := settlement.ParseAddress(of.key.Address())
	// balanceOf(address)
	word, err := node(t).Call(t.Context(), token, append([]byte{0x70, 0xa0, 0x82, 0x31}, append(make([]byte, 12), holder[:]...)...))
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(word).Int64()
}

// fund gives a wallet some of the test token.
func fund(t *testing.T, buyer party) {
	t.Helper()
	status, err := buyer.Chain.GetStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	to, _ := settlement.ParseAddress(buyer.key.Address())
	// mint(address,uint256)
	data := append([]byte{0x40, 0xc1, 0x0f, 0x19}, make([]byte, 12)...)
	data = append(data, to[:]...)
	data = append(data, big.NewInt(100_000_000).FillBytes(make([]byte, 32))...)
	// A separate account, because two senders of one account would use the same nonces.
	minter, err := wallet.New()
	if err != nil {
		t.Fatal(err)
	}
	for method, arguments := range map[string][]any{
		"anvil_setBalance":         {minter.Address(), "0xde0b6b3a7640000"},
		"anvil_impersonateAccount": {minter.Address()},
	} {
		if err := node(t).Ask(t.Context(), new(any), method, arguments...); err != nil {
			t.Fatal(err)
		}
	}
	var hash string
	send := map[string]string{"from": minter.Address(), "to": *status.TokenAddress, "data": "0x" + hex.EncodeToString(data)}
	if err := node(t).Ask(t.Context(), &hash, "eth_sendTransaction", send); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		receipt, err := node(t).TransactionReceipt(t.Context(), hash)
		if err != nil {
			t.Fatal(err)
		}
		if receipt != nil {
			return
		}
	}
	t.Fatalf("The transaction %s was not mined within a minute.", hash)
}
