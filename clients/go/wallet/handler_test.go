//go:build service

package wallet_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// served runs Serve until the test ends.
func served(t *testing.T, provider party, service *earnest.Service, options earnest.ServeOptions, work func(earnest.Job[question]) (any, error)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	options.Wallet, options.Sweep = provider.key, 500*time.Millisecond
	go func() {
		handler := earnest.Handle(func(_ context.Context, job earnest.Job[question]) (any, error) { return work(job) })
		ended <- provider.Serve(ctx, service.Agent.Slug, map[string]earnest.Handler{"sum": handler}, options)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// await reads an order until a condition holds.
func await(t *testing.T, who party, id string, done func(*earnest.Order) bool) *earnest.Order {
	t.Helper()
	for {
		order, err := who.Orders.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if done(order) {
			return order
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func isIn(status earnest.OrderStatus) func(*earnest.Order) bool {
	return func(order *earnest.Order) bool { return order.Status == status }
}

func TestAHandlerIsToldOfRefusalsAndChangesAndMayDecline(t *testing.T) {
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	outputSchema := earnest.JSON(`{"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}`)
	if _, err := provider.Services.Update(t.Context(), service.Agent.Slug, service.Slug, earnest.ServiceChange{OutputSchema: outputSchema}); err != nil {
		t.Fatal(err)
	}
	fund(t, buyer)
	var mutex sync.Mutex
	var jobs []earnest.Job[question]
	served(t, provider, service, earnest.ServeOptions{Node: node(t)}, func(job earnest.Job[question]) (any, error) {
		mutex.Lock()
		jobs = append(jobs, job)
		mutex.Unlock()
		switch {
		case job.Input.Of[0] == 9:
			return nil, earnest.ErrDeclined
		case job.Changes != "":
			return answer{8}, nil
		case job.LastError != nil:
			return answer{7}, nil
		}
		return map[string]string{"sum": "seven"}, nil
	})
	buy := func(of int64) *earnest.Order {
		t.Helper()
		order, err := buyer.Buy(t.Context(), service.ID, earnest.BuyOptions{
			Wallet: buyer.key, Node: node(t), MaxAmount: "3", Input: question{[]int64{of}}, Poll: 100 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		return order
	}
	order := buy(7)
	order = await(t, buyer, order.ID, isIn(earnest.OrderStatusDelivered))
	if order.OutputPayload.String() != `{"sum":7}` {
		t.Errorf("it delivered %s", order.OutputPayload)
	}
	if order.AcceptanceEndsAt == nil || !order.AcceptanceEndsAt.After(*order.DeliveredAt) {
		t.Errorf("delivered at %v, to be accepted until %v", order.DeliveredAt, order.AcceptanceEndsAt)
	}
	if _, err := buyer.RequestChanges(t.Context(), order.ID, "One more."); err != nil {
		t.Fatal(err)
	}
	await(t, buyer, order.ID, func(order *earnest.Order) bool { return order.OutputPayload.String() == `{"sum":8}` })
	mutex.Lock()
	told := jobs
	mutex.Unlock()
	if len(told) != 3 || told[0].Attempt != 1 || told[0].IsRetry || told[0].LastError != nil || told[0].DeliverBy != *order.DeliveryDeadline ||
		told[1].Attempt != 2 || !errors.Is(told[1].LastError, earnest.ErrorCodeOutputSchemaViolation) || told[2].Changes != "One more." {
		t.Errorf("the handler was told %+v", told)
	}
	had := balance(t, buyer)
	declined := buy(9)
	await(t, buyer, declined.ID, isIn(earnest.OrderStatusRefunded))
	if left := balance(t, buyer); left != had {
		t.Errorf("the buyer has %d of %d", left, had)
	}
}

func TestNoWorkIsDoneForMoneyThatTheChainDoesNotHave(t *testing.T) {
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	order, err := buyer.Orders.Place(t.Context(), earnest.OrderRequest{
		ServiceID: service.ID, InputPayload: question{[]int64{1}}, SettlementRail: earnest.SettlementRailX402,
	})
	if err != nil {
		t.Fatal(err)
	}
	between := newProxy(t)
	var shown map[string]any
	var raw earnest.RawResponse
	if _, err := buyer.Orders.Get(t.Context(), order.ID, earnest.WithResponse(&raw)); err != nil {
		t.Fatal(err)
	}
	if err := earnest.JSON(raw.Body).Decode(&shown); err != nil {
		t.Fatal(err)
	}
	shown["status"] = "funded"
	between.changeResponses(func(path string, body map[string]any) any {
		if len(body) == 0 {
			return nil
		}
		if items, isList := body["items"].([]any); isList && path == "/api/v1/orders/received" {
			body["items"] = append(items, shown)
		}
		if orderPath.MatchString(path) {
			return shown
		}
		return body
	})
	failures := make(chan error, 100)
	options := earnest.ServeOptions{Node: node(t), OnDone: func(_ *earnest.Order, err error) { failures <- err }}
	served(t, between.through(t, provider), service, options, func(earnest.Job[question]) (any, error) {
		t.Error("the handler was called")
		return answer{}, nil
	})
	var found *earnest.NotAsAgreedError
	if err := <-failures; !errors.As(err, &found) || found.Field != "order.escrow.status" {
		t.Errorf("%v", err)
	}
}
