//go:build service

package wallet_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/wallet"
)

func TestAnOrderIsBoughtDeliveredAndReleased(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	fund(t, buyer)

	found := 0
	for one, err := range buyer.Marketplace.SearchServices(ctx, earnest.MarketplaceSearchServicesQuery{Tags: service.Tags[0], MaxPrice: "2.50"}).All() {
		if err != nil || one.ID != service.ID || *one.Price != "2.500000" {
			t.Fatalf("%+v, %v", one, err)
		}
		found++
	}
	if found != 1 {
		t.Errorf("the service was found %d times", found)
	}

	input := map[string]any{"of": []int{1, 2}, "how": 1.5}
	options := earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "2.49", Input: input, Node: node(t), Poll: 200 * time.Millisecond}
	keyed := earnest.WithIdempotencyKey("go-" + service.ID)
	unpaid, err := buyer.Buy(ctx, service.ID, options, keyed)
	if !errors.Is(err, earnest.ErrNotAsAgreed) || unpaid == nil || unpaid.Status != earnest.OrderStatusCreated {
		t.Fatalf("an order above the limit: %+v, %v", unpaid, err)
	}
	if same, err := buyer.Buy(ctx, service.ID, options, keyed); !errors.Is(err, earnest.ErrNotAsAgreed) || same.ID != unpaid.ID {
		t.Fatalf("the same key: %+v, %v", same, err)
	}
	for name, market := range map[string]earnest.Market{
		"another chain":    {ChainID: 1, EscrowContract: unpaid.Escrow.ContractAddress, Token: stranger, TokenDecimals: 6},
		"another contract": {ChainID: 31337, EscrowContract: stranger, Token: stranger, TokenDecimals: 6},
	} {
		pinned := earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "5", Market: &market, OrderID: unpaid.ID}
		if _, err := buyer.Buy(ctx, service.ID, pinned); !errors.Is(err, earnest.ErrNotAsAgreed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{Wallet: provider.key, MaxAmount: "5", Node: node(t), OrderID: unpaid.ID}); !errors.Is(err, earnest.ErrNotAsAgreed) {
		t.Errorf("another buyer: %v", err)
	}
	if _, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "5", Node: node(t), OrderID: unpaid.ID, Input: 1}); !errors.Is(err, earnest.ErrNotAsAgreed) {
		t.Errorf("another input: %v", err)
	}
	options.MaxAmount, options.OrderID = "2.50", unpaid.ID
	order, err := buyer.Buy(ctx, service.ID, options)
	if err != nil || order.Status != earnest.OrderStatusFunded || order.ID != unpaid.ID {
		t.Fatalf("%+v, %v", order, err)
	}
	again, err := buyer.Buy(ctx, service.ID, options)
	if err != nil || again.ID != order.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	if left := balance(t, buyer); left != 97_500_000 {
		t.Errorf("the buyer has %d left", left)
	}

	output := map[string]any{"sum": "3"}
	if _, err := provider.Deliver(ctx, order.ID, output, provider.key); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Deliver(ctx, order.ID, output, provider.key); err != nil {
		t.Fatalf("again: %v", err)
	}
	for range 100 {
		if order, err = buyer.Orders.Get(ctx, order.ID); err != nil || order.DeliveryRecord == earnest.DeliveryRecordMatched {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	if err != nil || order.DeliveryRecord != earnest.DeliveryRecordMatched || order.OutputPayload.String() != `{"sum":"3"}` {
		t.Fatalf("%+v, %v", order, err)
	}

	delivery, err := buyer.AwaitDelivery(ctx, order.ID, earnest.SettleOptions{})
	if err != nil || delivery.Output.String() != `{"sum":"3"}` || delivery.OutputHash != settlement.HashOfText(`{"sum":"3"}`).String() {
		t.Fatalf("%+v, %v", delivery, err)
	}
	settle := earnest.SettleOptions{Wallet: buyer.key, Chain: node(t), Poll: 200 * time.Millisecond}
	receipt, err := buyer.Accept(ctx, order.ID, settle)
	if err != nil || receipt.Document.Claim != "released" || receipt.Document.Amount != "2500000" || !receipt.Status.Good {
		t.Fatalf("%+v, %v", receipt, err)
	}
	if again, err := buyer.Accept(ctx, order.ID, settle); err != nil || again.Document.ID != receipt.Document.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	x402, err := buyer.Receipts.GetX402(ctx, order.ID)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := receipts.VerifyX402Receipt(ctx, []byte(x402.Signature), receipts.Options{Issuer: receipt.Issuer},
		receipts.X402Receipt{Transaction: receipt.Document.Transaction})
	if err != nil || checked.Receipt.Payer != buyer.key.Address() {
		t.Errorf("%+v, %v", checked, err)
	}
	log, err := receipts.VerifyKeyLog(ctx, nil, receipts.Options{Issuer: receipt.Issuer}, "")
	if err != nil || len(log.Keys) == 0 {
		t.Fatalf("%+v, %v", log, err)
	}
	if _, err := receipts.VerifyKeyLog(ctx, nil, receipts.Options{Issuer: receipt.Issuer}, log.Head); err != nil {
		t.Error(err)
	}
	if _, err := receipts.VerifyKeyLog(ctx, nil, receipts.Options{Issuer: receipt.Issuer}, "0x"+hex.EncodeToString(make([]byte, 32))); !errors.Is(err, receipts.KeyLogRewritten) {
		t.Error(err)
	}
	receipt.Document.Amount = "2500001"
	if answer := receipts.ConfirmOnChain(ctx, receipt, settle.Chain, receipts.ChainOptions{}); !errors.Is(answer.Err, receipts.AmountMismatch) {
		t.Errorf("another amount: %+v", answer)
	}

	var types []string
	for event, err := range provider.Events.Follow(ctx, earnest.FollowOptions{Poll: 200 * time.Millisecond}).All() {
		if err != nil {
			t.Fatal(err)
		}
		data, err := event.Payload()
		if err != nil {
			t.Fatal(err)
		}
		if entry, isStep := data.(*earnest.OrderEventData); isStep && entry.Order.ID != order.ID {
			t.Errorf("an event of %s", entry.Order.ID)
		}
		types = append(types, event.Type)
		if event.Type == string(earnest.EventTypeOrderReleased) {
			break
		}
	}
	if len(types) != 6 {
		t.Errorf("the provider's events: %v", types)
	}
	review(t, provider, buyer, order)
	record(t, buyer, service.Agent.Slug, order.ID, receipt.Issuer)
}

// record reads the public record of an agent, and verifies the agent's statement.
func record(t *testing.T, buyer party, agent, orderID, issuer string) {
	t.Helper()
	ctx := t.Context()
	outcomes, err := buyer.Agents.Record.ListOutcomes(ctx, agent, earnest.AgentsRecordListOutcomesQuery{Limit: 1}).Page()
	if err != nil || len(outcomes.Items) != 1 || outcomes.Items[0].OrderID != orderID {
		t.Fatalf("%+v, %v", outcomes, err)
	}
	if _, err := buyer.Agents.Record.ListCounterparties(ctx, agent, earnest.AgentsRecordListCounterpartiesQuery{}).Page(); err != nil {
		t.Error(err)
	}
	if found, err := buyer.Agents.Record.Get(ctx, agent); err != nil || found.Agent.Slug != agent {
		t.Errorf("%+v, %v", found, err)
	}
	var statement []byte
	for range 300 {
		signed, err := buyer.Agents.Record.GetStatement(ctx, agent)
		if err == nil {
			if statement, err = json.Marshal(signed); err != nil {
				t.Fatal(err)
			}
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	options := receipts.Options{Issuer: issuer}
	if _, err := receipts.VerifyRecordStatement(ctx, statement, options, agent); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
	if _, err := receipts.VerifyReceipt(ctx, statement, options); !errors.Is(err, receipts.WrongKind) {
		t.Errorf("as a receipt: %v", err)
	}
}

// review writes, changes, answers, reports and takes back the review of a released order.
func review(t *testing.T, provider, buyer party, order *earnest.Order) {
	t.Helper()
	ctx := t.Context()
	if none, err := buyer.Reviews.GetForOrder(ctx, order.ID); err != nil || none.Review != nil {
		t.Fatalf("%+v, %v", none, err)
	}
	written, err := buyer.Reviews.Write(ctx, order.ID, earnest.ReviewRequest{Rating: 4, Text: earnest.String("Added up.")})
	if err != nil || *written.Rating != 4 {
		t.Fatalf("%+v, %v", written, err)
	}
	change := earnest.ReviewChange{Rating: earnest.Int(5), Text: earnest.Null[string]()}
	if edited, err := buyer.Reviews.Edit(ctx, order.ID, change); err != nil || *edited.Rating != 5 || edited.Text != nil {
		t.Errorf("%+v, %v", edited, err)
	}
	if _, err := provider.Reviews.Answer(ctx, written.ID, earnest.ReviewAnswerRequest{Text: "Gladly."}); err != nil {
		t.Error(err)
	}
	reported := earnest.ReportRequest{
		Subject: earnest.ReportedSubject{Kind: earnest.SubjectKindReview, ID: written.ID},
		Reason:  earnest.ReportReasonOther,
		Text:    "A test of reports.",
	}
	if _, err := provider.Reports.Create(ctx, reported); err != nil {
		t.Error(err)
	}
	read, err := buyer.Reviews.Get(ctx, written.ID)
	if err != nil || !read.Settled || !read.DisputedByProvider || read.Marked || read.Answer == nil || read.Answer.Text != "Gladly." {
		t.Errorf("%+v, %v", read, err)
	}
	page, err := buyer.Reviews.List(ctx, written.Agent.Slug, earnest.ReviewsListQuery{Limit: 1}).Page()
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != written.ID || *page.Body.Summary.Average != 5 {
		t.Errorf("%+v, %v", page, err)
	}
	if gone, err := buyer.Reviews.Withdraw(ctx, order.ID); err != nil || gone.Rating != nil || gone.Answer != nil {
		t.Errorf("%+v, %v", gone, err)
	}
}

func TestAnOrderIsPaidByCallsAndRefunded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	fund(t, buyer)
	ask(t, "anvil_setBalance", buyer.key.Address(), "0xde0b6b3a7640000")
	order, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{
		Wallet: buyer.key, MaxAmount: "3", Input: map[string]any{"of": []int{}}, Rail: earnest.SettlementRailEscrow,
		Sender: wallet.Sender{Key: buyer.key, Node: node(t)}, Node: node(t), Poll: 200 * time.Millisecond,
	})
	if err != nil || order.Status != earnest.OrderStatusFunded {
		t.Fatalf("%+v, %v", order, err)
	}
	receipt, err := provider.Refund(ctx, order.ID, earnest.SettleOptions{Wallet: provider.key, Poll: 200 * time.Millisecond})
	if err != nil || receipt.Document.Claim != "refunded" || receipt.Document.Buyer != buyer.key.Address() {
		t.Fatalf("%+v, %v", receipt, err)
	}
	if back, err := buyer.TakeBack(ctx, order.ID, earnest.TakeBackOptions{}); err != nil || back.Status != earnest.OrderStatusRefunded {
		t.Errorf("%+v, %v", back, err)
	}
	var end *earnest.OrderEndedError
	if _, err := buyer.AwaitDelivery(ctx, order.ID, earnest.SettleOptions{}); !errors.As(err, &end) || end.Status != earnest.OrderStatusRefunded {
		t.Errorf("a delivery of a refunded order: %v", err)
	}
	if _, err := buyer.Accept(ctx, order.ID, earnest.SettleOptions{Wallet: buyer.key}); !errors.As(err, &end) {
		t.Errorf("a release of a refunded order: %v", err)
	}
}

func TestAboveItsLimitsAKeyPaysNothingBeforeAnOwnerApproves(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	service := sell(t, join(t, providerScopes...))
	key, err := wallet.New()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := earnest.NewClient(address(t, "EARNEST_URL"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.SignIn(ctx, earnest.SignInOptions{Wallet: key, ChainID: 31337}); err != nil {
		t.Fatal(err)
	}
	made, err := owner.APIKeys.Create(ctx, earnest.KeyRequest{
		Name: "shopper", Scopes: buyerScopes,
		Limits: &earnest.KeyLimitsRequest{ApprovalAbove: earnest.Some(earnest.Amount("2.49")), MaxOpenOrders: earnest.Int(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	shopper, err := earnest.NewClient(address(t, "EARNEST_URL"), earnest.WithAPIKey(made.Token))
	if err != nil {
		t.Fatal(err)
	}
	fund(t, party{shopper, key, made.Token})
	options := earnest.BuyOptions{
		Wallet: key, MaxAmount: "3", Input: map[string]any{"of": []int{}}, Node: node(t), Poll: 200 * time.Millisecond,
	}
	var waits *earnest.ApprovalRequiredError
	order, err := shopper.Buy(ctx, service.ID, options)
	if !errors.As(err, &waits) || waits.Refused || waits.Order.ID != order.ID {
		t.Fatalf("%+v, %v", order, err)
	}
	var refusal *earnest.Error
	options.Input = map[string]any{"of": []int{7}}
	if _, err := shopper.Buy(ctx, service.ID, options); !errors.As(err, &refusal) ||
		refusal.SpendLimit() == nil || refusal.SpendLimit().Limit != earnest.SpendLimitNameMaxOpenOrders {
		t.Fatalf("over the limit: %v", err)
	}
	if _, err := owner.Orders.DecideApproval(ctx, order.ID, earnest.ApprovalRequest{Decision: "approve"}); err != nil {
		t.Fatal(err)
	}
	options.OrderID = order.ID
	options.Input = nil
	paid, err := shopper.Buy(ctx, service.ID, options)
	if err != nil || paid.ID != order.ID || paid.Status != earnest.OrderStatusFunded {
		t.Fatalf("%+v, %v", paid, err)
	}
}

func TestAnOrderIsChangedAndDisputed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	fund(t, buyer)
	order, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{
		Wallet: buyer.key, MaxAmount: "2.5", Input: map[string]any{"of": nil}, Node: node(t), Poll: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Deliver(ctx, order.ID, map[string]any{"sum": "0"}, provider.key); err != nil {
		t.Fatal(err)
	}
	changed, err := buyer.RequestChanges(ctx, order.ID, "Nothing is not nothing.")
	if err != nil || changed.Status != earnest.OrderStatusStarted {
		t.Fatalf("%+v, %v", changed, err)
	}
	disputed, err := buyer.Dispute(ctx, order.ID, "It was not changed.", earnest.SettleOptions{Wallet: buyer.key, Poll: 200 * time.Millisecond})
	if err != nil || disputed.Status != earnest.OrderStatusDisputed {
		t.Fatalf("%+v, %v", disputed, err)
	}
}
