package earnest

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job is an order to work on.
type Job[In any] struct {
	Input In
	Order *Order
	// DeliverBy is the delivery deadline. Afterwards the buyer may take the money back. The handler's context ends then.
	DeliverBy time.Time
	// Attempt is 1 for the first call of this run.
	Attempt int
	// IsRetry says that an earlier run started the order and did not deliver. Some of the work may be done.
	IsRetry bool
	// Changes are the changes that the buyer requested; empty without a request.
	Changes string
	// Stage is the stage to work on; nil for an order without stages. Each call of the handler returns the output of one stage.
	Stage *OrderStage
	// LastError is the error of the previous call, or the refusal of its output (ErrorCodeOutputSchemaViolation).
	LastError error
}

// ErrDeclined is the error of a handler that declines an order. The wallet then signs the refund to the buyer.
var ErrDeclined = errors.New("earnest: the order is declined")

// Handler does the work of an order and returns its output; of a metered service, a Metered with the units to charge. Its context ends at the order's delivery deadline. After an error,
// the order is retried later. ErrDeclined refunds the order.
type Handler func(ctx context.Context, job Job[JSON]) (output any, err error)

// Handle returns a Handler that reads the input into a type.
func Handle[In, Out any](work func(context.Context, Job[In]) (Out, error)) Handler {
	return func(ctx context.Context, raw Job[JSON]) (any, error) {
		job := Job[In]{
			Order: raw.Order, DeliverBy: raw.DeliverBy, Attempt: raw.Attempt, IsRetry: raw.IsRetry, Changes: raw.Changes,
			Stage: raw.Stage, LastError: raw.LastError,
		}
		if raw.Input != nil {
			if err := raw.Input.Decode(&job.Input); err != nil {
				return nil, fmt.Errorf("earnest: the input of %s: %w", raw.Order.ID, err)
			}
		}
		return work(ctx, job)
	}
}

// do does the next step of an order, and reports the result.
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

// work starts an order, calls the handler, delivers and records. The order's status says what is left to do, so a run continues
// after a crash.
func (s *server) work(ctx context.Context, id string, handler Handler) (order *Order, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("earnest: the handler of %s panicked: %v", id, problem)
		}
	}()
	// Listed orders have no payloads, and may be out of date.
	order, err = s.client.Orders.Get(ctx, id, s.opts...)
	if err != nil {
		return nil, err
	}
	switch order.Status {
	case OrderStatusDelivered:
		// Only the delivery record is left.
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
	stage := openStage(order)
	changes, err := s.changesOf(ctx, id, stage)
	if err != nil {
		return order, err
	}
	attempt, last := s.attemptOf(id)
	deliverBy := deadlineOf(order)
	bounded, cancel := context.WithDeadline(ctx, deliverBy)
	defer cancel()
	output, err := handler(bounded, Job[JSON]{
		Input: order.InputPayload, Order: order, DeliverBy: deliverBy, Attempt: attempt, Changes: changes, LastError: last, Stage: stage,
		// A later stage begins in a started order.
		IsRetry: isBegun && attempt == 1 && changes == "" && (stage == nil || stage.Number == 1),
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

// check refuses an order that is not this provider's, or that has no money on the chain.
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
	if compare.err != nil {
		return compare.err
	}
	return agreed.requireFunded(ctx, s.options.Wallet, s.known)
}

// requireFunded refuses an order that is not this provider's, or that has no money on the chain. Without a node, the service is
// trusted.
func (a *agreedOrder) requireFunded(ctx context.Context, wallet Signer, k known) error {
	compare := comparison{orderID: a.id}
	compare.address("agreement.provider", wallet.Address(), a.Terms.Provider)
	if compare.err != nil || len(k.nodes) == 0 {
		return compare.err
	}
	there, err := k.on(ctx, a.ChainID)
	if err != nil {
		return err
	}
	if _, err := a.compareKnown(ctx, there); err != nil {
		return err
	}
	has, err := a.hasEscrow(ctx, there.node)
	if err == nil && !has {
		err = &NotAsAgreedError{OrderID: a.id, Field: "order.escrow.status", Expected: "an escrow on the chain", Found: "none"}
	}
	return err
}

// openStage returns the stage to work on; nil for an order without stages.
func openStage(order *Order) *OrderStage {
	for _, stage := range order.Stages {
		if stage.State == StageStateOpen {
			return &stage
		}
	}
	return nil
}

// changesOf returns the changes that the buyer requested, of this stage.
func (s *server) changesOf(ctx context.Context, id string, stage *OrderStage) (changes string, err error) {
	for entry, err := range s.client.Orders.ListTrail(ctx, id, OrdersListTrailQuery{}, s.opts...).All() {
		if err != nil {
			return "", err
		}
		if entry.Type != "order.revision_requested" {
			continue
		}
		var data struct {
			Reason string
			Stage  int64
		}
		if err := entry.Data.Decode(&data); err != nil {
			return "", err
		}
		if stage == nil || data.Stage == stage.Number {
			changes = data.Reason
		}
	}
	return changes, nil
}

// decline refunds the order.
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

// deadlineOf returns the deadline of an order's work; a day ahead if the order has none.
func deadlineOf(order *Order) time.Time {
	if order.DeliveryDeadline == nil {
		return time.Now().Add(24 * time.Hour)
	}
	return *order.DeliveryDeadline
}
