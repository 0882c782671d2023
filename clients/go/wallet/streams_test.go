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

func TestTheFeedAsItHappens(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	service := sell(t, join(t, providerScopes...))
	buyer := join(t, earnest.ScopeOrdersRead, earnest.ScopeOrdersWrite, earnest.ScopeWebhooksRead)
	var placed, found []string
	place := func() {
		t.Helper()
		order, err := buyer.Orders.Place(ctx, earnest.OrderRequest{ServiceID: service.ID, InputPayload: map[string]any{"of": []int{1, 2}}})
		if err != nil {
			t.Fatal(err)
		}
		placed = append(placed, order.ID)
	}
	take := func(options earnest.FollowOptions, most int, each func()) string {
		t.Helper()
		stream := buyer.Events.Stream(ctx, options)
		for event, err := range stream.All() {
			if err != nil {
				t.Fatal(err)
			}
			data, err := event.Payload()
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, data.(*earnest.OrderEventData).Order.ID)
			if most--; most == 0 {
				break
			}
			each()
		}
		return stream.Cursor()
	}
	place()
	begin := time.Now()
	cursor := take(earnest.FollowOptions{Types: []earnest.EventType{earnest.EventTypeOrderCreated}}, 3, func() {
		begin = time.Now()
		place()
	})
	if took := time.Since(begin); !slices.Equal(found, placed) || took > 5*time.Second {
		t.Errorf("found %q of %q, the last after %s", found, placed, took)
	}
	// The loop ended before the last event counted as handled.
	found = nil
	take(earnest.FollowOptions{Cursor: cursor}, 1, func() {})
	if !slices.Equal(found, placed[2:]) {
		t.Errorf("from the cursor on: %q, placed %q", found, placed)
	}
	lacking := join(t, buyerScopes...)
	for _, err := range lacking.Events.Stream(ctx, earnest.FollowOptions{}).All() {
		if !errors.Is(err, earnest.ErrorCodeInsufficientScope) {
			t.Errorf("without webhooks:read: %v", err)
		}
	}
}
