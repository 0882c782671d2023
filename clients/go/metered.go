package earnest

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/earnest-market/earnest-go/settlement"
)

// Metered is the output of a metered service with the units to charge. Give it to Deliver, or return it from a Handler, in place
// of the output.
type Metered struct {
	Output any
	// Units is at least 1, and at most the order's Quantity.
	Units int64
}

// unitsOf separates an output from its units. Without units they are nil.
func unitsOf(output any) (any, *int64) {
	if metered, isMetered := output.(Metered); isMetered {
		return metered.Output, &metered.Units
	}
	return output, nil
}

// charge is what a metered order costs.
type charge struct {
	units  int64
	amount *big.Int
}

// isMetered reports whether a delivery decides the order's price. The order that the service shows has no say in this.
func (a *agreedOrder) isMetered() bool { return a.text("pricing_model") == string(PricingModelMetered) }

// charge computes the charge of a delivered order from the agreement's unit price, and compares the order that the service shows
// with it. It is nil if the order is not metered.
func (a *agreedOrder) charge(order *Order) (*charge, error) {
	if !a.isMetered() {
		return nil, nil
	}
	quantity, isWhole := new(big.Int).SetString(fmt.Sprint(a.document["quantity"]), 10)
	price, isPrice := new(big.Int).SetString(a.text("unit_price_base_units"), 10)
	if !isWhole || !isPrice {
		found := fmt.Sprint(a.document["quantity"], " at ", a.document["unit_price_base_units"])
		return nil, &NotAsAgreedError{OrderID: a.id, Field: "agreement.quantity", Expected: "a quantity at a unit price", Found: found}
	}
	compare := comparison{orderID: a.id}
	compare.same("agreement.amount_base_units", new(big.Int).Mul(price, quantity).String(), a.Terms.Amount.String())
	if compare.err != nil {
		return nil, compare.err
	}
	if order.Units == nil || *order.Units < 1 || big.NewInt(*order.Units).Cmp(quantity) > 0 {
		found, _ := json.Marshal(order.Units)
		return nil, &NotAsAgreedError{OrderID: a.id, Field: "order.units", Expected: fmt.Sprintf("from 1 to %s", quantity), Found: string(found)}
	}
	amount := new(big.Int).Mul(price, big.NewInt(*order.Units))
	compare.same("order.charge_base_units", amount.String(), order.ChargeBaseUnits)
	if compare.err != nil {
		return nil, compare.err
	}
	return &charge{units: *order.Units, amount: amount}, nil
}

// decimals returns the decimals of the agreement's token.
func (a *agreedOrder) decimals() (int, error) {
	var token struct{ Decimals int }
	text, err := json.Marshal(a.document["token"])
	if err == nil {
		err = json.Unmarshal(text, &token)
	}
	return token.Decimals, err
}

// outputHash returns the digest of an order's output, which names the work on the chain.
func outputHash(order *Order) (settlement.Hash, error) {
	text, err := json.Marshal(order.OutputPayload)
	if err != nil {
		return settlement.Hash{}, err
	}
	return settlement.DigestOf(text)
}
