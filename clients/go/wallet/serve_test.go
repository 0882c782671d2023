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

type question struct {
	Of []int64 `json:"of"`
}

type answer struct {
	Sum int64 `json:"sum"`
}

func TestAProviderServes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	provider, buyer := join(t, providerScopes...), join(t, buyerScopes...)
	service := sell(t, provider)
	fund(t, buyer)
	buy := func(of ...int64) string {
		t.Helper()
		order, err := buyer.Buy(ctx, service.ID, earnest.BuyOptions{Wallet: buyer.key, MaxAmount: "3", Input: question{of}, Node: node(t), Poll: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return order.ID
	}
	// One order was started before a crash, one was delivered without its record, and one waits.
	started, unrecorded, waiting := buy(1), buy(2), buy(3)
	for _, id := range []string{started, unrecorded} {
		if _, err := provider.Orders.Start(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := provider.Orders.Deliver(ctx, unrecorded, earnest.DeliveryRequest{OutputPayload: answer{2}}); err != nil {
		t.Fatal(err)
	}

	var mutex sync.Mutex
	calls, done, failed := map[string]int{}, map[string]int{}, 0
	handler := earnest.Handle(func(ctx context.Context, job earnest.Job[question]) (answer, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("the handler knows no deadline")
		}
		mutex.Lock()
		calls[job.Order.ID]++
		first := calls[job.Order.ID] == 1
		mutex.Unlock()
		sum := int64(0)
		for _, one := range job.Input.Of {
			sum += one
		}
		if sum == 7 && first {
			panic("the work of seven fails once")
		}
		return answer{sum}, nil
	})
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() {
		ended <- provider.Serve(serving, service.Agent.Slug, map[string]earnest.Handler{"sum": handler}, earnest.ServeOptions{
			Wallet: provider.key, Concurrency: 2, Sweep: time.Second,
			OnDone: func(order *earnest.Order, err error) {
				mutex.Lock()
				defer mutex.Unlock()
				if err != nil {
					failed++
				} else {
					done[order.ID]++
				}
			},
		})
	}()
	failing, another := buy(3, 4), buy(5, 5)
	all := map[string]string{started: `{"sum":1}`, unrecorded: `{"sum":2}`, waiting: `{"sum":3}`, failing: `{"sum":7}`, another: `{"sum":10}`}
	for id, output := range all {
		for {
			order, err := buyer.Orders.Get(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if order.DeliveryRecord == earnest.DeliveryRecordMatched {
				if order.OutputPayload.String() != output {
					t.Errorf("%s: %s instead of %s", id, order.OutputPayload, output)
				}
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if calls[unrecorded] != 0 || calls[failing] != 2 || calls[started] != 1 || calls[waiting] != 1 || calls[another] != 1 || failed != 1 {
		t.Errorf("calls %v, done %v, %d failed", calls, done, failed)
	}
	stranger := join(t, earnest.ScopeOrdersRead)
	err := stranger.Serve(ctx, service.Agent.Slug, map[string]earnest.Handler{"sum": handler}, earnest.ServeOptions{Wallet: stranger.key})
	if !errors.Is(err, earnest.ErrorCodeInsufficientScope) {
		t.Errorf("without the scope of the feed: %v", err)
	}
}
