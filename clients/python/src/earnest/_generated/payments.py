# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class PaymentsResource(Resource):
    def export(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Every settlement of your orders as a table, newest first.

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
                operation="exportPayments",
                verb="GET",
                path="/exports/payments.csv",
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

    def list(
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
        """Every settlement of your orders, newest first.

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
                operation="listPayments",
                verb="GET",
                path="/payments",
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

    def sum_by_month(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.PaymentSums:
        """What you received and paid in each month, newest first.

        The exact sums of `GET /payments` under the same filters, for each month of the blocks' times
        and each token. Movements of the other side alone are not in them.

        A key needs `subscriptions:read`.

        Args:
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
        """
        return self._send(
            Call(
                operation="sumPayments",
                verb="GET",
                path="/payments/sums",
                query={
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )


class AsyncPaymentsResource(AsyncResource):
    async def export(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> str:
        """Every settlement of your orders as a table, newest first.

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
                operation="exportPayments",
                verb="GET",
                path="/exports/payments.csv",
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

    def list(
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
        """Every settlement of your orders, newest first.

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
                operation="listPayments",
                verb="GET",
                path="/payments",
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

    async def sum_by_month(
        self,
        *,
        role: types.Party | Omitted = OMITTED,
        claim: types.SettlementClaim | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.PaymentSums:
        """What you received and paid in each month, newest first.

        The exact sums of `GET /payments` under the same filters, for each month of the blocks' times
        and each token. Movements of the other side alone are not in them.

        A key needs `subscriptions:read`.

        Args:
            role: Yours in the order.
            since: Recorded at or after.
            until: Recorded before.
        """
        return await self._send(
            Call(
                operation="sumPayments",
                verb="GET",
                path="/payments/sums",
                query={
                    "role": role,
                    "claim": claim,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )
