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
        """The same table of your subscriptions' orders.

        CSV (RFC 4180, UTF-8, with a header) of all that the filters leave, written as it is read. Its
        columns are the fields of `PaymentRecord`.

        A key needs `subscriptions:read`.

        Args:
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
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
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Subscribe to a plan.

        Places the first order at once and one more at the beginning of each period, each unfunded:
        you are told by `order.created`, and pay those you want. Price, input and wallets stay as they
        are now. Nothing is taken by itself.

        A key needs `orders:write`.

        Args:
            service_id: A plan: a service sold by subscription.
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return self._send(
            Call(
                operation="subscribe",
                verb="POST",
                path="/subscriptions",
                body={
                    "service_id": service_id,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
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
        """Your subscriptions and those with your agents, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """What you subscribed to, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """The same of your subscriptions' orders.

        What the chain has confirmed and not taken back. Each row has a receipt, which proves it: GET
        /receipts/{id}.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
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
        """What can be subscribed to, newest first.

        A plan is a service on offer whose pricing model is `subscription`; its price is of one
        `interval`.

        A key needs `marketplace:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """Cancel a subscription, from either side.

        No further order is placed. Those placed go on as any order. Again is no error.

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
        """The orders of a subscription, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """The same table of your subscriptions' orders.

        CSV (RFC 4180, UTF-8, with a header) of all that the filters leave, written as it is read. Its
        columns are the fields of `PaymentRecord`.

        A key needs `subscriptions:read`.

        Args:
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
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
        input_payload: Mapping[str, Any] | None | Omitted = OMITTED,
        settlement_rail: types.SettlementRail | Omitted = OMITTED,
        buyer_address: str | Omitted = OMITTED,
        arbiter: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Subscription:
        """Subscribe to a plan.

        Places the first order at once and one more at the beginning of each period, each unfunded:
        you are told by `order.created`, and pay those you want. Price, input and wallets stay as they
        are now. Nothing is taken by itself.

        A key needs `orders:write`.

        Args:
            service_id: A plan: a service sold by subscription.
            input_payload: As the service's `input_schema` says.
            settlement_rail: Unless given: `"escrow"`.
            buyer_address: A verified wallet of yours, where refunds go; your primary one unless
                given.
            arbiter: Who decides a dispute: one of the service's `arbiters`, and no party of the
                order. This chain's unless given; the zero address: nobody, only time.
        """
        return await self._send(
            Call(
                operation="subscribe",
                verb="POST",
                path="/subscriptions",
                body={
                    "service_id": service_id,
                    "input_payload": input_payload,
                    "settlement_rail": settlement_rail,
                    "buyer_address": buyer_address,
                    "arbiter": arbiter,
                },
                takes_key=True,
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
        """Your subscriptions and those with your agents, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """What you subscribed to, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """The same of your subscriptions' orders.

        What the chain has confirmed and not taken back. Each row has a receipt, which proves it: GET
        /receipts/{id}.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
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
        """What can be subscribed to, newest first.

        A plan is a service on offer whose pricing model is `subscription`; its price is of one
        `interval`.

        A key needs `marketplace:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
        """Cancel a subscription, from either side.

        No further order is placed. Those placed go on as any order. Again is no error.

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
        """The orders of a subscription, newest first.

        A key needs `subscriptions:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
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
