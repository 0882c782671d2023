package earnest

import (
	"errors"
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
)

const (
	testDAI   = "0x77FF69D2C9b74391b07F8581EBAaFf7F1598C2C9"
	testCents = "0xdB4984A259477be6115237890ea5F904580E6445"
	testUSDC  = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
)

// paidIn returns a service that accepts one token on Base, and an order in it.
func paidIn(t *testing.T, token string, decimals int64, price Amount, inToken string) (*Service, *agreedOrder) {
	address, err := parseAddress(token)
	if err != nil {
		t.Fatal(err)
	}
	service := &Service{}
	service.Price, service.PriceCurrency = &price, "USD"
	service.Accepts = []AcceptedToken{{ChainID: 8453, Token: token, Decimals: decimals, Price: &inToken}}
	return service, &agreedOrder{Escrow: settlement.Escrow{ChainID: 8453, Terms: settlement.Terms{Token: address}}, id: "ord_1"}
}

func TestOneMaximumLimitsOneToken(t *testing.T) {
	dai, cents := PaymentToken{ChainID: 1, Token: testDAI}, PaymentToken{ChainID: 1, Token: testCents, MaxAmount: "2"}
	for _, good := range [][]PaymentToken{nil, {dai}, {cents}} {
		if err := requireHeld(good, "3"); err != nil {
			t.Error(good, err)
		}
	}
	if requireHeld([]PaymentToken{cents}, "") != nil || requireHeld([]PaymentToken{cents, cents}, "") != nil {
		t.Error("a maximum of its own is refused")
	}
	if requireHeld([]PaymentToken{dai, cents}, "3") == nil || requireHeld([]PaymentToken{dai}, "") == nil || requireHeld(nil, "") == nil {
		t.Error("a token without a maximum is taken")
	}
}

func TestTheFirstHeldTokenThatTheServiceAcceptsIsChosen(t *testing.T) {
	service, _ := paidIn(t, testDAI, 18, "2.50", "2.5")
	held := []PaymentToken{{ChainID: 1, Token: testDAI}, {ChainID: 8453, Token: testCents}, {ChainID: 8453, Token: testDAI}}
	chosen, err := chooseToken(service, held)
	if err != nil || *chosen != (TokenName{ChainID: 8453, Token: testDAI}) {
		t.Error(chosen, err)
	}
	if _, err := chooseToken(service, held[:2]); !errors.Is(err, ErrNotAsAgreed) {
		t.Error(err)
	}
}

func TestAPriceIsExactInTheToken(t *testing.T) {
	for _, one := range []struct {
		token    string
		decimals int64
		units    string
	}{{testDAI, 18, "2500000000000000000"}, {testCents, 2, "250"}, {testUSDC, 6, "2500000"}} {
		service, agreed := paidIn(t, one.token, one.decimals, "2.50", "2.5")
		if price, err := agreed.priceIn(service, int(one.decimals), nil); err != nil || price.String() != one.units {
			t.Error(one, price, err)
		}
	}
}

func TestAServiceThatLiesAboutATokenIsRefused(t *testing.T) {
	for field, read := range map[string]func() error{
		"agreement.token": func() error {
			service, agreed := paidIn(t, testDAI, 18, "2.50", "2.5")
			service.Accepts[0].ChainID = 1
			_, err := agreed.priceIn(service, 18, nil)
			return err
		},
		"service.accepts.decimals": func() error {
			service, agreed := paidIn(t, testDAI, 6, "2.50", "2.5")
			_, err := agreed.priceIn(service, 18, nil)
			return err
		},
		"service.accepts.price": func() error {
			service, agreed := paidIn(t, testDAI, 18, "2.50", "2.49")
			_, err := agreed.priceIn(service, 18, nil)
			return err
		},
		"service.price": func() error {
			service, agreed := paidIn(t, testCents, 2, "2.501", "2.50")
			_, err := agreed.priceIn(service, 2, nil)
			return err
		},
		"service.price_currency": func() error {
			service, agreed := paidIn(t, testUSDC, 6, "2.50", "2.5")
			service.PriceCurrency = "EUR"
			_, err := agreed.priceIn(service, 6, nil)
			return err
		},
	} {
		var differs *NotAsAgreedError
		if err := read(); !errors.As(err, &differs) || differs.Field != field {
			t.Error(field, err)
		}
	}
}
