package earnest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/settlement"
	"github.com/earnest-market/earnest-go/webhooks"
)

// readClientVectors reads the cases that all clients share.
func readClientVectors(t *testing.T, into any) {
	t.Helper()
	text, err := os.ReadFile("../scenarios/client-vectors.json")
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// at returns the time of so many Unix seconds.
func at(seconds float64) time.Time {
	whole := math.Floor(seconds)
	return time.Unix(int64(whole), int64(math.Round((seconds-whole)*1e6))*1000)
}

// A quantity that the service's limits chose is no part of the name, so a changed limit buys no second order.
func TestTheNameOfAPurchase(t *testing.T) {
	var vectors struct {
		Names []struct {
			Name, Purchase string
			Asked          struct {
				Input    any    `json:"input_payload"`
				Buyer    string `json:"buyer_address"`
				Arbiter  string
				Quantity int64
			}
			Held []earnest.TokenName
		} `json:"purchase_names"`
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.Names {
		asked := one.Asked
		for _, filled := range []int64{1, 7} {
			body := earnest.PurchaseRequest{
				InputPayload: asked.Input, BuyerAddress: asked.Buyer, Arbiter: asked.Arbiter, Quantity: earnest.Int(filled),
			}
			if found, err := earnest.NameOf(body, asked.Quantity, one.Held); err != nil || found != one.Purchase {
				t.Errorf("%s: %s, %v", one.Name, found, err)
			}
		}
	}
}

func TestDeliveriesWithHeadersAtTheEdges(t *testing.T) {
	var vectors struct {
		Body       string `json:"delivery_body"`
		Deliveries []struct {
			Name, Secret string
			Now          float64
			Valid        bool
			Headers      [][2]string
		}
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.Deliveries {
		header := http.Header{}
		for _, pair := range one.Headers {
			header[pair[0]] = append(header[pair[0]], pair[1])
		}
		event, err := webhooks.Read([]byte(vectors.Body), header, at(one.Now), one.Secret)
		if one.Valid && (err != nil || event.Type != earnest.EventTypeOrderFunded) || !one.Valid && !errors.Is(err, webhooks.ErrSignature) {
			t.Errorf("%s: %v, %v", one.Name, event, err)
		}
	}
	if len(vectors.Deliveries) < 40 {
		t.Errorf("only %d cases", len(vectors.Deliveries))
	}
}

func TestRetryAfter(t *testing.T) {
	var vectors struct {
		RetryAfter []struct {
			Name    string
			Headers []string
			Now     float64
			Seconds *float64
		} `json:"retry_after"`
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.RetryAfter {
		found := earnest.ReadRetryAfter(http.Header{"Retry-After": one.Headers}, at(one.Now))
		if (found == nil) != (one.Seconds == nil) || found != nil && found.Seconds() != *one.Seconds {
			t.Errorf("%s: %v", one.Name, found)
		}
	}
	if len(vectors.RetryAfter) < 60 {
		t.Errorf("only %d cases", len(vectors.RetryAfter))
	}
}

func TestWholeNumbersOfAnAnswerAreExact(t *testing.T) {
	var vectors struct {
		Numbers []struct{ JSON, Text string }
		Digests struct{ Lost, Kept []string }
	}
	readClientVectors(t, &vectors)
	for _, one := range vectors.Numbers {
		var answer earnest.JSON
		service := newFlaky(t, `{"number": `+one.JSON+`}`)
		if err := service.client(t).Do(t.Context(), earnest.Request{Verb: "GET", Path: "/x"}, &answer); err != nil {
			t.Fatal(err)
		}
		var read map[string]any
		if err := answer.Decode(&read); err != nil || fmt.Sprint(read["number"]) != one.Text {
			t.Errorf("%s: %v, %v", one.JSON, read, err)
		}
	}
	for _, text := range vectors.Digests.Kept {
		if _, err := settlement.DigestOf([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range vectors.Digests.Lost {
		if digest, err := settlement.DigestOf([]byte(`{"a": [` + text + `]}`)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, %v", text, digest, err)
		}
	}
}

func TestMembersThatTheClientDoesNotKnowAreKept(t *testing.T) {
	var vectors struct {
		Unknown struct {
			Answer  json.RawMessage
			Members []string
		}
		Numbers []struct{ JSON, Text string }
	}
	readClientVectors(t, &vectors)
	// The response of Deliver has one more member.
	text := strings.TrimSuffix(strings.TrimSpace(string(vectors.Unknown.Answer)), "}") + `, "relay": {"id": "rly_1", "fee": 9007199254740993}}`
	service := newFlaky(t, text)
	order, err := service.client(t).Orders.Get(t.Context(), "ord_1")
	if err != nil {
		t.Fatal(err)
	}
	delivered, err := service.client(t).Orders.Deliver(t.Context(), "ord_1", earnest.DeliveryRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(order.Unknown) != 3 || order.Unknown["relay"] == nil || len(delivered.Unknown) != 2 || delivered.Relay.Unknown["fee"].String() != "9007199254740993" {
		t.Errorf("%v, %v, %v", order.Unknown, delivered.Unknown, delivered.Relay)
	}
	for _, read := range []any{order, delivered} {
		for _, member := range append(vectors.Unknown.Members, "/relay/fee") {
			if want, got := memberAt(t, json.RawMessage(text), member), memberAt(t, read, member); got == "" || !sameJSON(t, []byte(got), want) {
				t.Errorf("%T: %s is %s, not %s", read, member, got, want)
			}
		}
	}
	for _, one := range vectors.Numbers {
		var relay earnest.Relay
		err := json.Unmarshal([]byte(`{"new": [`+one.JSON+`]}`), &relay)
		if got := memberAt(t, relay, "/new"); err != nil || got != "["+one.Text+"]" {
			t.Errorf("%s: %s, %v", one.JSON, got, err)
		}
	}
}

// memberAt returns the JSON at a pointer in a value's JSON, or "".
func memberAt(t *testing.T, value any, pointer string) string {
	t.Helper()
	text, err := json.Marshal(value)
	for _, name := range strings.Split(pointer, "/")[1:] {
		var members map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(text, &members)
		}
		text = members[name]
	}
	if err != nil {
		t.Errorf("%s of %T: %v", pointer, value, err)
	}
	return string(text)
}

// keyHolder returns invalid signatures, which no test sends.
type keyHolder struct{ address string }

func (k keyHolder) Address() string { return k.address }

func (k keyHolder) SignHash(context.Context, [32]byte) ([]byte, error) { return make([]byte, 65), nil }

func TestWhatTheContractRefusesEndsTheCall(t *testing.T) {
	type told struct {
		Reason       string
		Sent, Failed json.RawMessage
		ToSign       json.RawMessage `json:"to_sign"`
	}
	var vectors struct {
		FailedRelease struct {
			told
			Order, Agreement json.RawMessage
		} `json:"failed_release"`
		FailedDispute told `json:"failed_dispute"`
	}
	readClientVectors(t, &vectors)
	var order struct {
		ID    string
		Buyer string `json:"buyer_address"`
	}
	if err := json.Unmarshal(vectors.FailedRelease.Order, &order); err != nil {
		t.Fatal(err)
	}
	options := earnest.SettleOptions{Wallet: keyHolder{order.Buyer}, Poll: time.Millisecond}
	for act, one := range map[string]struct {
		told
		reason string
		call   func(*earnest.Client) error
	}{
		"release": {vectors.FailedRelease.told, "TooLate()", func(client *earnest.Client) error {
			_, err := client.Accept(t.Context(), order.ID, options)
			return err
		}},
		"dispute": {vectors.FailedDispute, "NotOpen()", func(client *earnest.Client) error {
			_, err := client.Dispute(t.Context(), order.ID, vectors.FailedDispute.Reason, options)
			return err
		}},
	} {
		service := newFlaky(t, "")
		sent := 0
		service.answer = func(r *http.Request) (map[string]string, string) {
			switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/orders/"+order.ID); {
			case path == "/agreement":
				return nil, string(vectors.FailedRelease.Agreement)
			case r.Method == "POST":
				sent++
				return nil, string(one.Sent)
			case path == "/"+act && sent > 0:
				return nil, string(one.Failed)
			case path == "/"+act:
				return nil, string(one.ToSign)
			}
			return nil, string(vectors.FailedRelease.Order)
		}
		var failed *earnest.RelayFailedError
		err := one.call(service.client(t))
		if !errors.As(err, &failed) || failed.OrderID != order.ID || failed.Act != act || failed.Reason != one.reason || sent != 1 {
			t.Errorf("%s: %v after %d were sent", act, err, sent)
		}
	}
}
