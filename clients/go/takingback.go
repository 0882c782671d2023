package earnest

import (
	"context"
	"errors"
	"time"
)

// TakeBackOptions say who takes the money back.
type TakeBackOptions struct {
	// Sender sends the call, as wallet.Sender, at its own cost. Without it, TakeBack waits for the service's call.
	Sender Sender
	// Node returns the chain's time, and checks that the contract is the escrow's. A Sender needs it.
	Node Node
	// Market has facts that you know without the service.
	Market *Market
	// The interval between two reads of the order. Default: a second.
	Poll time.Duration
}

// TakeBack reclaims an order's money for its buyer after the delivery deadline if no delivery is recorded. The Sender sends
// the call. Without one, it waits for the service, which sends the call automatically. The provider may refund at any time.
// The error is an *OrderEndedError if the order ends otherwise.
func (c *Client) TakeBack(ctx context.Context, orderID string, options TakeBackOptions, opts ...Option) (*Order, error) {
	if options.Sender != nil && options.Node == nil {
		return nil, errors.New("earnest: a Sender needs a Node, which says when the time is over")
	}
	isTried := options.Sender == nil
	return c.waitFor(ctx, orderID, options.Poll, opts, func(now *Order) (bool, error) {
		switch now.Status {
		case OrderStatusRefunded:
			return true, nil
		case OrderStatusReleased, OrderStatusExpired:
			return false, &OrderEndedError{OrderID: orderID, Status: now.Status, Awaited: OrderStatusRefunded}
		}
		if isTried {
			return false, nil
		}
		isTried = true
		return false, c.takeBack(ctx, now, options, opts)
	})
}

// takeBack sends the call once its time has come.
func (c *Client) takeBack(ctx context.Context, order *Order, options TakeBackOptions, opts []Option) error {
	agreed, err := c.readAgreed(ctx, order, opts)
	if err != nil {
		return err
	}
	known, err := knownOf(joinNodes(options.Node, nil), options.Market, nil).on(ctx, agreed.ChainID)
	if err != nil {
		return err
	}
	if _, err := agreed.compareKnown(ctx, known); err != nil {
		return err
	}
	now, err := nowOf(ctx, options.Node)
	if err != nil || order.DeliveryDeadline == nil || !now.After(*order.DeliveryDeadline) {
		return err
	}
	err = agreed.sendCall(ctx, options.Sender, options.Node, options.Poll, agreed.RefundCall())
	if err == nil {
		return nil
	}
	// A call from before a crash, or of somebody else, may be mined by now.
	if status, problem := agreed.escrowStatus(ctx, options.Node); problem == nil && status >= firstEnd {
		return nil
	}
	return err
}
