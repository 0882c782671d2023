# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Mapping

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class SubscriptionsResource(Resource):
    def export_payments(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the settlements of your subscriptions' orders, newest first.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. Its columns are the fields of `PaymentRecord`.

        A key needs `subscriptions:read`.

        Args:
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
        """
        return self._send(
            Call(
                operation="exportSubscriptionPayments",
                verb="GET",
                path="/exports/subscription-payments.csv",
                root=True,
                accept="text/csv",
                query={
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    def create(
        self,
        *,
        service_id: str,
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Subscribe to a plan.

        Places the first order at once, and another order at the beginning of each period. Orders are
        unfunded: `order.created` notifies you, and you pay those you want. Price, input and wallets
        do not change. No money is taken by itself.

        A key needs `orders:write`.

        Args:
            service_id: A plan: a service with the pricing model `subscription`.
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
                operation="subscribe",
                verb="POST",
                path="/subscriptions",
                body={
                    "service_id": service_id,
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

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.SubscriptionStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Subscription, types.SubscriptionPage]:
        """List your subscriptions and those with your agents, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSubscriptions",
                verb="GET",
                path="/subscriptions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    def list_mine(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.SubscriptionStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Subscription, types.SubscriptionPage]:
        """List your own subscriptions, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listOwnSubscriptions",
                verb="GET",
                path="/subscriptions/me",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    def list_payments(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.PaymentRecord, types.PaymentRecordPage]:
        """List the settlements of your subscriptions' orders, newest first.

        Settlements that the chain has confirmed, without those that a reorganisation removed. Each
        has a receipt, which proves it: GET /receipts/{id}.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
        """
        return self._send_page(
            Call(
                operation="listSubscriptionPayments",
                verb="GET",
                path="/subscriptions/me/payments",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    def list_plans(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedService, types.ServicePage]:
        """List the plans, newest first.

        A plan is a published service with the pricing model `subscription`. Its price is for one
        `interval`.

        A key needs `marketplace:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            agent: An agent's slug.
        """
        return self._send_page(
            Call(
                operation="listPlans",
                verb="GET",
                path="/subscriptions/plans",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "agent": agent,
                },
            ),
            options,
        )

    def get(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Read a subscription.

        A key needs `subscriptions:read`.
        """
        return self._send(
            Call(
                operation="readSubscription",
                verb="GET",
                path=path_of("/subscriptions/{}", subscription_id),
            ),
            options,
        )

    def cancel(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Cancel a subscription.

        Either side can cancel. No further order is placed. Existing orders continue. Cancelling it
        twice is no error.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="cancelSubscription",
                verb="POST",
                path=path_of("/subscriptions/{}/cancel", subscription_id),
                takes_key=True,
            ),
            options,
        )

    def list_orders(
        self,
        subscription_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.SubscriptionOrder, types.SubscriptionOrderPage]:
        """List the orders of a subscription, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSubscriptionOrders",
                verb="GET",
                path=path_of("/subscriptions/{}/orders", subscription_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )


class AsyncSubscriptionsResource(AsyncResource):
    async def export_payments(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Export the settlements of your subscriptions' orders, newest first.

        All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent
        while it is read. Its columns are the fields of `PaymentRecord`.

        A key needs `subscriptions:read`.

        Args:
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
        """
        return await self._send(
            Call(
                operation="exportSubscriptionPayments",
                verb="GET",
                path="/exports/subscription-payments.csv",
                root=True,
                accept="text/csv",
                query={
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    async def create(
        self,
        *,
        service_id: str,
        max_amount: types.AmountInput | Omitted = OMITTED,
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        pay_with: types.TokenName | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Subscribe to a plan.

        Places the first order at once, and another order at the beginning of each period. Orders are
        unfunded: `order.created` notifies you, and you pay those you want. Price, input and wallets
        do not change. No money is taken by itself.

        A key needs `orders:write`.

        Args:
            service_id: A plan: a service with the pricing model `subscription`.
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
                operation="subscribe",
                verb="POST",
                path="/subscriptions",
                body={
                    "service_id": service_id,
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

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.SubscriptionStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Subscription, types.SubscriptionPage]:
        """List your subscriptions and those with your agents, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSubscriptions",
                verb="GET",
                path="/subscriptions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    def list_mine(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.SubscriptionStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Subscription, types.SubscriptionPage]:
        """List your own subscriptions, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listOwnSubscriptions",
                verb="GET",
                path="/subscriptions/me",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    def list_payments(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.PaymentRecord, types.PaymentRecordPage]:
        """List the settlements of your subscriptions' orders, newest first.

        Settlements that the chain has confirmed, without those that a reorganisation removed. Each
        has a receipt, which proves it: GET /receipts/{id}.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
        """
        return self._send_page(
            Call(
                operation="listSubscriptionPayments",
                verb="GET",
                path="/subscriptions/me/payments",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    def list_plans(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedService, types.ServicePage]:
        """List the plans, newest first.

        A plan is a published service with the pricing model `subscription`. Its price is for one
        `interval`.

        A key needs `marketplace:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            agent: An agent's slug.
        """
        return self._send_page(
            Call(
                operation="listPlans",
                verb="GET",
                path="/subscriptions/plans",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "agent": agent,
                },
            ),
            options,
        )

    async def get(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Read a subscription.

        A key needs `subscriptions:read`.
        """
        return await self._send(
            Call(
                operation="readSubscription",
                verb="GET",
                path=path_of("/subscriptions/{}", subscription_id),
            ),
            options,
        )

    async def cancel(
        self,
        subscription_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Cancel a subscription.

        Either side can cancel. No further order is placed. Existing orders continue. Cancelling it
        twice is no error.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="cancelSubscription",
                verb="POST",
                path=path_of("/subscriptions/{}/cancel", subscription_id),
                takes_key=True,
            ),
            options,
        )

    def list_orders(
        self,
        subscription_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.SubscriptionOrder, types.SubscriptionOrderPage]:
        """List the orders of a subscription, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSubscriptionOrders",
                verb="GET",
                path=path_of("/subscriptions/{}/orders", subscription_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )
