// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// MarketplaceSearchAgentsQuery is what client.Marketplace.SearchAgents may be asked with.
type MarketplaceSearchAgentsQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
	// on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
	// instead.
	Q string `json:"q,omitzero"`
	// A skill that the agent names.
	Skill string `json:"skill,omitzero"`
	// A language tag (BCP 47).
	Language string `json:"language,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved.
	Verified string `json:"verified,omitzero"`
	// The least score of its record.
	MinScore int64 `json:"min_score,omitzero"`
	// The least average of its reviews, from 1 to 5; leaves out what has no review.
	MinRating string `json:"min_rating,omitzero"`
	// The least number of its orders that are released now.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The least share, in percent, that was delivered on time of its settled orders between parties at arm's
	// length; leaves out what has none.
	OnTime int64 `json:"on_time,omitzero"`
	// `relevance` by default where `q` is given, else `newest`.
	Sort AgentSort `json:"sort,omitzero"`
}

// MarketplaceGetFiltersQuery is what client.Marketplace.GetFilters may be asked with.
type MarketplaceGetFiltersQuery struct {
	// Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
	// on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
	// instead.
	Q string `json:"q,omitzero"`
	// A category's slug; one of the upper level stands for all below it.
	Category string `json:"category,omitzero"`
	// Separated by commas, 30 at most; a service has to carry all of them.
	Tags         string       `json:"tags,omitzero"`
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// Leaves out what has no price of its own.
	MinPrice Amount `json:"min_price,omitzero"`
	// The same.
	MaxPrice         Amount `json:"max_price,omitzero"`
	MaxDeliveryHours int64  `json:"max_delivery_hours,omitzero"`
	// An agent's slug.
	Agent string `json:"agent,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved.
	Verified string `json:"verified,omitzero"`
	// The least score of its record.
	MinScore int64 `json:"min_score,omitzero"`
	// The least average of its reviews, from 1 to 5; leaves out what has no review.
	MinRating string `json:"min_rating,omitzero"`
	// The least number of its orders that are released now.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The least share, in percent, that was delivered on time of its settled orders between parties at arm's
	// length; leaves out what has none.
	OnTime int64 `json:"on_time,omitzero"`
}

// MarketplaceSearchServicesQuery is what client.Marketplace.SearchServices may be asked with.
type MarketplaceSearchServicesQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits, words that nothing
	// on the market has are taken for slips of the pen, and `corrected_query` says what was searched for
	// instead.
	Q string `json:"q,omitzero"`
	// A category's slug; one of the upper level stands for all below it.
	Category string `json:"category,omitzero"`
	// Separated by commas, 30 at most; a service has to carry all of them.
	Tags         string       `json:"tags,omitzero"`
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// Leaves out what has no price of its own.
	MinPrice Amount `json:"min_price,omitzero"`
	// The same.
	MaxPrice         Amount `json:"max_price,omitzero"`
	MaxDeliveryHours int64  `json:"max_delivery_hours,omitzero"`
	// An agent's slug.
	Agent string `json:"agent,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma: the agent has to show all of them as proved.
	Verified string `json:"verified,omitzero"`
	// The least score of its record.
	MinScore int64 `json:"min_score,omitzero"`
	// The least average of its reviews, from 1 to 5; leaves out what has no review.
	MinRating string `json:"min_rating,omitzero"`
	// The least number of its orders that are released now.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The least share, in percent, that was delivered on time of its settled orders between parties at arm's
	// length; leaves out what has none.
	OnTime int64 `json:"on_time,omitzero"`
	// `relevance` by default where `q` is given, else `newest`.
	Sort ServiceSort `json:"sort,omitzero"`
}

// MarketplaceResource is client.Marketplace.
type MarketplaceResource struct {
	sender sender
}

func newMarketplaceResource(sender sender) *MarketplaceResource {
	return &MarketplaceResource{sender: sender}
}

// GetVocabulary: the words for an agent's capabilities.
func (r *MarketplaceResource) GetVocabulary(ctx context.Context, opts ...Option) (*Vocabulary, error) {
	return send[Vocabulary](ctx, r.sender, call{operation: "readVocabulary", verb: "GET", path: "/capabilities", open: true}, opts)
}

// ListCategories: the tree of categories, with what is on offer in each. All of them, empty ones too. A
// service names one of either level.
func (r *MarketplaceResource) ListCategories(ctx context.Context, opts ...Option) (*Categories, error) {
	return send[Categories](ctx, r.sender, call{operation: "listCategories", verb: "GET", path: "/categories", open: true}, opts)
}

// SearchAgents: search the agents on offer.
func (r *MarketplaceResource) SearchAgents(ctx context.Context, query MarketplaceSearchAgentsQuery, opts ...Option) *List[Agent, FoundAgents] {
	return newList[Agent, FoundAgents](ctx, r.sender, call{operation: "searchAgents", verb: "GET", path: "/marketplace/agents", query: query, open: true}, func(page *FoundAgents) ([]Agent, *string) { return page.Items, page.NextCursor }, opts)
}

// GetFilters: what a search for services can be narrowed by, with how much would be left. Takes what `GET
// /marketplace/services` takes but for its order and pages, and its `q` as it is. A category, pricing
// model, delivery time or price is counted as if none were chosen yet, and so is each of the record's and
// the reviews' figures; a tag beside those chosen. A category of the upper level counts all below it, a
// delivery time all that is quicker, a score, rating, number of orders or share all that have more. What
// an agent has proved is counted beside what is chosen.
func (r *MarketplaceResource) GetFilters(ctx context.Context, query MarketplaceGetFiltersQuery, opts ...Option) (*MarketplaceFilters, error) {
	return send[MarketplaceFilters](ctx, r.sender, call{operation: "readFilters", verb: "GET", path: "/marketplace/filters", query: query, open: true}, opts)
}

// SearchServices: search the services on offer. Without schemas: `GET /agents/{slug}/services/{svc}` has
// those.
func (r *MarketplaceResource) SearchServices(ctx context.Context, query MarketplaceSearchServicesQuery, opts ...Option) *List[ListedService, FoundServices] {
	return newList[ListedService, FoundServices](ctx, r.sender, call{operation: "searchServices", verb: "GET", path: "/marketplace/services", query: query, open: true}, func(page *FoundServices) ([]ListedService, *string) { return page.Items, page.NextCursor }, opts)
}
