package earnest_test

import (
	"errors"
	"math/big"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

func TestTheBuyerSignsForTheDeliveredStageAlone(t *testing.T) {
	m := newOrder(t, "staged", nil)
	signer := m.signer()
	options := earnest.SettleOptions{Wallet: signer, Poll: time.Millisecond}
	delivery, err := m.client(t).AwaitDelivery(t.Context(), m.id(), options)
	if err != nil || delivery.Stage != 2 {
		t.Errorf("%+v, %v", delivery, err)
	}
	if _, err := m.client(t).Accept(t.Context(), m.id(), options); err == nil {
		t.Error("the order was accepted before its last stage")
	}
	var missing *earnest.StageNotDeliveredError
	if _, err := m.client(t).AcceptStage(t.Context(), m.id(), 3, options); !errors.As(err, &missing) || missing.Waiting != 2 {
		t.Error(err)
	}
	if len(signer.signed) != 0 || len(m.posted) != 0 {
		t.Errorf("%d signatures, %v", len(signer.signed), m.posted)
	}
	var failed *earnest.RelayFailedError
	if _, err := m.client(t).AcceptStage(t.Context(), m.id(), 2, options); !errors.As(err, &failed) {
		t.Error(err)
	}
	if len(signer.signed) != 1 || signer.signed[0] != digestOf(t, m.vectors.Voucher.TypedData) {
		t.Errorf("%q was signed", signer.signed)
	}
}

// withStates returns the stages of the vectors in other states.
func withStates(m *oneOrder, states ...string) []any {
	stages := m.order["stages"].([]any)
	for i, state := range states {
		stages[i].(map[string]any)["state"] = state
	}
	return stages
}

func TestAPaidStageIsNotPaidAgain(t *testing.T) {
	m := newOrder(t, "staged", map[string]any{"status": "started"})
	m.order["stages"] = withStates(m, "accepted", "accepted", "open")
	signer := m.signer()
	options := earnest.SettleOptions{Wallet: signer, Poll: time.Millisecond}
	if order, err := m.client(t).AcceptStage(t.Context(), m.id(), 2, options); err != nil || order.Status != earnest.OrderStatusStarted {
		t.Errorf("%+v, %v", order, err)
	}
	var missing *earnest.StageNotDeliveredError
	if _, err := m.client(t).AcceptStage(t.Context(), m.id(), 3, options); !errors.As(err, &missing) || missing.Waiting != 0 {
		t.Error(err)
	}
	if len(signer.signed) != 0 {
		t.Errorf("%d signatures", len(signer.signed))
	}
}

func TestAnOrderThatEndedBetweenTwoStagesHasPaidTheAcceptedOnes(t *testing.T) {
	m := newOrder(t, "staged", map[string]any{"status": "released"})
	for last, paid := range map[string]int{"open": 2, "accepted": 3} {
		m.order["stages"] = withStates(m, "accepted", "accepted", last)
		order, err := m.client(t).Orders.Get(t.Context(), m.id())
		if err != nil {
			t.Fatal(err)
		}
		expected := new(big.Int)
		for _, stage := range order.Stages[:paid] {
			amount, err := stage.AmountBaseUnits.Int()
			if err != nil {
				t.Fatal(err)
			}
			expected.Add(expected, amount)
		}
		if sum, err := earnest.PaidStages(earnest.JSON(m.vectors.Agreement), order); err != nil || sum.Cmp(expected) != 0 {
			t.Errorf("%s: %s, not %s, %v", last, sum, expected, err)
		}
	}
}

func TestStagesThatWereNotAgreedAreNotSigned(t *testing.T) {
	cases := newOrder(t, "staged", nil).vectors.Refused
	for _, one := range cases {
		m := newOrder(t, "staged", one.Change)
		signer := m.signer()
		options := earnest.SettleOptions{Wallet: signer, Poll: time.Millisecond}
		_, awaiting := m.client(t).AwaitDelivery(t.Context(), m.id(), options)
		_, accepting := m.client(t).Accept(t.Context(), m.id(), options)
		_, paying := m.client(t).AcceptStage(t.Context(), m.id(), 2, options)
		_, delivering := m.client(t).Deliver(t.Context(), m.id(), m.order["output_payload"], signer)
		for _, err := range []error{awaiting, accepting, paying, delivering} {
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

func TestTheProviderRecordsTheSumOfTheStagesSoFar(t *testing.T) {
	m := newOrder(t, "staged", map[string]any{"status": "started"})
	signer := m.signer()
	if _, err := m.client(t).Deliver(t.Context(), m.id(), m.vectors.Order["output_payload"], signer); err != nil {
		t.Fatal(err)
	}
	if len(signer.signed) != 1 || signer.signed[0] != digestOf(t, m.vectors.Record.TypedData) {
		t.Errorf("%q was signed", signer.signed)
	}
	// The next output has to wait for the buyer.
	m = newOrder(t, "staged", map[string]any{"delivery_record": "matched"})
	var refusal *earnest.NotAsAgreedError
	_, err := m.client(t).Deliver(t.Context(), m.id(), map[string]any{"text": "Three"}, signer)
	if !errors.As(err, &refusal) || refusal.Field != "order.output_payload" || len(m.posted) != 0 {
		t.Errorf("%v, %v", err, m.posted)
	}
}
