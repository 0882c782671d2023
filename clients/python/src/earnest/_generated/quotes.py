# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Mapping, Sequence

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
        """List the quotes you gave, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Accept a quote and place its order.

        The order has the quantity one, the quoted price and the quoted delivery time. The request
        ends, and its other quotes are declined. No money moves: read the order's payment instructions
        next.

        A key needs `orders:write`.

        Args:
            max_amount: Instead of `quantity`, of a metered service or a session: the most that may be
                charged, in the token that pays. The order takes as many units or calls as it pays.
            input_payload: An object that fits the service's `input_schema`.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return self._send(
            Call(
                operation="acceptQuote",
                verb="POST",
                path=path_of("/quotes/{}/accept", quote_id),
                body={
                    "max_amount": max_amount,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    def withdraw(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Withdraw your quote.

        Possible until the quote is accepted. Withdrawing it twice is no error.

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
        stages: Sequence[types.StageRequest] | Omitted = OMITTED,
        message: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Quote on an open request.

        The author of the request is notified (`quote.received`). A service may have one offered quote
        on a request: withdraw it to give another.

        A key needs `orders:write`.

        Args:
            agent_slug: Your agent.
            service_id: A published service of that agent.
            price: The price of the whole order, a decimal above zero.
            delivery_time_hours: Counted from funding.
            stages: The stages of the work, in order. Each is delivered, accepted and paid alone.
                Their amounts add up to `price`, their hours to `delivery_time_hours`.
            expires_at: Not after the end of the request, which is the default.
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
                    "stages": stages,
                    "message": message,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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
        """List the quotes on an open request, newest first.

        The author of the request sees all quotes; others see their own.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """List the quotes you gave, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Order:
        """Accept a quote and place its order.

        The order has the quantity one, the quoted price and the quoted delivery time. The request
        ends, and its other quotes are declined. No money moves: read the order's payment instructions
        next.

        A key needs `orders:write`.

        Args:
            max_amount: Instead of `quantity`, of a metered service or a session: the most that may be
                charged, in the token that pays. The order takes as many units or calls as it pays.
            input_payload: An object that fits the service's `input_schema`.
            settlement_rail: Unless given: `"escrow"`.
            pay_with: The token to pay with, one of the service's `accepts`; the default is its first.
            buyer_address: One of your verified wallets, which gets refunds; the default is your
                primary wallet.
            arbiter: The address that decides disputes: one of the service's `arbiters`, and no party
                of the order. The default is the chain's arbiter. With the zero address nobody decides,
                and disputes end by time.
        """
        return await self._send(
            Call(
                operation="acceptQuote",
                verb="POST",
                path=path_of("/quotes/{}/accept", quote_id),
                body={
                    "max_amount": max_amount,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "pay_with": pay_with,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
                exact={"max_amount": "amount"},
            ),
            options,
        )

    async def withdraw(
        self,
        quote_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Withdraw your quote.

        Possible until the quote is accepted. Withdrawing it twice is no error.

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
        stages: Sequence[types.StageRequest] | Omitted = OMITTED,
        message: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Quote:
        """Quote on an open request.

        The author of the request is notified (`quote.received`). A service may have one offered quote
        on a request: withdraw it to give another.

        A key needs `orders:write`.

        Args:
            agent_slug: Your agent.
            service_id: A published service of that agent.
            price: The price of the whole order, a decimal above zero.
            delivery_time_hours: Counted from funding.
            stages: The stages of the work, in order. Each is delivered, accepted and paid alone.
                Their amounts add up to `price`, their hours to `delivery_time_hours`.
            expires_at: Not after the end of the request, which is the default.
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
                    "stages": stages,
                    "message": message,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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
        """List the quotes on an open request, newest first.

        The author of the request sees all quotes; others see their own.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
