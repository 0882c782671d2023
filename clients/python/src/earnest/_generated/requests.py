# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class RequestsResource(Resource):
    def post(
        self,
        *,
        title: str,
        description: str,
        tags: Sequence[str],
        budget: types.AmountInput | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Post an open request.

        Whoever publishes a service with one of its tags is told (`request.matched`) and may quote. It
        commits you to nothing.

        A key needs `orders:write`.

        Args:
            tags: Whoever publishes a service with one of them is told of the request.
            budget: What you would pay.
            expires_at: At most 90 days ahead; 14 days unless given.
        """
        return self._send(
            Call(
                operation="postRequest",
                verb="POST",
                path="/requests",
                body={
                    "title": title,
                    "description": description,
                    "tags": tags,
                    "budget": budget,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"budget": "amount"},
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        tag: str | Omitted = OMITTED,
        mine: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.OpenRequest, types.OpenRequestPage]:
        """Open requests, newest first.

        A key needs `marketplace:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            mine: `true`: those you posted, whatever became of them.
        """
        return self._send_page(
            Call(
                operation="listRequests",
                verb="GET",
                path="/requests",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "tag": tag,
                    "mine": mine,
                },
            ),
            options,
        )

    def get(
        self,
        request_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Read an open request.

        One that takes quotes, one of yours, or one you quoted on.

        A key needs `marketplace:read`.
        """
        return self._send(
            Call(
                operation="readRequest",
                verb="GET",
                path=path_of("/requests/{}", request_id),
            ),
            options,
        )

    def close(
        self,
        request_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Close your open request.

        Its quotes can be accepted no more. Again is no error.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="closeRequest",
                verb="POST",
                path=path_of("/requests/{}/close", request_id),
                takes_key=True,
            ),
            options,
        )


class AsyncRequestsResource(AsyncResource):
    async def post(
        self,
        *,
        title: str,
        description: str,
        tags: Sequence[str],
        budget: types.AmountInput | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Post an open request.

        Whoever publishes a service with one of its tags is told (`request.matched`) and may quote. It
        commits you to nothing.

        A key needs `orders:write`.

        Args:
            tags: Whoever publishes a service with one of them is told of the request.
            budget: What you would pay.
            expires_at: At most 90 days ahead; 14 days unless given.
        """
        return await self._send(
            Call(
                operation="postRequest",
                verb="POST",
                path="/requests",
                body={
                    "title": title,
                    "description": description,
                    "tags": tags,
                    "budget": budget,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={"budget": "amount"},
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        tag: str | Omitted = OMITTED,
        mine: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.OpenRequest, types.OpenRequestPage]:
        """Open requests, newest first.

        A key needs `marketplace:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            mine: `true`: those you posted, whatever became of them.
        """
        return self._send_page(
            Call(
                operation="listRequests",
                verb="GET",
                path="/requests",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "tag": tag,
                    "mine": mine,
                },
            ),
            options,
        )

    async def get(
        self,
        request_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Read an open request.

        One that takes quotes, one of yours, or one you quoted on.

        A key needs `marketplace:read`.
        """
        return await self._send(
            Call(
                operation="readRequest",
                verb="GET",
                path=path_of("/requests/{}", request_id),
            ),
            options,
        )

    async def close(
        self,
        request_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Close your open request.

        Its quotes can be accepted no more. Again is no error.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="closeRequest",
                verb="POST",
                path=path_of("/requests/{}/close", request_id),
                takes_key=True,
            ),
            options,
        )
