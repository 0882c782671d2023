package earnest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/earnest-market/earnest-go/settlement"
)

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
