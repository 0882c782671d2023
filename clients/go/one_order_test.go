package earnest_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
)

// orderVectors is a delivered order, with what its parties sign.
type orderVectors struct {
	Order      map[string]any
	Agreement  json.RawMessage
	OutputHash string `json:"output_hash"`
	Voucher    toSign
	Record     toSign
	Refused    []struct {
		Name, Field string
		Change      map[string]any
	}
}

type toSign struct {
	TypedData json.RawMessage `json:"typed_data"`
}

// oneOrder is a service that has one order of the vectors, and keeps the posted bodies.
type oneOrder struct {
	*flaky
	vectors orderVectors
	order   map[string]any
	posted  map[string]string
}

// newOrder serves the metered or the staged order of the vectors, with other members.
func newOrder(t *testing.T, name string, change map[string]any) *oneOrder {
	t.Helper()
	var vectors struct {
		Metered, Staged orderVectors
		FailedRelease   struct{ Failed, Sent json.RawMessage } `json:"failed_release"`
	}
	readClientVectors(t, &vectors)
	m := &oneOrder{flaky: newFlaky(t, ""), vectors: vectors.Metered, posted: map[string]string{}}
	if name == "staged" {
		m.vectors = vectors.Staged
	}
	m.order = maps.Clone(m.vectors.Order)
	maps.Copy(m.order, change)
	write := func(value any) string {
		text, err := json.Marshal(value)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	m.answer = func(r *http.Request) (map[string]string, string) {
		path := strings.TrimPrefix(r.URL.Path, "/api/v1/orders/"+m.id())
		if r.Method == "POST" {
			m.posted[path] = m.seen[len(m.seen)-1].body
			if path != "/deliver" {
				return nil, string(vectors.FailedRelease.Sent)
			}
			m.order = m.vectors.Order
			return nil, write(m.order)
		}
		switch path {
		case "/agreement":
			return nil, string(m.vectors.Agreement)
		case "/events":
			entry := map[string]any{"type": "order.delivered", "data": map[string]any{"output_hash": m.vectors.OutputHash}}
			return nil, write(map[string]any{"items": []any{entry}, "has_more": false, "next_cursor": nil})
		case "/release":
			if m.posted[path] != "" {
				return nil, string(vectors.FailedRelease.Failed)
			}
			return nil, write(map[string]any{"typed_data": m.vectors.Voucher.TypedData, "relay": nil})
		case "/delivery-record":
			return nil, write(map[string]any{"typed_data": m.vectors.Record.TypedData, "relay": nil})
		}
		return nil, write(m.order)
	}
	return m
}

func (m *oneOrder) id() string { return m.order["id"].(string) }

// signerOf keeps the signed hashes.
type signerOf struct {
	address string
	signed  []string
}

func (s *signerOf) Address() string { return s.address }

func (s *signerOf) SignHash(_ context.Context, hash [32]byte) ([]byte, error) {
	s.signed = append(s.signed, string(hash[:]))
	return make([]byte, 65), nil
}

func (m *oneOrder) signer() *signerOf {
	return &signerOf{address: m.order["buyer_address"].(string)}
}

// digestOf returns the hash of the vector's typed data.
func digestOf(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var typed settlement.TypedData
	err := json.Unmarshal(data, &typed)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := typed.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return string(hash[:])
}
