package receipts_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
)

type executionCase struct {
	Name, Issuer, Endpoint, Agent, Method, Body string
	Now                                         float64
	DID                                         json.RawMessage
	Headers                                     map[string]string
	Code                                        *receipts.Code
}

func readExecutionCases(t *testing.T) []executionCase {
	t.Helper()
	text, err := os.ReadFile("../../../protocol/execution/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var common executionCase
	var file struct{ Cases []json.RawMessage }
	if err := errors.Join(json.Unmarshal(text, &common), json.Unmarshal(text, &file)); err != nil {
		t.Fatal(err)
	}
	cases := slices.Repeat([]executionCase{common}, len(file.Cases))
	for at, one := range file.Cases {
		// A case replaces the values above.
		if err := json.Unmarshal(one, &cases[at]); err != nil {
			t.Fatal(err)
		}
	}
	return cases
}

func (c executionCase) verifier() (*receipts.ExecutionVerifier, *counting) {
	document := network{map[string]string{"https://market.example/.well-known/did.json": "did"}, map[string]page{"did": {Status: 200, Body: string(c.DID)}}}
	asked := &counting{RoundTripper: document}
	return &receipts.ExecutionVerifier{
		Options:  receipts.Options{Issuer: c.Issuer, Now: time.UnixMilli(int64(c.Now * 1000)), HTTPClient: &http.Client{Transport: asked}},
		Endpoint: c.Endpoint, Agents: []string{"agt_0", c.Agent},
	}, asked
}

func (c executionCase) header() http.Header {
	header := http.Header{}
	for name, value := range c.Headers {
		header[name] = []string{value}
	}
	return header
}

func TestTheServicesOwnVectorsOfExecutions(t *testing.T) {
	cases := readExecutionCases(t)
	if len(cases) < 25 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, one := range cases {
		verifier, _ := one.verifier()
		checked, err := verifier.Verify(t.Context(), one.Method, one.header(), []byte(one.Body))
		var refusal *receipts.Error
		switch {
		case one.Code != nil:
			if !errors.As(err, &refusal) || refusal.Code != *one.Code || refusal.Message == "" {
				t.Errorf("%s: %v instead of %s", one.Name, err, *one.Code)
			}
		case err != nil:
			t.Errorf("%s: %v", one.Name, err)
		case checked.Order.OrderID != checked.IdempotencyKey || checked.Order.AgentID != one.Agent || checked.Nonce == "":
			t.Errorf("%s: %+v", one.Name, checked)
		}
	}
}

func TestAFieldThatCameTwiceIsOneList(t *testing.T) {
	good := readExecutionCases(t)[0]
	verifier, _ := good.verifier()
	for name, wanted := range map[string]receipts.Code{
		"Content-Digest": receipts.WrongDigest, "Idempotency-Key": receipts.InvalidSignature, "Content-Type": receipts.InvalidSignature,
		"Signature": receipts.MissingSignature, "Signature-Input": receipts.MissingSignature,
	} {
		header := good.header()
		header[name] = append(header[name], header[name]...)
		if _, err := verifier.Verify(t.Context(), good.Method, header, []byte(good.Body)); !errors.Is(err, wanted) {
			t.Errorf("%s twice: %v", name, err)
		}
	}
}

func TestAnIssuersKeysAreKept(t *testing.T) {
	good := readExecutionCases(t)[0]
	verifier, asked := good.verifier()
	for range 3 {
		if _, err := verifier.Verify(t.Context(), good.Method, good.header(), []byte(good.Body)); err != nil {
			t.Fatal(err)
		}
	}
	unknown := good.header()
	unknown["Signature-Input"] = []string{strings.Replace(good.Headers["Signature-Input"], `#key-1"`, `#key-9"`, 1)}
	if _, err := verifier.Verify(t.Context(), good.Method, unknown, []byte(good.Body)); !errors.Is(err, receipts.UnknownKey) || asked.times != 1 {
		t.Errorf("%v after %d requests", err, asked.times)
	}
}
