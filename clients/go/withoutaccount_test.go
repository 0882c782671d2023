package earnest_test

import (
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

// A service without a maximum is bought with as many units or calls as the maximum amount pays.
func TestQuantityOfAPurchase(t *testing.T) {
	price, most := earnest.Amount("0.05"), int64(50)
	options := earnest.BuyOptions{MaxAmount: "2.04"}
	for _, of := range []struct {
		model    earnest.PricingModel
		most     *int64
		expected int64
	}{
		{earnest.PricingModelFixed, nil, 1},
		{earnest.PricingModelPerUnit, &most, 1},
		{earnest.PricingModelMetered, &most, 50},
		{earnest.PricingModelMetered, nil, 40},
		{earnest.PricingModelPerCall, &most, 50},
		{earnest.PricingModelPerCall, nil, 40},
	} {
		service := &earnest.Service{ListedService: earnest.ListedService{
			PricingModel: of.model, Price: &price, MinQuantity: 1, MaxQuantity: of.most,
		}}
		if found, err := earnest.ChooseQuantity(service, options); err != nil || found != of.expected {
			t.Errorf("%s with the maximum %v: %d, %v", of.model, of.most, found, err)
		}
	}
}
