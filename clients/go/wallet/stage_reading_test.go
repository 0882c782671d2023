//go:build service

package wallet_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/webhooks"
)

func (s *scene) list(ctx context.Context, step step) error {
	seen := map[string]bool{}
	for order, err := range s.parties["buyer"].Orders.List(ctx, earnest.OrdersListQuery{Limit: step.PageSize}).All() {
		if err != nil || seen[order.ID] {
			return fmt.Errorf("the order %s came twice, or not at all: %w", order.ID, err)
		}
		seen[order.ID] = true
	}
	if len(seen) != step.Orders {
		return fmt.Errorf("%d orders are listed, not %d", len(seen), step.Orders)
	}
	return nil
}

func (s *scene) follow(ctx context.Context, step step) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	seen, types := map[string]bool{}, []earnest.EventType{}
	options := earnest.FollowOptions{Types: step.Types, Poll: 200 * time.Millisecond}
	for event, err := range s.parties[step.As].Events.Follow(ctx, options).All() {
		if err != nil || seen[event.ID] {
			return fmt.Errorf("the event %s came twice, or not at all: %w", event.ID, err)
		}
		seen[event.ID] = true
		if types = append(types, earnest.EventType(event.Type)); len(types) == len(step.Types) {
			break
		}
	}
	if !slices.Equal(types, step.Types) {
		return fmt.Errorf("the feed has %v", types)
	}
	return nil
}

func (s *scene) verifyWebhook(ctx context.Context, step step) error {
	type delivery struct {
		Headers map[string]string
		Body    string
	}
	var deliveries []delivery
	for len(deliveries) == 0 {
		time.Sleep(200 * time.Millisecond)
		if err := askStage(ctx, s.HookURL, nil, &deliveries); err != nil {
			return err
		}
	}
	all, standard := http.Header{}, http.Header{}
	for name, value := range deliveries[0].Headers {
		all.Set(name, value)
		if name != "x-service-signature" {
			standard.Set(name, value)
		}
	}
	changed := []byte(strings.ReplaceAll(deliveries[0].Body, string(step.Type), strings.ToUpper(string(step.Type))))
	for _, header := range []http.Header{all, standard} {
		event, err := webhooks.Read([]byte(deliveries[0].Body), header, time.Now(), "whsec_AAAA", s.secret)
		if err != nil || event.Type != step.Type {
			return fmt.Errorf("%+v: %w", event, err)
		}
		if _, err := webhooks.Read(changed, header, time.Now(), s.secret); !errors.Is(err, webhooks.ErrSignature) {
			return fmt.Errorf("a delivery that was changed: %w", err)
		}
	}
	return nil
}
