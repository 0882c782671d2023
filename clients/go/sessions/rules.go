// Package sessions has the rules of sessions: what a buyer and a provider sign for each call (docs/sessions.md of the repository).
package sessions

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"

	"github.com/earnest-market/earnest-go/settlement"
)

// The headers of a call and of its answer. The body of each is the input, and the output, as plain bytes.
const (
	SessionHeader   = "Earnest-Session"
	VoucherHeader   = "Earnest-Voucher"
	CloseHeader     = "Earnest-Close"
	StatementHeader = "Earnest-Statement"
)

// Voucher is the buyer's voucher for a call: the base units of all calls so far, the hash of this call, and the signature of
// Escrow.Voucher.
type Voucher struct {
	CumulativeAmount *big.Int
	WorkHash         settlement.Hash
	Signature        []byte
}

// Header writes the header of a voucher.
func (v Voucher) Header() string {
	return fmt.Sprintf("%s;0x%x;0x%x", v.CumulativeAmount, v.WorkHash[:], v.Signature)
}

var voucherForm = regexp.MustCompile(`^([1-9][0-9]{0,38});0x([0-9a-f]{64});0x([0-9a-f]{130})$`)

// ErrVoucherForm says that a header is no voucher.
var ErrVoucherForm = errors.New("sessions: the header is not amount;work hash;signature in lower case")

// ReadVoucher reads the header of a voucher.
func ReadVoucher(header string) (Voucher, error) {
	found := voucherForm.FindStringSubmatch(header)
	if found == nil {
		return Voucher{}, ErrVoucherForm
	}
	amount, _ := new(big.Int).SetString(found[1], 10)
	voucher := Voucher{CumulativeAmount: amount, Signature: make([]byte, 65)}
	_, hashErr := hex.Decode(voucher.WorkHash[:], []byte(found[2]))
	_, signatureErr := hex.Decode(voucher.Signature, []byte(found[3]))
	return voucher, errors.Join(hashErr, signatureErr)
}

// WorkHash is the hash of a call, which its voucher signs.
func WorkHash(escrowID settlement.Hash, cumulativeAmount *big.Int, input []byte) settlement.Hash {
	text := fmt.Sprintf("earnest-call/1\n0x%x\n%s\n0x%x", escrowID[:], cumulativeAmount, sha256.Sum256(input))
	return sha256.Sum256([]byte(text))
}

// Statement is the text that the session's key signs for an answer (Ed25519).
func Statement(escrowID settlement.Hash, cumulativeAmount *big.Int, work settlement.Hash, output []byte) []byte {
	return fmt.Appendf(nil, "earnest-answer/1\n0x%x\n%s\n0x%x\n0x%x", escrowID[:], cumulativeAmount, work[:], sha256.Sum256(output))
}

// ErrStatement says that an answer is not signed by the session's key.
var ErrStatement = errors.New("sessions: the answer is not signed by the session's key")

// VerifyStatement checks an answer's header by the session's key, as the agreement has it.
func VerifyStatement(sessionKey, header string, statement []byte) error {
	key, err := base64.RawURLEncoding.DecodeString(sessionKey)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return fmt.Errorf("sessions: %q is no session key", sessionKey)
	}
	signature, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil || !ed25519.Verify(key, statement, signature) {
		return ErrStatement
	}
	return nil
}
