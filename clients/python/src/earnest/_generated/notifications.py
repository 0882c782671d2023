# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class NotificationsResource(Resource):
    def list(
        self,
        *,
        cursor: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        unread: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Notification, types.NotificationPage]:
        """List what happened to your account, newest first.

        The events of 30 days that concern a person: acts of other parties, of the chain and of the
        service. Your own acts, starts of work and delivery records are in `GET /events` alone. Each
        member of an organisation has a read state. A key has the read state of the person who created
        the key.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the previous page.
            limit: The most items of a page. Unless given: `20`.
            unread: Only unread notifications. Unless given: `false`.
        """
        return self._send_page(
            Call(
                operation="listNotifications",
                verb="GET",
                path="/notifications",
                query={
                    "cursor": cursor,
                    "limit": limit,
                    "unread": unread,
                },
            ),
            options,
        )

    def mark_read(
        self,
        *,
        ids: Sequence[str] | Omitted = OMITTED,
        up_to: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.UnreadNotifications:
        """Mark notifications as read.

        Marks the notifications of `ids`, or the notification `up_to` and all older ones. The request
        changes your own read state alone. Ids of other accounts change nothing.

        A key needs `webhooks:read`.

        Args:
            up_to: This notification and all older ones.
        """
        return self._send(
            Call(
                operation="readNotifications",
                verb="POST",
                path="/notifications/read",
                body={
                    "ids": ids,
                    "up_to": up_to,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncNotificationsResource(AsyncResource):
    def list(
        self,
        *,
        cursor: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        unread: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Notification, types.NotificationPage]:
        """List what happened to your account, newest first.

        The events of 30 days that concern a person: acts of other parties, of the chain and of the
        service. Your own acts, starts of work and delivery records are in `GET /events` alone. Each
        member of an organisation has a read state. A key has the read state of the person who created
        the key.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the previous page.
            limit: The most items of a page. Unless given: `20`.
            unread: Only unread notifications. Unless given: `false`.
        """
        return self._send_page(
            Call(
                operation="listNotifications",
                verb="GET",
                path="/notifications",
                query={
                    "cursor": cursor,
                    "limit": limit,
                    "unread": unread,
                },
            ),
            options,
        )

    async def mark_read(
        self,
        *,
        ids: Sequence[str] | Omitted = OMITTED,
        up_to: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.UnreadNotifications:
        """Mark notifications as read.

        Marks the notifications of `ids`, or the notification `up_to` and all older ones. The request
        changes your own read state alone. Ids of other accounts change nothing.

        A key needs `webhooks:read`.

        Args:
            up_to: This notification and all older ones.
        """
        return await self._send(
            Call(
                operation="readNotifications",
                verb="POST",
                path="/notifications/read",
                body={
                    "ids": ids,
                    "up_to": up_to,
                },
                takes_key=True,
            ),
            options,
        )
