//go:build service

package wallet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/wallet"
)

func TestTwoPurchasesAtOnceDoNotSpendEachOthersAllowance(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	fund(t, buyer)
	ask(t, "anvil_setBalance", buyer.key.Address(), "0xde0b6b3a7640000")
	failures := make(chan error, 2)
	for number := range 2 {
		go func() {
			_, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{
				Wallet: buyer.key, MaxAmount: "3", Input: map[string]any{"of": []int{number}}, Rail: earnest.SettlementRailEscrow,
				Sender: wallet.Sender{Key: buyer.key, Node: node(t)}, Node: node(t), Poll: 200 * time.Millisecond,
			})
			failures <- err
		}()
	}
	if err := errors.Join(<-failures, <-failures); err != nil {
		t.Fatal(err)
	}
	if left := balance(t, buyer); left != 95_000_000 {
		t.Errorf("the buyer has %d left", left)
	}
}

// sellQuoted publishes a service that is sold by quote.
func sellQuoted(t *testing.T, provider party) *earnest.Service {
	t.Helper()
	slug := sell(t, provider).Agent.Slug
	asked := earnest.ServiceRequest{
		Slug: "quoted", Title: "Sums by quote", PricingModel: earnest.PricingModelNegotiated, Price: "2.50", DeliveryTimeHours: 24,
		Tags: []string{"go-sums"},
	}
	if _, err := provider.Services.Create(t.Context(), slug, asked); err != nil {
		t.Fatal(err)
	}
	offered, err := provider.Services.Publish(t.Context(), slug, "quoted")
	if err != nil {
		t.Fatal(err)
	}
	return offered
}

// giveQuote answers a request of the buyer.
func giveQuote(t *testing.T, provider, buyer party, asked earnest.QuoteRequest) earnest.Quote {
	t.Helper()
	request, err := buyer.Requests.Post(t.Context(), earnest.OpenRequestRequest{
		Title: "Sums", Description: "Once.", Tags: []string{"go-sums"}, Budget: "20",
	})
	if err != nil {
		t.Fatal(err)
	}
	given, err := provider.Quotes.Give(t.Context(), request.ID, asked)
	if err != nil {
		t.Fatal(err)
	}
	quote, err := buyer.Quotes.Get(t.Context(), given.ID)
	if err != nil {
		t.Fatal(err)
	}
	return *quote
}

func TestAQuoteIsBoughtOnceAtItsPriceAndInItsTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	offered := sellQuoted(t, provider)
	fund(t, buyer)
	quoteFor := func() earnest.Quote {
		t.Helper()
		return giveQuote(t, provider, buyer, earnest.QuoteRequest{
			AgentSlug: offered.Agent.Slug, ServiceID: offered.ID, Price: "7.25", DeliveryTimeHours: 48,
		})
	}
	options := earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "8", Input: map[string]any{"of": []int{1}}, Node: node(t), Poll: 200 * time.Millisecond}
	for field, change := range map[string]func(*earnest.Quote){
		"agreement.unit_price_base_units":   func(quote *earnest.Quote) { quote.Price = "5.00" },
		"agreement.delivery_window_seconds": func(quote *earnest.Quote) { quote.DeliveryTimeHours = 24 },
	} {
		quote := quoteFor()
		change(&quote)
		var differs *earnest.NotAsAgreedError
		if _, err := buyer.BuyQuote(ctx, quote, options); !errors.As(err, &differs) || differs.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	quote := quoteFor()
	little := options
	little.MaxAmount = "7"
	if _, err := buyer.BuyQuote(ctx, quote, little); !errors.Is(err, earnest.ErrNotAsAgreed) {
		t.Errorf("above the limit: %v", err)
	}
	order, err := buyer.BuyQuote(ctx, quote, options)
	if err != nil || order.Status != earnest.OrderStatusFunded || order.TotalAmount != "7.250000" {
		t.Fatalf("%+v, %v", order, err)
	}
	if again, err := buyer.BuyQuote(ctx, quote, options); err != nil || again.ID != order.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	options.Input = map[string]any{"of": []int{2}}
	if _, err := buyer.BuyQuote(ctx, quote, options); !errors.Is(err, earnest.ErrNotAsAgreed) {
		t.Errorf("another input: %v", err)
	}
	options.Quantity = 2
	if _, err := buyer.BuyQuote(ctx, quote, options); err == nil {
		t.Error("a quantity of a quote was taken")
	}
	if left := balance(t, buyer); left != 92_750_000 {
		t.Errorf("the buyer has %d left", left)
	}
}
