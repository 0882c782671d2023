package settlement_test

import (
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
)

func TestAChainIsKnownWithItsToken(t *testing.T) {
	base := settlement.FindNetwork(8453)
	if base == nil || base.Name != "Base" || base.Token.Address.String() != "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" ||
		base.Token.Decimals != 6 || base.Token.Token != (settlement.Token{Name: "USD Coin", Version: "2"}) {
		t.Errorf("%+v", base)
	}
	if local := settlement.FindNetwork(31337); local == nil || local.Token != nil {
		t.Errorf("%+v", local)
	}
	if none := settlement.FindNetwork(4711); none != nil {
		t.Errorf("%+v", none)
	}
}
