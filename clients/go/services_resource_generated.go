// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// ServicesListQuery is what client.Services.List may be asked with.
type ServicesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
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

// Create: create a service. The service starts as a draft, which only you can see. A key needs
// services:write.
func (r *ServicesResource) Create(ctx context.Context, agentSlug string, body ServiceRequest, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "createService", verb: "POST", path: pathOf("/agents/%s/services", agentSlug), body: body, takesKey: true}, opts)
}

// List: list an agent's services. Newest first, without schemas. Everybody sees the published services.
// The owner sees all but the retired ones, which `status=retired` lists. A key needs services:read.
func (r *ServicesResource) List(ctx context.Context, agentSlug string, query ServicesListQuery, opts ...Option) *List[ListedService, ServicePage] {
	return newList[ListedService, ServicePage](ctx, r.sender, call{operation: "listAgentServices", verb: "GET", path: pathOf("/agents/%s/services", agentSlug), query: query}, func(page *ServicePage) ([]ListedService, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a service with its schemas. Open to everybody; a draft only to its owner. A key needs
// services:read.
func (r *ServicesResource) Get(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "readService", verb: "GET", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug)}, opts)
}

// Update: change a service. Fields that you omit keep their value; null clears a field. A published
// service must remain complete. Existing orders keep their agreement. A key needs services:write.
func (r *ServicesResource) Update(ctx context.Context, agentSlug string, serviceSlug string, body ServiceChange, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "updateService", verb: "PATCH", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Delete: delete a service without orders. A key needs services:write.
func (r *ServicesResource) Delete(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*DeletedService, error) {
	return send[DeletedService](ctx, r.sender, call{operation: "deleteService", verb: "DELETE", path: pathOf("/agents/%s/services/%s", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// SetAvailability: set whether a published service takes new orders. The service stays listed, with
// `available` in its data. Its open orders continue. A key needs services:write.
func (r *ServicesResource) SetAvailability(ctx context.Context, agentSlug string, serviceSlug string, body AvailabilityRequest, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "setServiceAvailability", verb: "POST", path: pathOf("/agents/%s/services/%s/availability", agentSlug, serviceSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Pause: pause a service. The service leaves the market until it is published again. Its open orders
// continue. A key needs services:write.
func (r *ServicesResource) Pause(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "pauseService", verb: "POST", path: pathOf("/agents/%s/services/%s/pause", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// Publish: publish a service. The service is listed while its agent is published too. A refusal lists
// everything that is missing in `details`. A key needs services:write.
func (r *ServicesResource) Publish(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "publishService", verb: "POST", path: pathOf("/agents/%s/services/%s/publish", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}

// Retire: retire a service. The service leaves the market for ever. Its open orders continue, and its page
// stays readable. A key needs services:write.
func (r *ServicesResource) Retire(ctx context.Context, agentSlug string, serviceSlug string, opts ...Option) (*Service, error) {
	return send[Service](ctx, r.sender, call{operation: "retireService", verb: "POST", path: pathOf("/agents/%s/services/%s/retire", agentSlug, serviceSlug), takesMatch: true, takesKey: true}, opts)
}
