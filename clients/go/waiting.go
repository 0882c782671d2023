package earnest

import (
	"context"
	"fmt"
	"time"
)

// OrderEndedError says that an order had another end than the expected one.
type OrderEndedError struct {
	OrderID string
	Status  OrderStatus
	Awaited OrderStatus
}

func (e *OrderEndedError) Error() string {
	return fmt.Sprintf("earnest: %s is %s, and will not be %s", e.OrderID, e.Status, e.Awaited)
}

// Delivery is a provider's delivery.
type Delivery struct {
	Output JSON
	// OutputHash is the SHA-256 of the output's canonical JSON, as in the order's trail.
	OutputHash string
	// Note is empty if the provider wrote none.
	Note string
	// Units are what a metered order is charged for; nil for other orders.
	Units *int64
	// Charge is the price of the Units in the order's token, which Accept pays; empty for other orders.
	Charge Amount
	// Stage is the number of the delivered stage, from 1, which waits for the buyer; 0 for other orders.
	Stage int64
	Order *Order
}

// AwaitDelivery waits for an order's delivery, and compares the output with its hash in the trail. The charge of a
// metered order is compared with the agreement. A refunded order is an *OrderEndedError.
func (c *Client) AwaitDelivery(ctx context.Context, orderID string, options SettleOptions, opts ...Option) (*Delivery, error) {
	order, err := c.waitFor(ctx, orderID, options.Poll, opts, func(now *Order) (bool, error) {
		switch now.Status {
		case OrderStatusRefunded, OrderStatusExpired:
			return false, &OrderEndedError{OrderID: orderID, Status: now.Status, Awaited: OrderStatusDelivered}
		case OrderStatusDisputed:
			return now.DeliveredAt != nil, nil
		}
		return now.Status == OrderStatusDelivered || now.Status == OrderStatusReleased, nil
	})
	if err != nil {
		return nil, err
	}
	var latest struct {
		OutputHash string `json:"output_hash"`
		Note       string `json:"note"`
	}
	for entry, err := range c.Orders.ListTrail(ctx, orderID, OrdersListTrailQuery{}, opts...).All() {
		if err == nil && entry.Type == string(EventTypeOrderDelivered) {
			latest.Note = ""
			err = entry.Data.Decode(&latest)
		}
		if err != nil {
			return nil, err
		}
	}
	hash, err := outputHash(order)
	if err != nil {
		return nil, err
	}
	compare := comparison{orderID: orderID}
	compare.same("order.output_payload", latest.OutputHash, hash)
	if compare.err != nil {
		return nil, compare.err
	}
	delivery := &Delivery{Output: order.OutputPayload, OutputHash: latest.OutputHash, Note: latest.Note, Order: order}
	if err := c.addParts(ctx, delivery, opts); err != nil {
		return nil, err
	}
	return delivery, nil
}

// addParts adds the delivered stage, or the charge of a metered order, which is computed from the agreement.
func (c *Client) addParts(ctx context.Context, delivery *Delivery, opts []Option) error {
	agreed, err := c.readAgreed(ctx, delivery.Order, opts)
	if err != nil {
		return err
	}
	stage, err := agreed.waitingStage(delivery.Order)
	if err != nil {
		return err
	}
	if stage != nil {
		delivery.Stage = stage.number
	}
	charge, err := agreed.charge(delivery.Order)
	if charge == nil || err != nil {
		return err
	}
	decimals, err := agreed.decimals()
	if err != nil {
		return err
	}
	delivery.Units = &charge.units
	delivery.Charge, err = AmountOf(charge.amount, decimals)
	return err
}

// waitFor reads an order until a check accepts it, and continues through outages. It ends with a permanent error of the check.
func (c *Client) waitFor(
	ctx context.Context, orderID string, poll time.Duration, opts []Option, check func(*Order) (bool, error),
) (*Order, error) {
	var last *Order
	for {
		order, err := c.Orders.Get(ctx, orderID, opts...)
		if err == nil {
			last = order
			var isDone bool
			if isDone, err = check(order); isDone && err == nil {
				return order, nil
			}
		}
		if err != nil && (!isTemporary(err) || ctx.Err() != nil) {
			return last, err
		}
		pauseUntil(ctx, pollOf(poll))
		if ctx.Err() != nil {
			return last, ctx.Err()
		}
	}
}

func pollOf(poll time.Duration) time.Duration {
	if poll <= 0 {
		return time.Second
	}
	return poll
}
