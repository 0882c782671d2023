package earnest

import (
	"context"
	"errors"
	"math/big"
	"strconv"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

const (
	// longestTogether is how long a close by both signatures may take before the voucher is sent.
	longestTogether = 2 * time.Minute
	// longestSending is how long a transaction of the Sender is waited for.
	longestSending = 10 * time.Minute
	// leastLeft is the least time until the deadline of a close by both signatures.
	leastLeft = time.Minute
)

// closeStep takes the next step to a session's end. The service sends the buyer's and the provider's signatures, which end the
// session at once. Without the buyer's, the newest voucher goes to the chain, and once its payment is confirmed, the rest goes
// back. The provider never signs that refund before the chain has paid the voucher. If the service refuses the voucher, or has
// not brought it to the chain by payAloneAt, the Sender sends it.
func (s *ServedCalls) closeStep(session *providerSession, payAloneAt time.Time) (hasEnded bool, err error) {
	ctx, agreed := s.ctx, session.agreed
	node, err := s.nodeOn(ctx, agreed)
	if err != nil {
		return false, err
	}
	state, err := readPaidState(ctx, agreed, node)
	if err != nil {
		return false, err
	}
	now, err := nowOf(ctx, node)
	if err != nil {
		return false, err
	}
	newest, request, earned := session.state()
	if owes(state, earned) && !now.Before(payAloneAt) {
		return false, s.payAlone(ctx, node, agreed, newest)
	}
	// Anyone can refund the rest, and the service pays no gas of small balances.
	if state != nil && !owes(state, earned) && now.After(session.endsAt) {
		return true, nil
	}
	order, err := s.client.Orders.Get(ctx, agreed.id, s.opts...)
	if err != nil {
		return false, err
	}
	if isOver(order) || order.Status == OrderStatusExpired {
		// A voucher is forgotten only once the chain shows the end, whatever status the service shows.
		return state == nil || state.isOver(), nil
	}
	if state != nil && state.isOver() {
		return false, nil
	}
	isSent, err := s.closeTogether(ctx, session, request, earned, now)
	if err == nil && !isSent {
		err = s.closeByVoucher(ctx, agreed, newest, earned, state, now)
	}
	var refusal *Error
	if !errors.As(err, &refusal) || isTemporary(err) || node == nil {
		return false, err
	}
	// The step may be on the chain already. Otherwise the service refuses the voucher, and the wallet sends it.
	after, problem := readPaidState(ctx, agreed, node)
	if problem != nil {
		return false, problem
	}
	if owes(after, earned) {
		return false, errors.Join(err, s.payAlone(ctx, node, agreed, newest))
	}
	return false, nil
}

func readPaidState(ctx context.Context, agreed *agreedOrder, node Node) (*escrowState, error) {
	if node == nil {
		return nil, nil
	}
	return agreed.escrowState(ctx, node)
}

// owes reports whether the chain has not paid what the calls cost.
func owes(state *escrowState, earned *big.Int) bool {
	return state != nil && !state.isOver() && state.paid.Cmp(earned) < 0
}

// payAlone sends the newest voucher by the provider's own wallet, which pays the gas.
func (s *ServedCalls) payAlone(ctx context.Context, node Node, agreed *agreedOrder, newest *sessions.Voucher) error {
	if newest == nil || s.options.Sender == nil {
		return nil
	}
	call, err := agreed.VoucherCall(newest.CumulativeAmount, newest.WorkHash, newest.Signature)
	if err != nil {
		return err
	}
	// Two transactions of one wallet at once would use the same nonce.
	s.sending.Lock()
	defer s.sending.Unlock()
	ctx, cancel := context.WithTimeout(ctx, longestSending)
	defer cancel()
	return agreed.sendCall(ctx, s.options.Sender, node, 0, call)
}

// closeTogether ends the session by the signatures of both parties, in one transaction. It reports whether the close is on its way;
// otherwise the voucher pays.
func (s *ServedCalls) closeTogether(
	ctx context.Context, session *providerSession, request *sessions.CloseRequest, earned *big.Int, now time.Time,
) (bool, error) {
	if request == nil || request.ProviderAmount.Cmp(earned) != 0 || earned.Sign() == 0 {
		return false, nil
	}
	session.mutex.Lock()
	isLate := time.Since(session.closedAt) > longestTogether
	session.mutex.Unlock()
	if isLate || request.Deadline.Cmp(big.NewInt(now.Add(leastLeft).Unix())) < 0 {
		return false, nil
	}
	signature, err := signTyped(ctx, s.options.Wallet, session.agreed.Close(earned, request.Deadline))
	if err != nil {
		return false, err
	}
	sent, err := s.client.Orders.Close(ctx, session.agreed.id, CloseRequest{
		ProviderAmount: earned.String(), Deadline: Uint256(request.Deadline.String()),
		BuyerSignature: settlement.SignatureHex(request.Signature), ProviderSignature: signature,
	}, s.opts...)
	var refusal *Error
	if errors.As(err, &refusal) && !isTemporary(err) {
		return false, nil
	}
	return err == nil && sent.Relay.Status != RelayStatusFailed, err
}

func (s *ServedCalls) closeByVoucher(
	ctx context.Context, agreed *agreedOrder, newest *sessions.Voucher, earned *big.Int, state *escrowState, now time.Time,
) error {
	paid, err := s.readPaid(ctx, agreed.id)
	if err != nil {
		return err
	}
	if newest != nil && paid.Cmp(earned) < 0 {
		if state == nil || state.paid.Cmp(earned) < 0 {
			_, err = s.client.Orders.UseVoucher(ctx, agreed.id, VoucherRequest{
				CumulativeAmount: earned.String(), WorkHash: newest.WorkHash.String(), Signature: settlement.SignatureHex(newest.Signature),
			}, s.opts...)
		}
		return err
	}
	// The service's word is not enough: after a refund the voucher is worth nothing.
	if earned.Cmp(agreed.Terms.Amount) == 0 || (state != nil && state.paid.Cmp(earned) < 0) {
		return nil
	}
	deadline := now.Add(usualDeadline).Unix()
	signature, err := signTyped(ctx, s.options.Wallet, agreed.Refund(big.NewInt(deadline)))
	if err != nil {
		return err
	}
	body := SignedActRequest{Signature: signature, Deadline: Uint256(strconv.FormatInt(deadline, 10))}
	_, err = s.client.Orders.Refund(ctx, agreed.id, body, s.opts...)
	return err
}

// readPaid sums what parts have paid, as the chain confirmed it.
func (s *ServedCalls) readPaid(ctx context.Context, orderID string) (*big.Int, error) {
	paid := new(big.Int)
	for entry, err := range s.client.Orders.ListTrail(ctx, orderID, OrdersListTrailQuery{}, s.opts...).All() {
		if err != nil {
			return nil, err
		}
		if entry.Type != string(EventTypeOrderPartReleased) || !entry.Confirmed {
			continue
		}
		var data struct {
			Released BaseUnits `json:"released_so_far_base_units"`
		}
		if err := entry.Data.Decode(&data); err != nil {
			return nil, err
		}
		amount, err := data.Released.Int()
		if err != nil {
			return nil, err
		}
		if amount.Cmp(paid) > 0 {
			paid = amount
		}
	}
	return paid, nil
}
