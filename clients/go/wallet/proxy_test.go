//go:build service

package wallet_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	earnest "github.com/earnest-market/earnest-go"
)

// proxy is a proxy before the service. It can change responses and hold requests.
type proxy struct {
	*httptest.Server
	mutex sync.Mutex
	lie   func(path string, body map[string]any) any
	shape *regexp.Regexp
	held  chan struct{}
	ended chan struct{}
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{ended: make(chan struct{})}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.serve(w, r, address(t, "EARNEST_URL")); err != nil {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(func() {
		close(p.ended)
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request, target string) error {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	p.pass("before", r)
	request, err := http.NewRequest(r.Method, target+r.URL.RequestURI(), bytes.NewReader(asked))
	if err != nil {
		return err
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	p.pass("after", r)
	maps.Copy(w.Header(), response.Header)
	w.Header().Del("Content-Length")
	status := response.StatusCode
	if changed, isLie := p.changed(r.URL.Path, status, body); isLie {
		status, body = http.StatusOK, changed
	}
	w.WriteHeader(status)
	_, err = w.Write(body)
	return err
}

// changed returns the changed response. The lie does not see the body of an error.
func (p *proxy) changed(path string, status int, body []byte) ([]byte, bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.lie == nil {
		return nil, false
	}
	read := map[string]any{}
	if status < 300 {
		if err := earnest.JSON(body).Decode(&read); err != nil {
			return nil, false
		}
	}
	lied := p.lie(path, read)
	if status >= 300 && lied == nil {
		return nil, false
	}
	text, err := json.Marshal(lied)
	return text, err == nil
}

// changeResponses changes all later responses. The lie gets the members of a response, or none of an error, and returns the replacement.
// nil leaves an error unchanged.
func (p *proxy) changeResponses(lie func(path string, body map[string]any) any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.lie = lie
}

// holdNext holds the next fitting request forever, as in "before POST /api/v1/orders". It then closes the channel.
func (p *proxy) holdNext(shape string) <-chan struct{} {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.shape, p.held = regexp.MustCompile(shape), make(chan struct{})
	return p.held
}

func (p *proxy) pass(when string, r *http.Request) {
	p.mutex.Lock()
	isHeld := p.shape != nil && p.shape.MatchString(strings.Join([]string{when, r.Method, r.URL.Path}, " "))
	if isHeld {
		p.shape = nil
		close(p.held)
	}
	p.mutex.Unlock()
	if isHeld {
		<-p.ended
	}
}

// through returns a client of the same account that calls through the proxy.
func (p *proxy) through(t *testing.T, one party) party {
	t.Helper()
	client, err := earnest.NewClient(p.URL, earnest.WithAPIKey(one.token))
	if err != nil {
		t.Fatal(err)
	}
	return party{client, one.key, one.token}
}
