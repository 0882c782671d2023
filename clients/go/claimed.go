package earnest

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
)

// Claimed is an order that was bought without an account. Its methods need no token. Store the Claim to resume the purchase.
type Claimed struct {
	// Order is the order at its last read.
	Order *Order
	Claim OrderClaim

	client  *Client
	options BuyOptions
}

// follow waits by the claim until the order is funded, and until the chain has its escrow.
func (p *purchase) follow(ctx context.Context, b *bought) (*Claimed, error) {
	claimed := &Claimed{Order: b.order, Claim: b.claim, client: p.client, options: p.options}
	if err := b.agreed.compareOrder(b.order); err != nil {
		return claimed, err
	}
	reader := p.client.with(b.claim.Token)
	failures := 0
	last, err := reader.waitFor(ctx, b.order.ID, p.options.Poll, p.opts, func(now *Order) (bool, error) {
		if now.Status == OrderStatusExpired {
			return false, &OrderEndedError{OrderID: now.ID, Status: now.Status, Awaited: OrderStatusFunded}
		}
		if now.Status != OrderStatusCreated {
			return true, nil
		}
		latest, err := reader.Orders.GetPayment(ctx, now.ID, p.opts...)
		if err != nil || latest.Payment == nil || latest.Payment.Status != PaymentStatusFailed {
			return false, err
		}
		if failures++; failures < mostPayments && b.repay != nil {
			return false, b.repay()
		}
		reason := "transaction_failed"
		if latest.Payment.Error != nil {
			reason = *latest.Payment.Error
		}
		return false, &PaymentFailedError{OrderID: now.ID, Reason: reason}
	})
	if last != nil {
		claimed.Order = last
	}
	if err != nil || b.known.node == nil {
		return claimed, err
	}
	return claimed, p.requireShown(ctx, b.order.ID, "no_escrow_on_chain", func() (bool, error) {
		return b.agreed.hasEscrow(ctx, b.known.node)
	})
}

// requireShown reads the chain until it shows what the service has shown.
func (p *purchase) requireShown(ctx context.Context, orderID, reason string, read func() (bool, error)) error {
	for range nodeReads {
		if shown, err := read(); shown || err != nil {
			return err
		}
		if pauseUntil(ctx, time.Second); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return &PaymentFailedError{OrderID: orderID, Reason: reason}
}

var claimedOrder = regexp.MustCompile(`/orders/(ord_[0-9a-z]+)$`)

// ResumeWithoutAccount continues a purchase without an account by its claim. It never pays. The options Wallet, Node,
// Nodes, Market, Host and Poll apply.
func (c *Client) ResumeWithoutAccount(ctx context.Context, claim OrderClaim, options BuyOptions, opts ...Option) (*Claimed, error) {
	found := claimedOrder.FindStringSubmatch(claim.OrderURL)
	if found == nil || options.Wallet == nil {
		return nil, errors.New("earnest: to resume, give the claim of an order and the Wallet")
	}
	reader, rest := c.with(claim.Token), withoutKey(opts)
	order, err := reader.Orders.Get(ctx, found[1], rest...)
	if err != nil {
		return nil, err
	}
	p := &purchase{client: c, options: options, nodes: joinNodes(options.Node, options.Nodes), opts: rest}
	if p.payer, err = parseAddress(options.Wallet.Address()); err != nil {
		return nil, err
	}
	answer, err := p.readEarlier(ctx, &Purchase{Order: *order, Claim: claim}, nil)
	if err != nil {
		return nil, err
	}
	return p.follow(ctx, answer)
}

// Client signs in by the wallet that paid, whose account has the order, and returns a client of that account.
func (o *Claimed) Client(ctx context.Context) (*Client, error) {
	session := o.client.with("")
	_, err := session.SignIn(ctx, SignInOptions{Wallet: o.options.Wallet, ChainID: o.Order.Escrow.ChainID, Host: o.options.Host})
	return session, err
}

// settling fills the options that are those of the purchase.
func (o *Claimed) settling(ctx context.Context, options SettleOptions) SettleOptions {
	if options.Wallet == nil {
		options.Wallet = o.options.Wallet
	}
	node, err := nodeOf(ctx, joinNodes(o.options.Node, o.options.Nodes), uint64(o.Order.Escrow.ChainID))
	if options.Chain == nil && node != nil && err == nil {
		options.Chain = node
	}
	return options
}

// AwaitDelivery waits for the delivery, as Client.AwaitDelivery does.
func (o *Claimed) AwaitDelivery(ctx context.Context, options SettleOptions, opts ...Option) (*Delivery, error) {
	return o.client.with(o.Claim.Token).AwaitDelivery(ctx, o.Order.ID, o.settling(ctx, options), opts...)
}

// Accept releases the money by the wallet's signature, as Client.Accept does.
func (o *Claimed) Accept(ctx context.Context, options SettleOptions, opts ...Option) (*receipts.VerifiedDocument, error) {
	client, err := o.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Accept(ctx, o.Order.ID, o.settling(ctx, options), opts...)
}

// AcceptStage pays the delivered stage by the wallet's signature, as Client.AcceptStage does.
func (o *Claimed) AcceptStage(ctx context.Context, number int64, options SettleOptions, opts ...Option) (*Order, error) {
	client, err := o.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.AcceptStage(ctx, o.Order.ID, number, o.settling(ctx, options), opts...)
}

// Dispute disputes the order by the wallet's signature, as Client.Dispute does.
func (o *Claimed) Dispute(ctx context.Context, reason string, options SettleOptions, opts ...Option) (*Order, error) {
	client, err := o.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.Dispute(ctx, o.Order.ID, reason, o.settling(ctx, options), opts...)
}

// RequestChanges requests changes after a delivery, once.
func (o *Claimed) RequestChanges(ctx context.Context, reason string, opts ...Option) (*Order, error) {
	client, err := o.Client(ctx)
	if err != nil {
		return nil, err
	}
	return client.RequestChanges(ctx, o.Order.ID, reason, opts...)
}
