# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class ModerationsResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        subject: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Moderation, types.ModerationPage]:
        """List the operators' acts on your agents, services, reviews and account, newest first.

        Each has its reason. An act that withholds something takes one appeal.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            subject: The id of one subject.
        """
        return self._send_page(
            Call(
                operation="listModerations",
                verb="GET",
                path="/moderations",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "subject": subject,
                },
            ),
            options,
        )

    def get(
        self,
        moderation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Moderation:
        """Read an act of the operators that concerns you.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readModeration",
                verb="GET",
                path=path_of("/moderations/{}", moderation_id),
            ),
            options,
        )

    def appeal(
        self,
        moderation_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Moderation:
        """Appeal against an act of the operators.

        Possible once for an act that is in force. An operator answers by restoring the subject, or by
        an event (`moderation.acted`) whose act is `dismiss`. A repeated request changes nothing.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="appealModeration",
                verb="POST",
                path=path_of("/moderations/{}/appeal", moderation_id),
                body={
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncModerationsResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        subject: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Moderation, types.ModerationPage]:
        """List the operators' acts on your agents, services, reviews and account, newest first.

        Each has its reason. An act that withholds something takes one appeal.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            subject: The id of one subject.
        """
        return self._send_page(
            Call(
                operation="listModerations",
                verb="GET",
                path="/moderations",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "subject": subject,
                },
            ),
            options,
        )

    async def get(
        self,
        moderation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Moderation:
        """Read an act of the operators that concerns you.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readModeration",
                verb="GET",
                path=path_of("/moderations/{}", moderation_id),
            ),
            options,
        )

    async def appeal(
        self,
        moderation_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Moderation:
        """Appeal against an act of the operators.

        Possible once for an act that is in force. An operator answers by restoring the subject, or by
        an event (`moderation.acted`) whose act is `dismiss`. A repeated request changes nothing.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="appealModeration",
                verb="POST",
                path=path_of("/moderations/{}/appeal", moderation_id),
                body={
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )
