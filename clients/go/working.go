package earnest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job is an order whose work is to be done.
type Job[In any] struct {
	Input In
	Order *Order
	// The delivery deadline: from then on the buyer may take the money back. The handler's context ends then.
	DeliverBy time.Time
	// 1 for the first call of this run.
	Attempt int
	// The order was begun before, by a run that did not deliver: some of the work may be done.
	IsRetry bool
	// Changes are the changes that the buyer requested; empty without a request.
	Changes string
	// Why the call before was not enough: its error, or the refusal of its output (ErrorCodeOutputSchemaViolation).
	LastError error
}

// ErrDeclined is what a handler returns for an order that it will not do: the wallet signs that the money goes back to the
// buyer.
var ErrDeclined = errors.New("earnest: the order is declined")

// Handler does the work of an order and returns its output. Its context ends at the order's delivery deadline. An error leaves
// the order as it is, to be tried again later; ErrDeclined gives the money back.
type Handler func(ctx context.Context, job Job[JSON]) (output any, err error)

// Handle is a Handler that reads the input into a type.
func Handle[In, Out any](work func(context.Context, Job[In]) (Out, error)) Handler {
	return func(ctx context.Context, raw Job[JSON]) (any, error) {
		job := Job[In]{
			Order: raw.Order, DeliverBy: raw.DeliverBy, Attempt: raw.Attempt, IsRetry: raw.IsRetry, Changes: raw.Changes,
			LastError: raw.LastError,
		}
		if raw.Input != nil {
			if err := raw.Input.Decode(&job.Input); err != nil {
				return nil, fmt.Errorf("earnest: the input of %s: %w", raw.Order.ID, err)
			}
		}
		return work(ctx, job)
	}
}

// do does what an order waits for, and tells what became of it.
func (s *server) do(ctx context.Context, id string, handler Handler) {
	order, err := s.work(ctx, id, handler)
	s.leave(id, err)
	if err != nil {
		s.options.Logger.WarnContext(ctx, "earnest: an order was not delivered", "order", id, "error", err)
	} else {
		s.options.Logger.InfoContext(ctx, "earnest: an order was delivered", "order", id)
	}
	if s.options.OnDone != nil {
		s.options.OnDone(order, err)
	}
}

// work starts an order, has it done, delivers and records. The order's own status says what is left to do, so a run after a
// crash goes on where the one before was ended.
func (s *server) work(ctx context.Context, id string, handler Handler) (order *Order, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("earnest: the handler of %s panicked: %v", id, problem)
		}
	}()
	// Listed orders have no payloads, and may be older than they look.
	order, err = s.client.Orders.Get(ctx, id, s.opts...)
	if err != nil {
		return nil, err
	}
	switch order.Status {
	case OrderStatusDelivered:
		// Only the delivery record is missing.
		return s.deliver(ctx, order, order.OutputPayload)
	case OrderStatusFunded, OrderStatusStarted:
	default:
		return order, nil
	}
	if err := s.check(ctx, order); err != nil {
		return order, err
	}
	isBegun := order.Status == OrderStatusStarted
	if !isBegun {
		if order, err = s.client.Orders.Start(ctx, id, s.opts...); err != nil {
			return nil, err
		}
	}
	changes, err := s.changesOf(ctx, id)
	if err != nil {
		return order, err
	}
	attempt, last := s.attemptOf(id)
	deliverBy := deadlineOf(order)
	bounded, cancel := context.WithDeadline(ctx, deliverBy)
	defer cancel()
	output, err := handler(bounded, Job[JSON]{
		Input: order.InputPayload, Order: order, DeliverBy: deliverBy, Attempt: attempt, Changes: changes, LastError: last,
		IsRetry: isBegun && attempt == 1 && changes == "",
	})
	if errors.Is(err, ErrDeclined) {
		return s.decline(ctx, order)
	}
	if err != nil {
		return order, err
	}
	return s.deliver(ctx, order, output)
}

func (s *server) deliver(ctx context.Context, order *Order, output any) (*Order, error) {
	delivered, err := s.client.Deliver(ctx, order.ID, output, s.options.Wallet, s.opts...)
	if delivered == nil {
		delivered = order
	}
	return delivered, err
}

// check refuses work that is not this provider's, or that no money of the chain waits for.
func (s *server) check(ctx context.Context, order *Order) error {
	agreed, err := s.client.readAgreed(ctx, order, s.opts)
	if err != nil {
		return err
	}
	input, err := digestOf(order.InputPayload)
	if err != nil {
		return err
	}
	compare := comparison{orderID: order.ID}
	compare.same("order.input_payload", agreed.document["input_digest"], input)
	compare.address("agreement.provider", s.options.Wallet.Address(), agreed.Terms.Provider)
	if compare.err != nil || s.known.node == nil {
		return compare.err
	}
	if _, err := agreed.compareKnown(ctx, s.known); err != nil {
		return err
	}
	has, err := agreed.hasEscrow(ctx, s.known.node)
	if err == nil && !has {
		err = &NotAsAgreedError{OrderID: order.ID, Field: "order.escrow.status", Expected: "an escrow on the chain", Found: "none"}
	}
	return err
}

// changesOf is what the buyer asked to have changed.
func (s *server) changesOf(ctx context.Context, id string) (changes string, err error) {
	for entry, err := range s.client.Orders.ListTrail(ctx, id, OrdersListTrailQuery{}, s.opts...).All() {
		if err != nil {
			return "", err
		}
		if entry.Type != "order.revision_requested" {
			continue
		}
		var data struct{ Reason string }
		if err := entry.Data.Decode(&data); err != nil {
			return "", err
		}
		changes = data.Reason
	}
	return changes, nil
}

// decline gives the money back.
func (s *server) decline(ctx context.Context, order *Order) (*Order, error) {
	given, err := s.client.Orders.GetRefundToSign(ctx, order.ID, s.opts...)
	if err != nil {
		return order, err
	}
	signature, deadline, err := s.client.signAct(ctx, order, given.TypedData, s.options.Wallet, s.opts, refundData)
	if err != nil {
		return order, err
	}
	_, err = s.client.Orders.Refund(ctx, order.ID, SignedActRequest{Signature: signature, Deadline: deadline}, s.opts...)
	return order, err
}

// deadlineOf is until when an order's work is of use; a day where the order does not say.
func deadlineOf(order *Order) time.Time {
	if order.DeliveryDeadline == nil {
		return time.Now().Add(24 * time.Hour)
	}
	return *order.DeliveryDeadline
}
