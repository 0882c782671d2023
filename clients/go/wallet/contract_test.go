//go:build service

package wallet_test

import (
	"bytes"
	"testing"

	"github.com/earnest-market/earnest-go/settlement"
)

func TestAContractThatLooksLikeTheEscrowIsToldFromIt(t *testing.T) {
	status, err := join(t, buyerScopes...).Chain.GetStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contract, err := settlement.ParseAddress(*status.EscrowContract)
	if err != nil {
		t.Fatal(err)
	}
	escrow := settlement.Escrow{ChainID: uint64(*status.ChainID), Contract: contract}
	code, err := node(t).Code(t.Context(), contract)
	if err != nil {
		t.Fatal(err)
	}
	deposit, err := node(t).Code(t.Context(), escrow.DepositImplementation())
	if err != nil {
		t.Fatal(err)
	}
	if err := escrow.CompareCode(code, deposit); err != nil {
		t.Fatal(err)
	}
	// One changed byte is enough. The test changes every 97th byte.
	for at := 0; at < len(code); at += 97 {
		other := bytes.Clone(code)
		other[at] ^= 1
		if escrow.CompareCode(other, deposit) == nil {
			t.Errorf("byte %d of the escrow's code may be another", at)
		}
	}
	for at := range deposit {
		other := bytes.Clone(deposit)
		other[at] ^= 1
		if escrow.CompareCode(code, other) == nil {
			t.Errorf("byte %d of the deposits' code may be another", at)
		}
	}
	elsewhere := settlement.Escrow{ChainID: 1, Contract: contract}
	if elsewhere.CompareCode(code, deposit) == nil || escrow.CompareCode(nil, deposit) == nil || escrow.CompareCode(code, nil) == nil {
		t.Error("the code of another chain, or none, was taken")
	}
}
