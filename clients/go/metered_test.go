package earnest_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/settlement"
)

// meteredVectors is a delivered metered order, with what its parties sign.
type meteredVectors struct {
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

// meteredService has one metered order, and keeps the posted bodies.
type meteredService struct {
	*flaky
	vectors meteredVectors
	order   map[string]any
	posted  map[string]string
}

func newMetered(t *testing.T, change map[string]any) *meteredService {
	t.Helper()
	var vectors struct {
		Metered       meteredVectors
		FailedRelease struct{ Failed, Sent json.RawMessage } `json:"failed_release"`
	}
	readClientVectors(t, &vectors)
	m := &meteredService{flaky: newFlaky(t, ""), vectors: vectors.Metered, order: vectors.Metered.Order, posted: map[string]string{}}
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
			maps.Copy(m.order, map[string]any{"status": "delivered", "units": 3})
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

func (m *meteredService) id() string { return m.order["id"].(string) }

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

func (m *meteredService) signer() *signerOf {
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

func TestTheBuyerSignsForTheChargeAlone(t *testing.T) {
	m := newMetered(t, nil)
	signer := m.signer()
	options := earnest.SettleOptions{Wallet: signer, Poll: time.Millisecond}
	delivery, err := m.client(t).AwaitDelivery(t.Context(), m.id(), options)
	if err != nil || delivery.Units == nil || *delivery.Units != 3 || delivery.Charge != "0.750000" {
		t.Errorf("%+v, %v", delivery, err)
	}
	var failed *earnest.RelayFailedError
	if _, err := m.client(t).Accept(t.Context(), m.id(), options); !errors.As(err, &failed) {
		t.Error(err)
	}
	if len(signer.signed) != 1 || signer.signed[0] != digestOf(t, m.vectors.Voucher.TypedData) {
		t.Errorf("%q was signed", signer.signed)
	}
	var body struct{ Deadline string }
	if err := json.Unmarshal([]byte(m.posted["/release"]), &body); err != nil || body.Deadline == "" {
		t.Errorf("%q, %v", m.posted["/release"], err)
	}
}

func TestTheBuyerSignsNoReleaseOfAMeteredOrder(t *testing.T) {
	m := newMetered(t, nil)
	var vectors struct {
		FailedRelease struct {
			ToSign toSign `json:"to_sign"`
		} `json:"failed_release"`
	}
	readClientVectors(t, &vectors)
	m.vectors.Voucher = vectors.FailedRelease.ToSign
	signer := m.signer()
	_, err := m.client(t).Accept(t.Context(), m.id(), earnest.SettleOptions{Wallet: signer})
	if !errors.Is(err, earnest.ErrNotAsAgreed) || len(signer.signed) != 0 {
		t.Errorf("%v, %d signatures", err, len(signer.signed))
	}
}

func TestAWrongChargeIsNotSigned(t *testing.T) {
	cases := newMetered(t, nil).vectors.Refused
	for _, one := range cases {
		m := newMetered(t, one.Change)
		signer := m.signer()
		options := earnest.SettleOptions{Wallet: signer, Poll: time.Millisecond}
		_, awaiting := m.client(t).AwaitDelivery(t.Context(), m.id(), options)
		_, accepting := m.client(t).Accept(t.Context(), m.id(), options)
		_, delivering := m.client(t).Deliver(t.Context(), m.id(), m.order["output_payload"], signer)
		for _, err := range []error{awaiting, accepting, delivering} {
			var refusal *earnest.NotAsAgreedError
			if !errors.As(err, &refusal) || refusal.Field != one.Field {
				t.Errorf("%s: %v", one.Name, err)
			}
		}
		if len(signer.signed) != 0 || len(m.posted) != 0 {
			t.Errorf("%s: %d signatures, %v", one.Name, len(signer.signed), m.posted)
		}
	}
	if len(cases) < 7 {
		t.Errorf("only %d cases", len(cases))
	}
}

func TestTheProviderDeliversUnitsAndRecordsTheirCharge(t *testing.T) {
	type count struct {
		Words int `json:"words"`
	}
	m := newMetered(t, map[string]any{"status": "started", "units": nil})
	signer := m.signer()
	work := earnest.Handle(func(context.Context, earnest.Job[struct{ Text string }]) (earnest.Metered, error) {
		return earnest.Metered{Output: count{Words: 3}, Units: 3}, nil
	})
	output, err := work(t.Context(), earnest.Job[earnest.JSON]{Input: earnest.JSON(`{"text": "Guten Tag"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.client(t).Deliver(t.Context(), m.id(), output, signer); err != nil {
		t.Fatal(err)
	}
	if m.posted["/deliver"] != `{"output_payload":{"words":3},"units":3}` {
		t.Errorf("%s was delivered", m.posted["/deliver"])
	}
	if len(signer.signed) != 1 || signer.signed[0] != digestOf(t, m.vectors.Record.TypedData) {
		t.Errorf("%q was signed", signer.signed)
	}
	// A run before a crash has delivered, so the record alone is missing.
	m = newMetered(t, nil)
	signer = m.signer()
	if _, err := m.client(t).Deliver(t.Context(), m.id(), m.order["output_payload"], signer); err != nil || len(signer.signed) != 1 {
		t.Errorf("%v, %d signatures", err, len(signer.signed))
	}
}

func TestUnitsThatTheServiceChangesAreNotRecorded(t *testing.T) {
	m := newMetered(t, map[string]any{"status": "started", "units": nil})
	signer := m.signer()
	output := earnest.Metered{Output: m.order["output_payload"], Units: 4}
	var refusal *earnest.NotAsAgreedError
	_, err := m.client(t).Deliver(t.Context(), m.id(), output, signer)
	if !errors.As(err, &refusal) || refusal.Field != "order.units" || len(signer.signed) != 0 {
		t.Errorf("%v, %d signatures", err, len(signer.signed))
	}
}
