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
        order: types.EventOrder | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.FeedPage:
        """List your events.

        The same events that webhooks deliver, with the same `event_id`, for 30 days. Store
        `next_cursor` and use it for the next request. It is present even without new events, and no
        later event is placed before it. The order `newest` is for people, who read back from the last
        event.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the previous answer, or the `id` of a stream's event; `now` for
                future events only.
            limit: Unless given: `100`.
            type: Only events of these types; may be repeated.
            order: `newest` reads back from the newest event, or from the cursor of such a page.
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
                    "order": order,
                },
            ),
            options,
        )

    def list_types(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventTypes:
        """List the types of events with the JSON Schema of their data.

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
        order: types.EventOrder | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.FeedPage:
        """List your events.

        The same events that webhooks deliver, with the same `event_id`, for 30 days. Store
        `next_cursor` and use it for the next request. It is present even without new events, and no
        later event is placed before it. The order `newest` is for people, who read back from the last
        event.

        A key needs `webhooks:read`.

        Args:
            cursor: `next_cursor` of the previous answer, or the `id` of a stream's event; `now` for
                future events only.
            limit: Unless given: `100`.
            type: Only events of these types; may be repeated.
            order: `newest` reads back from the newest event, or from the cursor of such a page.
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
                    "order": order,
                },
            ),
            options,
        )

    async def list_types(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EventTypes:
        """List the types of events with the JSON Schema of their data.

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
