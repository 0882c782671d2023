package earnest_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

func TestTheProtocolsVectors(t *testing.T) {
	text, err := os.ReadFile("../scenarios/protocol-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		SignIn []struct {
			Name, Message string
			Expected      struct {
				BaseURL   string `json:"base_url"`
				Address   string
				ChainID   int64 `json:"chain_id"`
				Nonce     string
				AccountID string `json:"account_id"`
				UserCode  string `json:"user_code"`
				Host      string
				Now       time.Time
			}
			Refused *string
		} `json:"sign_in"`
		Amounts []struct {
			Text      earnest.Amount
			Decimals  int
			BaseUnits *string `json:"base_units"`
			Written   *string
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, one := range vectors.SignIn {
		host := one.Expected.Host
		if host == "" {
			host = strings.Split(one.Expected.BaseURL, "/")[2]
		}
		err := earnest.CheckSignInText(one.Message, earnest.ExpectedText{
			Host: host, Address: one.Expected.Address, ChainID: one.Expected.ChainID, Nonce: one.Expected.Nonce,
			AccountID: one.Expected.AccountID, UserCode: one.Expected.UserCode, Now: one.Expected.Now,
		})
		if (err != nil) != (one.Refused != nil) || (err != nil && !errors.Is(err, earnest.ErrUntrustedText)) {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
	for _, one := range vectors.Amounts {
		units, err := one.Text.BaseUnits(one.Decimals)
		if (err == nil) != (one.BaseUnits != nil) || (err == nil && units.String() != *one.BaseUnits) {
			t.Errorf("%q: %v, %v", string(one.Text), units, err)
			continue
		}
		if err == nil {
			if written, err := earnest.AmountOf(units, one.Decimals); err != nil || string(written) != *one.Written {
				t.Errorf("%q is written %s, %v", string(one.Text), written, err)
			}
		}
	}
	if len(vectors.SignIn) < 20 || len(vectors.Amounts) < 20 {
		t.Error("there are too few cases")
	}
}
