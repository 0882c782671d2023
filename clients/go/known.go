package earnest

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
)

// Market has the chain, contract and token that you know without the service. The Node checks the members that are zero.
type Market struct {
	ChainID uint64
	// EscrowContract is the escrow contract. Without it, the Node has to show that the contract has the escrow's code.
	EscrowContract string
	// Token is the token with its decimals. The client knows the tokens of named chains (settlement.FindNetwork).
	Token         string
	TokenDecimals int
	// Provider is the provider's wallet.
	Provider string
}

// Node is a node of the chain, which checks the facts that a service could misstate. receipts.RPC is one, over JSON-RPC.
type Node interface {
	receipts.Chain
	// Code returns the code of a contract, which is empty if there is none.
	Code(ctx context.Context, contract settlement.Address) ([]byte, error)
	// Call returns the result of a contract's function at the newest block.
	Call(ctx context.Context, contract settlement.Address, data []byte) ([]byte, error)
	// Now returns the time of the newest block.
	Now(ctx context.Context) (time.Time, error)
}

// known has the facts and limits of the wallet's owner, which do not come from the service.
type known struct {
	// node reads the order's chain, and is one of nodes.
	node   Node
	nodes  []Node
	market Market
	// tokens are the tokens that the caller trusts; without any, those that the client knows.
	tokens []PaymentToken
	// An empty value is not compared.
	buyer     string
	maxAmount Amount
	// goodCode has the contracts whose code was right; nil for a single check.
	goodCode *sync.Map
}

func knownOf(nodes []Node, market *Market, tokens []PaymentToken) known {
	k := known{nodes: nodes, tokens: tokens}
	if market != nil {
		k.market = *market
	}
	return k
}

// on returns the facts with the node of a chain.
func (k known) on(ctx context.Context, chainID uint64) (known, error) {
	var err error
	k.node, err = nodeOf(ctx, k.nodes, chainID)
	return k, err
}

// longestDispute is the longest that a dispute may hold the money, with its appeal: 90 days, in seconds.
const longestDispute = 90 * 86_400

var errUnknownMarket = errors.New("earnest: the escrow contract is unknown: give a Node, or a Market with ChainID and EscrowContract")

// compareKnown compares the agreement with the caller's facts and limits, and with the chain: buyer, provider, maximum
// amount, token and contract. It returns the token's decimals.
func (a *agreedOrder) compareKnown(ctx context.Context, k known) (decimals int, err error) {
	compare := comparison{orderID: a.id}
	if k.buyer != "" {
		compare.address("agreement.buyer", k.buyer, a.Terms.Buyer)
	}
	if k.market.Provider != "" {
		compare.address("agreement.provider", k.market.Provider, a.Terms.Provider)
	}
	if k.market.ChainID != 0 {
		compare.same("agreement.chain", chainName(k.market.ChainID), chainName(a.ChainID))
	}
	if k.node != nil {
		id, err := k.node.ChainID(ctx)
		if err != nil {
			return 0, fmt.Errorf("earnest: the node: %w", err)
		}
		compare.same("agreement.chain", chainName(id), chainName(a.ChainID))
	}
	if k.market.EscrowContract != "" {
		compare.address("agreement.escrow_contract", k.market.EscrowContract, a.Contract)
	}
	if compare.err != nil {
		return 0, compare.err
	}
	if k.market.EscrowContract == "" && k.node != nil {
		if err := a.compareCode(ctx, k.node, k.goodCode); err != nil {
			return 0, err
		}
	}
	var named *PaymentToken
	if len(k.tokens) > 0 {
		if named, err = a.findNamed(k.tokens); err != nil {
			return 0, err
		}
	}
	token, decimals, err := a.findToken(ctx, k, named)
	if err != nil {
		return 0, err
	}
	compare.same("agreement.token.address", token, a.Terms.Token)
	shown, _ := a.document["token"].(map[string]any)
	compare.same("agreement.token.decimals", decimals, shown["decimals"])
	if window := a.Terms.DisputeWindow + a.Terms.AppealWindow; window > longestDispute {
		compare.fail(&NotAsAgreedError{
			OrderID: a.id, Field: "agreement.dispute_window_seconds", Expected: fmt.Sprintf("at most %d", longestDispute),
			Found: fmt.Sprintf("%d with the appeal", window),
		})
	}
	most := k.maxAmount
	if named != nil && named.MaxAmount != "" {
		most = named.MaxAmount
	}
	if most != "" && compare.err == nil {
		compare.fail(a.compareAmount(most, decimals))
	}
	return decimals, compare.err
}

func (a *agreedOrder) compareAmount(maxAmount Amount, decimals int) error {
	most, err := maxAmount.BaseUnits(decimals)
	if err != nil || a.Terms.Amount.Cmp(most) <= 0 {
		return err
	}
	amount, err := AmountOf(a.Terms.Amount, decimals)
	if err != nil {
		return err
	}
	return &NotAsAgreedError{
		OrderID: a.id, Field: "agreement.amount_base_units", Expected: "at most " + string(maxAmount), Found: string(amount),
	}
}

// findToken returns the token of the order's chain by every source but the service.
func (a *agreedOrder) findToken(ctx context.Context, k known, named *PaymentToken) (token settlement.Address, decimals int, err error) {
	if k.market.Token != "" {
		token, err = parseAddress(k.market.Token)
		return token, k.market.TokenDecimals, err
	}
	if named != nil {
		if decimals, isGiven := named.Decimals.Get(); isGiven {
			return a.Terms.Token, int(decimals), nil
		}
	}
	network := settlement.FindNetwork(a.ChainID)
	if network != nil && network.Token != nil && (named == nil || a.knownToken() != nil) {
		return network.Token.Address, network.Token.Decimals, nil
	}
	if (named == nil && network == nil) || k.node == nil {
		return token, 0, fmt.Errorf("earnest: the token of chain %d is unknown: name it with its decimals, or give a Node", a.ChainID)
	}
	// On a local chain, any token is a test token.
	answer, err := ask(ctx, k.node, a.Terms.Token, settlement.DecimalsCall())
	switch {
	case err != nil && !isRevert(err):
		return token, 0, fmt.Errorf("earnest: the node: %w", err)
	case err != nil || !answer.IsUint64() || answer.Uint64() > 255:
		return token, 0, &NotAsAgreedError{OrderID: a.id, Field: "agreement.token.address", Expected: "a token", Found: a.Terms.Token.String()}
	}
	return a.Terms.Token, int(answer.Uint64()), nil
}

// compareCode compares the code at the escrow contract's address. With a memory it does so once, because code does not change.
func (a *agreedOrder) compareCode(ctx context.Context, node Node, good *sync.Map) error {
	// The contract has the same address on all chains.
	place := chainName(a.ChainID) + " " + a.Contract.String()
	if good != nil {
		if _, isGood := good.Load(place); isGood {
			return nil
		}
	}
	code, err := node.Code(ctx, a.Contract)
	if err != nil {
		return fmt.Errorf("earnest: the node: %w", err)
	}
	depositCode, err := node.Code(ctx, a.DepositImplementation())
	if err != nil {
		return fmt.Errorf("earnest: the node: %w", err)
	}
	if err := a.CompareCode(code, depositCode); err != nil {
		return &NotAsAgreedError{OrderID: a.id, Field: "agreement.escrow_contract", Expected: "the escrow contract", Found: err.Error()}
	}
	if good != nil {
		good.Store(place, true)
	}
	return nil
}

// ask returns the first word of a contract function's result.
func ask(ctx context.Context, node Node, contract settlement.Address, data []byte) (*big.Int, error) {
	answer, err := node.Call(ctx, contract, data)
	if err != nil {
		return nil, err
	}
	if len(answer) < 32 {
		return nil, &receipts.NodeError{Method: "eth_call", Code: 3, Message: "the answer is no word: 0x" + hex.EncodeToString(answer)}
	}
	return new(big.Int).SetBytes(answer[:32]), nil
}

// isRevert reports whether a contract refused, which is a result. A node that cannot run the call returns none.
func isRevert(err error) bool {
	var refusal *receipts.NodeError
	return errors.As(err, &refusal) && refusal.IsRevert()
}

// parseAddress reads an address of the caller, in any case of letters.
func parseAddress(text string) (settlement.Address, error) {
	return settlement.ParseAddress(strings.ToLower(text))
}

func chainName(id uint64) string { return fmt.Sprintf("eip155:%d", id) }
