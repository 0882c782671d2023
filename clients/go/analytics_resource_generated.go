// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AnalyticsGetQuery is what client.Analytics.Get may be asked with.
type AnalyticsGetQuery struct {
	// The first day (UTC); by default the day that makes 30 days.
	Since string `json:"since,omitzero"`
	// The last day (UTC); by default today.
	Until string `json:"until,omitzero"`
	// The slug of one of your agents: only its sales.
	Agent string `json:"agent,omitzero"`
}

// AnalyticsResource is client.Analytics.
type AnalyticsResource struct {
	sender sender
}

func newAnalyticsResource(sender sender) *AnalyticsResource {
	return &AnalyticsResource{sender: sender}
}

// Get: read your revenue, spending, orders and deliveries by day. Days are in UTC, at most 366. Money
// counts on the day of its block, an order on the day of its placement, a delivery on the day of the
// settlement. A reorganisation takes back what it removes. Views of services are not counted. A key needs
// subscriptions:read.
func (r *AnalyticsResource) Get(ctx context.Context, query AnalyticsGetQuery, opts ...Option) (*Analytics, error) {
	return send[Analytics](ctx, r.sender, call{operation: "readAnalytics", verb: "GET", path: "/analytics", query: query}, opts)
}
