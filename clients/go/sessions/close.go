package sessions

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
)

// CloseRequest is the buyer's signed wish to close: the base units of all calls, the signature's deadline in unix seconds, and
// the signature of Escrow.Close.
type CloseRequest struct {
	ProviderAmount *big.Int
	Deadline       *big.Int
	Signature      []byte
}

// Header writes the header of a close request.
func (r CloseRequest) Header() string {
	return fmt.Sprintf("%s;%s;0x%x", r.ProviderAmount, r.Deadline, r.Signature)
}

var closeForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,38});([1-9][0-9]{0,15});0x([0-9a-f]{130})$`)

// ErrCloseForm says that a header is no close request.
var ErrCloseForm = errors.New("sessions: the header is not amount;deadline;signature in lower case")

// ReadCloseRequest reads the header of a close request.
func ReadCloseRequest(header string) (CloseRequest, error) {
	found := closeForm.FindStringSubmatch(header)
	if found == nil {
		return CloseRequest{}, ErrCloseForm
	}
	amount, _ := new(big.Int).SetString(found[1], 10)
	deadline, _ := new(big.Int).SetString(found[2], 10)
	signature, err := hex.DecodeString(found[3])
	return CloseRequest{ProviderAmount: amount, Deadline: deadline, Signature: signature}, err
}

// The codes of a refusal. A refused call is not paid for.
const (
	Malformed      = "malformed"
	WrongSignature = "wrong_signature"
	WrongWorkHash  = "wrong_work_hash"
	UnknownSession = "unknown_session"
	WrongAmount    = "wrong_amount"
	BalanceUsed    = "balance_used"
	CallInProgress = "call_in_progress"
	SessionEnded   = "session_ended"
	InputTooLarge  = "input_too_large"
	InputTooSlow   = "input_too_slow"
	HandlerFailed  = "handler_failed"
	Busy           = "busy"
)

// Statuses has the HTTP status of each refusal.
var Statuses = map[string]int{
	Malformed: 400, WrongSignature: 401, BalanceUsed: 402, UnknownSession: 404, InputTooSlow: 408, WrongAmount: 409,
	CallInProgress: 409, SessionEnded: 410, InputTooLarge: 413, WrongWorkHash: 422, Busy: 429, HandlerFailed: 500,
}

// Passes reports whether a refusal ends by itself: the same call is sent again after Retry-After.
func Passes(code string) bool {
	return code == UnknownSession || code == CallInProgress || code == Busy
}
