package receipts_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/earnest-market/earnest-go/receipts"
)

type page struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

type vector struct {
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`
	Input     string            `json:"input"`
	Issuer    string            `json:"issuer"`
	Now       time.Time         `json:"now"`
	Addresses map[string]string `json:"addresses"`
	Options   map[string]string `json:"options"`
	Result    struct {
		Valid  bool           `json:"valid"`
		Code   receipts.Code  `json:"code"`
		KeyID  string         `json:"key_id"`
		Status string         `json:"status"`
		Says   map[string]any `json:"says"`
	} `json:"result"`
}

// network serves only the pages of a case.
type network struct {
	addresses map[string]string
	pages     map[string]page
}

func (n network) RoundTrip(request *http.Request) (*http.Response, error) {
	found, has := n.pages[n.addresses[request.URL.String()]]
	if !has {
		return nil, errors.New("nothing answers at " + request.URL.String())
	}
	header := http.Header{}
	for name, value := range found.Headers {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: found.Status, Header: header, Body: io.NopCloser(strings.NewReader(found.Body)), Request: request}, nil
}

func TestTheServicesOwnVectors(t *testing.T) {
	text, err := os.ReadFile("../../../receipts/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Pages map[string]page `json:"pages"`
		Cases []vector        `json:"cases"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Cases) < 350 {
		t.Errorf("only %d cases", len(vectors.Cases))
	}
	for _, one := range vectors.Cases {
		t.Run(one.Kind+": "+one.Name, func(t *testing.T) {
			options := receipts.Options{
				Issuer: one.Issuer, Now: one.Now, HTTPClient: &http.Client{Transport: network{one.Addresses, vectors.Pages}},
				Status: map[string]receipts.StatusMode{"require": receipts.StatusRequire, "skip": receipts.StatusSkip}[one.Options["status"]],
			}
			known, _ := json.Marshal(one.Options)
			keyID, status, said, err := verify(t, one, options, known)
			if !one.Result.Valid {
				var refusal *receipts.Error
				if !errors.Is(err, one.Result.Code) || !errors.As(err, &refusal) || refusal.Message == "" {
					t.Fatalf("%v instead of %s", err, one.Result.Code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			written, _ := json.Marshal(said)
			var all map[string]any
			if err := json.Unmarshal(written, &all); err != nil {
				t.Fatal(err)
			}
			for name, value := range one.Result.Says {
				if !reflect.DeepEqual(all[name], value) {
					t.Errorf("%s is %v, not %v", name, all[name], value)
				}
			}
			if keyID != one.Result.KeyID || (one.Result.Status != "" && status != one.Result.Status) {
				t.Errorf("%s %s instead of %s %s", keyID, status, one.Result.KeyID, one.Result.Status)
			}
		})
	}
}

func verify(t *testing.T, one vector, options receipts.Options, known []byte) (keyID, status string, said any, err error) {
	t.Helper()
	nameOf := func(status receipts.Status) string {
		if status.Good {
			return "good"
		}
		return "unknown"
	}
	switch one.Kind {
	case "settlement_document":
		found, err := receipts.VerifyReceipt(t.Context(), []byte(one.Input), options)
		if err != nil {
			return "", "", nil, err
		}
		return found.KeyID, nameOf(found.Status), found.Document, nil
	case "x402_receipt":
		var fields receipts.X402Receipt
		json.Unmarshal(known, &fields)
		found, err := receipts.VerifyX402Receipt(t.Context(), []byte(one.Input), options, fields)
		if err != nil {
			return "", "", nil, err
		}
		return found.KeyID, nameOf(found.Status), found.Receipt, nil
	case "record_statement":
		found, err := receipts.VerifyRecordStatement(t.Context(), []byte(one.Input), options, one.Options["agent"])
		if err != nil {
			return "", "", nil, err
		}
		return found.KeyID, "", found.Statement, nil
	default:
		var fields receipts.X402Offer
		json.Unmarshal(known, &fields)
		found, err := receipts.VerifyX402Offer(t.Context(), []byte(one.Input), options, fields)
		if err != nil {
			return "", "", nil, err
		}
		return found.KeyID, "", found.Offer, nil
	}
}

func TestManyReceiptsAskOnce(t *testing.T) {
	text, err := os.ReadFile("../../../receipts/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Pages map[string]page `json:"pages"`
		Cases []vector        `json:"cases"`
	}
	json.Unmarshal(text, &vectors)
	first := vectors.Cases[0]
	asked := &counting{RoundTripper: network{first.Addresses, vectors.Pages}}
	options := receipts.Options{Issuer: first.Issuer, Now: first.Now, HTTPClient: &http.Client{Transport: asked}}
	var texts [][]byte
	for range 20 {
		texts = append(texts, []byte(first.Input))
	}
	for _, one := range vectors.Cases {
		if one.Kind == "x402_receipt" && one.Name == "a receipt" {
			texts = append(texts, []byte(one.Input), []byte("{}"))
		}
	}
	results := receipts.VerifyReceipts(t.Context(), texts, options)
	if asked.times != 2 || len(results) != 22 {
		t.Errorf("%d requests for %d results", asked.times, len(results))
	}
	if results[0].Document == nil || results[20].X402Receipt == nil || !errors.Is(results[21].Err, receipts.WrongKind) {
		t.Errorf("%+v, %+v, %v", results[0], results[20], results[21].Err)
	}
}

type counting struct {
	http.RoundTripper
	times int
}

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	c.times++
	return c.RoundTripper.RoundTrip(request)
}
