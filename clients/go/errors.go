package earnest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a refusal of the service. Code is stable: compare it, as in errors.Is(err, earnest.ErrorCodeNotFound).
type Error struct {
	Status int
	// Code is one of a list that may grow. It is "unknown" if something other than the service answered.
	Code    ErrorCode
	Message string
	// RequestID belongs into reports.
	RequestID string
	// Details has the violations, each with a JSON pointer. It may be empty.
	Details []Violation
	// The wait of the header Retry-After, at most 366 days; nil without the header.
	RetryAfter *time.Duration
	// IdempotencyKey is the key of the refused write; empty for a read.
	IdempotencyKey string
	// The number of attempts.
	Attempts int
	Header   http.Header
	Body     []byte
}

// Error returns the code with the service's sentence, the request's id and the first of the details.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s", e.Code, e.Message)
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (%s)", e.RequestID)
	}
	for _, detail := range e.Details[:min(len(e.Details), 5)] {
		fmt.Fprintf(&text, "\n  %s: %s", detail.Path, detail.Message)
	}
	return text.String()
}

// Is reports whether the target is this refusal's code.
func (e *Error) Is(target error) bool {
	code, isCode := target.(ErrorCode)
	return isCode && code == e.Code
}

// Error lets errors.Is compare with a code.
func (c ErrorCode) Error() string { return string(c) }

// PaymentRequired returns x402's document of the payment if the status is 402; otherwise nil.
func (e *Error) PaymentRequired() *PaymentRequired {
	var body map[string]json.RawMessage
	if e.Status != http.StatusPaymentRequired || json.Unmarshal(e.Body, &body) != nil {
		return nil
	}
	// The service's error has the name that x402's document uses for its own error.
	delete(body, "error")
	text, err := json.Marshal(body)
	asked := new(PaymentRequired)
	if err != nil || json.Unmarshal(text, asked) != nil || asked.Accepts == nil {
		return nil
	}
	return asked
}

// SpendLimit returns the exceeded limit of the API key if the code is ErrorCodeSpendLimitExceeded; otherwise nil.
func (e *Error) SpendLimit() *PassedLimit {
	var body struct {
		Error struct {
			SpendLimit *PassedLimit `json:"spend_limit"`
		} `json:"error"`
	}
	if e.Code != ErrorCodeSpendLimitExceeded || json.Unmarshal(e.Body, &body) != nil {
		return nil
	}
	return body.Error.SpendLimit
}

// ConnectionError says that no whole response came: the connection failed, the response was cut, or the time was over. The
// service may have done a write. Send the write again with WithIdempotencyKey to learn its result.
type ConnectionError struct {
	Operation      string
	IdempotencyKey string
	// The number of attempts.
	Attempts int
	Err      error

	timeout bool
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("earnest: %s: no whole answer came: %v", e.Operation, e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// Timeout reports whether a try took longer than WithTimeout allows.
func (e *ConnectionError) Timeout() bool { return e.timeout }

// AnswerError says that a successful response does not have the operation's shape. The service did the write.
type AnswerError struct {
	Operation      string
	RequestID      string
	IdempotencyKey string
	Err            error
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("earnest: %s: the answer has another shape than expected (%s): %v", e.Operation, e.RequestID, e.Err)
}

func (e *AnswerError) Unwrap() error { return e.Err }

// refusalOf reads a response whose status is an error.
func refusalOf(response *RawResponse) *Error {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Code      ErrorCode       `json:"code"`
		Message   string          `json:"message"`
		RequestID string          `json:"request_id"`
		Details   json.RawMessage `json:"details"`
	}
	refusal := &Error{
		Status: response.Status, Code: "unknown", Message: fmt.Sprintf("the answer is %d", response.Status),
		RequestID: response.RequestID, IdempotencyKey: response.IdempotencyKey, Attempts: response.Attempts,
		Header: response.Header, Body: response.Body,
	}
	if response.Status == http.StatusPaymentRequired {
		refusal.Code = ErrorCodePaymentRequired
	}
	refusal.RetryAfter = readRetryAfter(response.Header, time.Now())
	// Each part is read alone, so a part of another shape does not hide the others.
	if json.Unmarshal(response.Body, &body) != nil {
		return refusal
	}
	if json.Unmarshal(body.Error, &refusal.Message) == nil {
		return refusal
	}
	if json.Unmarshal(body.Error, &inner) != nil && inner.Code == "" {
		return refusal
	}
	if inner.Code != "" {
		refusal.Code = inner.Code
	}
	if inner.Message != "" {
		refusal.Message = inner.Message
	}
	if inner.RequestID != "" {
		refusal.RequestID = inner.RequestID
	}
	if json.Unmarshal(inner.Details, &refusal.Details) != nil {
		refusal.Details = nil
	}
	return refusal
}

// isTemporary reports whether a failure is temporary: no connection, a rate limit, or an outage.
func isTemporary(err error) bool {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Status == http.StatusTooManyRequests || refusal.Status == http.StatusRequestTimeout || refusal.Status >= 500
	}
	var connection *ConnectionError
	return errors.As(err, &connection)
}
