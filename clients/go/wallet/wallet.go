// Package wallet signs with a private key of secp256k1. It is a separate module, so programs that only read or sign elsewhere
// do not need its dependencies.
package wallet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/settlement"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// Key is an earnest.Signer with its private key in memory.
type Key struct {
	private *secp256k1.PrivateKey
	address settlement.Address
}

var _ earnest.Signer = (*Key)(nil)

// FromHex reads a private key: 64 hexadecimal digits, with 0x or without. The error does not repeat it.
func FromHex(text string) (*Key, error) {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || len(bytes) != 32 {
		return nil, errors.New("wallet: a private key is 32 bytes in hexadecimal digits")
	}
	return fromBytes(bytes)
}

// New makes a random key.
func New() (*Key, error) {
	private, err := secp256k1.GeneratePrivateKeyFromRand(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("wallet: %w", err)
	}
	return fromBytes(private.Serialize())
}

func fromBytes(bytes []byte) (*Key, error) {
	var scalar secp256k1.ModNScalar
	if tooBig := scalar.SetByteSlice(bytes); tooBig || scalar.IsZero() {
		return nil, errors.New("wallet: this number is no private key of secp256k1")
	}
	private := secp256k1.NewPrivateKey(&scalar)
	return &Key{private: private, address: addressOf(private.PubKey())}, nil
}

// Address returns the account's address with its EIP-55 checksum.
func (k *Key) Address() string { return k.address.String() }

// SignHash signs 32 bytes (RFC 6979, with the low s): r, s and v, which is 27 or 28.
func (k *Key) SignHash(_ context.Context, hash [32]byte) ([]byte, error) {
	compact := ecdsa.SignCompact(k.private, hash[:], false)
	return append(compact[1:], compact[0]), nil
}

// String hides the private key.
func (k *Key) String() string { return "wallet " + k.Address() }

// GoString hides the private key.
func (k *Key) GoString() string { return k.String() }

// Recover returns the account whose key made a signature of 65 bytes.
func Recover(hash [32]byte, signature []byte) (settlement.Address, error) {
	if len(signature) != 65 {
		return settlement.Address{}, errors.New("wallet: a key's signature has 65 bytes")
	}
	compact := append([]byte{signature[64]}, signature[:64]...)
	public, _, err := ecdsa.RecoverCompact(compact, hash[:])
	if err != nil {
		return settlement.Address{}, fmt.Errorf("wallet: %w", err)
	}
	return addressOf(public), nil
}

func addressOf(public *secp256k1.PublicKey) settlement.Address {
	return settlement.AddressOfKey(public.SerializeUncompressed()[1:])
}
