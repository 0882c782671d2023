package earnest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

func TestAllItemsOfAllPages(t *testing.T) {
	service := newFlaky(t, "", fault{}, fault{cut: true})
	service.answer = func(r *http.Request) (map[string]string, string) {
		switch cursor := r.URL.Query().Get("cursor"); {
		case strings.HasSuffix(r.URL.Path, "/agents/mine") && cursor == "":
			return map[string]string{"Link": `<http://market.example/api/v1/agents/mine?cursor=a%2Fb&limit=1>; rel="next"`}, `[{"slug": "one"}]`
		case strings.HasSuffix(r.URL.Path, "/agents/mine"):
			return nil, fmt.Sprintf(`[{"slug": %q}]`, cursor)
		case cursor == "":
			return nil, `{"items": [{"id": "1"}, {"id": "2"}], "total": 3, "next_cursor": "next"}`
		default:
			return nil, `{"items": [{"id": "3"}], "total": 3, "next_cursor": null}`
		}
	}
	client := service.client(t)
	var ids []string
	for order, err := range client.Orders.List(t.Context(), earnest.OrdersListQuery{Status: "funded", Offset: 1}).All() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, order.ID)
	}
	sent := service.requests()
	if strings.Join(ids, " ") != "1 2 3" || len(sent) != 3 {
		t.Errorf("%v in %d requests", ids, len(sent))
	}
	if sent[0].query["offset"] == nil || sent[1].query["offset"] != nil || sent[1].query["status"][0] != "funded" || sent[1].query["cursor"][0] != "next" {
		t.Errorf("%v, then %v", sent[0].query, sent[1].query)
	}
	page, err := client.Orders.List(t.Context(), earnest.OrdersListQuery{}).Page()
	if err != nil || page.Body.Total != 3 || page.NextCursor != "next" || len(page.Items) != 2 {
		t.Errorf("%+v, %v", page, err)
	}
	var slugs []string
	for agent, err := range client.Agents.ListMine(t.Context(), earnest.AgentsListMineQuery{Limit: 1}).All() {
		if err != nil {
			t.Fatal(err)
		}
		slugs = append(slugs, agent.Slug)
	}
	if strings.Join(slugs, " ") != "one a/b" {
		t.Error(slugs)
	}
}

func TestWhoStopsIteratingAsksForNoMore(t *testing.T) {
	service := newFlaky(t, `{"items": [{"id": "1"}], "next_cursor": "next"}`)
	for range service.client(t).Orders.List(t.Context(), earnest.OrdersListQuery{}).All() {
		break
	}
	if len(service.requests()) != 1 {
		t.Errorf("%d requests", len(service.requests()))
	}
	service.faults = []fault{{}, {status: 403}}
	count := 0
	var last error
	for _, err := range service.client(t).Orders.List(t.Context(), earnest.OrdersListQuery{}).All() {
		count, last = count+1, err
	}
	if count != 2 || last == nil {
		t.Errorf("%d, %v", count, last)
	}
}

func TestTheFeedGoesOn(t *testing.T) {
	service := newFlaky(t, "", fault{}, fault{status: 503}, fault{lost: true})
	service.answer = func(r *http.Request) (map[string]string, string) {
		switch r.URL.Query().Get("cursor") {
		case "":
			return nil, `{"items": [{"id": "1", "type": "order.created"}, {"id": "2", "type": "order.funded"}], "next_cursor": "a", "has_more": true}`
		case "a":
			return nil, `{"items": [{"id": "3", "type": "order.new"}], "next_cursor": "b", "has_more": false}`
		case "b":
			return nil, `{"items": [], "next_cursor": "c", "has_more": false}`
		default:
			return nil, `{"items": [{"id": "4", "type": "order.released"}], "next_cursor": "d", "has_more": false}`
		}
	}
	client := service.client(t, earnest.WithMaxRetries(0))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream := client.Events.Follow(ctx, earnest.FollowOptions{Poll: time.Millisecond, Types: []earnest.EventType{"order.created", "order.new"}})
	var ids, cursors []string
	for event, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		ids, cursors = append(ids, event.ID), append(cursors, stream.Cursor())
		if event.ID == "4" {
			cancel()
		}
	}
	if strings.Join(ids, " ") != "1 2 3 4" || strings.Join(cursors, "|") != "||a|c" || stream.Cursor() != "d" {
		t.Errorf("%v, %q, then %s", ids, cursors, stream.Cursor())
	}
	if types := service.requests()[0].query["type"]; len(types) != 2 {
		t.Error(types)
	}
	for event, err := range client.Events.Follow(t.Context(), earnest.FollowOptions{Poll: time.Millisecond, FromNow: true}).All() {
		if err != nil || event.ID != "4" {
			t.Errorf("from now on: %+v, %v", event, err)
		}
		break
	}
	service.faults = []fault{{status: 403, body: `{"error": {"code": "insufficient_scope"}}`}}
	for _, err := range client.Events.Follow(t.Context(), earnest.FollowOptions{Cursor: "z"}).All() {
		if !errors.Is(err, earnest.ErrorCodeInsufficientScope) {
			t.Errorf("what waiting does not mend: %v", err)
		}
	}
}
