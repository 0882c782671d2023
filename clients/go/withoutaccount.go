package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/earnest-market/earnest-go/settlement"
)

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
