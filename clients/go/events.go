package earnest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"
)

// Payload decodes the event's data by its type, to a pointer to OrderEventData or another struct named ...EventData. Data of
// an unknown type is returned as raw JSON.
func (e Event) Payload() (any, error) { return decodeEventData(EventType(e.Type), e.Data) }

// WebhookEvent is the body of a webhook delivery.
type WebhookEvent struct {
	// ID is the delivery's id, the same in every retry: handle each id once.
	ID string `json:"id"`
	// EventID is the event's id, the same for each of your endpoints and in the feed.
	EventID   string    `json:"event_id"`
	Type      EventType `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Data      JSON      `json:"data"`
	Unknown   Unknown   `json:"-"`
}

type plainWebhookEvent WebhookEvent

// UnmarshalJSON keeps unknown members.
func (e *WebhookEvent) UnmarshalJSON(data []byte) error {
	return readMembers(data, (*plainWebhookEvent)(e), &e.Unknown)
}

// MarshalJSON writes unknown members too.
func (e WebhookEvent) MarshalJSON() ([]byte, error) {
	return writeMembers(plainWebhookEvent(e), e.Unknown)
}

// Payload reads the event's data by its type, as Event.Payload does.
func (e WebhookEvent) Payload() (any, error) { return decodeEventData(e.Type, e.Data) }

// Events are the account's events, by page or as an endless feed.
type Events struct {
	*EventsResource
}

// FollowOptions say where a stream begins and which events it has.
type FollowOptions struct {
	// Cursor resumes an earlier stream at its Cursor.
	Cursor string
	// FromNow skips past events. Without it and without a cursor, the stream begins at the oldest event (30 days).
	FromNow bool
	// Types limits the stream to these types.
	Types []EventType
	// The wait after a page without events. Default: 2 seconds.
	Poll time.Duration
}

const (
	longestFeedPause = 30 * time.Second
	// A longer Retry-After is shortened to this, because an outage may end sooner.
	longestAsked = time.Hour
)

// EventStream is the endless feed.
type EventStream struct {
	ctx     context.Context
	events  *EventsResource
	options FollowOptions
	opts    []Option
	cursor  string
}

// Follow follows the feed until the context ends. It continues through outages of the service, and ends with a permanent error.
func (e *Events) Follow(ctx context.Context, options FollowOptions, opts ...Option) *EventStream {
	if options.Poll <= 0 {
		options.Poll = 2 * time.Second
	}
	return &EventStream{ctx: ctx, events: e.EventsResource, options: options, opts: opts, cursor: options.Cursor}
}

// Cursor resumes the stream after a stop. All events before it were handled. It advances by a page once the next event is
// requested. A resumed stream misses no event but may repeat some, so handle each event's ID once.
func (s *EventStream) Cursor() string { return s.cursor }

// All gives the events, oldest first.
func (s *EventStream) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		skipping := s.cursor == "" && s.options.FromNow
		failures := 0
		for s.ctx.Err() == nil {
			wait := s.options.Poll
			query := EventsListQuery{Cursor: s.cursor, Type: s.options.Types, Limit: 100}
			page, err := s.events.List(s.ctx, query, s.opts...)
			if err != nil {
				if s.ctx.Err() != nil {
					return
				}
				if !isTemporary(err) {
					yield(Event{}, err)
					return
				}
				failures++
				pauseUntil(s.ctx, waitAfter(err, failures, wait))
				continue
			}
			failures = 0
			for _, event := range page.Items {
				if !skipping && !yield(event, nil) {
					return
				}
			}
			s.cursor = page.NextCursor
			if page.HasMore {
				continue
			}
			skipping = false
			pauseUntil(s.ctx, wait)
		}
	}
}

func waitAfter(err error, failures int, poll time.Duration) time.Duration {
	wait := rand.N(min(longestFeedPause, poll<<min(failures, 6)))
	var refusal *Error
	if errors.As(err, &refusal) && refusal.RetryAfter != nil {
		wait = max(wait, min(*refusal.RetryAfter, longestAsked))
	}
	return wait
}

// pauseUntil waits for a time or until the context ends.
func pauseUntil(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
