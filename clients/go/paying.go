package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/earnest-market/earnest-go/settlement"
)

// PaymentFailedError says that an order was not paid. The reason is x402's code or the chain's error.
type PaymentFailedError struct {
	OrderID string
	Reason  string
}

func (e *PaymentFailedError) Error() string {
	return fmt.Sprintf("earnest: %s was not paid: %s", e.OrderID, e.Reason)
}

// ApprovalRequiredError says that an order costs more than its API key may spend alone. An owner or admin has to approve the
// order, or has refused it. The order is placed and not paid. After the approval, Buy with the OrderID or the same purchase
// again pays it.
type ApprovalRequiredError struct {
	Order   *Order
	Refused bool
}

func (e *ApprovalRequiredError) Error() string {
	if e.Refused {
		return fmt.Sprintf("earnest: %s was refused by an owner or admin; nothing was paid", e.Order.ID)
	}
	return fmt.Sprintf("earnest: %s waits for the approval of an owner or admin; nothing was paid", e.Order.ID)
}

// mostPayments is the most signatures for an order whose payment failed on the chain. The token accepts one of them.
const mostPayments = 3

// longestSignature is how long a payer's signature is valid, in seconds. An unused signature soon expires.
const longestSignature = 600

// payment pays an order that was checked.
type payment struct {
	client   *Client
	agreed   *agreedOrder
	decimals int
	rail     SettlementRail
	options  BuyOptions
	opts     []Option
}

// fund pays an unpaid order, and waits until the service has confirmed the money on the chain.
func (p *payment) fund(ctx context.Context, order *Order) (*Order, error) {
	if order.Status == OrderStatusCreated {
		if a := order.Approval; a != nil && (a.Status == ApprovalStatusPending || a.Status == ApprovalStatusRefused) {
			return order, &ApprovalRequiredError{Order: order, Refused: a.Status == ApprovalStatusRefused}
		}
		err := p.pay(ctx)
		if errors.Is(err, ErrorCodeApprovalRequired) {
			// Another key placed the order. It costs more than this key may pay alone.
			return order, &ApprovalRequiredError{Order: order}
		}
		if err != nil {
			return order, err
		}
	}
	failures := 0
	last, err := p.client.waitFor(ctx, order.ID, p.options.Poll, p.opts, func(now *Order) (bool, error) {
		if now.Status == OrderStatusExpired {
			return false, &OrderEndedError{OrderID: now.ID, Status: now.Status, Awaited: OrderStatusFunded}
		}
		if now.Status != OrderStatusCreated || p.rail != SettlementRailX402 {
			return now.Status != OrderStatusCreated, nil
		}
		latest, err := p.client.Orders.GetPayment(ctx, now.ID, p.opts...)
		if err != nil || latest.Payment == nil || latest.Payment.Status != PaymentStatusFailed {
			return false, err
		}
		if failures++; failures >= mostPayments {
			reason := "the service does not say why"
			if latest.Payment.Error != nil {
				reason = *latest.Payment.Error
			}
			return false, &PaymentFailedError{OrderID: now.ID, Reason: reason}
		}
		return false, p.pay(ctx)
	})
	if last == nil {
		last = order
	}
	return last, err
}

// pay pays an order once. It does nothing if the service or the chain has a payment of this order in progress.
func (p *payment) pay(ctx context.Context) error {
	if isPaid, err := p.isPaid(ctx); isPaid || err != nil {
		return err
	}
	shown, err := p.client.Orders.GetPaymentInstructions(ctx, p.agreed.id, p.opts...)
	if errors.Is(err, ErrorCodeInvalidState) {
		// The order is paid, or its time is over. Its status says which.
		return nil
	}
	if err != nil {
		return err
	}
	compare := &instructions{comparison{orderID: p.agreed.id}}
	compare.order(shown, p)
	if p.rail == SettlementRailEscrow {
		return p.payByCalls(ctx, shown, compare)
	}
	return p.payBySignature(ctx, shown, compare)
}

// isPaid asks the service and then the chain, which no service can falsify.
func (p *payment) isPaid(ctx context.Context) (bool, error) {
	latest, err := p.client.Orders.GetPayment(ctx, p.agreed.id, p.opts...)
	if err != nil {
		return false, err
	}
	if latest.Payment != nil && latest.Payment.Status != PaymentStatusFailed {
		return true, nil
	}
	if p.options.Node == nil {
		return false, nil
	}
	if has, err := p.agreed.hasEscrow(ctx, p.options.Node); has || err != nil {
		return has, err
	}
	payer, err := parseAddress(p.options.Wallet.Address())
	if err != nil {
		return false, err
	}
	return (&offered{agreed: p.agreed}).isUsed(ctx, p.options.Node, payer, p.agreed.PaymentNonce())
}

// payBySignature pays by x402: one signature, which the service sends. The nonce of the authorization derives from the escrow,
// so the token accepts it once.
func (p *payment) payBySignature(ctx context.Context, shown *PaymentInstructions, compare *instructions) error {
	payer, err := parseAddress(p.options.Wallet.Address())
	if err != nil {
		return err
	}
	now, err := nowOf(ctx, p.options.Node)
	if err != nil {
		return err
	}
	fundBy := int64(p.agreed.Terms.FundBy)
	validBefore := now.Unix() + max(1, min(longestSignature, fundBy-now.Unix()))
	candidates, err := compare.authorizations(shown, p.agreed, func(token settlement.Token) settlement.TypedData {
		return p.agreed.TransferAuthorization(token, payer, big.NewInt(validBefore), p.agreed.PaymentNonce())
	}, func(token settlement.Token) settlement.TypedData {
		return p.agreed.ReceiveAuthorization(token, payer, big.NewInt(validBefore))
	})
	if err != nil {
		return err
	}
	// The cheaper authorization comes first. Both have one nonce, so the token accepts one of them. A refused authorization
	// stays unused.
	for _, way := range candidates {
		err = p.handIn(ctx, way)
		var refused *PaymentFailedError
		if !errors.As(err, &refused) {
			return err
		}
	}
	return err
}

// handIn signs an authorization and gives it to the service.
func (p *payment) handIn(ctx context.Context, way way) error {
	signature, err := signTyped(ctx, p.options.Wallet, way.data)
	if err != nil {
		return err
	}
	submission := map[string]any{"signature": signature, way.name: way.data.Message}
	_, err = p.client.Orders.Pay(ctx, p.agreed.id, submission, p.opts...)
	var refusal *Error
	switch {
	case errors.Is(err, ErrorCodeConflict) || errors.Is(err, ErrorCodeInvalidState):
		// The order is being paid, or can no more be paid. Its status says which.
		return nil
	case errors.As(err, &refusal) && refusal.Status == 402:
		reason := refusal.Message
		if len(refusal.Details) > 0 {
			reason = refusal.Details[0].Keyword
		}
		if reason == nonceUsed {
			return nil
		}
		return &PaymentFailedError{OrderID: p.agreed.id, Reason: reason}
	}
	return err
}

// nonceUsed is x402's code for an authorization that the token has already accepted.
const nonceUsed = "invalid_exact_evm_nonce_already_used"

func signTyped(ctx context.Context, wallet Signer, data settlement.TypedData) (string, error) {
	digest, err := data.Digest()
	if err != nil {
		return "", err
	}
	signature, err := wallet.SignHash(ctx, digest)
	if err != nil {
		return "", fmt.Errorf("earnest: the wallet did not sign: %w", err)
	}
	return hexOf(signature), nil
}

// textOf returns a contract's value from the service, which shows it as text or as a number.
func textOf(value JSON) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return value.String()
}
