package earnest

import (
	"context"
	"encoding/hex"
	"strconv"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Signer signs with the key of an account on the chain. The module wallet has one for a private key. A hardware wallet or a key
// service can have the same two methods.
type Signer interface {
	// Address returns the account's address: 0x and 40 hexadecimal digits, in any case of letters.
	Address() string
	// SignHash signs 32 bytes unchanged. A key returns the 65 bytes r, s and v, with v 27 or 28. A contract wallet returns a
	// signature that the contract accepts.
	SignHash(ctx context.Context, hash [32]byte) ([]byte, error)
}

// personalHash returns the hash that a wallet signs for a text (EIP-191, personal_sign).
func personalHash(text string) [32]byte {
	return keccak.Sum256([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(text))), []byte(text))
}

func hexOf(bytes []byte) string {
	return "0x" + hex.EncodeToString(bytes)
}
