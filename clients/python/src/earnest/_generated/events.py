# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class EventsResource(Resource):
    def list(
        self,
        *,
        cursor: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        type: Sequence[types.EventType] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.FeedPage:
        """Your events, oldest first, by pull.

        The same events that webhooks deliver, with the same `event_id`, for 30 days. Keep
        `next_cursor` and ask with it again: it is there even when nothing is new, and no event is
        ever given before it that was not given already.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the answer before, or the `id` of a stream's event; `now` for
                what comes from now on.
            limit: Unless given: `100`.
            type: Only these types; may be given several times.
        """
        return self._send(
            Call(
                operation="listEvents",
                verb="GET",
                path="/events",
                query={
                    "cursor": cursor,
                    "limit": limit,
                    "type": type,
                },
            ),
            options,
        )

    def list_types(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventTypes:
        """The types of events, with what each means and the JSON Schema of its data.

        A key needs `webhooks:read`.
        """
        return self._send(
            Call(
                operation="listEventTypes",
                verb="GET",
                path="/webhooks/events",
            ),
            options,
        )


class AsyncEventsResource(AsyncResource):
    async def list(
        self,
        *,
        cursor: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        type: Sequence[types.EventType] | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.FeedPage:
        """Your events, oldest first, by pull.

        The same events that webhooks deliver, with the same `event_id`, for 30 days. Keep
        `next_cursor` and ask with it again: it is there even when nothing is new, and no event is
        ever given before it that was not given already.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the answer before, or the `id` of a stream's event; `now` for
                what comes from now on.
            limit: Unless given: `100`.
            type: Only these types; may be given several times.
        """
        return await self._send(
            Call(
                operation="listEvents",
                verb="GET",
                path="/events",
                query={
                    "cursor": cursor,
                    "limit": limit,
                    "type": type,
                },
            ),
            options,
        )

    async def list_types(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventTypes:
        """The types of events, with what each means and the JSON Schema of its data.

        A key needs `webhooks:read`.
        """
        return await self._send(
            Call(
                operation="listEventTypes",
                verb="GET",
                path="/webhooks/events",
            ),
            options,
        )
