//go:build service

package wallet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/wallet"
)

// watched counts what a wallet signs and sends.
type watched struct {
	*wallet.Key
	wallet.Sender
	signed, sent *atomic.Int64
}

func watch(t *testing.T, key *wallet.Key) watched {
	return watched{key, wallet.Sender{Key: key, Node: node(t)}, new(atomic.Int64), new(atomic.Int64)}
}

func (w watched) SignHash(ctx context.Context, hash [32]byte) ([]byte, error) {
	w.signed.Add(1)
	return w.Key.SignHash(ctx, hash)
}

func (w watched) SendCall(ctx context.Context, chainID uint64, call settlement.Call) (string, error) {
	w.sent.Add(1)
	return w.Sender.SendCall(ctx, chainID, call)
}

var (
	orderPath        = regexp.MustCompile(`/orders(/ord_\w+)?$`)
	agreementPath    = regexp.MustCompile(`/agreement$`)
	instructionsPath = regexp.MustCompile(`/payment-instructions$`)
	paymentPath      = regexp.MustCompile(`/payment$`)
)

// setting changes one member of a path's response, as in "escrow.deposit_address" or "calls.0.to".
func setting(path *regexp.Regexp, at string, value any) func(string, map[string]any) any {
	return func(url string, body map[string]any) any {
		if len(body) == 0 {
			return nil
		}
		if !path.MatchString(url) {
			return body
		}
		steps := strings.Split(at, ".")
		var owner any = body
		for _, step := range steps[:len(steps)-1] {
			if list, isList := owner.([]any); isList {
				index, _ := strconv.Atoi(step)
				owner = list[index]
			} else {
				owner = owner.(map[string]any)[step]
			}
		}
		owner.(map[string]any)[steps[len(steps)-1]] = value
		return body
	}
}

func TestAServiceThatLiesIsRefusedBeforeAnythingIsSigned(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	const other = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
	hash := "0x" + strings.Repeat("11", 32)
	service := sell(t, join(t, providerScopes...))
	between := newProxy(t)
	buyer := between.through(t, join(t, buyerScopes...))
	fund(t, buyer)
	spy := watch(t, buyer.key)
	options := earnest.BuyOptions{
		Wallet: spy, Sender: spy, Node: node(t), MaxAmount: "20", Input: map[string]any{"of": []int{7}}, Poll: 100 * time.Millisecond,
	}
	refused := func(t *testing.T, rail earnest.SettlementRail, field string) *earnest.Order {
		t.Helper()
		asked := options
		asked.Rail = rail
		order, err := buyer.Buy(ctx, service.ID, asked)
		var found *earnest.NotAsAgreedError
		if !errors.As(err, &found) || !errors.Is(err, earnest.ErrNotAsAgreed) || !strings.HasPrefix(found.Field, field) {
			t.Errorf("%s was expected: %v", field, err)
		}
		if spy.signed.Load() != 0 || spy.sent.Load() != 0 || balance(t, buyer) != 100_000_000 {
			t.Fatalf("%s: something was signed", field)
		}
		return order
	}

	for _, one := range []struct {
		rail   earnest.SettlementRail
		path   *regexp.Regexp
		member string
		value  any
		field  string
	}{
		{"x402", orderPath, "total_amount_base_units", "1", "order.total_amount_base_units"},
		{"x402", orderPath, "provider_address", other, "order.provider_address"},
		{"x402", orderPath, "buyer_address", other, "order.buyer_address"},
		{"x402", orderPath, "arbiter", other, "order.arbiter"},
		{"x402", orderPath, "settlement_rail", "escrow", "order.settlement_rail"},
		{"x402", orderPath, "funding_deadline", "2030-01-01T00:00:00.000Z", "order.funding_deadline"},
		{"x402", orderPath, "escrow.escrow_id", hash, "order.escrow.escrow_id"},
		{"x402", orderPath, "escrow.deposit_address", other, "order.escrow.deposit_address"},
		{"x402", orderPath, "escrow.contract_address", other, "order.escrow.contract_address"},
		{"x402", instructionsPath, "amount_base_units", "9000000", "payment_instructions.amount_base_units"},
		{"x402", instructionsPath, "token_decimals", 9, "payment_instructions.token_decimals"},
		{"x402", instructionsPath, "deposit_address", other, "payment_instructions.deposit_address"},
		{"x402", instructionsPath, "terms.provider", other, "payment_instructions.terms.provider"},
		{"x402", instructionsPath, "payment_required.accepts.0.payTo", other, "payment_instructions.payment_required.accepts[0].payTo"},
		{"x402", instructionsPath, "payment_required.accepts.0.amount", "9000000", "payment_instructions.payment_required.accepts[0].amount"},
		{"x402", instructionsPath, "payment_required.accepts.0.asset", other, "payment_instructions.payment_required.accepts[0].asset"},
		{"x402", instructionsPath, "typed_data.message.to", other, "payment_instructions.typed_data.message.to"},
		{"x402", instructionsPath, "typed_data.message.value", "9", "payment_instructions.typed_data.message.value"},
		{"x402", instructionsPath, "typed_data.domain.verifyingContract", other, "payment_instructions.typed_data.domain.verifyingContract"},
		{"x402", instructionsPath, "typed_data.primaryType", "Permit", "payment_instructions.typed_data.primaryType"},
		{"escrow", instructionsPath, "calls.0.to", other, "payment_instructions.calls[0].to"},
		{"escrow", instructionsPath, "calls.0.data", "0x00", "payment_instructions.calls[0].data"},
		{"escrow", instructionsPath, "calls.1.to", other, "payment_instructions.calls[1].to"},
		{"escrow", instructionsPath, "calls.1.data", "0x00", "payment_instructions.calls[1].data"},
		{"escrow", instructionsPath, "calls.1.value", "1", "payment_instructions.calls[1].value"},
	} {
		t.Run(fmt.Sprintf("%s, %s", one.rail, one.field), func(t *testing.T) {
			between.changeResponses(setting(one.path, one.member, one.value))
			refused(t, one.rail, one.field)
		})
	}

	between.changeResponses(setting(instructionsPath, "deposit_address", other))
	order := refused(t, "x402", "payment_instructions.deposit_address")
	between.changeResponses(nil)
	truth, err := buyer.Orders.GetAgreement(ctx, order.ID)
	if err != nil {
		t.Fatal(err)
	}
	// The service lies consistently: it recomputes the order and the agreement.
	for _, one := range []struct {
		member string
		value  any
	}{
		{"provider", other}, {"amount_base_units", "9000000"}, {"arbiter", other}, {"acceptance_window_seconds", 60},
		{"delivery_window_seconds", 1}, {"dispute_window_seconds", 4_000_000_000}, {"service_id", "svc_01jd3w7n1yes0bq7d5z3w6t8kg"},
		{"quantity", 2}, {"input_digest", hash}, {"output_schema_digest", hash}, {"escrow_contract", other}, {"chain", "eip155:8453"},
		{"token.address", other}, {"token.decimals", 9},
	} {
		t.Run("consistently, about the agreement's "+one.member, func(t *testing.T) {
			lied := map[string]any{}
			if err := truth.Decode(&lied); err != nil {
				t.Fatal(err)
			}
			setting(regexp.MustCompile(""), one.member, one.value)("", lied)
			text, _ := json.Marshal(lied)
			escrow, err := settlement.ReadAgreement(text)
			if err != nil {
				t.Fatal(err)
			}
			between.changeResponses(func(url string, body map[string]any) any {
				switch {
				case len(body) == 0:
					return nil
				case agreementPath.MatchString(url):
					return lied
				case !orderPath.MatchString(url):
					return body
				}
				body["service_id"], body["quantity"] = lied["service_id"], lied["quantity"]
				body["provider_address"], body["arbiter"] = escrow.Terms.Provider, escrow.Terms.Arbiter
				body["total_amount_base_units"] = escrow.Terms.Amount.String()
				within := body["escrow"].(map[string]any)
				within["chain_id"], within["contract_address"] = escrow.ChainID, escrow.Contract
				within["escrow_id"], within["deposit_address"] = escrow.ID(), escrow.DepositAddress()
				return body
			})
			refused(t, "x402", "agreement."+one.member)
		})
	}
}

func TestAServiceThatHidesAPaymentIsNotPaidTwice(t *testing.T) {
	service := sell(t, join(t, providerScopes...))
	between := newProxy(t)
	buyer := between.through(t, join(t, buyerScopes...))
	fund(t, buyer)
	ask(t, "anvil_setBalance", buyer.key.Address(), "0xde0b6b3a7640000")
	status, err := buyer.Chain.GetStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pinned := &earnest.Market{
		ChainID: uint64(*status.ChainID), EscrowContract: *status.EscrowContract, Token: *status.TokenAddress, TokenDecimals: 6,
	}
	had := balance(t, buyer)
	for _, rail := range []earnest.SettlementRail{earnest.SettlementRailX402, earnest.SettlementRailEscrow} {
		t.Run(string(rail), func(t *testing.T) {
			spy := watch(t, buyer.key)
			var kept map[string]any
			between.changeResponses(func(url string, body map[string]any) any {
				if len(body) == 0 {
					return nil
				}
				if instructionsPath.MatchString(url) {
					kept = body
				}
				return body
			})
			options := earnest.BuyOptions{
				Wallet: spy, Sender: spy, Node: node(t), MaxAmount: "3", Input: map[string]any{"of": []string{string(rail)}}, Rail: rail,
				Poll: 100 * time.Millisecond,
			}
			order, err := buyer.Buy(t.Context(), service.ID, options)
			if err != nil {
				t.Fatal(err)
			}
			had -= 2_500_000
			signed, sent := spy.signed.Load(), spy.sent.Load()
			// The service says that the order is unpaid, and shows how to pay it.
			between.changeResponses(func(url string, body map[string]any) any {
				switch {
				case instructionsPath.MatchString(url):
					return kept
				case len(body) == 0:
					return nil
				case paymentPath.MatchString(url):
					body["payment"] = nil
				case orderPath.MatchString(url):
					body["status"], body["funded_at"] = "created", nil
				}
				return body
			})
			options.OrderID = order.ID
			again := func(options earnest.BuyOptions) {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				if _, err := buyer.Buy(ctx, service.ID, options); err == nil {
					t.Error("an order that is not funded was bought")
				}
				if left := balance(t, buyer); left != had {
					t.Errorf("%d are left, not %d", left, had)
				}
			}
			again(options)
			if spy.signed.Load() != signed || spy.sent.Load() != sent {
				t.Error("something was signed or sent again")
			}
			if rail == earnest.SettlementRailX402 {
				// Without a node, the client signs the same authorization again, which the token accepts once.
				options.Node, options.Market = nil, pinned
				again(options)
			}
			between.changeResponses(nil)
		})
	}
}

// oddNode gives its own result for the first contract call, which reads the token's decimals.
type oddNode struct {
	receipts.RPC
	answer []byte
	err    error
}

func (n oddNode) Call(context.Context, settlement.Address, []byte) ([]byte, error) {
	return n.answer, n.err
}

func TestANodeThatCannotTellOfTheTokenIsNoReasonToDistrustIt(t *testing.T) {
	service := sell(t, join(t, providerScopes...))
	buyer := join(t, buyerScopes...)
	fund(t, buyer)
	spy := watch(t, buyer.key)
	buy := func(node earnest.Node) error {
		_, err := buyer.Buy(t.Context(), service.ID, earnest.BuyOptions{
			Wallet: spy, Node: node, MaxAmount: "20", Input: map[string]any{"of": []int{7}}, Poll: 100 * time.Millisecond,
		})
		return err
	}
	for _, failure := range []error{
		errors.New("connection refused"),
		&receipts.NodeError{Method: "eth_call", Code: -32603, Message: "Internal error"},
		&receipts.NodeError{Method: "eth_call", Code: -32005, Message: "limit exceeded"},
	} {
		err := buy(oddNode{RPC: node(t), err: failure})
		if !errors.Is(err, failure) || errors.Is(err, earnest.ErrNotAsAgreed) || !strings.Contains(err.Error(), "the node: ") {
			t.Errorf("%v was expected: %v", failure, err)
		}
	}
	for _, odd := range []oddNode{
		{err: &receipts.NodeError{Method: "eth_call", Code: 3, Message: "execution reverted"}},
		{answer: []byte{}},
		{answer: bytes.Repeat([]byte{0xff}, 32)},
		{answer: append(make([]byte, 31), 18)},
	} {
		odd.RPC = node(t)
		err := buy(odd)
		var found *earnest.NotAsAgreedError
		if !errors.As(err, &found) || !strings.HasPrefix(found.Field, "agreement.token.") {
			t.Errorf("a token that answers %x, %v: %v", odd.answer, odd.err, err)
		}
	}
	if spy.signed.Load() != 0 {
		t.Error("something was signed")
	}
	if err := buy(node(t)); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

func TestAnOutputThatIsNotTheDeliveredOneIsRefused(t *testing.T) {
	provider := join(t, providerScopes...)
	service := sell(t, provider)
	between := newProxy(t)
	buyer := between.through(t, join(t, buyerScopes...))
	fund(t, buyer)
	order, err := buyer.Buy(t.Context(), service.ID, earnest.BuyOptions{
		Wallet: buyer.key, Node: node(t), MaxAmount: "3", Input: question{[]int64{1}}, Poll: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Deliver(t.Context(), order.ID, answer{1}, provider.key); err != nil {
		t.Fatal(err)
	}
	between.changeResponses(setting(orderPath, "output_payload", map[string]any{"sum": 2}))
	var found *earnest.NotAsAgreedError
	if _, err := buyer.AwaitDelivery(t.Context(), order.ID, earnest.SettleOptions{}); !errors.As(err, &found) || found.Field != "order.output_payload" {
		t.Errorf("%v", err)
	}
}
