//go:build service

package wallet_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// stagedOrder is a bought order in two stages, with its provider at work.
type stagedOrder struct {
	provider, buyer party
	id              string
	settle          earnest.SettleOptions
}

// buyInStages buys an order in two stages of 2.00 and 3.00, and serves it until the test ends.
func buyInStages(t *testing.T, work earnest.Handler) stagedOrder {
	t.Helper()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	offered := sellQuoted(t, provider)
	fund(t, buyer)
	asked := earnest.QuoteRequest{
		AgentSlug: offered.Agent.Slug, ServiceID: offered.ID, Price: "5.00", DeliveryTimeHours: 48, Stages: []earnest.StageRequest{
			{Title: "Outline", Amount: "2.00", Hours: 8, OutputSchema: map[string]any{"required": []string{"Part"}}},
			{Title: "Text", Amount: "3.00", Hours: 40},
		},
	}
	options := earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "5", Input: map[string]any{"of": []int{1}}, Node: node(t), Poll: 200 * time.Millisecond}
	quote := giveQuote(t, provider, buyer, asked)
	quote.Stages[0].Amount, quote.Stages[1].Amount = quote.Stages[1].Amount, quote.Stages[0].Amount
	var differs *earnest.NotAsAgreedError
	if _, err := buyer.BuyQuote(t.Context(), quote, options); !errors.As(err, &differs) || differs.Field != "agreement.stages[0].amount_base_units" {
		t.Fatalf("stages of other amounts: %v", err)
	}
	order, err := buyer.BuyQuote(t.Context(), giveQuote(t, provider, buyer, asked), options)
	if err != nil {
		t.Fatal(err)
	}
	serveStages(t, provider, offered, work)
	settle := earnest.SettleOptions{Wallet: buyer.key, Chain: node(t), Poll: 200 * time.Millisecond}
	return stagedOrder{provider, buyer, order.ID, settle}
}

// serveStages serves a service until the test ends.
func serveStages(t *testing.T, provider party, service *earnest.Service, work earnest.Handler) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		handlers := map[string]earnest.Handler{service.Slug: work}
		ended <- provider.Serve(ctx, service.Agent.Slug, handlers, earnest.ServeOptions{Wallet: provider.key, Node: node(t)})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// part is the output of a stage.
type part struct{ Part int }

func (o stagedOrder) await(t *testing.T, stage int64, number int) {
	t.Helper()
	delivery, err := o.buyer.AwaitDelivery(t.Context(), o.id, o.settle)
	if err != nil {
		t.Fatal(err)
	}
	var output part
	if err := delivery.Output.Decode(&output); err != nil || delivery.Stage != stage || output.Part != number {
		t.Fatalf("stage %d, part %d, %v", delivery.Stage, output.Part, err)
	}
}

func TestStagesArePaidOneAfterTheOther(t *testing.T) {
	type call struct {
		stage   int64
		changes string
	}
	var calls []call
	o := buyInStages(t, earnest.Handle(func(_ context.Context, job earnest.Job[any]) (part, error) {
		calls = append(calls, call{job.Stage.Number, job.Changes})
		return part{len(calls)}, nil
	}))
	o.await(t, 1, 1)
	if _, err := o.buyer.RequestChanges(t.Context(), o.id, "Longer, please."); err != nil {
		t.Fatal(err)
	}
	o.await(t, 1, 2)
	if _, err := o.buyer.Accept(t.Context(), o.id, o.settle); err == nil {
		t.Fatal("the order was accepted before its last stage")
	}
	// A program that is started again calls again.
	for range 2 {
		order, err := o.buyer.AcceptStage(t.Context(), o.id, 1, o.settle)
		if err != nil || order.Stages[0].State != earnest.StageStateAccepted {
			t.Fatalf("%+v, %v", order, err)
		}
	}
	if has := balance(t, o.provider); has != 2_000_000 {
		t.Errorf("the provider has %d", has)
	}
	o.await(t, 2, 3)
	receipt, err := o.buyer.Accept(t.Context(), o.id, o.settle)
	if err != nil || receipt.Document.Amount != "5000000" {
		t.Fatalf("%+v, %v", receipt, err)
	}
	if expected := []call{{1, ""}, {1, "Longer, please."}, {2, ""}}; !slices.Equal(calls, expected) {
		t.Errorf("the handler was called for %v", calls)
	}
	shown, err := o.buyer.Orders.ListStages(t.Context(), o.id)
	if err != nil || len(shown.Items) != 2 || shown.Items[0].ReceiptID == nil || shown.Items[1].State != earnest.StageStateAccepted {
		t.Errorf("%+v, %v", shown, err)
	}
}

func TestADisputeHoldsTheStagesThatAreNotPaidAlsoWithoutAnAccount(t *testing.T) {
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	slug := sell(t, provider).Agent.Slug
	asked := earnest.ServiceRequest{
		Slug: "staged", Title: "Sums in two parts", PricingModel: earnest.PricingModelFixed, Price: "5.00", DeliveryTimeHours: 48,
		Stages: earnest.Some([]earnest.StageRequest{{Title: "One", Amount: "2.00", Hours: 8}, {Title: "Two", Amount: "3.00", Hours: 40}}),
	}
	if _, err := provider.Services.Create(t.Context(), slug, asked); err != nil {
		t.Fatal(err)
	}
	service, err := provider.Services.Publish(t.Context(), slug, "staged")
	if err != nil {
		t.Fatal(err)
	}
	fund(t, buyer)
	anyone, err := earnest.NewClient(address(t, "EARNEST_URL"))
	if err != nil {
		t.Fatal(err)
	}
	options := earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "5", Input: map[string]any{"of": []int{1}}, Node: node(t), Poll: 200 * time.Millisecond}
	bought, err := anyone.BuyWithoutAccount(t.Context(), service, options)
	if err != nil {
		t.Fatal(err)
	}
	serveStages(t, provider, service, earnest.Handle(func(_ context.Context, job earnest.Job[any]) (part, error) {
		return part{int(job.Stage.Number)}, nil
	}))
	settle := earnest.SettleOptions{Poll: 200 * time.Millisecond}
	for stage := int64(1); stage <= 2; stage++ {
		delivery, err := bought.AwaitDelivery(t.Context(), settle)
		if err != nil || delivery.Stage != stage {
			t.Fatalf("%+v, %v", delivery, err)
		}
		if stage == 2 {
			break
		}
		if _, err := bought.AcceptStage(t.Context(), stage, settle); err != nil {
			t.Fatal(err)
		}
	}
	order, err := bought.Dispute(t.Context(), "The end is missing.", settle)
	if err != nil || order.Stages[0].State != earnest.StageStateAccepted || order.Stages[1].State != earnest.StageStateDisputed {
		t.Errorf("%+v, %v", order, err)
	}
}
