package earnest

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/earnest-market/earnest-go/settlement"
)

// PaymentToken is a token that you trust, on its chain.
type PaymentToken struct {
	ChainID int64
	// Token is the address of the token.
	Token string
	// Decimals is the number of the token's decimals, by Int. Default: the answer of your node.
	Decimals Opt[int64]
	// MaxAmount is the most to pay in this token. Default: the purchase's MaxAmount, if you hold one token only.
	MaxAmount Amount
}

// requireHeld refuses held tokens without a maximum of their own, because one number cannot limit several tokens.
func requireHeld(held []PaymentToken, maxAmount Amount) error {
	if len(held) > 1 && slices.ContainsFunc(held, func(one PaymentToken) bool { return one.MaxAmount == "" }) {
		return errors.New("earnest: give each token of PayWith a MaxAmount of its own")
	}
	if maxAmount == "" && (len(held) == 0 || held[0].MaxAmount == "") {
		return errors.New("earnest: to buy, give a MaxAmount")
	}
	return nil
}

// namesOf writes the names of tokens as a request has them.
func namesOf(held []PaymentToken) ([]TokenName, error) {
	names := make([]TokenName, len(held))
	for at, one := range held {
		address, err := parseAddress(one.Token)
		if err != nil {
			return nil, err
		}
		names[at] = TokenName{ChainID: one.ChainID, Token: address.String()}
	}
	return names, nil
}

func (n TokenName) text() string { return fmt.Sprintf("%s on chain %d", n.Token, n.ChainID) }

func (n TokenName) is(chainID int64, token string) bool {
	return n.ChainID == chainID && strings.EqualFold(n.Token, token)
}

// accepts describes the tokens that a service accepts.
func (s *Service) accepts() string {
	names := make([]string, len(s.Accepts))
	for at, one := range s.Accepts {
		names[at] = TokenName{ChainID: one.ChainID, Token: one.Token}.text()
	}
	return strings.Join(names, " or ")
}

// chooseToken chooses the first held token that the service accepts, or nil without held tokens. The choice does not depend on
// balances, so that a repeated purchase chooses the same token.
func chooseToken(service *Service, held []PaymentToken) (*TokenName, error) {
	names, err := namesOf(held)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	texts := make([]string, len(names))
	for at, name := range names {
		for _, accepted := range service.Accepts {
			if name.is(accepted.ChainID, accepted.Token) {
				return &name, nil
			}
		}
		texts[at] = name.text()
	}
	return nil, &NotAsAgreedError{Field: "service.accepts", Expected: strings.Join(texts, " or "), Found: service.accepts()}
}

// findAccepted returns the order's token among those that its service accepts. Each has the windows and arbiters of its chain.
func (a *agreedOrder) findAccepted(service *Service) (*AcceptedToken, error) {
	name := TokenName{ChainID: int64(a.ChainID), Token: a.Terms.Token.String()}
	at := slices.IndexFunc(service.Accepts, func(one AcceptedToken) bool { return name.is(one.ChainID, one.Token) })
	if at < 0 {
		return nil, &NotAsAgreedError{OrderID: a.id, Field: "agreement.token", Expected: service.accepts(), Found: name.text()}
	}
	return &service.Accepts[at], nil
}

// priceIn converts a service's price exactly into base units of the order's token, whose decimals the caller knows. A quoted
// price takes the place of the service's.
func (a *agreedOrder) priceIn(service *Service, decimals int, quoted *Amount) (*big.Int, error) {
	differs := func(field, expected, found string) error {
		return &NotAsAgreedError{OrderID: a.id, Field: field, Expected: expected, Found: found}
	}
	accepted, err := a.findAccepted(service)
	if err != nil {
		return nil, err
	}
	if known := a.knownToken(); known != nil && service.PriceCurrency != known.Currency && service.PriceCurrency != known.Symbol {
		return nil, differs("service.price_currency", known.Currency, service.PriceCurrency)
	}
	if accepted.Decimals != int64(decimals) {
		return nil, differs("service.accepts.decimals", fmt.Sprint(decimals), fmt.Sprint(accepted.Decimals))
	}
	read := func(field string, price Amount) (*big.Int, error) {
		units, err := price.BaseUnits(decimals)
		if err != nil {
			return nil, differs(field, fmt.Sprintf("a price with at most %d decimals", decimals), string(price))
		}
		return units, nil
	}
	if quoted != nil {
		return read("quote.price", *quoted)
	}
	shown, inToken := Amount("0"), Amount("0")
	if service.Price != nil {
		shown = *service.Price
	}
	if accepted.Price != nil {
		inToken = Amount(*accepted.Price)
	}
	price, err := read("service.price", shown)
	if err != nil {
		return nil, err
	}
	same, err := read("service.accepts.price", inToken)
	if err == nil && same.Cmp(price) != 0 {
		err = differs("service.accepts.price", string(shown), string(inToken))
	}
	return price, err
}

// knownToken returns the known token of the order's chain if the order is paid in it, or nil.
func (a *agreedOrder) knownToken() *settlement.NetworkToken {
	network := settlement.FindNetwork(a.ChainID)
	if network == nil || network.Token == nil || network.Token.Address != a.Terms.Token {
		return nil
	}
	return network.Token
}

// findNamed returns the order's token among the caller's.
func (a *agreedOrder) findNamed(tokens []PaymentToken) (*PaymentToken, error) {
	names, err := namesOf(tokens)
	if err != nil {
		return nil, err
	}
	var chains, there []string
	for at, name := range names {
		chains = append(chains, chainName(uint64(name.ChainID)))
		if name.ChainID != int64(a.ChainID) {
			continue
		}
		if name.Token == a.Terms.Token.String() {
			return &tokens[at], nil
		}
		there = append(there, name.Token)
	}
	differs := &NotAsAgreedError{OrderID: a.id, Field: "agreement.token.address", Expected: strings.Join(there, " or "), Found: a.Terms.Token.String()}
	if len(there) == 0 {
		differs.Field, differs.Expected, differs.Found = "agreement.chain", strings.Join(chains, " or "), chainName(a.ChainID)
	}
	return nil, differs
}

// nodeOf returns the node of a chain. Without one, it is the first node, whose chain the caller has to compare.
func nodeOf(ctx context.Context, nodes []Node, chainID uint64) (Node, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	for _, node := range nodes {
		if len(nodes) == 1 {
			break
		}
		id, err := node.ChainID(ctx)
		if err != nil {
			return nil, fmt.Errorf("earnest: the node: %w", err)
		}
		if id == chainID {
			return node, nil
		}
	}
	return nodes[0], nil
}

// joinNodes lists the nodes of the options.
func joinNodes(node Node, more []Node) []Node {
	if node == nil {
		return more
	}
	return append([]Node{node}, more...)
}
