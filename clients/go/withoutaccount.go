package earnest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
)

// Claimed is an order that was bought without an account. Its methods need no token. Store the Claim to resume the purchase.
type Claimed struct {
	// Order is the order at its last read.
	Order *Order
	Claim OrderClaim

	client  *Client
	options BuyOptions
}

// mostTerms is the most terms that a purchase signs. Each has the purchase's nonce, so the token accepts one of them.
const mostTerms = 3

// nodeReads is the number of reads of a node, one each second, that may be behind the service's node.
const nodeReads = 15

// BuyWithoutAccount buys a service without an account, by one signature of the wallet. The client needs no token. It compares the
// offered terms with the request, pays them once, and waits until the order is funded. A difference is a *NotAsAgreedError,
// before that is signed.
//
// An equal purchase, as after a crash, continues the purchase if its order has not ended. Nothing is paid twice. With
// WithIdempotencyKey, the key names the purchase. Only with a Node, an equal purchase is bought again after its order has ended.
// OrderID, Rail and Sender do not apply.
//
//	claimed, err := client.BuyWithoutAccount(ctx, service, earnest.BuyOptions{Wallet: wallet, MaxAmount: "5.00", Input: input, Node: node})
func (c *Client) BuyWithoutAccount(ctx context.Context, service *Service, options BuyOptions, opts ...Option) (*Claimed, error) {
	if options.OrderID != "" || options.Rail != "" || options.Sender != nil {
		return nil, errors.New("earnest: OrderID, Rail and Sender do not apply to a purchase without an account")
	}
	if err := options.require(); err != nil {
		return nil, err
	}
	rules, err := c.sender.settings.with(opts)
	if err != nil {
		return nil, err
	}
	p, err := c.openPurchase(ctx, service, options, rules.idempotencyKey, withoutKey(opts))
	if err != nil {
		return nil, err
	}
	for number := 1; ; number++ {
		if p.nonce, err = PurchaseNonce(p.service.ID, p.name, number); err != nil {
			return nil, err
		}
		bought, err := p.pay(ctx)
		if err != nil {
			return nil, err
		}
		claimed, err := p.follow(ctx, bought)
		if err != nil || len(bought.unused) == 0 {
			return claimed, err
		}
		// The service says that this nonce has bought another order. Only the chain shows that it pays no second one.
		node, err := nodeOf(ctx, p.nodes, bought.unused[0].agreed.ChainID)
		if err != nil {
			return claimed, err
		}
		for _, terms := range bought.unused {
			if node == nil {
				break
			}
			err := p.requireShown(ctx, terms.agreed.id, "paid_for_another_order", func() (bool, error) {
				return terms.isSuperseded(ctx, node, p.payer, p.nonce)
			})
			if err != nil {
				return claimed, err
			}
		}
		status := claimed.Order.Status
		if !bought.isEarlier || rules.idempotencyKey != "" || !slices.Contains(ended, status) {
			return claimed, nil
		}
		if node == nil {
			return claimed, &OrderEndedError{OrderID: claimed.Order.ID, Status: status, Awaited: "bought again without a key"}
		}
	}
}

// PurchaseNonce returns the one nonce of all signatures for a purchase without an account. The token accepts a nonce once. So no
// crash, second process or dishonest service makes a wallet pay twice, whatever terms the service offers. The purchase is the
// caller's name of it, or the digest of its request; the number counts equal purchases, from 1.
func PurchaseNonce(serviceID, purchase string, number int) (settlement.Hash, error) {
	text, err := json.Marshal(map[string]any{"service_id": serviceID, "purchase": purchase, "number": number})
	if err != nil {
		return settlement.Hash{}, err
	}
	return settlement.DigestOf(text)
}

// purchase is a purchase without an account.
type purchase struct {
	client  *Client
	service *Service
	agent   *Agent
	options BuyOptions
	nodes   []Node
	payer   settlement.Address
	body    PurchaseRequest
	name    string
	nonce   settlement.Hash
	opts    []Option
}

// openPurchase reads the service, and writes the request.
func (c *Client) openPurchase(ctx context.Context, listed *Service, options BuyOptions, name string, opts []Option) (*purchase, error) {
	if listed == nil {
		return nil, errors.New("earnest: give the Service to buy")
	}
	service, agent, err := c.readService(ctx, listed.Agent.Slug, listed.Slug, opts)
	if err != nil {
		return nil, err
	}
	// The chosen service must be unchanged: a changed price needs the caller's consent.
	compare := comparison{}
	compare.same("service.id", listed.ID, service.ID)
	compare.same("service.price", listed.Price, service.Price)
	compare.same("service.price_currency", listed.PriceCurrency, service.PriceCurrency)
	if compare.err != nil {
		return nil, compare.err
	}
	asked := options.Quantity
	if options.Quantity, err = chooseQuantity(service, options); err != nil {
		return nil, err
	}
	p := &purchase{client: c, service: service, agent: agent, options: options, name: name, opts: opts}
	p.nodes = joinNodes(options.Node, options.Nodes)
	if p.payer, err = parseAddress(options.Wallet.Address()); err != nil {
		return nil, err
	}
	p.body = PurchaseRequest{
		InputPayload: options.Input, BuyerAddress: p.payer.String(), Quantity: Int(options.Quantity), Arbiter: options.Arbiter,
	}
	held, err := namesOf(options.PayWith)
	if err != nil {
		return nil, err
	}
	if p.body.PayWith, err = chooseToken(service, options.PayWith); err != nil || name != "" {
		return p, err
	}
	p.name, err = nameOf(p.body, asked, held)
	return p, err
}

// nameOf names a purchase by what the caller asked for: all held tokens, not the chosen one, and no quantity that the service's
// limits chose. A service that changes its tokens or its limits later is not paid twice.
func nameOf(body PurchaseRequest, quantity int64, held []TokenName) (string, error) {
	text, err := json.Marshal(struct {
		PurchaseRequest
		Quantity int64       `json:"quantity,omitempty"`
		Held     []TokenName `json:"pay_with,omitempty"`
	}{body, quantity, held})
	if err != nil {
		return "", fmt.Errorf("earnest: the input: %w", err)
	}
	digest, err := settlement.DigestOf(text)
	return digest.String(), err
}

// chooseQuantity returns the quantity of a purchase. Without one, a metered service or a session is bought with its maximum, or
// else with as many units as the maximum amount pays.
func chooseQuantity(service *Service, options BuyOptions) (int64, error) {
	if options.Quantity != 0 {
		return options.Quantity, nil
	}
	if !isMeasured(service) || service.MaxQuantity != nil {
		return defaultQuantity(service), nil
	}
	limit := options.MaxAmount
	if len(options.PayWith) > 0 && options.PayWith[0].MaxAmount != "" {
		limit = options.PayWith[0].MaxAmount
	}
	most, isAmount := new(big.Rat).SetString(string(limit))
	price := new(big.Rat)
	if service.Price != nil {
		price, _ = new(big.Rat).SetString(string(*service.Price))
	}
	if !isAmount || price == nil || price.Sign() == 0 || most.Cmp(price) < 0 {
		return 0, fmt.Errorf("earnest: the maximum %s is below the price of one unit", limit)
	}
	ratio := most.Quo(most, price)
	units := new(big.Int).Quo(ratio.Num(), ratio.Denom())
	if !units.IsInt64() {
		return 0, fmt.Errorf("earnest: the maximum %s pays too many units: give a Quantity", limit)
	}
	return units.Int64(), nil
}

// bought is the answer to a payment, with the agreement that was compared.
type bought struct {
	order  *Order
	claim  OrderClaim
	failed *string
	agreed *agreedOrder
	known  known
	// unused are all terms that this call has signed and that are not the order's, if the order is not of the last terms.
	unused []*offered
	// isEarlier reports whether the order is of no terms that this call has signed.
	isEarlier bool
	// repay sends the payment again; nil if the terms that it pays are not known.
	repay func() error
}

// pay pays for terms that are as wanted. Terms that expired or changed meanwhile are replaced, and signed by the same nonce.
func (p *purchase) pay(ctx context.Context) (*bought, error) {
	var first *offered
	var signed []*offered
	for left := mostTerms - 1; ; left-- {
		all, err := p.client.requestTerms(ctx, p.service, p.body, p.opts)
		if err != nil {
			return nil, err
		}
		terms, err := chooseTerms(ctx, all, p.nodes, p.payer, p.nonce, first)
		if err != nil {
			return nil, err
		}
		known, err := p.compare(ctx, terms.agreed)
		if err != nil {
			return nil, err
		}
		header, err := p.sign(ctx, terms, known.node)
		if err != nil {
			return nil, err
		}
		signed = append(signed, terms)
		first = signed[0]
		id := terms.agreed.id
		post := func() (*Purchase, error) {
			opts := append(slices.Clone(p.opts), WithHeader("Payment-Signature", header))
			return send[Purchase](ctx, p.client.sender, purchaseCall(p.service, p.body), opts)
		}
		answer, err := post()
		var refusal *Error
		isRefused := errors.As(err, &refusal) && len(refusal.Details) > 0
		if isRefused && left > 0 && strings.HasPrefix(refusal.Details[0].Keyword, "terms_") {
			continue
		}
		if err != nil {
			return nil, notPaid(id, err)
		}
		if answer.Order.ID != id {
			return p.readEarlier(ctx, answer, signed)
		}
		repay := func() error {
			_, err := post()
			return notPaid(id, err)
		}
		return &bought{order: &answer.Order, claim: answer.Claim, agreed: terms.agreed, known: known, repay: repay}, nil
	}
}

// notPaid writes a refusal of a payment as a *PaymentFailedError.
func notPaid(orderID string, err error) error {
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusPaymentRequired {
		return err
	}
	reason := refusal.Message
	if len(refusal.Details) > 0 {
		reason = refusal.Details[0].Keyword
	}
	return &PaymentFailedError{OrderID: orderID, Reason: reason}
}

// compare compares the agreement with the caller's facts, and with the wanted order if the purchase has a service.
func (p *purchase) compare(ctx context.Context, agreed *agreedOrder) (known, error) {
	known, err := knownOf(p.nodes, p.options.Market, p.options.PayWith).on(ctx, agreed.ChainID)
	if err != nil {
		return known, err
	}
	known.buyer, known.maxAmount = p.payer.String(), p.options.MaxAmount
	decimals, err := agreed.compareKnown(ctx, known)
	if err == nil && p.service != nil {
		err = agreed.compareAsked(p.service, p.agent, decimals, asked{serviceID: p.service.ID, options: p.options})
	}
	return known, err
}

// sign signs the payment of terms in x402's form, and writes its header.
func (p *purchase) sign(ctx context.Context, terms *offered, node Node) (string, error) {
	agreed := terms.agreed
	token, err := agreed.payable(fmt.Sprintf("accepts[%d]", terms.at), terms.accepted)
	if err != nil {
		return "", err
	}
	now, err := nowOf(ctx, node)
	if err != nil {
		return "", err
	}
	until := big.NewInt(now.Unix() + max(1, min(longestSignature, int64(agreed.Terms.FundBy)-now.Unix())))
	name, data := "authorization", settlement.TypedData{}
	if terms.isPermit() {
		name, data = "permit2Authorization", agreed.PermitTransfer(new(big.Int).SetBytes(p.nonce[:]), until)
	} else {
		data = agreed.TransferAuthorization(token, p.payer, until, p.nonce)
	}
	signature, err := signTyped(ctx, p.options.Wallet, data)
	if err != nil {
		return "", err
	}
	message := map[string]any{"from": p.payer.String()}
	for name, value := range data.Message {
		message[name] = value
	}
	text, err := json.Marshal(map[string]any{
		"x402Version": 2, "accepted": terms.raw, "payload": map[string]any{"signature": signature, name: message},
	})
	return base64.StdEncoding.EncodeToString(text), err
}

// readEarlier reads an order that an earlier signature bought, and compares it like new terms.
func (p *purchase) readEarlier(ctx context.Context, answer *Purchase, signed []*offered) (*bought, error) {
	order := &answer.Order
	agreed, err := p.client.with(answer.Claim.Token).readAgreed(ctx, order, p.opts)
	if err != nil {
		return nil, err
	}
	known, err := p.compare(ctx, agreed)
	if err != nil {
		return nil, err
	}
	// The service may have been paid by any of the signatures, also by one that it refused.
	var unused []*offered
	for _, terms := range signed {
		if terms.agreed.id != order.ID {
			unused = append(unused, terms)
		}
	}
	return &bought{
		order: order, claim: answer.Claim, failed: answer.Payment.Error, agreed: agreed, known: known,
		unused: unused, isEarlier: len(unused) == len(signed),
	}, nil
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
