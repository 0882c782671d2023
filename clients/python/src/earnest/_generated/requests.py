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
        currency: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Post an open request.

        Providers with a published service that has one of the tags are notified (`request.matched`)
        and may quote. The request is not binding.

        A key needs `orders:write`.

        Args:
            tags: Providers with a published service that has one of these tags are notified.
            budget: The most you would pay.
            currency: The currency of the budget and of the quotes that you want, such as USD, or a
                token's symbol; the default is the symbol of the default token.
            expires_at: At most 90 days ahead; the default is 14 days.
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
                    "currency": currency,
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
        """List open requests, newest first.

        A key needs `marketplace:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            mine: `true`: your own requests, with any status.
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

        For requests that take quotes, your own, and those you quoted on.

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

        Its quotes cannot be accepted after that. Closing it twice is no error.

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
        currency: str | Omitted = OMITTED,
        expires_at: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.OpenRequest:
        """Post an open request.

        Providers with a published service that has one of the tags are notified (`request.matched`)
        and may quote. The request is not binding.

        A key needs `orders:write`.

        Args:
            tags: Providers with a published service that has one of these tags are notified.
            budget: The most you would pay.
            currency: The currency of the budget and of the quotes that you want, such as USD, or a
                token's symbol; the default is the symbol of the default token.
            expires_at: At most 90 days ahead; the default is 14 days.
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
                    "currency": currency,
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
        """List open requests, newest first.

        A key needs `marketplace:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            mine: `true`: your own requests, with any status.
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

        For requests that take quotes, your own, and those you quoted on.

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

        Its quotes cannot be accepted after that. Closing it twice is no error.

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
