package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/earnest-market/earnest-go/settlement"
)

// Sender sends a call from the wallet and returns the hash of its transaction. The rail escrow and the parties' own
// transactions need one. wallet.Sender is an implementation.
type Sender interface {
	SendCall(ctx context.Context, chainID uint64, call settlement.Call) (string, error)
}

// BuyOptions say what to buy, and for how much at most.
type BuyOptions struct {
	// Wallet is the buyer's wallet. It signs, and gets the refunds.
	Wallet Signer
	// MaxAmount is the most that is paid, in the order's token. It is required, unless each token of PayWith has its own.
	MaxAmount Amount
	// PayWith lists the tokens that you hold, the preferred one first: the first one that the service accepts pays. List only
	// tokens that you trust. Default: the service's first token, which has to be the known token of its chain.
	PayWith []PaymentToken
	// Service is the service as you saw it. It is required to choose among several tokens of PayWith.
	Service *Service
	// Node reads the chain, such as receipts.RPC{URL: ...}. Without it, Market has to name the contract and the token.
	Node Node
	// Nodes read more chains, for a PayWith on several.
	Nodes []Node
	// Market has facts that you know without the service. Each given member is compared.
	Market *Market
	// Input fits the service's input_schema. Use nil for no input.
	Input any
	// Quantity is the number of units. Default: the service's smallest. The quantity of a metered service is the most units that are
	// charged. Default: its largest.
	Quantity int64
	// The settlement rail. Default: SettlementRailX402, which takes one signature and no gas.
	Rail SettlementRail
	// Sender sends the calls of SettlementRailEscrow from the Wallet's account. The rail also needs the Node.
	Sender Sender
	// Arbiter is one of the service's Arbiters. Default: any of them except the zero address.
	Arbiter string
	// OrderID resumes an order that was placed before. Nothing is paid twice.
	OrderID string
	// The interval between two reads of the order. Default: a second.
	Poll time.Duration
	// Host is the host in the text of a sign-in, for a purchase without an account whose service has another host.
	Host string
}

// Buy places an order, compares its agreement with the request and the chain, recomputes the payment, pays, and waits until
// the order is funded. A difference is a *NotAsAgreedError, before anything is signed or sent.
//
// An equal purchase, as after a crash, resumes the order if the order has not ended. Nothing is paid twice. With
// WithIdempotencyKey, the key names the purchase: the same key always means the same purchase. OrderID resumes an order by its
// id.
//
//	order, err := client.Buy(ctx, serviceID, earnest.BuyOptions{Wallet: wallet, MaxAmount: "5.00", Input: input, Node: node})
func (c *Client) Buy(ctx context.Context, serviceID string, options BuyOptions, opts ...Option) (*Order, error) {
	if err := options.require(); err != nil {
		return nil, err
	}
	rest := withoutKey(opts)
	order, err := c.placeOrRead(ctx, serviceID, options, opts)
	if err != nil {
		return nil, err
	}
	isContinued := options.OrderID != ""
	return c.payFor(ctx, order, options, isContinued, rest, func(agreed *agreedOrder, decimals int) error {
		if isContinued {
			return agreed.compareResumed(serviceID, options)
		}
		service, agent, err := c.readService(ctx, agreed.text("agent_slug"), agreed.text("service_slug"), rest)
		if err != nil {
			return err
		}
		return agreed.compareAsked(service, agent, decimals, asked{serviceID: serviceID, options: options})
	})
}

// BuyQuote buys by a quote on your request: it accepts the quote and continues like Buy, with the quoted price and delivery
// time. An accepted quote is resumed. Quantity and OrderID do not apply to a quote.
func (c *Client) BuyQuote(ctx context.Context, quote Quote, options BuyOptions, opts ...Option) (*Order, error) {
	if options.Quantity != 0 || options.OrderID != "" {
		return nil, errors.New("earnest: a quote says how much is bought, and which order it became")
	}
	if err := options.require(); err != nil {
		return nil, err
	}
	rest := withoutKey(opts)
	current, err := c.Quotes.Get(ctx, quote.ID, rest...)
	if err != nil {
		return nil, err
	}
	isContinued := current.OrderID != nil
	var order *Order
	if isContinued {
		order, err = c.Orders.Get(ctx, *current.OrderID, rest...)
	} else {
		order, err = c.acceptQuote(ctx, quote, options, rest)
	}
	if err != nil {
		return nil, err
	}
	return c.payFor(ctx, order, options, isContinued, rest, func(agreed *agreedOrder, decimals int) error {
		service, agent, err := c.readService(ctx, agreed.text("agent_slug"), agreed.text("service_slug"), rest)
		if err != nil {
			return err
		}
		compare := comparison{orderID: agreed.id}
		if compare.same("quote.currency", service.PriceCurrency, quote.Currency); compare.err != nil {
			return compare.err
		}
		quoted := *service
		quoted.DeliveryTimeHours, quoted.Stages = quote.DeliveryTimeHours, quote.Stages
		options.Quantity = 1
		return agreed.compareAsked(&quoted, agent, decimals, asked{quote.Service.ID, options, &quote.Price})
	})
}

// acceptQuote accepts a quote. A second acceptance returns the same order.
func (c *Client) acceptQuote(ctx context.Context, quote Quote, options BuyOptions, opts []Option) (*Order, error) {
	asked := QuoteAcceptance{
		InputPayload: options.Input, SettlementRail: options.rail(), BuyerAddress: options.Wallet.Address(), Arbiter: options.Arbiter,
	}
	if len(options.PayWith) > 0 {
		service, _, err := c.readService(ctx, quote.Agent.Slug, quote.Service.Slug, opts)
		if err != nil {
			return nil, err
		}
		if asked.PayWith, err = chooseToken(service, options.PayWith); err != nil {
			return nil, err
		}
	}
	placed, err := c.Quotes.Accept(ctx, quote.ID, asked, append(slices.Clone(opts), WithIdempotencyKey("quote-"+quote.ID))...)
	if err != nil {
		return nil, err
	}
	// A replayed response has the order as it was placed, so the current order is read.
	return c.Orders.Get(ctx, placed.ID, opts...)
}

// payFor compares an order with its agreement, with the request and with the buyer's facts, and pays the order.
func (c *Client) payFor(
	ctx context.Context, order *Order, options BuyOptions, isContinued bool, opts []Option, compareMore func(*agreedOrder, int) error,
) (*Order, error) {
	agreed, err := c.readAgreed(ctx, order, opts)
	if err != nil {
		return order, err
	}
	known, err := knownOf(joinNodes(options.Node, options.Nodes), options.Market, options.PayWith).on(ctx, agreed.ChainID)
	if err != nil {
		return order, err
	}
	options.Node = known.node
	known.buyer, known.maxAmount = options.Wallet.Address(), options.MaxAmount
	decimals, err := agreed.compareKnown(ctx, known)
	if err != nil {
		return order, err
	}
	if err := compareMore(agreed, decimals); err != nil {
		return order, err
	}
	// A resumed order keeps its rail unless the caller names another rail.
	if rail := options.rail(); rail != order.SettlementRail && (!isContinued || options.Rail != "") {
		compare := comparison{orderID: order.ID}
		compare.same("order.settlement_rail", rail, order.SettlementRail)
		return order, compare.err
	}
	p := &payment{client: c, agreed: agreed, decimals: decimals, rail: order.SettlementRail, options: options, opts: opts}
	return p.fund(ctx, order)
}

// require refuses a purchase that is not safe, before any request.
func (o BuyOptions) require() error {
	hasNode := len(joinNodes(o.Node, o.Nodes)) > 0
	switch {
	case o.Wallet == nil:
		return errors.New("earnest: to buy, give a Wallet and a MaxAmount")
	case !hasNode && (o.Market == nil || (o.Market.ChainID == 0 && len(o.PayWith) == 0) || o.Market.EscrowContract == ""):
		return errUnknownMarket
	case o.Rail == SettlementRailEscrow && o.Sender == nil:
		return errors.New("earnest: the rail escrow needs a Sender")
	case o.Rail == SettlementRailEscrow && !hasNode:
		return errors.New("earnest: the rail escrow needs a Node, which says what was sent before")
	}
	return requireHeld(o.PayWith, o.MaxAmount)
}

func (o BuyOptions) rail() SettlementRail {
	if o.Rail == "" {
		return SettlementRailX402
	}
	return o.Rail
}

func (c *Client) placeOrRead(ctx context.Context, serviceID string, options BuyOptions, opts []Option) (*Order, error) {
	if options.OrderID != "" {
		order, err := c.Orders.Get(ctx, options.OrderID, withoutKey(opts)...)
		if err == nil && order.ID != options.OrderID {
			return nil, &NotAsAgreedError{OrderID: options.OrderID, Field: "order.id", Expected: options.OrderID, Found: order.ID}
		}
		return order, err
	}
	asked := OrderRequest{
		ServiceID: serviceID, InputPayload: options.Input, SettlementRail: options.rail(), BuyerAddress: options.Wallet.Address(),
		Arbiter: options.Arbiter,
	}
	if options.Quantity > 0 {
		asked.Quantity = Int(options.Quantity)
	}
	held, err := namesOf(options.PayWith)
	if err != nil {
		return nil, err
	}
	switch {
	case len(held) == 1:
		asked.PayWith = &held[0]
	case len(held) > 1 && (options.Service == nil || options.Service.ID != serviceID):
		return nil, errors.New("earnest: to choose among several tokens of PayWith, give the Service")
	case len(held) > 1:
		if asked.PayWith, err = chooseToken(options.Service, options.PayWith); err != nil {
			return nil, err
		}
	}
	return c.placeOnce(ctx, asked, held, opts)
}

// ended has the final statuses. The same purchase after such a status is a new purchase.
var ended = []OrderStatus{OrderStatusExpired, OrderStatusReleased, OrderStatusRefunded}

// placeOnce places an order exactly once, even across restarts: the idempotency key derives from the request. All held tokens
// are part of the key, not the chosen one: a service that accepts other tokens later gets no second order.
func (c *Client) placeOnce(ctx context.Context, asked OrderRequest, held []TokenName, opts []Option) (*Order, error) {
	rules, err := c.sender.settings.with(opts)
	if err != nil {
		return nil, err
	}
	base := rules.idempotencyKey
	if base == "" {
		text, err := json.Marshal(struct {
			OrderRequest
			Held []TokenName `json:"pay_with,omitempty"`
		}{asked, held})
		if err != nil {
			return nil, fmt.Errorf("earnest: the input: %w", err)
		}
		digest, err := settlement.DigestOf(text)
		if err != nil {
			return nil, err
		}
		base = "buy-" + digest.String()[2:50]
	}
	for number := 1; ; number++ {
		key := base
		if number > 1 {
			key = fmt.Sprintf("%s.%d", base, number)
		}
		var answer RawResponse
		order, err := c.Orders.Place(ctx, asked, append(withoutKey(opts), WithIdempotencyKey(key), WithResponse(&answer))...)
		isReplay := answer.Header.Get("Idempotent-Replayed") == "true"
		var refusal *Error
		switch {
		case err != nil && isReplay && errors.As(err, &refusal) && refusal.Status < 500:
			// The cause of a stored refusal may be gone. A refusal has no effect, so the request is sent under a new key.
			continue
		case err != nil || !isReplay:
			return order, err
		}
		// A replayed response has the order as it was placed, so the current order is read.
		order, err = c.Orders.Get(ctx, order.ID, withoutKey(opts)...)
		if err != nil || rules.idempotencyKey != "" || !slices.Contains(ended, order.Status) {
			return order, err
		}
	}
}
