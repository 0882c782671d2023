// Package receipts verifies the documents that an Earnest service signs: settlement documents, x402 receipts and offers,
// agents' records, the list of revoked receipts and the key log. It reads only the service's public keys and, on request,
// the chain. A valid signature proves that the issuer signed the document. Only the chain proves that money moved.
package receipts

import (
	"errors"
	"fmt"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// Code says why something is refused. The codes are stable; docs/receipts.md of the service has all of them.
type Code string

// The codes.
const (
	InvalidIssuer             Code = "invalid_issuer"
	Malformed                 Code = "malformed"
	TooLarge                  Code = "too_large"
	DuplicateMember           Code = "duplicate_member"
	InvalidNumber             Code = "invalid_number"
	WrongKind                 Code = "wrong_kind"
	InvalidShape              Code = "invalid_shape"
	InvalidEncoding           Code = "invalid_encoding"
	MissingProof              Code = "missing_proof"
	InvalidProof              Code = "invalid_proof"
	UnsupportedCryptosuite    Code = "unsupported_cryptosuite"
	WrongProofPurpose         Code = "wrong_proof_purpose"
	UnsupportedAlgorithm      Code = "unsupported_algorithm"
	UnsupportedCriticalHeader Code = "unsupported_critical_header"
	ForeignIssuer             Code = "foreign_issuer"
	ForeignKey                Code = "foreign_key"
	ForeignResource           Code = "foreign_resource"
	KeysUnavailable           Code = "keys_unavailable"
	InvalidKeyDocument        Code = "invalid_key_document"
	UnknownKey                Code = "unknown_key"
	KeyNotYetValid            Code = "key_not_yet_valid"
	KeyRetired                Code = "key_retired"
	KeyCompromised            Code = "key_compromised"
	InvalidSignature          Code = "invalid_signature"
	IssuedInFuture            Code = "issued_in_future"
	OfferExpired              Code = "offer_expired"
	StatementExpired          Code = "statement_expired"
	UnexpectedValue           Code = "unexpected_value"
	ReceiptRevoked            Code = "receipt_revoked"
	StatusNotAsked            Code = "status_not_asked"
	StatusNotPublished        Code = "status_not_published"
	StatusUnavailable         Code = "status_unavailable"
	StatusInvalid             Code = "status_invalid"
	StatusExpired             Code = "status_expired"
	KeyLogUnavailable         Code = "key_log_unavailable"
	KeyLogBroken              Code = "key_log_broken"
	KeyLogForeignSigner       Code = "key_log_foreign_signer"
	KeyLogBadChange           Code = "key_log_bad_change"
	KeyLogDiffers             Code = "key_log_differs"
	KeyLogRewritten           Code = "key_log_rewritten"
	WrongChain                Code = "wrong_chain"
	ChainUnreachable          Code = "chain_unreachable"
	TransactionNotFound       Code = "transaction_not_found"
	TransactionReverted       Code = "transaction_reverted"
	BlockMismatch             Code = "block_mismatch"
	LogNotFound               Code = "log_not_found"
	ContractMismatch          Code = "contract_mismatch"
	EventMismatch             Code = "event_mismatch"
	EscrowMismatch            Code = "escrow_mismatch"
	AgreementMismatch         Code = "agreement_mismatch"
	PartyMismatch             Code = "party_mismatch"
	TokenMismatch             Code = "token_mismatch"
	AmountMismatch            Code = "amount_mismatch"
	TermsMismatch             Code = "terms_mismatch"
	TooFewConfirmations       Code = "too_few_confirmations"
)

// Error lets errors.Is compare with a code.
func (c Code) Error() string { return string(c) }

// Error is a refusal: errors.Is(err, receipts.InvalidSignature).
type Error struct {
	Code Code
	// Message says what is wrong and where.
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("receipts: %s: %s", e.Code, e.Message) }

// Is reports whether the target is this refusal's code.
func (e *Error) Is(target error) bool {
	code, isCode := target.(Code)
	return isCode && code == e.Code
}

func refuse(code Code, format string, values ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

// codeOf returns the code and the message of a refusal. Any other error is malformed.
func codeOf(err error) (Code, string) {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Code, refusal.Message
	}
	return Malformed, err.Error()
}

// parseJSON reads signed JSON. Its errors are refusals.
func parseJSON(text []byte) (any, error) {
	value, err := canonical.ParseWhole(text)
	var number *canonical.NumberError
	var duplicate *canonical.DuplicateError
	switch {
	case err == nil:
		return value, nil
	case errors.As(err, &number):
		return nil, refuse(InvalidNumber, "%v", err)
	case errors.As(err, &duplicate):
		return nil, refuse(DuplicateMember, "%v", err)
	default:
		return nil, refuse(Malformed, "%v", err)
	}
}
