package settlement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// build is a contract's compiled code, by its hash. Zeros stand in the places of the immutables.
type build struct {
	length     int
	sha256     string
	immutables []immutable
}

// immutable is a word that the constructor writes into the code, with its places.
type immutable struct {
	name   string
	places []int
}

// CompareCode compares the code of a contract, and that of its deposits, with the escrow's of this build: every byte, and each
// immutable by its value. Anyone can deploy a contract that looks like the escrow; only its code tells. The deposits' code is
// that of DepositImplementation. The error names the difference.
func (e Escrow) CompareCode(code, depositCode []byte) error {
	domain := e.domain()
	separator, err := domain.separator()
	if err != nil {
		return err
	}
	name, version := keccak.Sum256([]byte(domain.Name)), keccak.Sum256([]byte(domain.Version))
	implementation := e.DepositImplementation()
	err = escrowBuild.compare("the escrow "+e.Contract.String(), code, map[string][]byte{
		"DEPOSIT_IMPLEMENTATION": word(implementation), "_cachedThis": word(e.Contract), "_cachedChainId": word(e.ChainID),
		"_cachedDomainSeparator": separator, "_hashedName": name[:], "_hashedVersion": version[:],
		"_name": shortString(domain.Name), "_version": shortString(domain.Version),
	})
	if err != nil {
		return err
	}
	return depositBuild.compare("the deposit implementation "+implementation.String(), depositCode, map[string][]byte{"ESCROW": word(e.Contract)})
}

func (b build) compare(what string, code []byte, values map[string][]byte) error {
	if len(code) != b.length {
		return fmt.Errorf("settlement: %s has %d bytes of code, but this build has %d", what, len(code), b.length)
	}
	plain := bytes.Clone(code)
	for _, one := range b.immutables {
		for _, place := range one.places {
			found := plain[place : place+32]
			if !bytes.Equal(found, values[one.name]) {
				return fmt.Errorf("settlement: %s has %x as %s, expected %x", what, found, one.name, values[one.name])
			}
			clear(found)
		}
	}
	if sum := sha256.Sum256(plain); hex.EncodeToString(sum[:]) != b.sha256 {
		return fmt.Errorf("settlement: the code of %s is not that of this build", what)
	}
	return nil
}

// shortString writes a text as OpenZeppelin's ShortStrings does: its bytes from the left, its length in the last byte.
func shortString(text string) []byte {
	padded := make([]byte, 32)
	copy(padded, text)
	padded[31] = byte(len(text))
	return padded
}
