// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import (
	"context"
	"time"
)

// WebhooksDeliveriesListQuery is what client.Webhooks.Deliveries.List may be asked with.
type WebhooksDeliveriesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string                `json:"cursor,omitzero"`
	Status WebhookDeliveryStatus `json:"status,omitzero"`
	Type   EventType             `json:"type,omitzero"`
	Since  time.Time             `json:"since,omitzero"`
	Until  time.Time             `json:"until,omitzero"`
}

// WebhooksDeliveriesResource is client.Webhooks.Deliveries.
type WebhooksDeliveriesResource struct {
	sender sender
}

func newWebhooksDeliveriesResource(sender sender) *WebhooksDeliveriesResource {
	return &WebhooksDeliveriesResource{sender: sender}
}

// List: list the deliveries to an endpoint, newest first. Deliveries are stored for 30 days. A key needs
// webhooks:read.
func (r *WebhooksDeliveriesResource) List(ctx context.Context, webhookID string, query WebhooksDeliveriesListQuery, opts ...Option) *List[WebhookDelivery, WebhookDeliveryPage] {
	return newList[WebhookDelivery, WebhookDeliveryPage](ctx, r.sender, call{operation: "listWebhookDeliveries", verb: "GET", path: pathOf("/webhooks/%s/deliveries", webhookID), query: query}, func(page *WebhookDeliveryPage) ([]WebhookDelivery, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a delivery with its body and attempts. A key needs webhooks:read.
func (r *WebhooksDeliveriesResource) Get(ctx context.Context, webhookID string, deliveryID string, opts ...Option) (*WebhookDeliveryDetail, error) {
	return send[WebhookDeliveryDetail](ctx, r.sender, call{operation: "readWebhookDelivery", verb: "GET", path: pathOf("/webhooks/%s/deliveries/%s", webhookID, deliveryID)}, opts)
}

// Resend: send a delivery again. Sends the same body with the same ids. A finished delivery starts its
// schedule again. A waiting delivery is attempted at once. A key needs webhooks:write.
func (r *WebhooksDeliveriesResource) Resend(ctx context.Context, webhookID string, deliveryID string, opts ...Option) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, r.sender, call{operation: "resendWebhookDelivery", verb: "POST", path: pathOf("/webhooks/%s/deliveries/%s/resend", webhookID, deliveryID), takesKey: true}, opts)
}

// WebhooksRecoveriesResource is client.Webhooks.Recoveries.
type WebhooksRecoveriesResource struct {
	sender sender
}

func newWebhooksRecoveriesResource(sender sender) *WebhooksRecoveriesResource {
	return &WebhooksRecoveriesResource{sender: sender}
}

// Start: send an endpoint everything that it missed. Queues, in the background, the events of the last 30
// days that the endpoint subscribes to and never acknowledged. A key needs webhooks:write.
func (r *WebhooksRecoveriesResource) Start(ctx context.Context, webhookID string, body WebhookRecoveryRequest, opts ...Option) (*WebhookRecovery, error) {
	return send[WebhookRecovery](ctx, r.sender, call{operation: "recoverWebhook", verb: "POST", path: pathOf("/webhooks/%s/recover", webhookID), body: body, takesKey: true}, opts)
}

// Get: read the progress of a recovery. A key needs webhooks:read.
func (r *WebhooksRecoveriesResource) Get(ctx context.Context, webhookID string, recoveryID string, opts ...Option) (*WebhookRecovery, error) {
	return send[WebhookRecovery](ctx, r.sender, call{operation: "readWebhookRecovery", verb: "GET", path: pathOf("/webhooks/%s/recoveries/%s", webhookID, recoveryID)}, opts)
}

// WebhooksListQuery is what client.Webhooks.List may be asked with.
type WebhooksListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// WebhooksResource is client.Webhooks.
type WebhooksResource struct {
	sender     sender
	Deliveries *WebhooksDeliveriesResource
	Recoveries *WebhooksRecoveriesResource
}

func newWebhooksResource(sender sender) *WebhooksResource {
	return &WebhooksResource{sender: sender, Deliveries: newWebhooksDeliveriesResource(sender), Recoveries: newWebhooksRecoveriesResource(sender)}
}

// Create: register an endpoint. The endpoint gets events from now on. The signing secret is shown only
// once. The URL must be https and reach a public address; see docs/webhooks.md. A key needs
// webhooks:write.
func (r *WebhooksResource) Create(ctx context.Context, body WebhookRequest, opts ...Option) (*NewWebhook, error) {
	return send[NewWebhook](ctx, r.sender, call{operation: "createWebhook", verb: "POST", path: "/webhooks", body: body, takesKey: true}, opts)
}

// List: list your endpoints. Newest first, without revoked endpoints. A key needs webhooks:read.
func (r *WebhooksResource) List(ctx context.Context, query WebhooksListQuery, opts ...Option) *List[Webhook, WebhookPage] {
	return newList[Webhook, WebhookPage](ctx, r.sender, call{operation: "listWebhooks", verb: "GET", path: "/webhooks", query: query}, func(page *WebhookPage) ([]Webhook, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read an endpoint. A key needs webhooks:read.
func (r *WebhooksResource) Get(ctx context.Context, webhookID string, opts ...Option) (*Webhook, error) {
	return send[Webhook](ctx, r.sender, call{operation: "readWebhook", verb: "GET", path: pathOf("/webhooks/%s", webhookID)}, opts)
}

// Update: change, pause or resume an endpoint. The `status` paused stops deliveries; active resumes a
// paused or disabled endpoint. Use `recover` to send the events of the pause. An endpoint that is disabled
// because its member left needs `rotate-secret` before its `status` can change. A key needs
// webhooks:write.
func (r *WebhooksResource) Update(ctx context.Context, webhookID string, body WebhookChanges, opts ...Option) (*Webhook, error) {
	return send[Webhook](ctx, r.sender, call{operation: "changeWebhook", verb: "PATCH", path: pathOf("/webhooks/%s", webhookID), body: body, takesKey: true}, opts)
}

// Revoke: revoke an endpoint. Nothing more is sent to the endpoint, not even pending deliveries. A key
// needs webhooks:write.
func (r *WebhooksResource) Revoke(ctx context.Context, webhookID string, opts ...Option) (*Webhook, error) {
	return send[Webhook](ctx, r.sender, call{operation: "revokeWebhook", verb: "DELETE", path: pathOf("/webhooks/%s", webhookID), takesKey: true}, opts)
}

// RotateSecret: replace the signing secret. The new secret is shown only once. For 24 hours, deliveries
// are signed with both secrets. The next rotation is possible after that. If the endpoint is disabled
// because its member left, the old secret stops at once. A key needs webhooks:write.
func (r *WebhooksResource) RotateSecret(ctx context.Context, webhookID string, opts ...Option) (*NewWebhook, error) {
	return send[NewWebhook](ctx, r.sender, call{operation: "rotateWebhookSecret", verb: "POST", path: pathOf("/webhooks/%s/rotate-secret", webhookID), takesKey: true}, opts)
}

// SendTest: send a test event to an endpoint. Sent once, also to a paused or disabled endpoint. The data
// have the form of the type, with `test: true`, for an order that does not exist. The event is in no feed.
// The delivery shows the result. A key needs webhooks:write.
func (r *WebhooksResource) SendTest(ctx context.Context, webhookID string, body WebhookTestRequest, opts ...Option) (*WebhookDelivery, error) {
	return send[WebhookDelivery](ctx, r.sender, call{operation: "testWebhook", verb: "POST", path: pathOf("/webhooks/%s/test", webhookID), body: body, takesKey: true}, opts)
}
