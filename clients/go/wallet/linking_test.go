//go:build service

package wallet_test

import (
	"errors"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/wallet"
)

func TestAWalletIsLinked(t *testing.T) {
	one, _ := wallet.New()
	other, _ := wallet.New()
	client, err := earnest.NewClient(address(t, "EARNEST_URL"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.SignIn(t.Context(), earnest.SignInOptions{Wallet: one, ChainID: 31337}); err != nil {
		t.Fatal(err)
	}
	linked, err := client.LinkWallet(t.Context(), earnest.SignInOptions{Wallet: other, ChainID: 31337})
	if err != nil || linked.Address != other.Address() {
		t.Fatalf("%+v, %v", linked, err)
	}
	if _, err := client.SignIn(t.Context(), earnest.SignInOptions{Wallet: one, ChainID: 31337, Host: "another.example"}); !errors.Is(err, earnest.ErrUntrustedText) {
		t.Errorf("the text of another host was signed: %v", err)
	}
}
