// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// NotificationsListQuery is what client.Notifications.List may be asked with.
type NotificationsListQuery struct {
	// `next_cursor` of the previous page.
	Cursor string `json:"cursor,omitzero"`
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Only unread notifications. Unless given: false.
	Unread Opt[bool] `json:"unread,omitzero"`
}

// NotificationsResource is client.Notifications.
type NotificationsResource struct {
	sender sender
}

func newNotificationsResource(sender sender) *NotificationsResource {
	return &NotificationsResource{sender: sender}
}

// List: list what happened to your account, newest first. The events of 30 days that concern a person:
// acts of other parties, of the chain and of the service. Your own acts, starts of work and delivery
// records are in `GET /events` alone. Each member of an organisation has a read state. A key has the read
// state of the person who created the key. A key needs webhooks:read.
func (r *NotificationsResource) List(ctx context.Context, query NotificationsListQuery, opts ...Option) *List[Notification, NotificationPage] {
	return newList[Notification, NotificationPage](ctx, r.sender, call{operation: "listNotifications", verb: "GET", path: "/notifications", query: query}, func(page *NotificationPage) ([]Notification, *string) { return page.Items, page.NextCursor }, opts)
}

// MarkRead: mark notifications as read. Marks the notifications of `ids`, or the notification `up_to` and
// all older ones. The request changes your own read state alone. Ids of other accounts change nothing. A
// key needs webhooks:read.
func (r *NotificationsResource) MarkRead(ctx context.Context, body NotificationsToRead, opts ...Option) (*UnreadNotifications, error) {
	return send[UnreadNotifications](ctx, r.sender, call{operation: "readNotifications", verb: "POST", path: "/notifications/read", body: body, takesKey: true}, opts)
}
