package earnest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// noting is a wallet that records the texts that it signs.
type noting struct{ signed [][32]byte }

func (n *noting) Address() string { return "0x2B71e151d846a82EEb185e24947B4AE108F6B388" }

func (n *noting) SignHash(_ context.Context, hash [32]byte) ([]byte, error) {
	n.signed = append(n.signed, hash)
	return make([]byte, 65), nil
}

func TestATextIsCheckedBeforeItIsSigned(t *testing.T) {
	service := newFlaky(t, "")
	host := strings.TrimPrefix(service.URL, "http://")
	good := host + ` wants you to sign in with your Ethereum account:
0x2B71e151d846a82EEb185e24947B4AE108F6B388

Sign in to Earnest. This starts a session; it sends no transaction and moves no money.

URI: http://` + host + `
Version: 1
Chain ID: 31337
Nonce: f3c0a1d2e4b5968778695a4b3c2d1e0f
Issued At: 2026-11-20T12:00:00.000Z
Expiration Time: ` + time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	text := good
	service.answer = func(r *http.Request) (map[string]string, string) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/nonce"):
			return nil, `{"nonce": "f3c0a1d2e4b5968778695a4b3c2d1e0f", "message": "` + strings.ReplaceAll(text, "\n", `\n`) + `"}`
		default:
			return nil, `{"tokens": {"access_token": "est_1"}}`
		}
	}
	for name, spoilt := range map[string]string{
		"another host":  strings.Replace(good, host, "evil.example", 1),
		"a resource":    good + "\nResources:\n- https://evil.example",
		"another chain": strings.Replace(good, "31337", "1", 1),
		"another nonce": strings.Replace(good, "f3c0", "0000", 1),
		"another wish":  strings.Replace(good, "Sign in to Earnest.", "Give me all.", 1),
	} {
		text = spoilt
		wallet := &noting{}
		client, _ := earnest.NewClient(service.URL)
		if _, err := client.SignIn(t.Context(), earnest.SignInOptions{Wallet: wallet, ChainID: 31337}); !errors.Is(err, earnest.ErrUntrustedText) || len(wallet.signed) != 0 {
			t.Errorf("%s: %v, %d signed", name, err, len(wallet.signed))
		}
	}
	text = good
	wallet := &noting{}
	client, _ := earnest.NewClient(service.URL, earnest.WithOrganisation("acc_1"))
	if _, err := client.SignIn(t.Context(), earnest.SignInOptions{Wallet: wallet, ChainID: 31337}); err != nil || len(wallet.signed) != 1 {
		t.Fatalf("%v, %d signed", err, len(wallet.signed))
	}
	client.Orders.Get(t.Context(), "ord_1")
	client.Orders.Get(t.Context(), "ord_1", earnest.WithAPIKey("esk_1"))
	client.SignOut(t.Context())
	client.Orders.Get(t.Context(), "ord_1")
	sent := service.requests()
	sent = sent[len(sent)-4:]
	if sent[0].authorization != "Bearer est_1" || sent[0].organisation != "acc_1" || sent[1].authorization != "Bearer esk_1" ||
		sent[2].authorization != "Bearer est_1" || sent[2].organisation != "" || sent[3].authorization != "" {
		t.Errorf("%+v", sent)
	}
}
