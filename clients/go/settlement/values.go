// Package settlement is Earnest's protocol for outsiders. It recomputes an order's values and builds the calls and typed data
// that wallets send and sign. It makes no requests.
package settlement

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/earnest-market/earnest-go/internal/canonical"
	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Address is the address of an account or a contract.
type Address [20]byte

// Hash is 32 bytes.
type Hash [32]byte

// ParseAddress reads an address. Capitals among its letters have to be those of EIP-55.
func ParseAddress(text string) (Address, error) {
	var address Address
	digits, has := strings.CutPrefix(text, "0x")
	if !has || len(digits) != 40 {
		return address, fmt.Errorf("settlement: %q is no address", text)
	}
	if _, err := hex.Decode(address[:], []byte(digits)); err != nil {
		return address, fmt.Errorf("settlement: %q is no address", text)
	}
	if digits != strings.ToLower(digits) && address.String() != text {
		return Address{}, fmt.Errorf("settlement: the checksum of %s is wrong", text)
	}
	return address, nil
}

// String returns the address with its EIP-55 checksum.
func (a Address) String() string { return keccak.Checksummed(a) }

// MarshalText writes the address with its checksum.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the address.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAddress(string(text))
	return err
}

// ParseHash reads 0x and 64 hexadecimal digits.
func ParseHash(text string) (Hash, error) {
	var hash Hash
	digits, has := strings.CutPrefix(text, "0x")
	if !has || len(digits) != 64 {
		return hash, fmt.Errorf("settlement: %q is no hash", text)
	}
	if _, err := hex.Decode(hash[:], []byte(digits)); err != nil {
		return hash, fmt.Errorf("settlement: %q is no hash", text)
	}
	return hash, nil
}

// String returns the hash in lower case.
func (h Hash) String() string { return "0x" + hex.EncodeToString(h[:]) }

// MarshalText writes the hash in lower case.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the hash.
func (h *Hash) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHash(string(text))
	return err
}

// DigestOf returns the SHA-256 of the canonical JSON (RFC 8785) of a JSON text. It names agreements, schemas, inputs and
// outputs.
func DigestOf(text []byte) (Hash, error) {
	value, err := canonical.Parse(text)
	if err != nil {
		return Hash{}, fmt.Errorf("settlement: %w", err)
	}
	written, err := canonical.Bytes(value)
	if err != nil {
		return Hash{}, fmt.Errorf("settlement: %w", err)
	}
	return sha256.Sum256(written), nil
}

// HashOfText returns the SHA-256 of a reason or a ruling, which names the text on the chain.
func HashOfText(text string) Hash { return sha256.Sum256([]byte(text)) }

// word is a value of 32 bytes, as contracts use it.
func word(value any) []byte {
	padded := make([]byte, 32)
	switch value := value.(type) {
	case Address:
		copy(padded[12:], value[:])
	case Hash:
		copy(padded, value[:])
	case *big.Int:
		value.FillBytes(padded)
	case bool:
		if value {
			padded[31] = 1
		}
	case uint64:
		new(big.Int).SetUint64(value).FillBytes(padded)
	default:
		panic(fmt.Sprintf("settlement: no word for a %T", value))
	}
	return padded
}

// requireUint256 refuses a number that does not fit 256 bits without a sign.
func requireUint256(numbers ...*big.Int) error {
	for _, number := range numbers {
		if number == nil || number.Sign() < 0 || number.BitLen() > 256 {
			return fmt.Errorf("settlement: %v does not fit 256 bits without a sign", number)
		}
	}
	return nil
}

// AddressOfKey returns the account of a public key of secp256k1, given as the 64 bytes of its point.
func AddressOfKey(point []byte) Address {
	sum := keccak.Sum256(point)
	return Address(sum[12:])
}
