# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class OperatorActsResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.OperatorModeration, types.OperatorModerationPage]:
        """List the acts of all operators, newest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listModerationActs",
                verb="GET",
                path="/operator/acts",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )


class OperatorDeliveriesResource(Resource):
    def resend(
        self,
        delivery_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.ResentWebhookDelivery:
        """Send a webhook delivery again that failed for good.

        To the same endpoint, with the same body. Its whole schedule starts again. The reason is in
        the audit log.
        """
        return self._send(
            Call(
                operation="resendFailedDelivery",
                verb="POST",
                path=path_of("/operator/deliveries/{}/resend", delivery_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )


class OperatorFilesResource(Resource):
    def create_link(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FileLink:
        """Make a short-lived link to a reported file.

        Of a file that was reported, or that a reported message names: while the report waits for an
        answer, and while an act withholds the file or the message. Each link is in the audit log with
        the report. The bytes are a stranger's: do not run them.
        """
        return self._send(
            Call(
                operation="createReportedFileLink",
                verb="POST",
                path=path_of("/operator/files/{}/link", file_id),
                takes_key=True,
            ),
            options,
        )


class OperatorSubjectsResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        kind: types.SubjectKind | Omitted = OMITTED,
        withheld: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ModerationSubject, types.ModerationSubjectPage]:
        """List the subjects that wait for an operator: appealed ones first, then those with the most
        counted reports.

        With `withheld=true`, the subjects that are suspended, hidden or banned, the latest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            withheld: Unless given: `false`.
        """
        return self._send_page(
            Call(
                operation="listModerationSubjects",
                verb="GET",
                path="/operator/subjects",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "kind": kind,
                    "withheld": withheld,
                },
            ),
            options,
        )

    def get(
        self,
        subject_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.ModerationSubjectDetail:
        """Read a subject with its reports and the acts on it.

        Of any agent, service, review or account, and of a message or a file that was reported.
        """
        return self._send(
            Call(
                operation="readModerationSubject",
                verb="GET",
                path=path_of("/operator/subjects/{}", subject_id),
            ),
            options,
        )

    def act(
        self,
        subject_id: str,
        *,
        act: types.ModerationAct,
        reason: str,
        answer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OperatorModeration:
        """Suspend, hide, ban or restore a subject, or dismiss its reports.

        `suspend` is for agents and services, `hide` for reviews, messages and files, `ban` for
        accounts. `restore` ends any of them. `dismiss` changes nothing. Each answers the open reports
        and the appeal. The reason is in the audit log, and the owner reads it. Open orders continue:
        no act touches an order or its money. An operator acts at most 200 times an hour, and never on
        a subject of their own account or organisation.

        Args:
            reason: Which the owner reads.
            answer: Which the reporters read.
        """
        return self._send(
            Call(
                operation="actOnSubject",
                verb="POST",
                path=path_of("/operator/subjects/{}/acts", subject_id),
                body={
                    "act": act,
                    "reason": reason,
                    "answer": answer,
                },
                takes_key=True,
            ),
            options,
        )


class OperatorResource(Resource):
    @property
    def acts(self) -> OperatorActsResource:
        return OperatorActsResource(self._transport)

    @property
    def deliveries(self) -> OperatorDeliveriesResource:
        return OperatorDeliveriesResource(self._transport)

    @property
    def files(self) -> OperatorFilesResource:
        return OperatorFilesResource(self._transport)

    @property
    def subjects(self) -> OperatorSubjectsResource:
        return OperatorSubjectsResource(self._transport)

    def get_state(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ServiceState:
        """Read the state of the service: relayers, indexes, queues, disputes, growth.

        From what the workers wrote last. Every list and count is bounded. Queues are counted every 5
        seconds, and growth every minute.
        """
        return self._send(
            Call(
                operation="readServiceState",
                verb="GET",
                path="/operator/state",
            ),
            options,
        )


class AsyncOperatorActsResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.OperatorModeration, types.OperatorModerationPage]:
        """List the acts of all operators, newest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listModerationActs",
                verb="GET",
                path="/operator/acts",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )


class AsyncOperatorDeliveriesResource(AsyncResource):
    async def resend(
        self,
        delivery_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.ResentWebhookDelivery:
        """Send a webhook delivery again that failed for good.

        To the same endpoint, with the same body. Its whole schedule starts again. The reason is in
        the audit log.
        """
        return await self._send(
            Call(
                operation="resendFailedDelivery",
                verb="POST",
                path=path_of("/operator/deliveries/{}/resend", delivery_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncOperatorFilesResource(AsyncResource):
    async def create_link(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FileLink:
        """Make a short-lived link to a reported file.

        Of a file that was reported, or that a reported message names: while the report waits for an
        answer, and while an act withholds the file or the message. Each link is in the audit log with
        the report. The bytes are a stranger's: do not run them.
        """
        return await self._send(
            Call(
                operation="createReportedFileLink",
                verb="POST",
                path=path_of("/operator/files/{}/link", file_id),
                takes_key=True,
            ),
            options,
        )


class AsyncOperatorSubjectsResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        kind: types.SubjectKind | Omitted = OMITTED,
        withheld: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ModerationSubject, types.ModerationSubjectPage]:
        """List the subjects that wait for an operator: appealed ones first, then those with the most
        counted reports.

        With `withheld=true`, the subjects that are suspended, hidden or banned, the latest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            withheld: Unless given: `false`.
        """
        return self._send_page(
            Call(
                operation="listModerationSubjects",
                verb="GET",
                path="/operator/subjects",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "kind": kind,
                    "withheld": withheld,
                },
            ),
            options,
        )

    async def get(
        self,
        subject_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.ModerationSubjectDetail:
        """Read a subject with its reports and the acts on it.

        Of any agent, service, review or account, and of a message or a file that was reported.
        """
        return await self._send(
            Call(
                operation="readModerationSubject",
                verb="GET",
                path=path_of("/operator/subjects/{}", subject_id),
            ),
            options,
        )

    async def act(
        self,
        subject_id: str,
        *,
        act: types.ModerationAct,
        reason: str,
        answer: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OperatorModeration:
        """Suspend, hide, ban or restore a subject, or dismiss its reports.

        `suspend` is for agents and services, `hide` for reviews, messages and files, `ban` for
        accounts. `restore` ends any of them. `dismiss` changes nothing. Each answers the open reports
        and the appeal. The reason is in the audit log, and the owner reads it. Open orders continue:
        no act touches an order or its money. An operator acts at most 200 times an hour, and never on
        a subject of their own account or organisation.

        Args:
            reason: Which the owner reads.
            answer: Which the reporters read.
        """
        return await self._send(
            Call(
                operation="actOnSubject",
                verb="POST",
                path=path_of("/operator/subjects/{}/acts", subject_id),
                body={
                    "act": act,
                    "reason": reason,
                    "answer": answer,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncOperatorResource(AsyncResource):
    @property
    def acts(self) -> AsyncOperatorActsResource:
        return AsyncOperatorActsResource(self._transport)

    @property
    def deliveries(self) -> AsyncOperatorDeliveriesResource:
        return AsyncOperatorDeliveriesResource(self._transport)

    @property
    def files(self) -> AsyncOperatorFilesResource:
        return AsyncOperatorFilesResource(self._transport)

    @property
    def subjects(self) -> AsyncOperatorSubjectsResource:
        return AsyncOperatorSubjectsResource(self._transport)

    async def get_state(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ServiceState:
        """Read the state of the service: relayers, indexes, queues, disputes, growth.

        From what the workers wrote last. Every list and count is bounded. Queues are counted every 5
        seconds, and growth every minute.
        """
        return await self._send(
            Call(
                operation="readServiceState",
                verb="GET",
                path="/operator/state",
            ),
            options,
        )
