//go:build service

package wallet_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/wallet"
)

type number struct {
	Number int `json:"number"`
}

type doubled struct {
	Twice int `json:"twice"`
}

// callSeller is a provider of a service that is sold by the call, with its endpoint's port and folder.
type callSeller struct {
	party
	service *earnest.Service
	port    int
	folder  string
	key     string
}

func sellCalls(t *testing.T) *callSeller {
	t.Helper()
	raw := make([]byte, 32)
	raw[0], raw[31] = 1, byte(made.Add(1))
	copy(raw[8:16], fmt.Sprint(time.Now().UnixNano()))
	key, err := wallet.FromHex(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	seller := &callSeller{party: joinWith(t, key, providerScopes...), folder: filepath.Join(t.TempDir(), "sessions"), key: "0x" + hex.EncodeToString(raw)}
	listener := listenAt(t, 0)
	seller.port = listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	sessionKey, err := earnest.SessionKeyOf(seller.folder)
	if err != nil {
		t.Fatal(err)
	}
	slug := sell(t, seller.party).Agent.Slug
	endpoint := fmt.Sprintf("http://localhost:%d/calls", seller.port)
	if _, err = seller.Services.Create(t.Context(), slug, earnest.ServiceRequest{
		Slug: "double", Title: "Twice a number", PricingModel: earnest.PricingModelPerCall, Price: "0.001", DeliveryTimeHours: 1,
		MaxQuantity: earnest.Int(1000), Session: earnest.Some(earnest.ServiceSession{EndpointURL: endpoint, SessionKey: sessionKey}),
	}); err != nil {
		t.Fatal(err)
	}
	if seller.service, err = seller.Services.Publish(t.Context(), slug, "double"); err != nil {
		t.Fatal(err)
	}
	return seller
}

func listenAt(t *testing.T, port int) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// serve answers calls until the returned function is called.
func (s *callSeller) serve(t *testing.T, change func(*earnest.ServeCallsOptions)) (calls *earnest.ServedCalls, stop func()) {
	t.Helper()
	options := earnest.ServeCallsOptions{
		Wallet: s.party.key, Recover: wallet.Recover, Sender: wallet.Sender{Key: s.party.key, Node: node(t)}, Node: node(t), PerCall: "0.001",
		Folder: s.folder, OnError: func(err error, order string) { t.Log(order, err) },
	}
	change(&options)
	handler := earnest.HandleCall(func(_ context.Context, call earnest.PaidCall[number]) (doubled, error) {
		return doubled{2 * call.Input.Number}, nil
	})
	calls, err := s.ServeCalls(t.Context(), s.service.Agent.Slug, "double", handler, options)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: calls}
	listener := listenAt(t, s.port)
	go func() { _ = server.Serve(listener) }()
	return calls, func() {
		_ = server.Close()
		if err := calls.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// callBuyer opens sessions.
type callBuyer struct {
	party
	file string
}

func newCallBuyer(t *testing.T) callBuyer {
	t.Helper()
	buyer := callBuyer{join(t, buyerScopes...), filepath.Join(t.TempDir(), "session.json")}
	fund(t, buyer.party)
	return buyer
}

func (b callBuyer) open(t *testing.T, seller *callSeller) *earnest.CallSession {
	t.Helper()
	session, err := b.OpenSession(t.Context(), seller.service.ID, earnest.SessionOptions{
		Buy:  earnest.BuyOptions{Wallet: b.key, Node: node(t), MaxAmount: "0.10", Quantity: 100, Poll: 200 * time.Millisecond},
		File: b.file,
	})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func double(t *testing.T, session *earnest.CallSession, given int) {
	t.Helper()
	answer, err := session.Call(t.Context(), number{given})
	if err != nil {
		t.Fatal(err)
	}
	var output doubled
	if err := answer.Decode(&output); err != nil || output.Twice != 2*given {
		t.Fatalf("%s, %v", answer.Body, err)
	}
}

func (b callBuyer) awaitEnd(t *testing.T, orderID string) {
	t.Helper()
	await(t, b.party, orderID, func(order *earnest.Order) bool { return order.Status == earnest.OrderStatusReleased })
}

func TestASessionEndsByBothSignaturesAndContinuesAfterARestart(t *testing.T) {
	seller, buyer := sellCalls(t), newCallBuyer(t)
	_, stop := seller.serve(t, func(*earnest.ServeCallsOptions) {})
	session := buyer.open(t, seller)
	double(t, session, 1)
	double(t, session, 2)
	if err := session.Leave(); err != nil {
		t.Fatal(err)
	}
	stop()
	_, stop = seller.serve(t, func(*earnest.ServeCallsOptions) {})
	defer stop()
	session = buyer.open(t, seller)
	double(t, session, 3)
	if err := session.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	buyer.awaitEnd(t, session.OrderID())
	if earned, left := balance(t, seller.party), balance(t, buyer.party); earned != 3_000 || left != 100_000_000-3_000 {
		t.Errorf("the provider has %d, the buyer %d", earned, left)
	}
	again := buyer.open(t, seller)
	defer again.Leave()
	if again.OrderID() == session.OrderID() || again.Spent().Sign() != 0 {
		t.Errorf("the file of the closed session opens %s, with %s spent", again.OrderID(), again.Spent())
	}
}

func TestTheProvidersWalletPaysWhatTheServiceDoesNot(t *testing.T) {
	seller, buyer := sellCalls(t), newCallBuyer(t)
	ask(t, "anvil_setBalance", seller.party.key.Address(), "0xde0b6b3a7640000")
	_, stop := seller.serve(t, func(*earnest.ServeCallsOptions) {})
	session := buyer.open(t, seller)
	double(t, session, 1)
	if err := session.Leave(); err != nil {
		t.Fatal(err)
	}
	stop()
	// The deadline is so near that the provider's wallet pays by itself.
	calls, stop := seller.serve(t, func(options *earnest.ServeCallsOptions) { options.Margin = 2 * time.Hour })
	defer stop()
	if err := calls.CloseAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	buyer.awaitEnd(t, session.OrderID())
	var sent string
	if err := node(t).Ask(t.Context(), &sent, "eth_getTransactionCount", seller.party.key.Address(), "latest"); err != nil || sent != "0x1" {
		t.Errorf("the provider's wallet sent %s transactions, %v", sent, err)
	}
	if earned := balance(t, seller.party); earned != 1_000 {
		t.Errorf("the provider has %d", earned)
	}
}

func TestTheServiceRefusesADisputeOfASession(t *testing.T) {
	seller, buyer := sellCalls(t), newCallBuyer(t)
	session := buyer.open(t, seller)
	// The service has no dispute to sign.
	_, err := buyer.Dispute(t.Context(), session.OrderID(), "The answers are wrong.", earnest.SettleOptions{Wallet: buyer.key})
	if err == nil || !strings.Contains(err.Error(), "cannot be disputed now") {
		t.Error(err)
	}
	if err := session.Leave(); err != nil {
		t.Fatal(err)
	}
}

func TestCallsOfAProviderInTypeScriptAreBought(t *testing.T) {
	seller, buyer := sellCalls(t), newCallBuyer(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), filepath.Join(root, "node_modules/.bin/node"), "clients/typescript/test/session-provider.fixture.ts")
	program.Dir, program.Stderr = root, os.Stderr
	program.Env = append(os.Environ(), "BASE_URL="+address(t, "EARNEST_URL"), "TOKEN="+seller.token, "WALLET_KEY="+seller.key,
		"RPC_URL="+address(t, "EARNEST_RPC_URL"), "AGENT="+seller.service.Agent.Slug, "FOLDER="+seller.folder, fmt.Sprintf("ENDPOINT_PORT=%d", seller.port))
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	session := buyer.open(t, seller)
	for given := range 3 {
		double(t, session, given)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	buyer.awaitEnd(t, session.OrderID())
	_ = program.Process.Kill()
	_ = program.Wait()
}
