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
        """Export the settlements of your orders, newest first.

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

    def export_statement_csv(
        self,
        *,
        month: str,
        options: RequestOptions | None = None,
    ) -> str:
        """Read the statement of a month as CSV.

        One row for the settlement of each order that you sold or bought, oldest first, and then the
        sums for each side, chain and token. The month counts by `recorded_at`, so that a past month
        gets no new rows. A row whose payment left the chain is omitted. The table is sent while it is
        read.

        A key needs `subscriptions:read`.

        Args:
            month: In UTC, by the time at which the service recorded it.
        """
        return self._send(
            Call(
                operation="exportStatementCsv",
                verb="GET",
                path="/exports/statement.csv",
                root=True,
                accept="text/csv",
                query={
                    "month": month,
                },
            ),
            options,
        )

    def export_statement(
        self,
        *,
        month: str,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Read the statement of a month as PDF.

        One row for the settlement of each order that you sold or bought, oldest first, and then the
        sums for each side, chain and token. The month counts by `recorded_at`, so that a past month
        gets no new rows. A row whose payment left the chain is omitted. A month with more than 2000
        settlements is 409 `invalid_state`: use the CSV.

        A key needs `subscriptions:read`.

        Args:
            month: In UTC, by the time at which the service recorded it.
        """
        return self._send(
            Call(
                operation="exportStatement",
                verb="GET",
                path="/exports/statement.pdf",
                root=True,
                accept="application/pdf",
                file=True,
                query={
                    "month": month,
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
        """List the settlements of your orders, newest first.

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
        """Read what you received and paid in each month, newest first.

        The exact sums of `GET /payments` with the same filters, for each month (UTC, by the time of
        the block) and token. Settlements of the other side alone are left out.

        A key needs `subscriptions:read`.

        Args:
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
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
        """Export the settlements of your orders, newest first.

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

    async def export_statement_csv(
        self,
        *,
        month: str,
        options: RequestOptions | None = None,
    ) -> str:
        """Read the statement of a month as CSV.

        One row for the settlement of each order that you sold or bought, oldest first, and then the
        sums for each side, chain and token. The month counts by `recorded_at`, so that a past month
        gets no new rows. A row whose payment left the chain is omitted. The table is sent while it is
        read.

        A key needs `subscriptions:read`.

        Args:
            month: In UTC, by the time at which the service recorded it.
        """
        return await self._send(
            Call(
                operation="exportStatementCsv",
                verb="GET",
                path="/exports/statement.csv",
                root=True,
                accept="text/csv",
                query={
                    "month": month,
                },
            ),
            options,
        )

    async def export_statement(
        self,
        *,
        month: str,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Read the statement of a month as PDF.

        One row for the settlement of each order that you sold or bought, oldest first, and then the
        sums for each side, chain and token. The month counts by `recorded_at`, so that a past month
        gets no new rows. A row whose payment left the chain is omitted. A month with more than 2000
        settlements is 409 `invalid_state`: use the CSV.

        A key needs `subscriptions:read`.

        Args:
            month: In UTC, by the time at which the service recorded it.
        """
        return await self._send(
            Call(
                operation="exportStatement",
                verb="GET",
                path="/exports/statement.pdf",
                root=True,
                accept="application/pdf",
                file=True,
                query={
                    "month": month,
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
        """List the settlements of your orders, newest first.

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
        """Read what you received and paid in each month, newest first.

        The exact sums of `GET /payments` with the same filters, for each month (UTC, by the time of
        the block) and token. Settlements of the other side alone are left out.

        A key needs `subscriptions:read`.

        Args:
            role: Your side of the order.
            since: Recorded at this time or later.
            until: Recorded before this time.
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
