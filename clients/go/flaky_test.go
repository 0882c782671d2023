package earnest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// fault changes a request: its response is lost, truncated or late after the service handled it. Or the service does not get
// the request, and a status is returned.
type fault struct {
	lost, cut bool
	delay     time.Duration
	status    int
	header    map[string]string
	body      string
}

type seen struct {
	method, path, key, authorization, contentType, organisation, ifMatch, userAgent string
	query                                                                           map[string][]string
	body                                                                            string
}

// flaky is a service with one response, over a network with the next faults.
type flaky struct {
	*httptest.Server
	mutex  sync.Mutex
	faults []fault
	seen   []seen
	// writes counts the executed writes by key.
	done   map[string]int
	answer func(*http.Request) (header map[string]string, body string)
}

func newFlaky(t *testing.T, answer string, faults ...fault) *flaky {
	t.Helper()
	f := &flaky{faults: faults, done: map[string]int{}, answer: func(*http.Request) (map[string]string, string) { return nil, answer }}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mutex.Lock()
	var now fault
	if len(f.faults) > 0 {
		now, f.faults = f.faults[0], f.faults[1:]
	}
	key := r.Header.Get("Idempotency-Key")
	f.seen = append(f.seen, seen{
		method: r.Method, path: r.URL.EscapedPath(), query: r.URL.Query(), body: string(body), key: key,
		authorization: r.Header.Get("Authorization"), contentType: r.Header.Get("Content-Type"),
		organisation: r.Header.Get("X-Organisation"), ifMatch: r.Header.Get("If-Match"), userAgent: r.UserAgent(),
	})
	if now.status == 0 && f.done[key] == 0 {
		f.done[key]++
	}
	f.mutex.Unlock()
	select {
	case <-time.After(now.delay):
	case <-r.Context().Done():
		return
	}
	for name, value := range now.header {
		w.Header().Set(name, value)
	}
	if now.status != 0 {
		w.WriteHeader(now.status)
		io.WriteString(w, now.body)
		return
	}
	if now.lost {
		panic(http.ErrAbortHandler)
	}
	header, answer := f.answer(r)
	for name, value := range header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-ID", "req_1")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	if now.cut {
		io.WriteString(w, answer[:len(answer)/2])
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, answer)
}

func (f *flaky) requests() []seen {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.seen
}

func (f *flaky) client(t *testing.T, opts ...earnest.Option) *earnest.Client {
	t.Helper()
	client, err := earnest.NewClient(f.URL, append([]earnest.Option{earnest.WithAPIKey("esk_secret")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
