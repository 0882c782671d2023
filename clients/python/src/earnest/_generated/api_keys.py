# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class ApiKeysResource(Resource):
    def create(
        self,
        *,
        name: str,
        scopes: Sequence[types.Scope],
        options: RequestOptions | None = None,
    ) -> types.NewKey:
        """Make an API key."""
        return self._send(
            Call(
                operation="createKey",
                verb="POST",
                path="/api-keys",
                body={
                    "name": name,
                    "scopes": scopes,
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
        created_by: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Key, types.KeyPage]:
        """List your API keys.

        Newest first, without the revoked ones.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            created_by: The account of their maker.
        """
        return self._send_page(
            Call(
                operation="listKeys",
                verb="GET",
                path="/api-keys",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "created_by": created_by,
                },
            ),
            options,
        )

    def list_scopes(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Scopes:
        """List the scopes a key may carry."""
        return self._send(
            Call(
                operation="listScopes",
                verb="GET",
                path="/api-keys/scopes",
            ),
            options,
        )

    def revoke(
        self,
        key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Key:
        """Revoke an API key."""
        return self._send(
            Call(
                operation="revokeKey",
                verb="DELETE",
                path=path_of("/api-keys/{}", key_id),
                takes_key=True,
            ),
            options,
        )


class AsyncApiKeysResource(AsyncResource):
    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[types.Scope],
        options: RequestOptions | None = None,
    ) -> types.NewKey:
        """Make an API key."""
        return await self._send(
            Call(
                operation="createKey",
                verb="POST",
                path="/api-keys",
                body={
                    "name": name,
                    "scopes": scopes,
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
        created_by: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Key, types.KeyPage]:
        """List your API keys.

        Newest first, without the revoked ones.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            created_by: The account of their maker.
        """
        return self._send_page(
            Call(
                operation="listKeys",
                verb="GET",
                path="/api-keys",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "created_by": created_by,
                },
            ),
            options,
        )

    async def list_scopes(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Scopes:
        """List the scopes a key may carry."""
        return await self._send(
            Call(
                operation="listScopes",
                verb="GET",
                path="/api-keys/scopes",
            ),
            options,
        )

    async def revoke(
        self,
        key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Key:
        """Revoke an API key."""
        return await self._send(
            Call(
                operation="revokeKey",
                verb="DELETE",
                path=path_of("/api-keys/{}", key_id),
                takes_key=True,
            ),
            options,
        )
