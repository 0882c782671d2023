package earnest

import (
	"context"
	"errors"

	"github.com/earnest-market/earnest-go/receipts"
)

// FinalReceipt waits for the signed receipt of a settled order, verifies it, and compares it with the order's own escrow.
func (c *Client) FinalReceipt(ctx context.Context, orderID string, options SettleOptions, opts ...Option) (*receipts.VerifiedDocument, error) {
	order, err := c.Orders.Get(ctx, orderID, opts...)
	if err != nil {
		return nil, err
	}
	return c.finalReceipt(ctx, order, options, opts)
}

func (c *Client) finalReceipt(ctx context.Context, order *Order, options SettleOptions, opts []Option) (*receipts.VerifiedDocument, error) {
	agreed, err := c.readAgreed(ctx, order, opts)
	if err != nil {
		return nil, err
	}
	issuer := options.Issuer
	if issuer == "" {
		if issuer, err = receipts.IssuerOf(c.sender.base.Scheme + "://" + c.sender.base.Host); err != nil {
			return nil, err
		}
	}
	for {
		document, err := c.Receipts.GetFinal(ctx, order.ID, opts...)
		if err == nil {
			return c.verifyReceipt(ctx, document, agreed, order, issuer, options)
		}
		isEarly := isTemporary(err) || errors.Is(err, ErrorCodeNotSettled)
		if !isEarly || ctx.Err() != nil {
			return nil, err
		}
		pauseUntil(ctx, pollOf(options.Poll))
	}
}

func (c *Client) verifyReceipt(
	ctx context.Context, document JSON, agreed *agreedOrder, order *Order, issuer string, options SettleOptions,
) (*receipts.VerifiedDocument, error) {
	checked, err := receipts.VerifyReceipt(ctx, document, receipts.Options{Issuer: issuer, HTTPClient: c.sender.settings.httpClient})
	if err != nil {
		return nil, err
	}
	said := checked.Document
	amount := agreed.Terms.Amount
	switch isReleased := said.Claim == string(OrderStatusReleased); {
	case isReleased && agreed.hasStages():
		if amount, err = agreed.paidStages(order); err != nil {
			return nil, err
		}
	case isReleased && agreed.isMetered():
		charge, err := agreed.charge(order)
		if err != nil {
			return nil, err
		}
		amount = charge.amount
	}
	compare := comparison{orderID: agreed.id}
	compare.same("receipt.order_id", agreed.id, said.OrderID)
	compare.same("receipt.escrow_id", agreed.ID(), said.EscrowID)
	compare.same("receipt.agreement_hash", agreed.Terms.OrderHash, said.AgreementHash)
	compare.same("receipt.contract", agreed.Contract, said.Contract)
	compare.same("receipt.amount", amount.String(), said.Amount)
	if compare.err != nil {
		return nil, compare.err
	}
	if options.Chain == nil {
		return checked, nil
	}
	// Anyone can deploy a contract that emits the same events, so only the agreement's contract counts.
	known := receipts.ChainOptions{Contract: agreed.Contract.String()}
	if answer := receipts.ConfirmOnChain(ctx, checked, options.Chain, known); !answer.Agrees {
		return nil, answer.Err
	}
	return checked, nil
}
