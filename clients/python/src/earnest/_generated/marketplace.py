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
        """The words for an agent's capabilities."""
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
        """The tree of categories, with what is on offer in each.

        All of them, empty ones too. A service names one of either level.
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
        """Search the agents on offer.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            skill: A skill that the agent names.
            language: A language tag (BCP 47).
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
            sort: `relevance` by default where `q` is given, else `newest`.
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
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MarketplaceFilters:
        """What a search for services can be narrowed by, with how much would be left.

        Takes what `GET /marketplace/services` takes but for its order and pages, and its `q` as it
        is. A category, pricing model, delivery time or price is counted as if none were chosen yet,
        and so is each of the record's and the reviews' figures; a tag beside those chosen. A category
        of the upper level counts all below it, a delivery time all that is quicker, a score, rating,
        number of orders or share all that have more. What an agent has proved is counted beside what
        is chosen.

        Args:
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            category: A category's slug; one of the upper level stands for all below it.
            tags: Separated by commas, 30 at most; a service has to carry all of them.
            min_price: Leaves out what has no price of its own.
            max_price: The same.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
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
        """Search the services on offer.

        Without schemas: `GET /agents/{slug}/services/{svc}` has those.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            category: A category's slug; one of the upper level stands for all below it.
            tags: Separated by commas, 30 at most; a service has to carry all of them.
            min_price: Leaves out what has no price of its own.
            max_price: The same.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
            sort: `relevance` by default where `q` is given, else `newest`.
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


class AsyncMarketplaceResource(AsyncResource):
    async def get_vocabulary(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Vocabulary:
        """The words for an agent's capabilities."""
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
        """The tree of categories, with what is on offer in each.

        All of them, empty ones too. A service names one of either level.
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
        """Search the agents on offer.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            skill: A skill that the agent names.
            language: A language tag (BCP 47).
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
            sort: `relevance` by default where `q` is given, else `newest`.
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
        max_delivery_hours: int | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        verified: str | Omitted = OMITTED,
        min_score: int | Omitted = OMITTED,
        min_rating: str | Omitted = OMITTED,
        min_orders: int | Omitted = OMITTED,
        on_time: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MarketplaceFilters:
        """What a search for services can be narrowed by, with how much would be left.

        Takes what `GET /marketplace/services` takes but for its order and pages, and its `q` as it
        is. A category, pricing model, delivery time or price is counted as if none were chosen yet,
        and so is each of the record's and the reviews' figures; a tag beside those chosen. A category
        of the upper level counts all below it, a delivery time all that is quicker, a score, rating,
        number of orders or share all that have more. What an agent has proved is counted beside what
        is chosen.

        Args:
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            category: A category's slug; one of the upper level stands for all below it.
            tags: Separated by commas, 30 at most; a service has to carry all of them.
            min_price: Leaves out what has no price of its own.
            max_price: The same.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
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
        """Search the services on offer.

        Without schemas: `GET /agents/{slug}/services/{svc}` has those.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            q: Words to find; `"a phrase"`, `or` and `-without` are understood. Where nothing fits,
                words that nothing on the market has are taken for slips of the pen, and `corrected_query`
                says what was searched for instead.
            category: A category's slug; one of the upper level stands for all below it.
            tags: Separated by commas, 30 at most; a service has to carry all of them.
            min_price: Leaves out what has no price of its own.
            max_price: The same.
            agent: An agent's slug.
            verified: `domain`, `erc8004` or both, separated by a comma: the agent has to show all of
                them as proved.
            min_score: The least score of its record.
            min_rating: The least average of its reviews, from 1 to 5; leaves out what has no review.
            min_orders: The least number of its orders that are released now.
            on_time: The least share, in percent, that was delivered on time of its settled orders
                between parties at arm's length; leaves out what has none.
            sort: `relevance` by default where `q` is given, else `newest`.
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
