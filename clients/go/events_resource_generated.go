// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// EventsListQuery is what client.Events.List may be asked with.
type EventsListQuery struct {
	// `next_cursor` of the previous answer, or the `id` of a stream's event; `now` for future events only.
	Cursor string `json:"cursor,omitzero"`
	// Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// Only events of these types; may be repeated.
	Type []EventType `json:"type,omitzero"`
	// `newest` reads back from the newest event, or from the cursor of such a page.
	Order EventOrder `json:"order,omitzero"`
}

// EventsResource is client.Events.
type EventsResource struct {
	sender sender
}

func newEventsResource(sender sender) *EventsResource {
	return &EventsResource{sender: sender}
}

// List: list your events. The same events that webhooks deliver, with the same `event_id`, for 30 days.
// Store `next_cursor` and use it for the next request. It is present even without new events, and no later
// event is placed before it. The order `newest` is for people, who read back from the last event. A key
// needs webhooks:read.
func (r *EventsResource) List(ctx context.Context, query EventsListQuery, opts ...Option) (*EventFeed, error) {
	return send[EventFeed](ctx, r.sender, call{operation: "listEvents", verb: "GET", path: "/events", query: query}, opts)
}

// ListTypes: list the types of events with the JSON Schema of their data. A key needs webhooks:read.
func (r *EventsResource) ListTypes(ctx context.Context, opts ...Option) (*EventTypes, error) {
	return send[EventTypes](ctx, r.sender, call{operation: "listEventTypes", verb: "GET", path: "/webhooks/events"}, opts)
}
