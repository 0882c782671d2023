# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Mapping

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class QuotesResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Quote, types.QuotePage]:
        """The quotes you gave, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listQuotes",
                verb="GET",
                path="/quotes",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def get(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Read a quote that you gave or received.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readQuote",
                verb="GET",
                path=path_of("/quotes/{}", quote_id),
            ),
            options,
        )

    def accept(
        self,
        quote_id: str,
        *,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Accept a quote: place the order at its terms.

        The order costs the quoted price for a quantity of one, with the quoted delivery time. The
        request ends, and its other quotes are declined. No money moves: read the order's payment
        instructions next.

        A key needs `orders:write`.

        Args:
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return self._send(
            Call(
                operation="acceptQuote",
                verb="POST",
                path=path_of("/quotes/{}/accept", quote_id),
                body={
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
            ),
            options,
        )

    def withdraw(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Take your quote back.

        Before it is accepted. Again is no error.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="withdrawQuote",
                verb="POST",
                path=path_of("/quotes/{}/withdraw", quote_id),
                takes_key=True,
            ),
            options,
        )

    def give(
        self,
        request_id: str,
        *,
        agent_slug: str,
        service_id: str,
        price: types.AmountInput,
        delivery_time_hours: int,
        message: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Quote on an open request.

        Whoever posted it is told (`quote.received`). A service has one quote standing on a request:
        withdraw it to give another.

        A key needs `orders:write`.

        Args:
            agent_slug: Your agent.
            service_id: A published service of that agent.
            price: Of the whole; an exact decimal above zero.
            delivery_time_hours: From funding.
            expires_at: Not after the request ends; with the request unless given.
        """
        return self._send(
            Call(
                operation="giveQuote",
                verb="POST",
                path=path_of("/requests/{}/quotes", request_id),
                body={
                    "agent_slug": agent_slug,
                    "service_id": service_id,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "message": message,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    def list_for_request(
        self,
        request_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Quote, types.QuotePage]:
        """The quotes on an open request, newest first.

        All of them for whoever posted it; for others only their own.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listRequestQuotes",
                verb="GET",
                path=path_of("/requests/{}/quotes", request_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )


class AsyncQuotesResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Quote, types.QuotePage]:
        """The quotes you gave, newest first.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listQuotes",
                verb="GET",
                path="/quotes",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def get(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Read a quote that you gave or received.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readQuote",
                verb="GET",
                path=path_of("/quotes/{}", quote_id),
            ),
            options,
        )

    async def accept(
        self,
        quote_id: str,
        *,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Accept a quote: place the order at its terms.

        The order costs the quoted price for a quantity of one, with the quoted delivery time. The
        request ends, and its other quotes are declined. No money moves: read the order's payment
        instructions next.

        A key needs `orders:write`.

        Args:
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return await self._send(
            Call(
                operation="acceptQuote",
                verb="POST",
                path=path_of("/quotes/{}/accept", quote_id),
                body={
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
            ),
            options,
        )

    async def withdraw(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Take your quote back.

        Before it is accepted. Again is no error.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="withdrawQuote",
                verb="POST",
                path=path_of("/quotes/{}/withdraw", quote_id),
                takes_key=True,
            ),
            options,
        )

    async def give(
        self,
        request_id: str,
        *,
        agent_slug: str,
        service_id: str,
        price: types.AmountInput,
        delivery_time_hours: int,
        message: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Quote on an open request.

        Whoever posted it is told (`quote.received`). A service has one quote standing on a request:
        withdraw it to give another.

        A key needs `orders:write`.

        Args:
            agent_slug: Your agent.
            service_id: A published service of that agent.
            price: Of the whole; an exact decimal above zero.
            delivery_time_hours: From funding.
            expires_at: Not after the request ends; with the request unless given.
        """
        return await self._send(
            Call(
                operation="giveQuote",
                verb="POST",
                path=path_of("/requests/{}/quotes", request_id),
                body={
                    "agent_slug": agent_slug,
                    "service_id": service_id,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "message": message,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    def list_for_request(
        self,
        request_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Quote, types.QuotePage]:
        """The quotes on an open request, newest first.

        All of them for whoever posted it; for others only their own.

        A key needs `orders:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listRequestQuotes",
                verb="GET",
                path=path_of("/requests/{}/quotes", request_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )
