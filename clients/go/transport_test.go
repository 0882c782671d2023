package earnest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

const anOrder = `{"id": "ord_1", "status": "created", "total_amount": "2.500000", "something_new": {"a": [1]}}`

func TestAWriteIsSentUnderOneKeyUntilItIsAnswered(t *testing.T) {
	cases := map[string]fault{
		"a lost answer":                 {lost: true},
		"a cut answer":                  {cut: true},
		"408":                           {status: 408},
		"429":                           {status: 429},
		"500":                           {status: 500},
		"503":                           {status: 503, header: map[string]string{"Retry-After": "0"}},
		"503 without a word":            {status: 503, body: "<html>"},
		"a write that is still running": {status: 409, header: map[string]string{"Retry-After": "0"}},
	}
	for name, fault := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFlaky(t, anOrder, fault, fault)
			var response earnest.RawResponse
			order, err := service.client(t).Orders.Place(t.Context(), earnest.OrderRequest{ServiceID: "svc_1"}, earnest.WithResponse(&response))
			if err != nil {
				t.Fatal(err)
			}
			sent := service.requests()
			if order.ID != "ord_1" || len(sent) != 3 || response.Attempts != 3 || response.RequestID != "req_1" {
				t.Errorf("%+v, %d requests, %+v", order, len(sent), response)
			}
			for _, one := range sent {
				if one.key == "" || one.key != response.IdempotencyKey || one.body != sent[0].body || one.authorization != "Bearer esk_secret" {
					t.Errorf("sent %+v", one)
				}
			}
			if len(service.done) != 1 {
				t.Errorf("done under %v", service.done)
			}
		})
	}
}

func TestARefusalIsNotTriedAgain(t *testing.T) {
	for _, status := range []int{400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422, 301} {
		service := newFlaky(t, anOrder, fault{status: status, header: map[string]string{"Location": "/elsewhere"}})
		_, err := service.client(t).Orders.Start(t.Context(), "ord_1")
		var refusal *earnest.Error
		if !errors.As(err, &refusal) || refusal.Status != status || len(service.requests()) != 1 {
			t.Errorf("%d: %v after %d requests", status, err, len(service.requests()))
		}
	}
}

func TestRetriesEndAtTheirLimits(t *testing.T) {
	t.Run("of number", func(t *testing.T) {
		service := newFlaky(t, anOrder, fault{status: 500}, fault{status: 500}, fault{status: 500})
		_, err := service.client(t, earnest.WithMaxRetries(1)).Orders.Get(t.Context(), "ord_1")
		var refusal *earnest.Error
		if !errors.As(err, &refusal) || refusal.Attempts != 2 || len(service.requests()) != 2 {
			t.Errorf("%v after %d requests", err, len(service.requests()))
		}
	})
	t.Run("of the wait that is asked for", func(t *testing.T) {
		service := newFlaky(t, anOrder, fault{status: 429, header: map[string]string{"Retry-After": "31"}})
		_, err := service.client(t).Orders.Get(t.Context(), "ord_1")
		var refusal *earnest.Error
		if !errors.As(err, &refusal) || *refusal.RetryAfter != 31*time.Second || len(service.requests()) != 1 {
			t.Errorf("%v after %d requests", err, len(service.requests()))
		}
	})
	t.Run("of the context", func(t *testing.T) {
		service := newFlaky(t, anOrder, fault{status: 429, header: map[string]string{"Retry-After": "20"}})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := service.client(t).Orders.Get(ctx, "ord_1")
		if !errors.Is(err, earnest.ErrorCode("unknown")) || time.Since(begin) > time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	service := newFlaky(t, anOrder, fault{status: 503, header: map[string]string{"Retry-After": "1"}})
	begin := time.Now()
	if _, err := service.client(t).Orders.Get(t.Context(), "ord_1"); err != nil || time.Since(begin) < time.Second {
		t.Errorf("%v after %s", err, time.Since(begin))
	}
}

func TestASignInIsSentOnce(t *testing.T) {
	for _, fault := range []fault{{lost: true}, {status: 500}, {cut: true}} {
		service := newFlaky(t, `{"tokens": {}}`, fault)
		_, err := service.client(t).Auth.SignIn(t.Context(), earnest.WalletProof{Message: "m", Nonce: "n", Signature: "0x"})
		sent := service.requests()
		if err == nil || len(sent) != 1 || sent[0].key != "" || sent[0].authorization != "" {
			t.Errorf("%v after %+v", err, sent)
		}
	}
}

func TestATryHasATime(t *testing.T) {
	service := newFlaky(t, anOrder, fault{delay: 10 * time.Second}, fault{delay: 10 * time.Second})
	_, err := service.client(t).Orders.Start(t.Context(), "ord_1", earnest.WithTimeout(50*time.Millisecond), earnest.WithMaxRetries(1),
		earnest.WithIdempotencyKey("mine"))
	var connection *earnest.ConnectionError
	if !errors.As(err, &connection) || !connection.Timeout() || connection.Attempts != 2 || connection.IdempotencyKey != "mine" {
		t.Errorf("%+v", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	service := newFlaky(t, anOrder, fault{delay: 10 * time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := service.client(t).Orders.Start(ctx, "ord_1")
	var connection *earnest.ConnectionError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &connection) || connection.IdempotencyKey == "" || len(service.requests()) != 1 {
		t.Errorf("%+v", err)
	}
}

func TestErrors(t *testing.T) {
	body := `{"error": {"code": "input_schema_violation", "message": "The input is wrong.", "request_id": "req_9",
		"details": [{"path": "/text", "keyword": "required", "message": "is required"}]}}`
	service := newFlaky(t, "", fault{status: 422, body: body}, fault{status: 404, body: `{"error": {"code": "not_found", "message": "m", "request_id": "r", "details": {"odd": 1}}}`},
		fault{status: 402, body: `{"x402Version": 2, "error": {"code": "payment_required", "message": "pay first"}, "accepts": [{"scheme": "exact", "amount": "5"}]}`},
		fault{status: 418, body: `{"error": "a proxy"}`}, fault{status: 499, body: `[]`})
	client := service.client(t)
	_, err := client.Orders.Place(t.Context(), earnest.OrderRequest{ServiceID: "svc_1"})
	var refusal *earnest.Error
	if !errors.As(err, &refusal) || !errors.Is(err, earnest.ErrorCodeInputSchemaViolation) || errors.Is(err, earnest.ErrorCodeNotFound) ||
		refusal.RequestID != "req_9" || refusal.Details[0].Path != "/text" || refusal.IdempotencyKey == "" {
		t.Errorf("%+v", refusal)
	}
	if want := "input_schema_violation: The input is wrong. (req_9)\n  /text: is required"; err.Error() != want {
		t.Errorf("it reads %q", err)
	}
	_, err = client.Orders.Get(t.Context(), "ord_1")
	if !errors.As(err, &refusal) || refusal.Code != "not_found" || refusal.RequestID != "r" || len(refusal.Details) != 0 {
		t.Errorf("details of another shape: %+v", refusal)
	}
	_, err = client.Orders.Pay(t.Context(), "ord_1", nil)
	if !errors.Is(err, earnest.ErrorCodePaymentRequired) || !errors.As(err, &refusal) || refusal.PaymentRequired().Accepts[0].Amount != "5" ||
		refusal.Message != "pay first" {
		t.Errorf("402: %+v", refusal)
	}
	for _, status := range []int{418, 499} {
		_, err = client.Orders.Get(t.Context(), "ord_1")
		if !errors.As(err, &refusal) || refusal.Status != status || refusal.Code != "unknown" || refusal.PaymentRequired() != nil {
			t.Errorf("%d: %+v", status, refusal)
		}
	}
}

func TestAnAnswerOfAnotherShapeSaysSo(t *testing.T) {
	service := newFlaky(t, `{"id": "ord_1", "total_amount": 2.5}`)
	_, err := service.client(t).Orders.Place(t.Context(), earnest.OrderRequest{ServiceID: "svc_1"})
	var answer *earnest.AnswerError
	if !errors.As(err, &answer) || answer.RequestID != "req_1" || answer.IdempotencyKey == "" {
		t.Errorf("a float as money: %v", err)
	}
}

func TestNoHookAndNoLogSeesAToken(t *testing.T) {
	service := newFlaky(t, anOrder, fault{status: 500})
	var log bytes.Buffer
	var told []string
	client := service.client(t,
		earnest.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		earnest.WithHooks(earnest.Hooks{
			OnRequest: func(r earnest.RequestReport) {
				told = append(told, fmt.Sprintf("request %d %s", r.Attempt, r.Operation))
			},
			OnResponse: func(r earnest.RequestReport, status int, id string, took time.Duration) {
				told = append(told, fmt.Sprint("response ", status))
			},
			OnRetry: func(r earnest.RequestReport, wait time.Duration, err error) { told = append(told, "retry") },
		}))
	if _, err := client.Orders.Get(t.Context(), "ord_1"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, ", "); got != "request 1 readOrder, response 500, retry, request 2 readOrder, response 200" {
		t.Error(got)
	}
	if strings.Contains(log.String(), "esk_secret") || strings.Count(log.String(), "\n") != 5 {
		t.Error(log.String())
	}
}

func TestOptionsOfACall(t *testing.T) {
	service := newFlaky(t, `{"slug": "a", "items": []}`)
	client := service.client(t, earnest.WithOrganisation("acc_1"), earnest.WithHeader("User-Agent", "mine"))
	if _, err := client.Agents.Pause(t.Context(), "a/b ü", earnest.WithIfMatch(`"3.1"`), earnest.WithIdempotencyKey("key-1")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Agents.Get(t.Context(), "a", earnest.WithAPIKey("esk_other"), earnest.WithOrganisation("")); err != nil {
		t.Fatal(err)
	}
	sent := service.requests()
	if sent[0].path != "/api/v1/agents/a%2Fb%20%C3%BC/pause" || sent[0].ifMatch != `"3.1"` || sent[0].key != "key-1" ||
		sent[0].organisation != "acc_1" || sent[0].userAgent != "mine" || sent[0].contentType != "" || sent[0].body != "" {
		t.Errorf("%+v", sent[0])
	}
	if sent[1].authorization != "Bearer esk_other" || sent[1].organisation != "" || sent[1].key != "" {
		t.Errorf("%+v", sent[1])
	}
	for _, slug := range []string{"", ".", ".."} {
		if _, err := client.Agents.Get(t.Context(), slug); err == nil {
			t.Errorf("%q was sent as a part of a path", slug)
		}
	}
	if _, err := client.Orders.Start(t.Context(), "ord_1", earnest.WithIfMatch("x")); err == nil {
		t.Error("If-Match was sent where it means nothing")
	}
	if len(service.requests()) != 2 {
		t.Errorf("%d requests", len(service.requests()))
	}
}

func TestAnyRequest(t *testing.T) {
	service := newFlaky(t, `{"a": 1}`)
	var answer earnest.JSON
	request := earnest.Request{Verb: "POST", Path: "/new", Query: map[string]any{"n": 1}, Body: map[string]string{"b": "c"}}
	if err := service.client(t).Do(t.Context(), request, &answer); err != nil || answer.String() != `{"a": 1}` {
		t.Errorf("%s, %v", answer, err)
	}
	if sent := service.requests()[0]; sent.method != "POST" || sent.query["n"][0] != "1" || sent.body != `{"b":"c"}` || sent.key == "" {
		t.Errorf("%+v", sent)
	}
}

func TestAFileComesAsItsBytes(t *testing.T) {
	bytes := make([]byte, 300)
	for at := range bytes {
		bytes[at] = byte(at)
	}
	service := newFlaky(t, string(bytes))
	file, err := service.client(t).Orders.ExportInvoice(t.Context(), "ord_1")
	if err != nil || string(file) != string(bytes) {
		t.Errorf("%v, %v", file, err)
	}
	if sent := service.requests()[0]; sent.path != "/exports/orders/ord_1/invoice.pdf" {
		t.Errorf("%+v", sent)
	}
}

func TestAddressesOfAService(t *testing.T) {
	for given, want := range map[string]string{
		"http://localhost:42069":          "http://localhost:42069/api/v1",
		"https://market.example/":         "https://market.example/api/v1",
		"https://market.example/x/api/v1": "https://market.example/x/api/v1",
	} {
		client, err := earnest.NewClient(given)
		if err != nil || client.BaseURL() != want {
			t.Errorf("%s: %v, %v", given, client, err)
		}
	}
	for _, bad := range []string{"", "market.example", "ftp://market.example", "https://user@market.example", "https://market.example?x=1"} {
		if _, err := earnest.NewClient(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, err := earnest.NewClient("https://market.example", earnest.WithIdempotencyKey("k")); err == nil {
		t.Error("a key of one call was taken for all")
	}
}

func TestTheTokenIsFetchedAnewForEachTry(t *testing.T) {
	service := newFlaky(t, anOrder, fault{status: 500})
	calls := 0
	client := service.client(t, earnest.WithTokenSource(func(context.Context) (string, error) {
		calls++
		return fmt.Sprint("esk_", calls), nil
	}))
	if _, err := client.Orders.Get(t.Context(), "ord_1"); err != nil {
		t.Fatal(err)
	}
	if sent := service.requests(); sent[0].authorization != "Bearer esk_1" || sent[1].authorization != "Bearer esk_2" {
		t.Errorf("%+v", sent)
	}
	failing := service.client(t, earnest.WithTokenSource(func(context.Context) (string, error) { return "", http.ErrNoCookie }))
	if _, err := failing.Orders.Get(t.Context(), "ord_1"); !errors.Is(err, http.ErrNoCookie) {
		t.Error(err)
	}
}
