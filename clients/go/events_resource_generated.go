// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// EventsListQuery is what client.Events.List may be asked with.
type EventsListQuery struct {
	// `next_cursor` of the answer before, or the `id` of a stream's event; `now` for what comes from now on.
	Cursor string `json:"cursor,omitzero"`
	// Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// Only these types; may be given several times.
	Type []EventType `json:"type,omitzero"`
}

// EventsResource is client.Events.
type EventsResource struct {
	sender sender
}

func newEventsResource(sender sender) *EventsResource {
	return &EventsResource{sender: sender}
}

// List: your events, oldest first, by pull. The same events that webhooks deliver, with the same
// `event_id`, for 30 days. Keep `next_cursor` and ask with it again: it is there even when nothing is new,
// and no event is ever given before it that was not given already. A key needs webhooks:read.
func (r *EventsResource) List(ctx context.Context, query EventsListQuery, opts ...Option) (*EventFeed, error) {
	return send[EventFeed](ctx, r.sender, call{operation: "listEvents", verb: "GET", path: "/events", query: query}, opts)
}

// ListTypes: the types of events, with what each means and the JSON Schema of its data. A key needs
// webhooks:read.
func (r *EventsResource) ListTypes(ctx context.Context, opts ...Option) (*EventTypes, error) {
	return send[EventTypes](ctx, r.sender, call{operation: "listEventTypes", verb: "GET", path: "/webhooks/events"}, opts)
}
