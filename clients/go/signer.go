package earnest

import (
	"context"
	"encoding/hex"
	"strconv"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Signer signs with the key of an account on the chain. The module wallet beside this one has one for a private key; a
// hardware wallet or a key service has the same two methods.
type Signer interface {
	// Address is the account's, as in 0x and 40 hexadecimal digits, in any case.
	Address() string
	// SignHash signs 32 bytes as they are. A key gives 65 bytes, r, s and v, with v 27 or 28; a contract's wallet what the
	// contract takes.
	SignHash(ctx context.Context, hash [32]byte) ([]byte, error)
}

// personalHash is what a wallet signs of a text (EIP-191, personal_sign).
func personalHash(text string) [32]byte {
	return keccak.Sum256([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(text))), []byte(text))
}

func hexOf(bytes []byte) string {
	return "0x" + hex.EncodeToString(bytes)
}
