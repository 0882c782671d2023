package earnest

import (
	"encoding/json"
	"math/big"
	"net/http"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// callReply is an answer of the endpoint.
type callReply struct {
	status    int
	body      []byte
	kind      string
	statement string
}

// refusedCall is the error of a call that the endpoint refuses. The message goes to the buyer.
type refusedCall struct {
	code, message string
	expected      *big.Int
	newest        *sessions.Voucher
	cause         error
}

func (e *refusedCall) Error() string { return e.message }
func (e *refusedCall) Unwrap() error { return e.cause }

// callRefusal is a refusal as the endpoint writes it.
type callRefusal struct {
	Code           string         `json:"code"`
	Message        string         `json:"message"`
	ExpectedAmount string         `json:"expected_amount,omitempty"`
	Newest         *newestVoucher `json:"newest,omitempty"`
}

type newestVoucher struct {
	CumulativeAmount string `json:"cumulative_amount"`
	WorkHash         string `json:"work_hash"`
	Signature        string `json:"signature"`
}

func newestOf(voucher *sessions.Voucher) *newestVoucher {
	if voucher == nil {
		return nil
	}
	return &newestVoucher{voucher.CumulativeAmount.String(), voucher.WorkHash.String(), settlement.SignatureHex(voucher.Signature)}
}

func writeRefusal(w http.ResponseWriter, refusal *refusedCall) {
	written := callRefusal{Code: refusal.code, Message: refusal.message, Newest: newestOf(refusal.newest)}
	if refusal.expected != nil {
		written.ExpectedAmount = refusal.expected.String()
	}
	body, _ := json.Marshal(map[string]callRefusal{"error": written})
	w.Header().Set("Content-Type", "application/json")
	if sessions.Passes(refusal.code) {
		w.Header().Set("Retry-After", "1")
	}
	if refusal.code == sessions.InputTooLarge || refusal.code == sessions.InputTooSlow {
		// The rest of an input that is refused unread is not waited for.
		w.Header().Set("Connection", "close")
	}
	w.WriteHeader(sessions.Statuses[refusal.code])
	_, _ = w.Write(body)
}
