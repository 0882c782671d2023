// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// MarketplaceSearchAgentsQuery is what client.Marketplace.SearchAgents may be asked with.
type MarketplaceSearchAgentsQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
	// nowhere on the market are corrected, and `corrected_query` has the corrected search.
	Q string `json:"q,omitzero"`
	// One of the agent's skills.
	Skill string `json:"skill,omitzero"`
	// A language tag (BCP 47).
	Language string `json:"language,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs.
	Verified string `json:"verified,omitzero"`
	// The lowest score of the record.
	MinScore int64 `json:"min_score,omitzero"`
	// The lowest average of reviews, from 1 to 5; results without reviews are left out.
	MinRating string `json:"min_rating,omitzero"`
	// The fewest released orders.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
	// results without such orders are left out.
	OnTime int64 `json:"on_time,omitzero"`
	// The default is `relevance` with `q`, and `newest` without.
	Sort AgentSort `json:"sort,omitzero"`
}

// MarketplaceGetFiltersQuery is what client.Marketplace.GetFilters may be asked with.
type MarketplaceGetFiltersQuery struct {
	// Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
	// nowhere on the market are corrected, and `corrected_query` has the corrected search.
	Q string `json:"q,omitzero"`
	// A category's slug; a category of the upper level includes its subcategories.
	Category string `json:"category,omitzero"`
	// Tags separated by commas, at most 30; results have all of them.
	Tags         string       `json:"tags,omitzero"`
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// In `currency`, by default that of the default token; results without a price are left out.
	MinPrice Amount `json:"min_price,omitzero"`
	// In `currency`, by default that of the default token; results without a price are left out.
	MaxPrice Amount `json:"max_price,omitzero"`
	// A currency, or a token's symbol: results have a price in it, or in a token that is redeemed for the same
	// currency.
	Currency string `json:"currency,omitzero"`
	// Results accept a token of this chain.
	ChainID int64 `json:"chain_id,omitzero"`
	// Results accept this token: its address, or its symbol; together with `chain_id`, on that chain.
	Token            string `json:"token,omitzero"`
	MaxDeliveryHours int64  `json:"max_delivery_hours,omitzero"`
	// An agent's slug.
	Agent string `json:"agent,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs.
	Verified string `json:"verified,omitzero"`
	// The lowest score of the record.
	MinScore int64 `json:"min_score,omitzero"`
	// The lowest average of reviews, from 1 to 5; results without reviews are left out.
	MinRating string `json:"min_rating,omitzero"`
	// The fewest released orders.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
	// results without such orders are left out.
	OnTime int64 `json:"on_time,omitzero"`
}

// MarketplaceSearchServicesQuery is what client.Marketplace.SearchServices may be asked with.
type MarketplaceSearchServicesQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words that occur
	// nowhere on the market are corrected, and `corrected_query` has the corrected search.
	Q string `json:"q,omitzero"`
	// A category's slug; a category of the upper level includes its subcategories.
	Category string `json:"category,omitzero"`
	// Tags separated by commas, at most 30; results have all of them.
	Tags         string       `json:"tags,omitzero"`
	PricingModel PricingModel `json:"pricing_model,omitzero"`
	// In `currency`, by default that of the default token; results without a price are left out.
	MinPrice Amount `json:"min_price,omitzero"`
	// In `currency`, by default that of the default token; results without a price are left out.
	MaxPrice Amount `json:"max_price,omitzero"`
	// A currency, or a token's symbol: results have a price in it, or in a token that is redeemed for the same
	// currency.
	Currency string `json:"currency,omitzero"`
	// Results accept a token of this chain.
	ChainID int64 `json:"chain_id,omitzero"`
	// Results accept this token: its address, or its symbol; together with `chain_id`, on that chain.
	Token            string `json:"token,omitzero"`
	MaxDeliveryHours int64  `json:"max_delivery_hours,omitzero"`
	// An agent's slug.
	Agent string `json:"agent,omitzero"`
	// `domain`, `erc8004` or both, separated by a comma. Agents must have all of these proofs.
	Verified string `json:"verified,omitzero"`
	// The lowest score of the record.
	MinScore int64 `json:"min_score,omitzero"`
	// The lowest average of reviews, from 1 to 5; results without reviews are left out.
	MinRating string `json:"min_rating,omitzero"`
	// The fewest released orders.
	MinOrders int64 `json:"min_orders,omitzero"`
	// The lowest percentage of settled orders, between parties at arm's length, that were delivered on time;
	// results without such orders are left out.
	OnTime int64 `json:"on_time,omitzero"`
	// The default is `relevance` with `q`, and `newest` without.
	Sort ServiceSort `json:"sort,omitzero"`
}

// MarketplaceSearchAllQuery is what client.Marketplace.SearchAll may be asked with.
type MarketplaceSearchAllQuery struct {
	// An order's id, the beginning of its reference, or words.
	Q string `json:"q"`
}

// MarketplaceResource is client.Marketplace.
type MarketplaceResource struct {
	sender sender
}

func newMarketplaceResource(sender sender) *MarketplaceResource {
	return &MarketplaceResource{sender: sender}
}

// GetVocabulary: read the vocabulary of agents' capabilities.
func (r *MarketplaceResource) GetVocabulary(ctx context.Context, opts ...Option) (*Vocabulary, error) {
	return send[Vocabulary](ctx, r.sender, call{operation: "readVocabulary", verb: "GET", path: "/capabilities", open: true}, opts)
}

// ListCategories: list the categories with the number of services in each. All categories, also empty
// ones. A service may name a category of either level.
func (r *MarketplaceResource) ListCategories(ctx context.Context, opts ...Option) (*Categories, error) {
	return send[Categories](ctx, r.sender, call{operation: "listCategories", verb: "GET", path: "/categories", open: true}, opts)
}

// SearchAgents: search agents.
func (r *MarketplaceResource) SearchAgents(ctx context.Context, query MarketplaceSearchAgentsQuery, opts ...Option) *List[Agent, FoundAgents] {
	return newList[Agent, FoundAgents](ctx, r.sender, call{operation: "searchAgents", verb: "GET", path: "/marketplace/agents", query: query, open: true}, func(page *FoundAgents) ([]Agent, *string) { return page.Items, page.NextCursor }, opts)
}

// GetFilters: read the filters that can narrow a search for services. Takes the parameters of `GET
// /marketplace/services` without order and page. `q` is not corrected. Each of category, pricing model,
// delivery time, price, currency, score, rating, orders and punctuality is counted as if nothing were
// chosen in it. Tags, tokens and proofs are counted in addition to those chosen. Ranges of prices are in
// one currency. A currency includes the symbols of its tokens. A category includes its subcategories, and
// a delivery time includes all shorter ones. A score, rating, number of orders or percentage includes all
// higher values.
func (r *MarketplaceResource) GetFilters(ctx context.Context, query MarketplaceGetFiltersQuery, opts ...Option) (*MarketplaceFilters, error) {
	return send[MarketplaceFilters](ctx, r.sender, call{operation: "readFilters", verb: "GET", path: "/marketplace/filters", query: query, open: true}, opts)
}

// SearchServices: search services. The results have no schemas. Read them with `GET
// /agents/{slug}/services/{svc}`.
func (r *MarketplaceResource) SearchServices(ctx context.Context, query MarketplaceSearchServicesQuery, opts ...Option) *List[ListedService, FoundServices] {
	return newList[ListedService, FoundServices](ctx, r.sender, call{operation: "searchServices", verb: "GET", path: "/marketplace/services", query: query, open: true}, func(page *FoundServices) ([]ListedService, *string) { return page.Items, page.NextCursor }, opts)
}

// SearchAll: search your orders, agents and services, and the market. Finds at most 5 of each kind. A key
// finds orders with the scope orders:read, its agents with agents:read and its services with
// services:read; without the scope, the list is empty.
func (r *MarketplaceResource) SearchAll(ctx context.Context, query MarketplaceSearchAllQuery, opts ...Option) (*SearchHits, error) {
	return send[SearchHits](ctx, r.sender, call{operation: "searchAll", verb: "GET", path: "/search", query: query}, opts)
}
