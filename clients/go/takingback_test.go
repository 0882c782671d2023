package earnest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/receipts"
	"github.com/earnest-market/earnest-go/settlement"
)

// later is a node whose clock is past an order's deadline. It mines the wallet's transactions.
type later struct {
	earnest.Node
	at   time.Time
	sent []settlement.Call
}

func (l *later) ChainID(context.Context) (uint64, error) { return 31_337, nil }

func (l *later) Now(context.Context) (time.Time, error) { return l.at, nil }

func (l *later) SendCall(_ context.Context, _ uint64, call settlement.Call) (string, error) {
	l.sent = append(l.sent, call)
	return "0x01", nil
}

func (l *later) TransactionReceipt(context.Context, string) (*receipts.TransactionReceipt, error) {
	return &receipts.TransactionReceipt{Succeeded: true}, nil
}

func TestMoneyIsTakenBackOnceTheTimeIsOver(t *testing.T) {
	var vectors struct {
		FailedRelease struct {
			Order     map[string]any
			Agreement json.RawMessage
		} `json:"failed_release"`
	}
	readClientVectors(t, &vectors)
	order := vectors.FailedRelease.Order
	due := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	order["delivery_deadline"] = due.Format(time.RFC3339)
	escrow, err := settlement.ReadAgreement(vectors.FailedRelease.Agreement)
	if err != nil {
		t.Fatal(err)
	}
	market := &earnest.Market{EscrowContract: escrow.Contract.String(), Token: escrow.Terms.Token.String(), TokenDecimals: 6}
	for name, one := range map[string]struct {
		at    time.Time
		calls int
	}{"in time": {due, 0}, "too late": {due.Add(2 * time.Second), 1}} {
		node := &later{at: one.at}
		service := newFlaky(t, "")
		reads := 0
		service.answer = func(r *http.Request) (map[string]string, string) {
			if strings.HasSuffix(r.URL.Path, "/agreement") {
				return nil, string(vectors.FailedRelease.Agreement)
			}
			reads++
			order["status"] = "started"
			if reads > 2 {
				order["status"] = "refunded"
			}
			text, _ := json.Marshal(order)
			return nil, string(text)
		}
		options := earnest.TakeBackOptions{Sender: node, Node: node, Market: market, Poll: time.Millisecond}
		back, err := service.client(t).TakeBack(t.Context(), order["id"].(string), options)
		if err != nil || back.Status != earnest.OrderStatusRefunded || len(node.sent) != one.calls {
			t.Errorf("%s: %+v, %v, %d calls", name, back, err, len(node.sent))
		}
		for _, call := range node.sent {
			if call.Function != "refund" || call.To != escrow.Contract {
				t.Errorf("%s: %+v", name, call)
			}
		}
	}
	service := newFlaky(t, `{"id": "ord_1", "status": "released"}`)
	var end *earnest.OrderEndedError
	if _, err := service.client(t).TakeBack(t.Context(), "ord_1", earnest.TakeBackOptions{}); !errors.As(err, &end) {
		t.Errorf("of a released order: %v", err)
	}
	if _, err := service.client(t).TakeBack(t.Context(), "ord_1", earnest.TakeBackOptions{Sender: new(later)}); err == nil {
		t.Error("a Sender without a Node was taken")
	}
}
