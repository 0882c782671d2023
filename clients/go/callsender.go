package earnest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// sentCall is a call as it is sent, and sent again.
type sentCall struct {
	amount        *big.Int
	work          settlement.Hash
	header, value string
	kind          string
	body          []byte
}

const (
	longestAttempt           = time.Minute
	firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second
)

// send sends a call until it is answered or refused.
func (s *CallSession) send(ctx context.Context, call sentCall) (*CallAnswer, error) {
	end := time.Now().Add(s.options.Timeout)
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		answer, again, err := s.sendOnce(ctx, call, min(longestAttempt, time.Until(end)))
		if again == nil {
			return answer, err
		}
		if errors.Is(again, errPrivateAddress) {
			return nil, &CallUnansweredError{OrderID: s.agreed.id, Err: again}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if time.Now().Add(wait).After(end) {
			return nil, &CallUnansweredError{OrderID: s.agreed.id, Err: again}
		}
		pauseUntil(ctx, time.Duration((0.5+rand.Float64()/2)*float64(wait)))
	}
}

// sendOnce sends a call once. It returns as again why the same call has to be sent again.
func (s *CallSession) sendOnce(ctx context.Context, call sentCall, within time.Duration) (answer *CallAnswer, again, err error) {
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(bounded, http.MethodPost, s.url, bytes.NewReader(call.body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set(sessions.SessionHeader, s.agreed.ID().String())
	request.Header.Set(call.header, call.value)
	if call.kind != "" {
		request.Header.Set("Content-Type", call.kind)
	}
	response, err := s.options.HTTPClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the endpoint cannot be reached: %w", err), nil
	}
	defer func() { _ = response.Body.Close() }()
	output, err := io.ReadAll(io.LimitReader(response.Body, s.options.MaxOutput+1))
	if err != nil {
		return nil, fmt.Errorf("the answer broke off: %w", err), nil
	}
	if int64(len(output)) > s.options.MaxOutput {
		return nil, nil, &UntrustedSessionError{OrderID: s.agreed.id, Reason: fmt.Sprintf("the output has more than %d bytes", s.options.MaxOutput)}
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusAccepted {
		again, err := s.readRefusal(response.StatusCode, output)
		return nil, again, err
	}
	statement := response.Header.Get(sessions.StatementHeader)
	if response.StatusCode == http.StatusOK {
		text := sessions.Statement(s.agreed.ID(), call.amount, call.work, output)
		if sessions.VerifyStatement(s.key, statement, text) != nil {
			return nil, nil, &UntrustedSessionError{OrderID: s.agreed.id, Reason: "the answer is not signed by the session's key"}
		}
	}
	return &CallAnswer{
		Body: output, ContentType: response.Header.Get("Content-Type"), Spent: call.amount, WorkHash: call.work, Statement: statement,
	}, nil, nil
}

// longestMessage is the most bytes of a provider's message in an error.
const longestMessage = 500

// readRefusal reads a refusal. The call is sent again if the refusal ends by itself, or if a proxy answered.
func (s *CallSession) readRefusal(status int, output []byte) (again, err error) {
	var read struct{ Error callRefusal }
	if json.Unmarshal(output, &read) != nil || sessions.Statuses[read.Error.Code] == 0 {
		return fmt.Errorf("the status %d", status), nil
	}
	if sessions.Passes(read.Error.Code) {
		return errors.New(read.Error.Code), nil
	}
	refusal := &CallRefusedError{OrderID: s.agreed.id, Code: read.Error.Code, Status: status, Message: read.Error.Message}
	if len(refusal.Message) > longestMessage {
		refusal.Message = refusal.Message[:longestMessage]
	}
	if newest := read.Error.Newest; newest != nil {
		header := fmt.Sprintf("%s;%s;%s", newest.CumulativeAmount, newest.WorkHash, newest.Signature)
		if voucher, err := sessions.ReadVoucher(header); err == nil {
			refusal.newest = &voucher
		}
	}
	return nil, refusal
}
