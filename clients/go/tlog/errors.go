// Package tlog checks the public log of an Earnest service, which has all receipts, revocations and key changes. It checks
// that an entry is included, that witnesses saw the same tree, and that the log only grew. It reads C2SP's signed notes,
// checkpoints, cosignatures, policies, proofs and tiles. Package receipts checks the signatures of receipts.
package tlog

import (
	"errors"
	"fmt"
	"slices"
)

// Code says why something is refused. The codes are stable; docs/log.md of the service has all of them.
type Code string

// The codes.
const (
	Malformed       Code = "malformed"
	TooLarge        Code = "too_large"
	MalformedKey    Code = "malformed_key"
	UnsupportedKey  Code = "unsupported_key"
	MalformedPolicy Code = "malformed_policy"
	MalformedEntry  Code = "malformed_entry"
	SizeTooLarge    Code = "size_too_large"
	// Errors about the signatures.
	NoTrustedLog     Code = "no_trusted_log"
	UnknownLog       Code = "unknown_log"
	ForeignOrigin    Code = "foreign_origin"
	InvalidSignature Code = "invalid_signature"
	QuorumNotMet     Code = "quorum_not_met"
	// Errors about the hashes.
	NotIncluded     Code = "not_included"
	NotConsistent   Code = "not_consistent"
	WrongTile       Code = "wrong_tile"
	WrongEntries    Code = "wrong_entries"
	TileUnavailable Code = "tile_unavailable"
	// Errors about the issuer's response.
	LogUnavailable Code = "log_unavailable"
	NotLogged      Code = "not_logged"
	NoReceiptID    Code = "no_receipt_id"
	// Errors about the remembered checkpoint.
	Forked     Code = "forked"
	RolledBack Code = "rolled_back"
	OtherEntry Code = "other_entry"
)

// Error lets errors.Is compare with a code.
func (c Code) Error() string { return string(c) }

// Error is a refusal: errors.Is(err, tlog.Forked).
type Error struct {
	Code Code
	// Message says what is wrong and where.
	Message string
	// Evidence has the two signed notes of a log that contradicts itself; otherwise nil.
	Evidence *Evidence
	cause    error
}

// Evidence is two signed notes of one log that contradict each other. They prove the contradiction to anybody.
type Evidence struct{ Remembered, Given string }

func (e *Error) Error() string { return fmt.Sprintf("tlog: %s: %s", e.Code, e.Message) }

// Is reports whether the target is this refusal's code.
func (e *Error) Is(target error) bool {
	code, isCode := target.(Code)
	return isCode && code == e.Code
}

// Unwrap returns the error of the network, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Outcome is the meaning of a refusal for the log.
type Outcome string

// The outcomes.
const (
	// The statements of the log contradict each other.
	Contradicted Outcome = "contradicted"
	// The issuer says that its log does not have the receipt, or does not have it yet.
	Absent Outcome = "absent"
	// Unknown: nothing is known about the log.
	Unknown Outcome = "unknown"
)

var unknown = []Code{LogUnavailable, TileUnavailable, NoReceiptID, MalformedKey, MalformedPolicy, NoTrustedLog, UnsupportedKey}

// Outcome returns the meaning of a refusal of LookUpReceipt for the log.
func (e *Error) Outcome() Outcome {
	switch {
	case e.Code == NotLogged:
		return Absent
	case slices.Contains(unknown, e.Code):
		return Unknown
	default:
		return Contradicted
	}
}

func refuse(code Code, format string, values ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, values...)}
}

// unavailable returns a refusal that the network caused. A refusal is returned unchanged.
func unavailable(code Code, place string, err error) error {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return &Error{Code: code, Message: fmt.Sprintf("%s: %v", place, err), cause: err}
}
