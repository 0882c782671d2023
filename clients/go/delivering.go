package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/earnest-market/earnest-go/settlement"
)

// Deliver delivers an order's output and records the delivery on the chain by the provider's signature, without gas. The
// signed data is recomputed from the agreement and the output. The output of a metered order is a Metered. It delivers the
// first stage of an order that is not accepted. After a crash, it does the missing steps. A record that the contract refused is
// sent again and returned as a *RelayFailedError.
func (c *Client) Deliver(ctx context.Context, orderID string, output any, wallet Signer, opts ...Option) (*Order, error) {
	rest := withoutKey(opts)
	output, units := unitsOf(output)
	order, err := c.Orders.Get(ctx, orderID, rest...)
	if err != nil {
		return nil, err
	}
	if order.Status == OrderStatusFunded {
		if order, err = c.Orders.Start(ctx, orderID, rest...); err != nil {
			return nil, err
		}
	}
	if order.Status == OrderStatusStarted {
		request := DeliveryRequest{OutputPayload: output}
		if units != nil {
			request.Units = Int(*units)
		}
		delivered, err := c.Orders.Deliver(ctx, orderID, request, opts...)
		if err != nil {
			return nil, err
		}
		order = &delivered.Order
	}
	if err := requireOutput(order, output); err != nil {
		return order, err
	}
	if order.Status != OrderStatusDelivered || order.DeliveryRecord == DeliveryRecordMatched {
		return order, nil
	}
	if units != nil {
		compare := comparison{orderID: orderID}
		if compare.same("order.units", *units, order.Units); compare.err != nil {
			return order, compare.err
		}
	}
	err = c.recordDelivery(ctx, order, output, wallet, rest)
	if errors.Is(err, ErrorCodeConflict) || errors.Is(err, ErrorCodeInvalidState) {
		// The delivery is recorded, the order has ended, or the deadline has passed.
		err = nil
	}
	return order, err
}

// requireOutput refuses another output than the delivered one of an order in stages: that stage waits for the buyer.
func requireOutput(order *Order, output any) error {
	if order.Status != OrderStatusDelivered || order.Stages == nil {
		return nil
	}
	given, err := digestOf(output)
	shown, problem := digestOf(order.OutputPayload)
	compare := comparison{orderID: order.ID, err: errors.Join(err, problem)}
	compare.same("order.output_payload", given, shown)
	return compare.err
}

// recordDelivery signs the delivery record, which the service sends to the chain. The record names only this order's escrow,
// this output and, of a metered order or a stage, this charge.
func (c *Client) recordDelivery(ctx context.Context, order *Order, output any, wallet Signer, opts []Option) error {
	given, err := c.Orders.GetDeliveryRecordToSign(ctx, order.ID, opts...)
	if err != nil {
		return err
	}
	text, err := json.Marshal(output)
	if err != nil {
		return fmt.Errorf("earnest: the output: %w", err)
	}
	hash, err := settlement.DigestOf(text)
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(given.TypedData.Message["number"].String(), 10, 32)
	if err != nil {
		return fmt.Errorf("%w: the record has no number", ErrNotAsAgreed)
	}
	agreed, err := c.readAgreed(ctx, order, opts)
	if err != nil {
		return err
	}
	// The deadline is the service's word for the delivery deadline. A wrong deadline is harmless: the signature is valid for
	// this record alone.
	var deadline Uint256
	if err := json.Unmarshal(given.TypedData.Message["deadline"], &deadline); err != nil {
		return fmt.Errorf("%w: the record has no deadline: %w", ErrNotAsAgreed, err)
	}
	until, err := deadline.Int()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAsAgreed, err)
	}
	data, err := agreed.recordData(order, hash, uint32(number), until)
	if err != nil {
		return err
	}
	if err := data.Matches(given.TypedData); err != nil {
		return fmt.Errorf("%w: %w", ErrNotAsAgreed, err)
	}
	signature, err := signTyped(ctx, wallet, data)
	if err != nil {
		return err
	}
	if _, err = c.Orders.RecordDelivery(ctx, order.ID, DeliveryRecordRequest{Signature: signature}, opts...); err != nil {
		return err
	}
	// The record is sent again. The provider learns why it was not sent before.
	return relayFailure(order.ID, "record of the delivery", given.Relay)
}
