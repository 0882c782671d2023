# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class AuditResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.AuditEntry, types.AuditPage]:
        """What was done to your credentials and wallets, newest first.

        Sessions, API keys, wallets, payout wallets, webhook secrets and members. Written in the
        transaction of what it tells of, and never changed.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listAudit",
                verb="GET",
                path="/audit",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )


class AsyncAuditResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.AuditEntry, types.AuditPage]:
        """What was done to your credentials and wallets, newest first.

        Sessions, API keys, wallets, payout wallets, webhook secrets and members. Written in the
        transaction of what it tells of, and never changed.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listAudit",
                verb="GET",
                path="/audit",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )
