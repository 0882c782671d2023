// Package keccak has the hash of Ethereum. Its padding is older than that of SHA-3 in the standard library.
package keccak

import (
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/sha3"
)

// Sum256 returns the Keccak-256 of the parts, one after another.
func Sum256(parts ...[]byte) (sum [32]byte) {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	hash.Sum(sum[:0])
	return sum
}

// Checksummed writes an address with the capitals of EIP-55.
func Checksummed(address [20]byte) string {
	digits := hex.EncodeToString(address[:])
	sum := Sum256([]byte(digits))
	hash := hex.EncodeToString(sum[:])
	var text strings.Builder
	text.WriteString("0x")
	for at, digit := range digits {
		if digit >= 'a' && hash[at] >= '8' {
			digit -= 'a' - 'A'
		}
		text.WriteRune(digit)
	}
	return text.String()
}
