package earnest_test

import (
	"encoding/json"
	"math/big"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

func TestAmountsAreExact(t *testing.T) {
	for text, want := range map[earnest.Amount]string{"12.50": "12500000", "0": "0", "0.000001": "1", "340282366920938463463.374607": "340282366920938463463374607"} {
		units, err := text.BaseUnits(6)
		if err != nil || units.String() != want {
			t.Errorf("%s: %v, %v", text, units, err)
		}
	}
	for _, bad := range []earnest.Amount{"", "1e3", "-1", "+1", ".5", "5.", "01", "1,5", "0.0000001", "NaN", " 1", "1\n"} {
		if units, err := bad.BaseUnits(6); err == nil {
			t.Errorf("%q is %s", string(bad), units)
		}
	}
	for units, want := range map[int64]earnest.Amount{12500000: "12.500000", 0: "0.000000", 1: "0.000001"} {
		if amount, err := earnest.AmountOf(big.NewInt(units), 6); err != nil || amount != want {
			t.Errorf("%d: %s, %v", units, amount, err)
		}
	}
	if amount, err := earnest.AmountOf(big.NewInt(7), 0); err != nil || amount != "7" {
		t.Errorf("%s, %v", amount, err)
	}
	if _, err := earnest.AmountOf(big.NewInt(-1), 6); err == nil {
		t.Error("a negative amount was written")
	}
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	number, err := earnest.Uint256Of(most)
	if back, readErr := number.Int(); err != nil || readErr != nil || back.Cmp(most) != 0 {
		t.Errorf("%s, %v, %v", number, err, readErr)
	}
	if _, err := earnest.Uint256Of(most.Add(most, big.NewInt(1))); err == nil {
		t.Error("2^256 was written")
	}
}

func TestAnInexactAmountIsNotSent(t *testing.T) {
	service := newFlaky(t, `{}`)
	client := service.client(t)
	for _, bad := range []earnest.Amount{"1e3", "1.", ""} {
		if _, err := client.Quotes.Give(t.Context(), "rqt_1", earnest.QuoteRequest{Price: bad}); err == nil {
			t.Errorf("%q was sent", string(bad))
		}
	}
	if _, err := client.Marketplace.SearchServices(t.Context(), earnest.MarketplaceSearchServicesQuery{MaxPrice: "1e3"}).Page(); err == nil {
		t.Error("1e3 was asked for")
	}
	if _, err := client.Orders.Release(t.Context(), "ord_1", earnest.SignedActRequest{Deadline: "1.5"}); err == nil {
		t.Error("1.5 was sent as a deadline")
	}
	var amount struct{ Price earnest.Amount }
	if err := json.Unmarshal([]byte(`{"Price": 1.5}`), &amount); err == nil {
		t.Error("a float was read as money")
	}
	if len(service.requests()) != 0 {
		t.Errorf("%+v", service.requests())
	}
}

func TestLeftOutIsNotNull(t *testing.T) {
	for want, change := range map[string]earnest.ServiceChange{
		`{}`: {},
		`{"title":"","price":null,"max_quantity":3,"tags":[],"input_schema":null}`: {
			Title: earnest.String(""), Price: earnest.Null[earnest.Amount](), MaxQuantity: earnest.Some[int64](3), Tags: []string{},
			InputSchema: json.RawMessage("null"),
		},
		`{"price":"2.50","pricing_model":"fixed"}`: {Price: earnest.Some[earnest.Amount]("2.50"), PricingModel: earnest.PricingModelFixed},
	} {
		text, err := json.Marshal(change)
		if err != nil || !sameJSON(t, text, want) {
			t.Errorf("%s, %v instead of %s", text, err, want)
		}
	}
	var opt earnest.Opt[int64]
	if _, given := opt.Get(); given {
		t.Error("the zero Opt has a value")
	}
	if value, given := earnest.Int(3).Get(); value != 3 || !given {
		t.Error("an Opt lost its value")
	}
}

func TestWhatIsReceivedMayBeNewer(t *testing.T) {
	var order earnest.Order
	text := `{"status": "frozen", "new": 1, "input_payload": {"n": 12345678901234567890.5}, "output_payload": null, "completed_at": null}`
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	if order.Status != "frozen" || order.OutputPayload != nil || order.InputPayload.String() != `{"n": 12345678901234567890.5}` {
		t.Errorf("%+v", order)
	}
	var payload map[string]any
	if err := order.InputPayload.Decode(&payload); err != nil || payload["n"] != json.Number("12345678901234567890.5") {
		t.Errorf("%v, %v", payload, err)
	}
	event := earnest.Event{Type: "order.funded", Data: earnest.JSON(`{"order": {"id": "ord_1"}}`)}
	if data, err := event.Payload(); err != nil || data.(*earnest.OrderEventData).Order.ID != "ord_1" {
		t.Errorf("%v, %v", data, err)
	}
	event.Type = "order.new"
	if data, err := event.Payload(); err != nil || data.(earnest.JSON).String() == "" {
		t.Errorf("%v, %v", data, err)
	}
}

func sameJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		return false
	}
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}
