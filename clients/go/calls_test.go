package earnest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// plainKey signs in a way that signedBy reads. The module wallet has the real signatures.
type plainKey struct{ address settlement.Address }

func (k plainKey) Address() string { return k.address.String() }

func (k plainKey) SignHash(_ context.Context, hash [32]byte) ([]byte, error) {
	sum := sha256.Sum256(append(k.address[:], hash[:]...))
	signature := append(sum[:], make([]byte, 33)...)
	copy(signature[32:52], k.address[:])
	signature[32], signature[64] = 0, 27
	signature[53] = k.address[0]
	return signature, nil
}

// callMarket is the buyer and the provider of one session.
type callMarket struct {
	*testing.T
	agreement earnest.JSON
	escrow    *settlement.Escrow
	folder    string
	buyer     plainKey
	handler   earnest.CallHandler
	options   earnest.ServeCallsOptions
	calls     *earnest.ServedCalls
	server    *httptest.Server
	failures  []error
	mutex     sync.Mutex
	inputs    []string
	// answer, if set, changes the answers on their way.
	answer func(w http.ResponseWriter, reply *httptest.ResponseRecorder)
}

const callOrder = "ord_01jd3w8x2mfhz8w9q4t6n5k7ra"

func newCallMarket(t *testing.T, balance string) *callMarket {
	t.Helper()
	m := &callMarket{T: t, folder: t.TempDir()}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.server.Close)
	key, err := earnest.SessionKeyOf(m.folder)
	m.require(err)
	var vectors struct {
		Metered struct{ Agreement map[string]any }
	}
	readClientVectors(t, &vectors)
	agreement := vectors.Metered.Agreement
	for name, value := range map[string]any{
		"pricing_model": "per_call", "unit_price_base_units": "1000", "amount_base_units": balance, "endpoint_url": m.server.URL, "session_key": key,
		"acceptance_window_seconds": settlement.VouchersOnly,
	} {
		agreement[name] = value
	}
	m.agreement, err = json.Marshal(agreement)
	m.require(err)
	m.escrow, err = settlement.ReadAgreement(m.agreement)
	m.require(err)
	m.buyer = plainKey{m.escrow.Terms.Buyer}
	m.handler = earnest.HandleCall(func(_ context.Context, call earnest.PaidCall[any]) (any, error) {
		return map[string]any{"echo": call.Input}, nil
	})
	m.options = earnest.ServeCallsOptions{
		Folder: m.folder, Recover: m.recover, OnError: func(err error, _ string) { m.failures = append(m.failures, err) },
	}
	m.start()
	t.Cleanup(func() { _ = m.calls.Stop() })
	return m
}

func (m *callMarket) require(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *callMarket) recover(hash [32]byte, signature []byte) (settlement.Address, error) {
	expected, err := m.buyer.SignHash(m.Context(), hash)
	if err == nil && !bytes.Equal(expected, signature) {
		err = errors.New("another signature")
	}
	return m.buyer.address, err
}

func (m *callMarket) start() {
	m.Helper()
	handler := func(ctx context.Context, call earnest.PaidCall[earnest.JSON]) (any, error) {
		m.mutex.Lock()
		m.inputs = append(m.inputs, string(call.Body))
		m.mutex.Unlock()
		return m.handler(ctx, call)
	}
	calls, err := earnest.ServeAgreed(m.T, callOrder, m.agreement, handler, m.options)
	m.require(err)
	m.calls = calls
}

func (m *callMarket) serve(w http.ResponseWriter, r *http.Request) {
	if m.answer == nil {
		m.calls.ServeHTTP(w, r)
		return
	}
	reply := httptest.NewRecorder()
	m.calls.ServeHTTP(reply, r)
	m.answer(w, reply)
}

func (m *callMarket) open(file string) *earnest.CallSession {
	m.Helper()
	session, err := earnest.OpenAgreed(callOrder, m.agreement, earnest.SessionOptions{
		Buy: earnest.BuyOptions{Wallet: m.buyer}, File: file, Timeout: 500 * time.Millisecond, AllowPrivate: true,
	})
	m.require(err)
	m.Cleanup(func() { _ = session.Leave() })
	return session
}

// post sends a call of the buyer by hand, and returns its status and its body.
func (m *callMarket) post(amount int64, input string, change map[string]string) (int, string) {
	m.Helper()
	work := sessions.WorkHash(m.escrow.ID(), big.NewInt(amount), []byte(input))
	hash, err := m.escrow.Voucher(big.NewInt(amount), work).Digest()
	m.require(err)
	signature, err := m.buyer.SignHash(m.Context(), hash)
	m.require(err)
	voucher := sessions.Voucher{CumulativeAmount: big.NewInt(amount), WorkHash: work, Signature: signature}
	body := input
	headers := map[string]string{
		sessions.SessionHeader: m.escrow.ID().String(), sessions.VoucherHeader: voucher.Header(), "Content-Type": "application/json",
	}
	maps.Copy(headers, change)
	if other, has := headers["body"]; has {
		body = other
	}
	request, err := http.NewRequestWithContext(m.Context(), http.MethodPost, m.server.URL, strings.NewReader(body))
	m.require(err)
	for name, value := range headers {
		if name != "body" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	m.require(err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	m.require(err)
	return response.StatusCode, string(text)
}

func codeOf(text string) string {
	var read struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(text), &read)
	return read.Error.Code
}

func TestBothEndsOfASessionContinueAfterARestart(t *testing.T) {
	m := newCallMarket(t, "3000")
	file := filepath.Join(t.TempDir(), "session.json")
	session := m.open(file)
	var inUse *earnest.FileInUseError
	if _, err := earnest.OpenAgreed(callOrder, m.agreement, earnest.SessionOptions{File: file}); !errors.As(err, &inUse) {
		t.Errorf("a second process: %v", err)
	}
	answer, err := session.Call(t.Context(), map[string]int{"n": 1})
	if err != nil || string(answer.Body) != `{"echo":{"n":1}}` || answer.Spent.Int64() != 1000 {
		t.Fatalf("%+v, %v", answer, err)
	}
	m.require(session.Leave())
	m.require(m.calls.Stop())
	m.start()
	session = m.open(file)
	answer, err = session.RepeatLast(t.Context())
	if err != nil || string(answer.Body) != `{"echo":{"n":1}}` {
		t.Errorf("%+v, %v", answer, err)
	}
	for number := range 2 {
		_, err := session.Call(t.Context(), number)
		m.require(err)
	}
	if _, err := session.Call(t.Context(), 4); !errors.Is(err, earnest.ErrBalanceUsed) {
		t.Errorf("beyond the balance: %v", err)
	}
	m.require(session.Close(t.Context()))
	m.require(m.calls.Stop())
	m.start()
	if !m.calls.IsClosing() {
		t.Error("the close request was lost by a restart")
	}
	if len(m.inputs) != 3 || len(m.failures) != 0 {
		t.Errorf("%q, %v", m.inputs, m.failures)
	}
	for _, path := range []string{file, filepath.Join(m.folder, m.escrow.ID().String()+".json")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestAUsedBalanceIsToppedUpOnce(t *testing.T) {
	m := newCallMarket(t, "2000")
	const further = "ord_01jd3w8x2mfhz8w9q4t6n5k7rb"
	second := earnest.JSON(strings.Replace(string(m.agreement), callOrder, further, 1))
	m.require(m.calls.ServeAlso(further, second))
	session, err := earnest.OpenAgreed(callOrder, m.agreement, earnest.SessionOptions{
		Buy: earnest.BuyOptions{Wallet: m.buyer}, File: filepath.Join(t.TempDir(), "session.json"), Timeout: 500 * time.Millisecond, TopUps: 1,
		AllowPrivate: true,
	})
	m.require(err)
	var keys []string
	session.TopUpBy(func(key string) (string, earnest.JSON, error) {
		if keys = append(keys, key); len(keys) == 1 {
			return "", nil, errors.New("the service is gone")
		}
		return further, second, nil
	})
	spent := func(input int) int64 {
		answer, err := session.Call(t.Context(), input)
		m.require(err)
		return answer.Spent.Int64()
	}
	if one, two := spent(1), spent(2); one != 1000 || two != 2000 {
		t.Errorf("%d, %d", one, two)
	}
	if _, err := session.Call(t.Context(), 3); err == nil {
		t.Error("a call was answered without a balance")
	}
	if three, four := spent(3), spent(4); three != 1000 || four != 2000 || session.OrderID() != further {
		t.Errorf("%d, %d of %s", three, four, session.OrderID())
	}
	// The same key finds the order of the try before.
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("%q", keys)
	}
	if _, err := session.Call(t.Context(), 5); !errors.Is(err, earnest.ErrBalanceUsed) {
		t.Error(err)
	}
	if len(m.inputs) != 4 {
		t.Errorf("%q", m.inputs)
	}
	m.require(session.Leave())
}

func TestASessionThatMoreThanVouchersPayIsRefusedByBothEnds(t *testing.T) {
	m := newCallMarket(t, "1000")
	agreement := earnest.JSON(strings.Replace(string(m.agreement), "4294967295", "4294967294", 1))
	var differs *earnest.NotAsAgreedError
	_, err := earnest.OpenAgreed(callOrder, agreement, earnest.SessionOptions{File: filepath.Join(t.TempDir(), "session.json")})
	if !errors.As(err, &differs) || differs.Field != "agreement.acceptance_window_seconds" {
		t.Errorf("the buyer: %v", err)
	}
	if err := m.calls.ServeAlso(callOrder, agreement); !errors.As(err, &differs) {
		t.Errorf("the provider: %v", err)
	}
}

func TestARefusedCallIsNotWorkedOn(t *testing.T) {
	m := newCallMarket(t, "1000")
	m.options.MaxInput = 100
	m.require(m.calls.Stop())
	m.start()
	long := strings.Repeat("1", 200)
	for _, one := range []struct {
		code   string
		amount int64
		input  string
		change map[string]string
	}{
		{sessions.Malformed, 1000, "1", map[string]string{sessions.SessionHeader: "0x"}},
		{sessions.UnknownSession, 1000, "1", map[string]string{sessions.SessionHeader: "0x" + strings.Repeat("11", 32)}},
		{sessions.Malformed, 1000, "1", map[string]string{sessions.VoucherHeader: "1;2;3"}},
		{sessions.WrongWorkHash, 1000, "1", map[string]string{"body": "2"}},
		{sessions.WrongAmount, 2000, "1", nil},
		{sessions.Malformed, 1000, "{", nil},
		{sessions.InputTooLarge, 1000, long, nil},
		{sessions.Malformed, 1000, "1", map[string]string{sessions.CloseHeader: "1;2;3"}},
		{sessions.WrongSignature, 1000, "1", map[string]string{sessions.CloseHeader: "0;99;0x" + strings.Repeat("11", 65)}},
	} {
		status, text := m.post(one.amount, one.input, one.change)
		if codeOf(text) != one.code || status != sessions.Statuses[one.code] {
			t.Errorf("%s: %d %s", one.code, status, text)
		}
	}
	if len(m.inputs) != 0 {
		t.Errorf("%q", m.inputs)
	}
	first, answer := m.post(1000, "1", nil)
	again, repeated := m.post(1000, "1", map[string]string{"body": ""})
	if first != 200 || again != 200 || answer != repeated || len(m.inputs) != 1 {
		t.Errorf("%d %s, %d %s, %q", first, answer, again, repeated, m.inputs)
	}
	if _, text := m.post(2000, "1", nil); codeOf(text) != sessions.BalanceUsed {
		t.Error(text)
	}
	if _, text := m.post(1000, "2", nil); !strings.Contains(text, `"expected_amount":"2000"`) || !strings.Contains(text, `"cumulative_amount":"1000"`) {
		t.Error(text)
	}
}

func TestOnlyTheBuyersSignatureLetsAnInputBeRead(t *testing.T) {
	m := newCallMarket(t, "100000")
	work := sessions.WorkHash(m.escrow.ID(), big.NewInt(1000), []byte("1"))
	hash, err := m.escrow.Voucher(big.NewInt(1000), work).Digest()
	m.require(err)
	signature, err := m.buyer.SignHash(t.Context(), hash)
	m.require(err)
	post := func(signature []byte, body io.Reader) string {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
		request.Header.Set(sessions.SessionHeader, m.escrow.ID().String())
		voucher := sessions.Voucher{CumulativeAmount: big.NewInt(1000), WorkHash: work, Signature: signature}
		request.Header.Set(sessions.VoucherHeader, voucher.Header())
		reply := httptest.NewRecorder()
		m.calls.ServeHTTP(reply, request)
		return reply.Body.String()
	}
	endless, _ := io.Pipe()
	if text := post(bytes.Repeat([]byte{17}, 65), endless); codeOf(text) != sessions.WrongSignature {
		t.Error(text)
	}
	var held sync.WaitGroup
	defer held.Wait()
	for range 8 {
		body, writer := io.Pipe()
		held.Go(func() { post(signature, body) })
		// The write ends once the input is read.
		_, err := writer.Write([]byte("1"))
		m.require(err)
		defer func() { _ = writer.Close() }()
	}
	if text := post(signature, endless); codeOf(text) != sessions.Busy {
		t.Error(text)
	}
}

func TestACallThatFailedIsNotCharged(t *testing.T) {
	m := newCallMarket(t, "100000")
	session := m.open(filepath.Join(t.TempDir(), "session.json"))
	for message, handler := range map[string]earnest.CallHandler{
		"no word is known": func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) {
			return nil, fmt.Errorf("no word is known: %w", earnest.ErrDeclined)
		},
		"The handler failed.": func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) { panic("a mistake") },
		"The output is too large.": func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) {
			return make([]byte, 2<<20), nil
		},
	} {
		m.handler = handler
		var refusal *earnest.CallRefusedError
		if _, err := session.Call(t.Context(), 1); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, message) {
			t.Errorf("%s: %v", message, err)
		}
	}
	if len(m.failures) != 3 || session.Spent().Sign() != 0 {
		t.Errorf("%v, %s", m.failures, session.Spent())
	}
	m.handler = func(_ context.Context, call earnest.PaidCall[earnest.JSON]) (any, error) { return call.Body, nil }
	if answer, err := session.Call(t.Context(), []byte("plain")); err != nil || string(answer.Body) != "plain" || answer.Spent.Int64() != 1000 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAnAnswerThatCannotBeStoredIsAskedForAgain(t *testing.T) {
	m := newCallMarket(t, "100000")
	path := filepath.Join(m.folder, m.escrow.ID().String()+".json")
	kept, err := os.ReadFile(path)
	m.require(err)
	m.require(os.Remove(path))
	// A folder in the file's place cannot be replaced by a file.
	m.require(os.MkdirAll(filepath.Join(path, "full"), 0o700))
	status, text := m.post(1000, "1", nil)
	if codeOf(text) != sessions.Busy || status != http.StatusTooManyRequests || len(m.failures) != 1 {
		t.Errorf("%d %s, %v", status, text, m.failures)
	}
	m.require(os.RemoveAll(path))
	m.require(os.WriteFile(path, kept, 0o600))
	if status, text := m.post(1000, "1", nil); status != http.StatusOK {
		t.Error(text)
	}
}

func TestCallsAtOnceAreDoneOneAfterTheOther(t *testing.T) {
	m := newCallMarket(t, "100000")
	begun, end := make(chan struct{}), make(chan struct{})
	m.handler = func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) {
		close(begun)
		<-end
		return "done", nil
	}
	answers := make(chan string, 2)
	send := func() {
		_, text := m.post(1000, "1", nil)
		answers <- text
	}
	go send()
	<-begun
	go send()
	if _, text := m.post(1000, "2", nil); codeOf(text) != sessions.CallInProgress {
		t.Error(text)
	}
	close(end)
	if first, second := <-answers, <-answers; first != second || first != `"done"` {
		t.Errorf("%s, %s", first, second)
	}
	if len(m.inputs) != 1 {
		t.Errorf("%q", m.inputs)
	}
}

func TestACallThatNeverEndsIsGivenUpByASessionThatCloses(t *testing.T) {
	m := newCallMarket(t, "100000")
	if status, text := m.post(1000, "1", nil); status != http.StatusOK {
		t.Fatal(text)
	}
	begun, end := make(chan struct{}), make(chan struct{})
	m.handler = func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) {
		close(begun)
		<-end
		return "done", nil
	}
	hung := make(chan string)
	go func() {
		_, text := m.post(2000, "2", nil)
		hung <- text
	}()
	<-begun
	for _, one := range []struct {
		closedSince time.Duration
		awaits      bool
	}{{0, true}, {6 * time.Minute, false}} {
		if awaits, err := m.calls.AwaitsCall(one.closedSince); err != nil || awaits != one.awaits {
			t.Errorf("%v, %v after %s", awaits, err, one.closedSince)
		}
	}
	close(end)
	if text := <-hung; codeOf(text) != sessions.SessionEnded {
		t.Error(text)
	}
	kept, err := os.ReadFile(filepath.Join(m.folder, m.escrow.ID().String()+".json"))
	if err != nil || !strings.Contains(string(kept), `"voucher":"1000;`) {
		t.Errorf("%s, %v", kept, err)
	}
}

func TestNothingIsSentToAPrivateNetwork(t *testing.T) {
	m := newCallMarket(t, "100000")
	for _, name := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		agreement := earnest.JSON(strings.Replace(string(m.agreement), "//127.0.0.1", "//"+name, 1))
		session, err := earnest.OpenAgreed(callOrder, agreement, earnest.SessionOptions{
			Buy: earnest.BuyOptions{Wallet: m.buyer}, File: filepath.Join(t.TempDir(), "session.json"),
		})
		m.require(err)
		var unanswered *earnest.CallUnansweredError
		if _, err := session.Call(t.Context(), 1); !errors.As(err, &unanswered) || !strings.Contains(err.Error(), "private network") {
			t.Errorf("%s: %v", name, err)
		}
		m.require(session.Leave())
	}
	if len(m.inputs) != 0 {
		t.Errorf("%q", m.inputs)
	}
	for host, isPrivate := range map[string]bool{
		"localhost": true, "intranet": true, "10.0.0.1": true, "169.254.169.254": true, "[::1]": true, "[fe80::1]": true, "[::ffff:10.0.0.1]": true,
		"words.example": false, "8.8.8.8": false, "[2606:4700::1111]": false,
	} {
		if earnest.IsPrivateHost(&url.URL{Host: host}) != isPrivate {
			t.Errorf("%s is private: %v", host, !isPrivate)
		}
	}
}

func TestALostAnswerIsAskedForFirst(t *testing.T) {
	m := newCallMarket(t, "100000")
	file := filepath.Join(t.TempDir(), "session.json")
	session := m.open(file)
	m.answer = func(w http.ResponseWriter, _ *httptest.ResponseRecorder) { w.WriteHeader(http.StatusBadGateway) }
	var unanswered *earnest.CallUnansweredError
	if _, err := session.Call(t.Context(), "paid"); !errors.As(err, &unanswered) {
		t.Fatal(err)
	}
	m.require(session.Leave())
	m.answer = nil
	session = m.open(file)
	for _, input := range []string{"paid", "next"} {
		_, err := session.Call(t.Context(), input)
		m.require(err)
	}
	if session.Spent().Int64() != 2000 || len(m.inputs) != 2 {
		t.Errorf("%s, %q", session.Spent(), m.inputs)
	}
	m.require(session.Leave())
	m.require(os.Remove(file))
	// The buyer who lost the file continues by the newest voucher.
	session = m.open(file)
	if answer, err := session.Call(t.Context(), "third"); err != nil || answer.Spent.Int64() != 3000 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestARefusedVoucherIsNoLostAnswerAfterARestart(t *testing.T) {
	m := newCallMarket(t, "100000")
	file := filepath.Join(t.TempDir(), "session.json")
	session, answer := m.open(file), m.handler
	m.handler = func(context.Context, earnest.PaidCall[earnest.JSON]) (any, error) { return nil, earnest.ErrDeclined }
	var refusal *earnest.CallRefusedError
	if _, err := session.Call(t.Context(), 1); !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	m.require(session.Leave())
	m.handler = answer
	// The provider answers the refused voucher for itself.
	if status, text := m.post(1000, "1", nil); status != http.StatusOK {
		t.Fatal(text)
	}
	session = m.open(file)
	var untrusted *earnest.UntrustedSessionError
	if _, err := session.Call(t.Context(), "other"); !errors.As(err, &untrusted) || session.Spent().Int64() != 1000 {
		t.Errorf("%v, %s", err, session.Spent())
	}
}

func TestAProviderThatBreaksTheRulesIsStopped(t *testing.T) {
	for name, lie := range map[string]func(http.ResponseWriter, *httptest.ResponseRecorder){
		"another output": func(w http.ResponseWriter, reply *httptest.ResponseRecorder) {
			w.Header().Set(sessions.StatementHeader, reply.Header().Get(sessions.StatementHeader))
			_, _ = w.Write([]byte("other"))
		},
		"a count of its own": func(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"error": {"code": "wrong_amount", "message": "5000", "expected_amount": "5000"}}`))
		},
	} {
		m := newCallMarket(t, "100000")
		session := m.open(filepath.Join(t.TempDir(), "session.json"))
		m.answer = lie
		for range 2 {
			var untrusted *earnest.UntrustedSessionError
			if _, err := session.Call(t.Context(), 1); !errors.As(err, &untrusted) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(m.inputs) != 1 || session.Spent().Int64() != 1000 {
			t.Errorf("%s: %q, %s", name, m.inputs, session.Spent())
		}
	}
}
