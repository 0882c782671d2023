//go:build service

package wallet_test

import (
	"slices"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
)

// stageToken is a token that the service accepts.
type stageToken struct {
	ChainID int64 `json:"chain_id"`
	Token   string
	Symbol  string
	RPCURL  string `json:"rpc_url"`
}

// offer adds the tokens that the service accepts.
func (s *scene) offer(terms *earnest.ServiceRequest) {
	if len(s.Tokens) == 0 {
		return
	}
	var accepts []earnest.TokenName
	for _, one := range s.Tokens {
		accepts = append(accepts, earnest.TokenName{ChainID: one.ChainID, Token: one.Token})
	}
	terms.PriceCurrency, terms.Accepts = earnest.String("USD"), earnest.Some(accepts)
}

// hold adds the tokens with these symbols, each with its maximum, and a node of each chain.
func (s *scene) hold(options *earnest.BuyOptions, atMost earnest.Amount, symbols []string) {
	known := map[string]bool{}
	for _, symbol := range symbols {
		at := slices.IndexFunc(s.Tokens, func(one stageToken) bool { return one.Symbol == symbol })
		one := s.Tokens[at]
		options.PayWith = append(options.PayWith, earnest.PaymentToken{ChainID: one.ChainID, Token: one.Token, MaxAmount: atMost})
		if !known[one.RPCURL] {
			options.Nodes = append(options.Nodes, receipts.RPC{URL: one.RPCURL})
		}
		known[one.RPCURL] = true
	}
}

// settled returns the node of an order's chain.
func (s *scene) settled(order *earnest.Order) receipts.RPC {
	for _, one := range s.Tokens {
		if one.ChainID == order.Escrow.ChainID {
			return receipts.RPC{URL: one.RPCURL}
		}
	}
	return s.node()
}
