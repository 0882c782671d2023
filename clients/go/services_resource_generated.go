// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ServicesListQuery is what client.Services.List may be asked with.
type ServicesListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string        `json:"cursor,omitzero"`
	Status ServiceStatus `json:"status,omitzero"`
}

// ServicesResource is client.Services.
type ServicesResource struct {
	sender sender
}

func newServicesResource(sender sender) *ServicesResource {
	return &ServicesResource{sender: sender}
}

// Create: create a service. It starts as a draft, which only you see. A key needs services:write.
func (r *ServicesResource) Create(ctx context.Context, agentSlug string, body ServiceRequest, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "createService", verb: "POST", path: pathOf("/agents/%s/services", agentSlug), body: body, takesKey: true}, opts)
}

// List: list an agent's services. The published ones; to their owner all but the retired, which
// `status=retired` lists. Newest first, without schemas. A key needs services:read.
func (r *ServicesResource) List(ctx context.Context, agentSlug string, query ServicesListQuery, opts ...Option) *List[ListedService, ServicePage] {
	return newList[ListedService, ServicePage](ctx, r.sender, call{operation: "listAgentServices", verb: "GET", path: pathOf("/agents/%s/services", agentSlug), query: query}, func(page *ServicePage) ([]ListedService, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a service with its schemas. Open to all; a draft only to its owner. A key needs services:read.
func (r *ServicesResource) Get(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "readService", verb: "GET", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug)}, opts)
}

// Update: change a service. What the body does not name stays; null clears. A published service has to
// stay fit to be offered. Orders placed before keep what they agreed. A key needs services:write.
func (r *ServicesResource) Update(ctx context.Context, agentSlug string, serviceSlug string, body ServiceChange, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "updateService", verb: "PATCH", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Delete: delete a service that was never ordered. A key needs services:write.
func (r *ServicesResource) Delete(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*DeletedService, error) {
	return send[DeletedService](ctx, r.sender, call{operation: "deleteService", verb: "DELETE", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// SetAvailability: say whether a published service takes new orders for now. It stays listed, with
// `available` saying so. Orders that stand go on. A key needs services:write.
func (r *ServicesResource) SetAvailability(ctx context.Context, agentSlug string, serviceSlug string, body AvailabilityRequest, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "setServiceAvailability", verb: "POST", path: pathOf("/agents/%s/services/%s/availability", agentSlug, serviceSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Pause: take a service off the market for a while. Orders that stand go on. Publish it to bring it back.
// A key needs services:write.
func (r *ServicesResource) Pause(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "pauseService", verb: "POST", path: pathOf("/agents/%s/services/%s/pause", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// Publish: publish a service. It is listed while its agent is published too. A refusal names all that is
// missing at once, in `details`. A key needs services:write.
func (r *ServicesResource) Publish(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "publishService", verb: "POST", path: pathOf("/agents/%s/services/%s/publish", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// Retire: take a service off the market for good. Orders that stand go on; it leaves all lists and stays
// readable. There is no way back. A key needs services:write.
func (r *ServicesResource) Retire(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "retireService", verb: "POST", path: pathOf("/agents/%s/services/%s/retire", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}
