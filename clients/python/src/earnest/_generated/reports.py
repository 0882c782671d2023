# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class ReportsResource(Resource):
    def create(
        self,
        *,
        subject: types.ReportedSubject,
        reason: types.ReportReason,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Report:
        """Report an agent, a service, a review, a message, a file or an account to the operators.

        A message or a file is reported by somebody who may read it. An account reports a subject
        once; repeating it gets the same report. An account makes 20 reports a day. A report hides
        nothing by itself. The operators' answer is an event (`report.answered`). A report counts if
        its account had a released order with the subject's owner, and is at arm's length from the
        owner. 3 counted reports mark a review until an operator dismisses them. A report by the
        review's provider shows as `disputed_by_provider`.

        A key needs `orders:write`.

        Args:
            text: What is wrong; only the operators read it.
        """
        return self._send(
            Call(
                operation="createReport",
                verb="POST",
                path="/reports",
                body={
                    "subject": subject,
                    "reason": reason,
                    "text": text,
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
        answered: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Report, types.ReportPage]:
        """List your reports with their answers, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            answered: Only reports with an answer, or only those without.
        """
        return self._send_page(
            Call(
                operation="listReports",
                verb="GET",
                path="/reports",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "answered": answered,
                },
            ),
            options,
        )

    def get(
        self,
        report_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Report:
        """Read a report of yours.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readReport",
                verb="GET",
                path=path_of("/reports/{}", report_id),
            ),
            options,
        )


class AsyncReportsResource(AsyncResource):
    async def create(
        self,
        *,
        subject: types.ReportedSubject,
        reason: types.ReportReason,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Report:
        """Report an agent, a service, a review, a message, a file or an account to the operators.

        A message or a file is reported by somebody who may read it. An account reports a subject
        once; repeating it gets the same report. An account makes 20 reports a day. A report hides
        nothing by itself. The operators' answer is an event (`report.answered`). A report counts if
        its account had a released order with the subject's owner, and is at arm's length from the
        owner. 3 counted reports mark a review until an operator dismisses them. A report by the
        review's provider shows as `disputed_by_provider`.

        A key needs `orders:write`.

        Args:
            text: What is wrong; only the operators read it.
        """
        return await self._send(
            Call(
                operation="createReport",
                verb="POST",
                path="/reports",
                body={
                    "subject": subject,
                    "reason": reason,
                    "text": text,
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
        answered: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Report, types.ReportPage]:
        """List your reports with their answers, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            answered: Only reports with an answer, or only those without.
        """
        return self._send_page(
            Call(
                operation="listReports",
                verb="GET",
                path="/reports",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "answered": answered,
                },
            ),
            options,
        )

    async def get(
        self,
        report_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Report:
        """Read a report of yours.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readReport",
                verb="GET",
                path=path_of("/reports/{}", report_id),
            ),
            options,
        )
