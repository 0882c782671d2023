package earnest

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// CallRefusedError says that the provider refused a call. The call is not charged: the next call uses the same amount.
type CallRefusedError struct {
	OrderID string
	// Code is one of the codes of the package sessions.
	Code    string
	Status  int
	Message string
	newest  *sessions.Voucher
}

func (e *CallRefusedError) Error() string {
	return fmt.Sprintf("earnest: %s: %s (%s)", e.OrderID, e.Message, e.Code)
}

// CallUnansweredError says that no answer came in time. The next call asks for this call's answer first, so nothing is paid twice.
type CallUnansweredError struct {
	OrderID string
	Err     error
}

func (e *CallUnansweredError) Error() string {
	return fmt.Sprintf("earnest: %s: the call has no answer yet: %v; the next call asks for it first", e.OrderID, e.Err)
}

func (e *CallUnansweredError) Unwrap() error { return e.Err }

// UntrustedSessionError says that the provider broke the rules of a session. No more calls are signed. At most one call is lost.
type UntrustedSessionError struct {
	OrderID string
	Reason  string
}

func (e *UntrustedSessionError) Error() string {
	return fmt.Sprintf("earnest: %s: %s; no more calls are signed, so close the session", e.OrderID, e.Reason)
}

// ErrBalanceUsed says that the balance pays no more calls. Open a further session, or give TopUps.
var ErrBalanceUsed = errors.New("earnest: the balance pays no more calls")

// call signs the next voucher, keeps it, and sends the call.
func (s *CallSession) call(ctx context.Context, body []byte, kind string) (*CallAnswer, error) {
	if s.state.Stopped != "" {
		return nil, &UntrustedSessionError{OrderID: s.agreed.id, Reason: s.state.Stopped}
	}
	if !s.paysOneMore() {
		if err := s.topUp(ctx); err != nil {
			return nil, err
		}
	}
	amount := new(big.Int).Add(s.spent(), s.price)
	work := sessions.WorkHash(s.agreed.ID(), amount, body)
	signature, err := s.sign(ctx, s.agreed.Voucher(amount, work))
	if err != nil {
		return nil, err
	}
	voucher := sessions.Voucher{CumulativeAmount: amount, WorkHash: work, Signature: signature}
	next := s.state
	next.Pending = &pendingCall{Amount: amount.String(), Work: work, Voucher: voucher.Header(), Input: body, Type: kind}
	if err := s.keep(next); err != nil {
		return nil, err
	}
	return s.finish(ctx)
}

// finishPending gets the answer of a call that an earlier run, or an earlier try, did not get.
func (s *CallSession) finishPending(ctx context.Context) (input []byte, answer *CallAnswer, err error) {
	pending := s.state.Pending
	if pending == nil {
		return nil, nil, nil
	}
	answer, err = s.finish(ctx)
	var refusal *CallRefusedError
	if errors.As(err, &refusal) {
		return nil, nil, nil
	}
	return pending.Input, answer, err
}

// finish sends the pending call until its answer is known.
func (s *CallSession) finish(ctx context.Context) (*CallAnswer, error) {
	pending := s.state.Pending
	amount, isAmount := new(big.Int).SetString(pending.Amount, 10)
	if !isAmount {
		return nil, fmt.Errorf("earnest: %s is damaged: it has the amount %q", s.options.File, pending.Amount)
	}
	sent := sentCall{
		amount: amount, work: pending.Work, header: sessions.VoucherHeader, value: pending.Voucher, kind: pending.Type, body: pending.Input,
	}
	answer, err := s.send(ctx, sent)
	var untrusted *UntrustedSessionError
	var refusal *CallRefusedError
	switch {
	case err == nil:
		return answer, s.keep(s.answered(pending, ""))
	case errors.As(err, &untrusted):
		// The provider has the voucher, so its amount counts as spent.
		return nil, errors.Join(err, s.keep(s.answered(pending, untrusted.Reason)))
	case errors.As(err, &refusal) && refusal.Code == sessions.WrongAmount:
		return s.resume(ctx, pending, amount, refusal.newest)
	case errors.As(err, &refusal):
		// The amount is kept, even if it is 0: after a restart it shows that the file was not lost. The provider then cannot
		// present the refused voucher as that of an answered call.
		next := s.state
		next.Pending, next.Amount = nil, s.spent().String()
		return nil, errors.Join(err, s.keep(next))
	}
	return nil, err
}

// answered is the state after a call of which the provider has the voucher.
func (s *CallSession) answered(call *pendingCall, stopped string) sessionState {
	next := s.state
	next.Amount, next.Work, next.Voucher, next.Pending, next.Stopped = call.Amount, &call.Work, call.Voucher, nil, stopped
	return next
}

// resume continues after a lost file by the newest voucher, which only the buyer can have signed.
func (s *CallSession) resume(ctx context.Context, pending *pendingCall, amount *big.Int, newest *sessions.Voucher) (*CallAnswer, error) {
	if s.isFresh && newest != nil && newest.WorkHash != pending.Work && newest.CumulativeAmount.Cmp(amount) >= 0 {
		isOwn, err := s.isOwn(ctx, newest)
		if err != nil {
			return nil, err
		}
		if isOwn {
			known := &pendingCall{Amount: newest.CumulativeAmount.String(), Work: newest.WorkHash, Voucher: newest.Header()}
			if err := s.keep(s.answered(known, "")); err != nil {
				return nil, err
			}
			return s.call(ctx, pending.Input, pending.Type)
		}
	}
	reason := "the provider counts other calls than those that it answered"
	refusal := &UntrustedSessionError{OrderID: s.agreed.id, Reason: reason}
	next := s.answered(pending, reason)
	// The provider answers no repetition of this call.
	next.Voucher, next.Work = "", nil
	return nil, errors.Join(refusal, s.keep(next))
}

// isOwn reports whether the wallet signed a voucher. A plain key signs a text always alike (RFC 6979).
func (s *CallSession) isOwn(ctx context.Context, voucher *sessions.Voucher) (bool, error) {
	signature, err := s.sign(ctx, s.agreed.Voucher(voucher.CumulativeAmount, voucher.WorkHash))
	return err == nil && string(signature) == string(voucher.Signature), err
}

func (s *CallSession) keep(next sessionState) error {
	if err := writeState(s.options.File, next); err != nil {
		return err
	}
	s.isFresh = s.isFresh && next.Pending != nil
	s.state = next
	return nil
}

// CallAnswer is the answer of a call.
type CallAnswer struct {
	// Body is the output, as plain bytes.
	Body        []byte
	ContentType string
	// Spent is the base units that all calls of the session cost so far.
	Spent    *big.Int
	WorkHash settlement.Hash
	// Statement is the provider's signature over amount, call and output, by the session's key.
	Statement string
}

// Decode reads an output of JSON into a pointer.
func (a *CallAnswer) Decode(into any) error { return JSON(a.Body).Decode(into) }
