package wallet_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/wallet"
)

func TestItSignsAsOthersDo(t *testing.T) {
	text, err := os.ReadFile("../../scenarios/protocol-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Wallet struct {
			Address    string
			PrivateKey string `json:"private_key"`
		}
		TypedData []struct {
			Kind, Digest, Signature string
		} `json:"typed_data"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	key, err := wallet.FromHex(vectors.Wallet.PrivateKey)
	if err != nil || key.Address() != vectors.Wallet.Address {
		t.Fatalf("%v, %v", key, err)
	}
	for _, one := range vectors.TypedData {
		hash, _ := settlement.ParseHash(one.Digest)
		signature, err := key.SignHash(t.Context(), hash)
		if err != nil || settlement.SignatureHex(signature) != one.Signature {
			t.Errorf("%s: %x, %v", one.Kind, signature, err)
		}
		if signer, err := wallet.Recover(hash, signature); err != nil || signer.String() != key.Address() {
			t.Errorf("%s: recovered %s, %v", one.Kind, signer, err)
		}
	}
	if len(vectors.TypedData) == 0 {
		t.Error("there are no cases")
	}
}

func TestAKeyIsNotShown(t *testing.T) {
	secret := strings.Repeat("7e57", 16)
	key, err := wallet.FromHex("0x" + secret)
	if err != nil {
		t.Fatal(err)
	}
	decimal := fmt.Sprint(hex.DecodeString(secret))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if shown := fmt.Sprintf(format, key); shown != "wallet "+key.Address() || strings.Contains(shown, decimal) {
			t.Errorf("%s shows %s", format, shown)
		}
	}
}

func TestWhatIsNoKey(t *testing.T) {
	for _, text := range []string{"", "0x", strings.Repeat("00", 32), strings.Repeat("ff", 32), strings.Repeat("7e", 31), strings.Repeat("xy", 32)} {
		if key, err := wallet.FromHex(text); err == nil || (text != "" && len(text) > 2 && strings.Contains(err.Error(), text)) {
			t.Errorf("%q: %v, %v", text, key, err)
		}
	}
	if _, err := wallet.Recover([32]byte{}, make([]byte, 65)); err == nil {
		t.Error("nothing signed something")
	}
	one, err := wallet.New()
	other, again := wallet.New()
	if err != nil || again != nil || one.Address() == other.Address() {
		t.Error("fresh keys are the same")
	}
}
