package earnest

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// RecoverFunc returns the account whose key made a signature of 65 bytes. wallet.Recover is one.
type RecoverFunc func(hash [32]byte, signature []byte) (settlement.Address, error)

// verify returns a signature of the buyer in the contract's form.
func (h *providerSession) verify(data settlement.TypedData, signature []byte) ([]byte, error) {
	hash, err := data.Digest()
	if err != nil {
		return nil, err
	}
	normal := slices.Clone(signature)
	if normal[64] < 27 {
		normal[64] += 27
	}
	signer, err := h.recover(hash, normal)
	if err == nil && signer == h.agreed.Terms.Buyer && hasLowS(normal) {
		return normal, nil
	}
	message := fmt.Sprintf("This is not signed by the key of %s. A contract wallet cannot be the buyer of a session.", h.agreed.Terms.Buyer)
	return nil, &refusedCall{code: sessions.WrongSignature, message: message}
}

// halfOrder is half of the curve's order. The contract refuses an s above it (EIP-2).
var halfOrder, _ = new(big.Int).SetString("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", 16)

func hasLowS(signature []byte) bool {
	return new(big.Int).SetBytes(signature[32:64]).Cmp(halfOrder) <= 0
}
