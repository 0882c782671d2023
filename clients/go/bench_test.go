package earnest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

// BenchmarkCall compares a call of the client with the same request by net/http.
func BenchmarkCall(b *testing.B) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, anOrder)
	}))
	defer service.Close()
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			response, err := http.Get(service.URL + "/api/v1/orders/ord_1")
			if err != nil {
				b.Fatal(err)
			}
			io.ReadAll(response.Body)
			response.Body.Close()
		}
	})
	b.Run("client", func(b *testing.B) {
		client, err := earnest.NewClient(service.URL, earnest.WithAPIKey("esk_1"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := client.Orders.Get(b.Context(), "ord_1"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFeed reads a feed of 100,000 events.
func BenchmarkFeed(b *testing.B) {
	const pages = 1000
	event := `{"id": "evt_1", "type": "order.funded", "created_at": "2026-11-20T12:00:00Z", "data": {"order": {"id": "ord_1"}}}`
	items := strings.TrimSuffix(strings.Repeat(event+",", 100), ",")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := 0
		fmt.Sscan(r.URL.Query().Get("cursor"), &page)
		fmt.Fprintf(w, `{"items": [%s], "next_cursor": "%d", "has_more": %t}`, items, page+1, page+1 < pages)
	}))
	defer service.Close()
	client, err := earnest.NewClient(service.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		count := 0
		for _, err := range client.Events.Follow(b.Context(), earnest.FollowOptions{}).All() {
			if err != nil {
				b.Fatal(err)
			}
			if count++; count == pages*100 {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pages*100), "ns/event")
}
