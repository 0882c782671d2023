package earnest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	earnest "github.com/earnest-market/earnest-go"
)

// live is a service with scripted streams, each served once and in this order. It refuses further streams. Its pages have ten events.
type live struct {
	*httptest.Server
	mutex   sync.Mutex
	streams []func(http.ResponseWriter, *http.Request)
	opened  []*http.Request
	paged   []*http.Request
}

func newLive(t *testing.T, streams ...func(http.ResponseWriter, *http.Request)) *live {
	t.Helper()
	l := &live{streams: streams}
	l.Server = httptest.NewServer(l)
	t.Cleanup(func() {
		l.CloseClientConnections()
		l.Close()
	})
	return l
}

func (l *live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !strings.HasSuffix(r.URL.Path, "/streams/events") {
		l.paged = append(l.paged, r)
		at, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		end := min(at+3, 10)
		var items []string
		for n := at; n < end; n++ {
			items = append(items, fmt.Sprintf(`{"id": "%d"}`, n))
		}
		fmt.Fprintf(w, `{"items": [%s], "next_cursor": "%d", "has_more": %t}`, strings.Join(items, ","), end, end < 10)
		return
	}
	l.opened = append(l.opened, r)
	if len(l.streams) == 0 {
		refuse(http.StatusServiceUnavailable, "streams_full")(w, r)
		return
	}
	stream := l.streams[0]
	l.streams = l.streams[1:]
	l.mutex.Unlock()
	defer l.mutex.Lock()
	stream(w, r)
}

func (l *live) asked() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var cursors []string
	for _, request := range l.opened {
		cursors = append(cursors, request.URL.Query().Get("cursor"))
	}
	return cursors
}

func (l *live) client(t *testing.T, opts ...earnest.Option) *earnest.Client {
	t.Helper()
	client, err := earnest.NewClient(l.URL, append([]earnest.Option{earnest.WithAPIKey("esk_secret")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func refuse(status int, code string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error": {"code": %q}}`, code)
	}
}

// event returns a message in the service's form. Its id is the cursor.
func event(n int) string { return fmt.Sprintf("id: %d\ndata: {\"id\":\"%d\"}\n\n", n+1, n) }

// sendPieces sends a stream in these pieces.
func sendPieces(pieces ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, piece := range append([]string{"retry: 0\n\n"}, pieces...) {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}
}

// sendAndCut sends a stream and cuts the connection.
func sendAndCut(pieces ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		sendPieces(pieces...)(w, r)
		panic(http.ErrAbortHandler)
	}
}

// sendAndWait sends a stream that then stays silent.
func sendAndWait(pieces ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		sendPieces(pieces...)(w, r)
		<-r.Context().Done()
	}
}

var quick = earnest.FollowOptions{Poll: time.Millisecond}

// take returns so many events of a stream, and its error.
func take(stream *earnest.LiveStream, most int) (string, error) {
	var ids []string
	for event, err := range stream.All() {
		if err != nil {
			return strings.Join(ids, " "), err
		}
		if ids = append(ids, event.ID); len(ids) == most {
			break
		}
	}
	return strings.Join(ids, " "), nil
}

func TestAStreamGoesOnAfterCutsWithoutLossOrDouble(t *testing.T) {
	service := newLive(t,
		sendAndCut(event(0)[:9], event(0)[9:], strings.TrimSuffix(event(1), "\n")),
		sendPieces(event(1), "id: 7\n\n"),
		sendPieces(event(7), event(8)),
	)
	stream := service.client(t).Events.Stream(t.Context(), earnest.FollowOptions{Types: []earnest.EventType{"order.created", "order.new"}})
	ids, err := take(stream, 4)
	if ids != "0 1 7 8" || err != nil || stream.Cursor() != "8" {
		t.Errorf("%s, %v, then %s", ids, err, stream.Cursor())
	}
	if asked := service.asked(); !slices.Equal(asked, []string{"", "1", "7"}) || len(service.paged) != 0 {
		t.Errorf("%q, %d pages", asked, len(service.paged))
	}
	if types := service.opened[0].URL.Query()["type"]; len(types) != 2 {
		t.Error(types)
	}
}

func TestAStreamIsReadAsTheStandardSaysWhateverThePieces(t *testing.T) {
	text := "\ufeffretry: 0\r\nid: a\r\n\r\n: alive\r\ndata:{\"id\":\rdata: \"größer 🜁\"}\r\rid: b\x00\nevent: x\ndata: {\"id\": \"2\"}\n\nretry: 1e9\nid\n\ndata: {\"id\": \"cut\"}\n"
	for _, size := range []int{1, 2, 3, 1000} {
		var pieces []string
		for chunk := range slices.Chunk([]byte(text), size) {
			pieces = append(pieces, string(chunk))
		}
		service := newLive(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, piece := range pieces {
				io.WriteString(w, piece)
				w.(http.Flusher).Flush()
			}
		}, sendPieces(event(5)))
		ids, err := take(service.client(t).Events.Stream(t.Context(), quick), 3)
		if ids != "größer 🜁 2 5" || err != nil || !slices.Equal(service.asked(), []string{"", "a"}) {
			t.Errorf("in pieces of %d: %q, %v, asked %q", size, ids, err, service.asked())
		}
	}
}

func TestAStreamIsAskedForAsOtherCallsAre(t *testing.T) {
	service := newLive(t, sendPieces(event(0)))
	// A timeout of the user's own HTTP client, which would end a stream in the middle.
	own := &http.Client{Timeout: time.Minute}
	client := service.client(t, earnest.WithOrganisation("acc_1"), earnest.WithHeader("X-More", "1"), earnest.WithHTTPClient(own))
	if _, err := client.Events.List(t.Context(), earnest.EventsListQuery{}); err != nil {
		t.Fatal(err)
	}
	if ids, err := take(client.Events.Stream(t.Context(), quick), 1); ids != "0" || err != nil {
		t.Fatalf("%s, %v", ids, err)
	}
	plain, sent := service.paged[0], service.opened[0]
	for _, name := range []string{"Authorization", "X-Organisation", "X-More", "User-Agent"} {
		if sent.Header.Get(name) == "" || sent.Header.Get(name) != plain.Header.Get(name) {
			t.Errorf("%s: %q", name, sent.Header.Get(name))
		}
	}
	if sent.Host != plain.Host || sent.Header.Get("Accept") != "text/event-stream" || sent.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%s, %v", sent.Host, sent.Header)
	}
}

func TestPagesAreReadWhileThereIsNoStream(t *testing.T) {
	full := refuse(http.StatusServiceUnavailable, "streams_full")
	service := newLive(t, sendPieces(event(0)), full, full, sendPieces(event(10)))
	ids, err := take(service.client(t).Events.Stream(t.Context(), quick), 11)
	if ids != "0 1 2 3 4 5 6 7 8 9 10" || err != nil || !slices.Equal(service.asked(), []string{"", "1", "1", "10"}) || len(service.paged) != 3 {
		t.Errorf("%s, %v, asked %q, %d pages", ids, err, service.asked(), len(service.paged))
	}
}

func TestABrokenStreamEndsInPages(t *testing.T) {
	earnest.SetMostMessageBytes(t, 1000)
	zipped := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		sendPieces(event(0))(w, r)
	}
	for name, stream := range map[string]func(http.ResponseWriter, *http.Request){
		"no stream": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>Sign in to this network.</p>") },
		"empty": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": nothing\n")
		},
		"compressed":          zipped,
		"no JSON":             sendAndWait("data: {\n\n"),
		"no event":            sendAndWait("data: null\n\n"),
		"a line too large":    sendAndWait("data: " + strings.Repeat("x", 2000)),
		"a comment too large": sendAndWait(":" + strings.Repeat("x", 2000)),
		"too many lines":      sendAndWait(strings.Repeat("data: x\n", 1000)),
	} {
		service := newLive(t, stream, stream)
		ids, err := take(service.client(t).Events.Stream(t.Context(), quick), 10)
		if ids != "0 1 2 3 4 5 6 7 8 9" || err != nil || len(service.asked()) > 2 {
			t.Errorf("%s: %s, %v, asked %q", name, ids, err, service.asked())
		}
	}
}

func TestASilentStreamIsCutAndOneThatIsHandledSlowlyIsNot(t *testing.T) {
	earnest.SetLongestSilence(t, 200*time.Millisecond)
	service := newLive(t, sendAndWait(event(0), event(1)), sendPieces(event(2)))
	var ids []string
	for event, err := range service.client(t).Events.Stream(t.Context(), quick).All() {
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) == 0 {
			time.Sleep(400 * time.Millisecond)
		}
		if ids = append(ids, event.ID); len(ids) == 3 {
			break
		}
	}
	if strings.Join(ids, " ") != "0 1 2" || !slices.Equal(service.asked(), []string{"", "2"}) {
		t.Errorf("%q, asked %q", ids, service.asked())
	}
}

func TestTheServiceSaysWhenToComeAgain(t *testing.T) {
	service := newLive(t, sendPieces("retry: 400\n\n", event(0)), sendPieces(event(1)))
	begin := time.Now()
	ids, err := take(service.client(t).Events.Stream(t.Context(), quick), 2)
	if took := time.Since(begin); ids != "0 1" || err != nil || took < 400*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("%s, %v after %s", ids, err, took)
	}
}

func TestAStreamBeginsNowOrWhereItWas(t *testing.T) {
	service := newLive(t, sendPieces("id: 5\n\n", event(5)), sendPieces(event(9)))
	client := service.client(t)
	stream := client.Events.Stream(t.Context(), earnest.FollowOptions{FromNow: true})
	// The loop ended before the event counted as handled.
	if ids, err := take(stream, 1); ids != "5" || err != nil || stream.Cursor() != "5" {
		t.Errorf("%s, %v, then %s", ids, err, stream.Cursor())
	}
	if ids, err := take(client.Events.Stream(t.Context(), earnest.FollowOptions{Cursor: "9", FromNow: true}), 1); ids != "9" || err != nil {
		t.Errorf("%s, %v", ids, err)
	}
	if !slices.Equal(service.asked(), []string{"now", "9"}) {
		t.Error(service.asked())
	}
}

func TestAStreamEndsWithWhatWaitingDoesNotMend(t *testing.T) {
	redirect := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }
	service := newLive(t, sendPieces(event(0)), refuse(http.StatusForbidden, "insufficient_scope"), redirect)
	if ids, err := take(service.client(t).Events.Stream(t.Context(), quick), 2); ids != "0" || !errors.Is(err, earnest.ErrorCodeInsufficientScope) {
		t.Errorf("%s, %v", ids, err)
	}
	var refusal *earnest.Error
	if _, err := take(service.client(t).Events.Stream(t.Context(), quick), 1); !errors.As(err, &refusal) || refusal.Status != http.StatusFound || len(service.paged) != 0 {
		t.Errorf("%v, %d other requests", err, len(service.paged))
	}
}

func TestAStreamEndsWithItsContextAndLeavesNothingBehind(t *testing.T) {
	full := refuse(http.StatusServiceUnavailable, "streams_full")
	service := newLive(t)
	transport := &http.Transport{}
	client := service.client(t, earnest.WithHTTPClient(&http.Client{Transport: transport}), earnest.WithMaxRetries(0))
	before := runtime.NumGoroutine()
	for range 5 {
		service.streams = []func(http.ResponseWriter, *http.Request){sendAndWait(event(0)), full, full, full}
		for _, options := range []earnest.FollowOptions{
			{Cursor: "0"},
			// The stream is refused, and the wait for the next is long.
			{Cursor: "10", Poll: time.Hour},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			timer := time.AfterFunc(100*time.Millisecond, cancel)
			begin := time.Now()
			if _, err := take(client.Events.Stream(ctx, options), 2); err != nil || time.Since(begin) > 3*time.Second {
				t.Errorf("%v after %s", err, time.Since(begin))
			}
			timer.Stop()
		}
	}
	transport.CloseIdleConnections()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
}
