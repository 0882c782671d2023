package earnest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
)

// SettleOptions say who signs, and what to compare the receipt with.
type SettleOptions struct {
	Wallet Signer
	// Issuer is the did:web name of the receipts' issuer. Default: the name of the client's base URL.
	Issuer string
	// Chain is a node of the chain that confirms the receipt. Nil skips this check.
	Chain receipts.Chain
	// The interval between two reads of the order. Default: a second.
	Poll time.Duration
}

// longestDeadline is how far ahead the deadline of a party's signature may be.
const longestDeadline = 7 * 24 * time.Hour

// usualDeadline is how far ahead the deadline of a request is whose signature has none.
const usualDeadline = 24 * time.Hour

// Accept releases an order's money to its provider by the buyer's signature, without gas. It waits for the release and returns
// the verified receipt. The signature for a metered order pays the charge of the delivered units and no more. It pays the last stage
// of an order in stages. After a crash, a second call returns the receipt. A release that the contract refuses is a
// *RelayFailedError.
func (c *Client) Accept(ctx context.Context, orderID string, options SettleOptions, opts ...Option) (*receipts.VerifiedDocument, error) {
	return c.settle(ctx, orderID, options, opts, settling{
		act: "release", toSign: c.Orders.GetReleaseToSign, send: c.Orders.Release, ends: OrderStatusReleased,
		data: acceptData,
	})
}

// acceptData builds the release that ends an order.
func acceptData(agreed *agreedOrder, order *Order, deadline *big.Int) (settlement.TypedData, error) {
	stage, err := agreed.waitingStage(order)
	if err != nil {
		return settlement.TypedData{}, err
	}
	if stage != nil && !stage.isFinal {
		return settlement.TypedData{}, fmt.Errorf("earnest: further stages of %s follow: pay stage %d by AcceptStage", agreed.id, stage.number)
	}
	return releaseData(agreed, order, deadline)
}

// releaseData builds the release of an order. A metered order has the voucher of its charge, and a stage that of the sum of the
// stages so far. A plain release could pay the whole amount.
func releaseData(agreed *agreedOrder, order *Order, deadline *big.Int) (settlement.TypedData, error) {
	if agreed.hasStages() {
		stage, err := agreed.waitingStage(order)
		if err == nil && stage == nil {
			err = fmt.Errorf("earnest: no stage of %s is delivered", agreed.id)
		}
		if err != nil {
			return settlement.TypedData{}, err
		}
		work, err := outputHash(order)
		return agreed.Voucher(stage.sum, work), err
	}
	charge, err := agreed.charge(order)
	if err != nil {
		return settlement.TypedData{}, err
	}
	if charge == nil {
		return agreed.Release(deadline), nil
	}
	work, err := outputHash(order)
	return agreed.Voucher(charge.amount, work), err
}

// Refund gives an order's money back to its buyer by the provider's signature, without gas, and returns the verified receipt.
func (c *Client) Refund(ctx context.Context, orderID string, options SettleOptions, opts ...Option) (*receipts.VerifiedDocument, error) {
	return c.settle(ctx, orderID, options, opts, settling{
		act: "refund", toSign: c.Orders.GetRefundToSign, send: c.Orders.Refund, ends: OrderStatusRefunded,
		data: refundData,
	})
}

func refundData(agreed *agreedOrder, _ *Order, deadline *big.Int) (settlement.TypedData, error) {
	return agreed.Refund(deadline), nil
}

// dataMaker builds the typed data of a party's act. The deadline is unix seconds.
type dataMaker func(agreed *agreedOrder, order *Order, deadline *big.Int) (settlement.TypedData, error)

// RelayFailedError says that the contract refused a signed call, so the service could not send it to the chain. The same call
// of this method sends it again.
type RelayFailedError struct {
	OrderID string
	Act     string
	// Reason is the contract's error; empty if the service does not know it.
	Reason string
}

func (e *RelayFailedError) Error() string {
	return fmt.Sprintf("earnest: the %s of %s was not sent: %s", e.Act, e.OrderID, cmp.Or(e.Reason, "the service does not say why"))
}

// relayFailure returns why an earlier signed call failed, or nil if it succeeded or is in progress.
func relayFailure(orderID, act string, relay *Relay) error {
	if relay == nil || relay.Status != RelayStatusFailed {
		return nil
	}
	failure := &RelayFailedError{OrderID: orderID, Act: act}
	if relay.Error != nil {
		failure.Reason = *relay.Error
	}
	return failure
}

// isOver reports whether the order's money has moved.
func isOver(order *Order) bool {
	return order.Status == OrderStatusReleased || order.Status == OrderStatusRefunded
}

// settling has the differences between release and refund.
type settling struct {
	act    string
	toSign func(context.Context, string, ...Option) (*DataToSign, error)
	send   func(context.Context, string, SignedActRequest, ...Option) (*RelayAnswer, error)
	data   dataMaker
	ends   OrderStatus
}

func (c *Client) settle(ctx context.Context, orderID string, options SettleOptions, opts []Option, s settling) (*receipts.VerifiedDocument, error) {
	rest := withoutKey(opts)
	order, err := c.Orders.Get(ctx, orderID, rest...)
	if err != nil {
		return nil, err
	}
	if !isOver(order) {
		given, err := s.toSign(ctx, orderID, rest...)
		if err != nil {
			return nil, err
		}
		signature, deadline, err := c.signAct(ctx, order, given.TypedData, options.Wallet, rest, s.data)
		if err != nil {
			return nil, err
		}
		_, err = s.send(ctx, orderID, SignedActRequest{Signature: signature, Deadline: deadline}, opts...)
		// A call from before a crash, or of somebody else, may be in progress.
		if err != nil && !errors.Is(err, ErrorCodeConflict) {
			return nil, err
		}
		order, err = c.waitFor(ctx, orderID, options.Poll, rest, func(now *Order) (bool, error) {
			if isOver(now) {
				return true, nil
			}
			shown, err := s.toSign(ctx, orderID, rest...)
			if errors.Is(err, ErrorCodeInvalidState) {
				// Nothing more is to sign: the call is on the chain, and soon in the order.
				return false, nil
			}
			if err != nil {
				return false, err
			}
			return false, relayFailure(orderID, s.act, shown.Relay)
		})
		if err != nil {
			return nil, err
		}
	}
	if order.Status != s.ends {
		return nil, &OrderEndedError{OrderID: orderID, Status: order.Status, Awaited: s.ends}
	}
	receipt, err := c.finalReceipt(ctx, order, options, rest)
	if err != nil {
		return nil, err
	}
	compare := comparison{orderID: order.ID}
	compare.same("receipt.claim", s.ends, receipt.Document.Claim)
	if compare.err != nil {
		return nil, compare.err
	}
	return receipt, nil
}

// signAct recomputes the data that a party signs, refuses differences, and signs. The service names the deadline, within
// bounds. A voucher has none, so its request gets a deadline of a day.
func (c *Client) signAct(
	ctx context.Context, order *Order, given TypedData, wallet Signer, opts []Option,
	make dataMaker,
) (signature string, deadline Uint256, err error) {
	agreed, err := c.readAgreed(ctx, order, opts)
	if err != nil {
		return "", "", err
	}
	if shown, has := given.Message["deadline"]; !has {
		deadline = Uint256(strconv.FormatInt(time.Now().Add(usualDeadline).Unix(), 10))
	} else if err := json.Unmarshal(shown, &deadline); err != nil {
		return "", "", fmt.Errorf("%w: it has no deadline: %w", ErrNotAsAgreed, err)
	}
	until, err := deadline.Int()
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNotAsAgreed, err)
	}
	if latest := time.Now().Add(longestDeadline).Unix(); until.Cmp(big.NewInt(latest)) > 0 {
		return "", "", fmt.Errorf("%w: the signature would be good until %s", ErrNotAsAgreed, until)
	}
	data, err := make(agreed, order, until)
	if err != nil {
		return "", "", err
	}
	if err := data.Matches(given); err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNotAsAgreed, err)
	}
	signature, err = signTyped(ctx, wallet, data)
	return signature, deadline, err
}

// readsAtDispute is the number of reads of an order between two reads of its dispute, which holds all the evidence.
const readsAtDispute = 10

// Dispute disputes an order by a party's signature, without gas. The reason's hash goes to the chain. The reason becomes a
// statement of the dispute. A dispute that the contract refuses is a *RelayFailedError, and a late one is an *OrderEndedError.
func (c *Client) Dispute(ctx context.Context, orderID, reason string, options SettleOptions, opts ...Option) (*Order, error) {
	rest := withoutKey(opts)
	order, err := c.Orders.Get(ctx, orderID, rest...)
	if err != nil {
		return nil, err
	}
	if order.Status == OrderStatusDisputed {
		return order, nil
	}
	hash := settlement.HashOfText(reason)
	dispute, err := c.Disputes.Get(ctx, orderID, DisputesGetQuery{ReasonHash: hash.String()}, rest...)
	if err != nil {
		return nil, err
	}
	if dispute.TypedData == nil {
		return nil, fmt.Errorf("earnest: %s cannot be disputed now", orderID)
	}
	signature, deadline, err := c.signAct(ctx, order, *dispute.TypedData, options.Wallet, rest,
		func(agreed *agreedOrder, _ *Order, deadline *big.Int) (settlement.TypedData, error) {
			return agreed.Dispute(hash, deadline), nil
		})
	if err != nil {
		return nil, err
	}
	asked := DisputeRequest{Reason: String(reason), Signature: signature, Deadline: deadline}
	if _, err := c.Disputes.Open(ctx, orderID, asked, opts...); err != nil {
		return nil, err
	}
	reads := 0
	return c.waitFor(ctx, orderID, options.Poll, rest, func(now *Order) (bool, error) {
		if now.DisputedAt != nil {
			return true, nil
		}
		if isOver(now) {
			return false, &OrderEndedError{OrderID: orderID, Status: now.Status, Awaited: OrderStatusDisputed}
		}
		if reads++; reads%readsAtDispute != 0 {
			return false, nil
		}
		shown, err := c.Disputes.Get(ctx, orderID, DisputesGetQuery{}, rest...)
		if err != nil {
			return false, err
		}
		return false, relayFailure(orderID, "dispute", shown.Relay)
	})
}

// RequestChanges requests changes after a delivery, which an order and each of its stages allow once.
func (c *Client) RequestChanges(ctx context.Context, orderID, reason string, opts ...Option) (*Order, error) {
	return c.Orders.RequestRevision(ctx, orderID, RevisionRequest{Reason: reason}, opts...)
}
