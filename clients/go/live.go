package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"mime"
	"net/http"
	"time"
)

const (
	// The wait before the next stream, unless the service names another wait, and its bounds.
	usualReopening    = 2 * time.Second
	shortestReopening = 100 * time.Millisecond
	longestReopening  = 10 * time.Minute
)

// A stream without a byte for this long is cut. The service sends a comment every 15 seconds. Tests change the variable.
var longestSilence = 45 * time.Second

// LiveStream is the endless live feed.
type LiveStream struct {
	ctx     context.Context
	events  *EventsResource
	options FollowOptions
	opts    []Option
	cursor  string
	retry   time.Duration
	// failures counts consecutive streams without a message.
	failures int
}

// Stream follows the feed live by server-sent events until the context ends. An event arrives well within a second. The
// stream resumes after every disconnection, polls while no stream is available, and ends with a permanent error. Poll is
// the wait between failing streams, which grows with each failure. WithTimeout applies to the polls.
func (e *Events) Stream(ctx context.Context, options FollowOptions, opts ...Option) *LiveStream {
	if options.Poll <= 0 {
		options.Poll = 2 * time.Second
	}
	cursor := options.Cursor
	if cursor == "" && options.FromNow {
		cursor = "now"
	}
	return &LiveStream{ctx: ctx, events: e.EventsResource, options: options, opts: opts, cursor: cursor, retry: usualReopening}
}

// Cursor resumes the stream after a stop. All events before it were handled. It advances once the next event is requested.
// A resumed stream misses no event but may repeat one, or some after polls: handle each event's ID once.
func (s *LiveStream) Cursor() string { return s.cursor }

// All returns the events, oldest first. One goroutine at a time may call it.
func (s *LiveStream) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for s.ctx.Err() == nil {
			keepsReading, err := s.listen(yield)
			if !keepsReading || s.ctx.Err() != nil {
				return
			}
			wait := s.retry
			if err != nil {
				if !isTemporary(err) {
					yield(Event{}, err)
					return
				}
				if s.failures++; s.failures == 1 {
					wait = rand.N(s.retry)
				} else {
					// The next stream brings the events of one cut. After more cuts, the pages are read.
					wait = waitAfter(err, s.failures, s.options.Poll)
					if !s.catchUp(yield) {
						return
					}
				}
			}
			pauseUntil(s.ctx, wait)
		}
	}
}

// listen reads one stream until it ends, and reports whether the reader continues. Without an error, the stream ended in order.
func (s *LiveStream) listen(yield func(Event, error) bool) (bool, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	watch := time.AfterFunc(longestSilence, cancel)
	defer watch.Stop()
	fail := func(err error) error {
		if ctx.Err() != nil {
			err = fmt.Errorf("the stream was silent for %s", longestSilence)
		}
		return &ConnectionError{Operation: "streamEvents", Attempts: 1, Err: err, timeout: ctx.Err() != nil}
	}
	asked := call{
		operation: "streamEvents", verb: "GET", path: "/streams/events", root: true, accept: "text/event-stream",
		query: EventsListQuery{Cursor: s.cursor, Type: s.options.Types},
	}
	answer, err := s.events.sender.open(ctx, asked, s.opts)
	if err != nil {
		if ctx.Err() != nil {
			err = fail(err)
		}
		return true, err
	}
	defer answer.Body.Close()
	if !isEventStream(answer.Header) {
		return true, fail(errors.New("the response is not an event stream: check the service's address"))
	}
	messages := newMessageReader(watchedBody{answer.Body, watch})
	for isTold := false; ; isTold = true {
		message, err := messages.next()
		if err != nil {
			if err == io.EOF && isTold {
				return true, nil
			}
			if errors.Is(err, errTooLarge) {
				s.failures = max(s.failures, 1)
			}
			return true, fail(err)
		}
		s.failures = 0
		if message.hasRetry {
			s.retry = min(max(shortestReopening, message.retry), longestReopening)
		}
		if message.hasData {
			var event Event
			if err := json.Unmarshal([]byte(message.data), &event); err != nil || event.ID == "" {
				// The next stream would repeat this message. The pages may be readable.
				s.failures = 1
				return true, fail(errors.New("a message is no event"))
			}
			if s.ctx.Err() != nil || !yield(event, nil) {
				return false, nil
			}
		}
		if message.id != "" {
			s.cursor = message.id
		}
	}
}

// catchUp returns the available pages while there is no stream. It reports whether the reader continues.
func (s *LiveStream) catchUp(yield func(Event, error) bool) bool {
	for {
		page, err := s.events.List(s.ctx, EventsListQuery{Cursor: s.cursor, Type: s.options.Types, Limit: 100}, s.opts...)
		if err != nil {
			if s.ctx.Err() != nil || isTemporary(err) {
				return s.ctx.Err() == nil
			}
			yield(Event{}, err)
			return false
		}
		for _, event := range page.Items {
			if s.ctx.Err() != nil || !yield(event, nil) {
				return false
			}
		}
		s.cursor = page.NextCursor
		if !page.HasMore {
			return true
		}
	}
}

// isEventStream tells an event stream from the response of a proxy, such as a network's sign-in page.
func isEventStream(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	encoding := header.Get("Content-Encoding")
	return err == nil && kind == "text/event-stream" && (encoding == "" || encoding == "identity")
}

// watchedBody runs a watchdog while the body is read, and stops it while an event is handled.
type watchedBody struct {
	body  io.Reader
	watch *time.Timer
}

func (b watchedBody) Read(into []byte) (int, error) {
	b.watch.Reset(longestSilence)
	defer b.watch.Stop()
	return b.body.Read(into)
}
