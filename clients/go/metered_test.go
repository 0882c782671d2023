package earnest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

func TestTheBuyerSignsForTheChargeAlone(t *testing.T) {
	m := newOrder(t, "metered", nil)
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
	m := newOrder(t, "metered", nil)
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
	cases := newOrder(t, "metered", nil).vectors.Refused
	for _, one := range cases {
		m := newOrder(t, "metered", one.Change)
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
	m := newOrder(t, "metered", map[string]any{"status": "started", "units": nil})
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
	m = newOrder(t, "metered", nil)
	signer = m.signer()
	if _, err := m.client(t).Deliver(t.Context(), m.id(), m.order["output_payload"], signer); err != nil || len(signer.signed) != 1 {
		t.Errorf("%v, %d signatures", err, len(signer.signed))
	}
}

func TestUnitsThatTheServiceChangesAreNotRecorded(t *testing.T) {
	m := newOrder(t, "metered", map[string]any{"status": "started", "units": nil})
	signer := m.signer()
	output := earnest.Metered{Output: m.order["output_payload"], Units: 4}
	var refusal *earnest.NotAsAgreedError
	_, err := m.client(t).Deliver(t.Context(), m.id(), output, signer)
	if !errors.As(err, &refusal) || refusal.Field != "order.units" || len(signer.signed) != 0 {
		t.Errorf("%v, %d signatures", err, len(signer.signed))
	}
}
