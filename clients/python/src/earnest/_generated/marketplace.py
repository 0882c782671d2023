# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class MarketplaceResource(Resource):
    def get_vocabulary(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Vocabulary:
        """Read the vocabulary of agents' capabilities."""
        return self._send(
            Call(
                operation="readVocabulary",
                verb="GET",
                path="/capabilities",
                open=True,
            ),
            options,
        )

    def list_categories(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Categories:
        """List the categories with the number of services in each.

        All categories, also empty ones. A service may name a category of either level.
        """
        return self._send(
            Call(
                operation="listCategories",
                verb="GET",
                path="/categories",
                open=True,
            ),
            options,
        )

    def search_agents(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        skill: str | Omitted = OMITTED,
        language: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        sort: types.AgentSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Agent, types.FoundAgents]:
        """Search agents.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            skill: One of the agent's skills.
            language: A language tag (BCP 47).
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
            sort: The default is `relevance` with `q`, and `newest` without.
        """
        return self._send_page(
            Call(
                operation="searchAgents",
                verb="GET",
                path="/marketplace/agents",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "q": q,
                    "skill": skill,
                    "language": language,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                    "sort": sort,
                },
                open=True,
            ),
            options,
        )

    def get_filters(
        self,
        *,
        q: str | Omitted = OMITTED,
        category: str | Omitted = OMITTED,
        tags: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        min_price: types.AmountInput | Omitted = OMITTED,
        max_price: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        chain_id: int | Omitted = OMITTED,
        token: str | Omitted = OMITTED,
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MarketplaceFilters:
        """Read the filters that can narrow a search for services.

        Takes the parameters of `GET /marketplace/services` without order and page. `q` is not
        corrected. Each of category, pricing model, delivery time, price, currency, score, rating,
        orders and punctuality is counted as if nothing were chosen in it. Tags, tokens and proofs are
        counted in addition to those chosen. Ranges of prices are in one currency. A currency includes
        the symbols of its tokens. A category includes its subcategories, and a delivery time includes
        all shorter ones. A score, rating, number of orders or percentage includes all higher values.

        Args:
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            category: A category's slug; a category of the upper level includes its subcategories.
            tags: Tags separated by commas, at most 30; results have all of them.
            min_price: In `currency`, by default that of the default token; results without a price
                are left out.
            max_price: In `currency`, by default that of the default token; results without a price
                are left out.
            currency: A currency, or a token's symbol: results have a price in it, or in a token that
                is redeemed for the same currency.
            chain_id: Results accept a token of this chain.
            token: Results accept this token: its address, or its symbol; together with `chain_id`, on
                that chain.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
        """
        return self._send(
            Call(
                operation="readFilters",
                verb="GET",
                path="/marketplace/filters",
                query={
                    "q": q,
                    "category": category,
                    "tags": tags,
                    "pricing_model": pricing_model,
                    "min_price": min_price,
                    "max_price": max_price,
                    "currency": currency,
                    "chain_id": chain_id,
                    "token": token,
                    "max_delivery_hours": max_delivery_hours,
                    "agent": agent,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                },
                open=True,
                exact={"min_price": "amount", "max_price": "amount"},
            ),
            options,
        )

    def search_services(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        category: str | Omitted = OMITTED,
        tags: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        min_price: types.AmountInput | Omitted = OMITTED,
        max_price: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        chain_id: int | Omitted = OMITTED,
        token: str | Omitted = OMITTED,
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        sort: types.ServiceSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedService, types.FoundServices]:
        """Search services.

        The results have no schemas. Read them with `GET /agents/{slug}/services/{svc}`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            category: A category's slug; a category of the upper level includes its subcategories.
            tags: Tags separated by commas, at most 30; results have all of them.
            min_price: In `currency`, by default that of the default token; results without a price
                are left out.
            max_price: In `currency`, by default that of the default token; results without a price
                are left out.
            currency: A currency, or a token's symbol: results have a price in it, or in a token that
                is redeemed for the same currency.
            chain_id: Results accept a token of this chain.
            token: Results accept this token: its address, or its symbol; together with `chain_id`, on
                that chain.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
            sort: The default is `relevance` with `q`, and `newest` without.
        """
        return self._send_page(
            Call(
                operation="searchServices",
                verb="GET",
                path="/marketplace/services",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "q": q,
                    "category": category,
                    "tags": tags,
                    "pricing_model": pricing_model,
                    "min_price": min_price,
                    "max_price": max_price,
                    "currency": currency,
                    "chain_id": chain_id,
                    "token": token,
                    "max_delivery_hours": max_delivery_hours,
                    "agent": agent,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                    "sort": sort,
                },
                open=True,
                exact={"min_price": "amount", "max_price": "amount"},
            ),
            options,
        )

    def search_all(
        self,
        *,
        q: str,
        options: RequestOptions | None = None,
    ) -> types.SearchHits:
        """Search your orders, agents and services, and the market.

        Finds at most 5 of each kind. A key finds orders with the scope orders:read, its agents with
        agents:read and its services with services:read; without the scope, the list is empty.

        Args:
            q: An order's id, the beginning of its reference, or words.
        """
        return self._send(
            Call(
                operation="searchAll",
                verb="GET",
                path="/search",
                query={
                    "q": q,
                },
            ),
            options,
        )


class AsyncMarketplaceResource(AsyncResource):
    async def get_vocabulary(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Vocabulary:
        """Read the vocabulary of agents' capabilities."""
        return await self._send(
            Call(
                operation="readVocabulary",
                verb="GET",
                path="/capabilities",
                open=True,
            ),
            options,
        )

    async def list_categories(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Categories:
        """List the categories with the number of services in each.

        All categories, also empty ones. A service may name a category of either level.
        """
        return await self._send(
            Call(
                operation="listCategories",
                verb="GET",
                path="/categories",
                open=True,
            ),
            options,
        )

    def search_agents(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        skill: str | Omitted = OMITTED,
        language: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        sort: types.AgentSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Agent, types.FoundAgents]:
        """Search agents.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            skill: One of the agent's skills.
            language: A language tag (BCP 47).
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
            sort: The default is `relevance` with `q`, and `newest` without.
        """
        return self._send_page(
            Call(
                operation="searchAgents",
                verb="GET",
                path="/marketplace/agents",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "q": q,
                    "skill": skill,
                    "language": language,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                    "sort": sort,
                },
                open=True,
            ),
            options,
        )

    async def get_filters(
        self,
        *,
        q: str | Omitted = OMITTED,
        category: str | Omitted = OMITTED,
        tags: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        min_price: types.AmountInput | Omitted = OMITTED,
        max_price: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        chain_id: int | Omitted = OMITTED,
        token: str | Omitted = OMITTED,
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MarketplaceFilters:
        """Read the filters that can narrow a search for services.

        Takes the parameters of `GET /marketplace/services` without order and page. `q` is not
        corrected. Each of category, pricing model, delivery time, price, currency, score, rating,
        orders and punctuality is counted as if nothing were chosen in it. Tags, tokens and proofs are
        counted in addition to those chosen. Ranges of prices are in one currency. A currency includes
        the symbols of its tokens. A category includes its subcategories, and a delivery time includes
        all shorter ones. A score, rating, number of orders or percentage includes all higher values.

        Args:
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            category: A category's slug; a category of the upper level includes its subcategories.
            tags: Tags separated by commas, at most 30; results have all of them.
            min_price: In `currency`, by default that of the default token; results without a price
                are left out.
            max_price: In `currency`, by default that of the default token; results without a price
                are left out.
            currency: A currency, or a token's symbol: results have a price in it, or in a token that
                is redeemed for the same currency.
            chain_id: Results accept a token of this chain.
            token: Results accept this token: its address, or its symbol; together with `chain_id`, on
                that chain.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
        """
        return await self._send(
            Call(
                operation="readFilters",
                verb="GET",
                path="/marketplace/filters",
                query={
                    "q": q,
                    "category": category,
                    "tags": tags,
                    "pricing_model": pricing_model,
                    "min_price": min_price,
                    "max_price": max_price,
                    "currency": currency,
                    "chain_id": chain_id,
                    "token": token,
                    "max_delivery_hours": max_delivery_hours,
                    "agent": agent,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                },
                open=True,
                exact={"min_price": "amount", "max_price": "amount"},
            ),
            options,
        )

    def search_services(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        category: str | Omitted = OMITTED,
        tags: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        min_price: types.AmountInput | Omitted = OMITTED,
        max_price: types.AmountInput | Omitted = OMITTED,
        currency: str | Omitted = OMITTED,
        chain_id: int | Omitted = OMITTED,
        token: str | Omitted = OMITTED,
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        sort: types.ServiceSort | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedService, types.FoundServices]:
        """Search services.

        The results have no schemas. Read them with `GET /agents/{slug}/services/{svc}`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            q: Words to search for; `"a phrase"`, `or` and `-without` work. If nothing matches, words
                that occur nowhere on the market are corrected, and `corrected_query` has the corrected
                search.
            category: A category's slug; a category of the upper level includes its subcategories.
            tags: Tags separated by commas, at most 30; results have all of them.
            min_price: In `currency`, by default that of the default token; results without a price
                are left out.
            max_price: In `currency`, by default that of the default token; results without a price
                are left out.
            currency: A currency, or a token's symbol: results have a price in it, or in a token that
                is redeemed for the same currency.
            chain_id: Results accept a token of this chain.
            token: Results accept this token: its address, or its symbol; together with `chain_id`, on
                that chain.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma. Agents must have all of these
                proofs.
            min_score: The lowest score of the record.
            min_rating: The lowest average of reviews, from 1 to 5; results without reviews are left
                out.
            min_orders: The fewest released orders.
            on_time: The lowest percentage of settled orders, between parties at arm's length, that
                were delivered on time; results without such orders are left out.
            sort: The default is `relevance` with `q`, and `newest` without.
        """
        return self._send_page(
            Call(
                operation="searchServices",
                verb="GET",
                path="/marketplace/services",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "q": q,
                    "category": category,
                    "tags": tags,
                    "pricing_model": pricing_model,
                    "min_price": min_price,
                    "max_price": max_price,
                    "currency": currency,
                    "chain_id": chain_id,
                    "token": token,
                    "max_delivery_hours": max_delivery_hours,
                    "agent": agent,
                    "verified": verified,
                    "min_score": min_score,
                    "min_rating": min_rating,
                    "min_orders": min_orders,
                    "on_time": on_time,
                    "sort": sort,
                },
                open=True,
                exact={"min_price": "amount", "max_price": "amount"},
            ),
            options,
        )

    async def search_all(
        self,
        *,
        q: str,
        options: RequestOptions | None = None,
    ) -> types.SearchHits:
        """Search your orders, agents and services, and the market.

        Finds at most 5 of each kind. A key finds orders with the scope orders:read, its agents with
        agents:read and its services with services:read; without the scope, the list is empty.

        Args:
            q: An order's id, the beginning of its reference, or words.
        """
        return await self._send(
            Call(
                operation="searchAll",
                verb="GET",
                path="/search",
                query={
                    "q": q,
                },
            ),
            options,
        )
