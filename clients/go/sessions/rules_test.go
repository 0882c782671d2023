package sessions_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"os"
	"testing"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

type vectors struct {
	Escrow     struct{ EscrowID string }
	SessionKey struct{ X string } `json:"session_key"`
	Calls      []struct {
		CumulativeAmount   string `json:"cumulative_amount"`
		Input, Output      string
		WorkHash           string `json:"work_hash"`
		VoucherHeader      string `json:"voucher_header"`
		Statement          string
		StatementSignature string `json:"statement_signature"`
	}
}

func TestCallsOfTheVectors(t *testing.T) {
	text, err := os.ReadFile("../../../protocol/sessions/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var read vectors
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	var escrow settlement.Hash
	if _, err := hex.Decode(escrow[:], []byte(read.Escrow.EscrowID[2:])); err != nil {
		t.Fatal(err)
	}
	for _, call := range read.Calls {
		t.Run(call.CumulativeAmount, func(t *testing.T) {
			amount, _ := new(big.Int).SetString(call.CumulativeAmount, 10)
			work := sessions.WorkHash(escrow, amount, []byte(call.Input))
			if got := "0x" + hex.EncodeToString(work[:]); got != call.WorkHash {
				t.Errorf("the work hash is %s, want %s", got, call.WorkHash)
			}
			voucher, err := sessions.ReadVoucher(call.VoucherHeader)
			if err != nil || voucher.Header() != call.VoucherHeader {
				t.Errorf("the voucher is %v (%v), want %s", voucher, err, call.VoucherHeader)
			}
			statement := sessions.Statement(escrow, amount, work, []byte(call.Output))
			if string(statement) != call.Statement {
				t.Errorf("the statement is %q, want %q", statement, call.Statement)
			}
			if err := sessions.VerifyStatement(read.SessionKey.X, call.StatementSignature, statement); err != nil {
				t.Error(err)
			}
			other := append(statement, '!')
			if err := sessions.VerifyStatement(read.SessionKey.X, call.StatementSignature, other); !errors.Is(err, sessions.ErrStatement) {
				t.Errorf("another statement gives %v", err)
			}
		})
	}
}

func TestTheCloseRequestAndTheStatusesOfTheVectors(t *testing.T) {
	text, err := os.ReadFile("../../../protocol/sessions/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Close    struct{ Amount, Deadline, Signature, Header string }
		Statuses map[string]int `json:"errors"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	header := read.Close.Amount + ";" + read.Close.Deadline + ";" + read.Close.Signature
	if read.Close.Header != header {
		t.Errorf("the header is %s, want %s", header, read.Close.Header)
	}
	if !maps.Equal(read.Statuses, sessions.Statuses) {
		t.Errorf("the statuses are %v, want %v", sessions.Statuses, read.Statuses)
	}
	request, err := sessions.ReadCloseRequest(header)
	if err != nil || request.Header() != header || request.ProviderAmount.String() != read.Close.Amount {
		t.Errorf("the request is %v (%v), want %s", request, err, header)
	}
	if _, err := sessions.ReadCloseRequest("01;1;0x"); !errors.Is(err, sessions.ErrCloseForm) {
		t.Errorf("another form gives %v", err)
	}
}

func TestAnotherFormIsNoVoucher(t *testing.T) {
	for _, header := range []string{"", "0;0x;0x", "1;0xAA;0x"} {
		if _, err := sessions.ReadVoucher(header); !errors.Is(err, sessions.ErrVoucherForm) {
			t.Errorf("%q gives %v", header, err)
		}
	}
}
