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
        limits: types.KeyLimitsRequest | Omitted = OMITTED,
        allowed_ips: Sequence[str] | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.NewKey:
        """Create an API key.

        Args:
            allowed_ips: The addresses and networks (CIDR) that may use the key; null for any.
            expires_at: The time when the key expires, within 1830 days; null for never.
        """
        return self._send(
            Call(
                operation="createKey",
                verb="POST",
                path="/api-keys",
                body={
                    "name": name,
                    "scopes": scopes,
                    "limits": limits,
                    "allowed_ips": allowed_ips,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={
                    "limits": {
                        "per_order": "amount",
                        "per_day": "amount",
                        "per_month": "amount",
                        "approval_above": "amount",
                    }
                },
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

        Newest first. Expired keys are listed, revoked keys are not.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            created_by: The account of the creator.
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
        """List the scopes of API keys."""
        return self._send(
            Call(
                operation="listScopes",
                verb="GET",
                path="/api-keys/scopes",
            ),
            options,
        )

    def update(
        self,
        key_id: str,
        *,
        name: str | Omitted = OMITTED,
        limits: types.KeyLimitsRequest | Omitted = OMITTED,
        allowed_ips: Sequence[str] | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Key:
        """Change the limits, expiry or networks of an API key.

        Applies from the next order on. Amounts that the key has spent still count. An expired or
        revoked key cannot be changed: create another.

        Args:
            allowed_ips: The addresses and networks (CIDR) that may use the key; null for any.
            expires_at: The time when the key expires, within 1830 days; null for never.
        """
        return self._send(
            Call(
                operation="changeKey",
                verb="PATCH",
                path=path_of("/api-keys/{}", key_id),
                body={
                    "name": name,
                    "limits": limits,
                    "allowed_ips": allowed_ips,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={
                    "limits": {
                        "per_order": "amount",
                        "per_day": "amount",
                        "per_month": "amount",
                        "approval_above": "amount",
                    }
                },
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

    def get_spend(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Spend:
        """Read what your API keys have spent and have left.

        A key reads itself; a session reads every active key, newest first. Days and months are in
        UTC. A refund counts for the day of the payment.
        """
        return self._send(
            Call(
                operation="readSpend",
                verb="GET",
                path="/me/spend",
            ),
            options,
        )


class AsyncApiKeysResource(AsyncResource):
    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[types.Scope],
        limits: types.KeyLimitsRequest | Omitted = OMITTED,
        allowed_ips: Sequence[str] | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.NewKey:
        """Create an API key.

        Args:
            allowed_ips: The addresses and networks (CIDR) that may use the key; null for any.
            expires_at: The time when the key expires, within 1830 days; null for never.
        """
        return await self._send(
            Call(
                operation="createKey",
                verb="POST",
                path="/api-keys",
                body={
                    "name": name,
                    "scopes": scopes,
                    "limits": limits,
                    "allowed_ips": allowed_ips,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={
                    "limits": {
                        "per_order": "amount",
                        "per_day": "amount",
                        "per_month": "amount",
                        "approval_above": "amount",
                    }
                },
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

        Newest first. Expired keys are listed, revoked keys are not.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            created_by: The account of the creator.
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
        """List the scopes of API keys."""
        return await self._send(
            Call(
                operation="listScopes",
                verb="GET",
                path="/api-keys/scopes",
            ),
            options,
        )

    async def update(
        self,
        key_id: str,
        *,
        name: str | Omitted = OMITTED,
        limits: types.KeyLimitsRequest | Omitted = OMITTED,
        allowed_ips: Sequence[str] | None | Omitted = OMITTED,
        expires_at: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Key:
        """Change the limits, expiry or networks of an API key.

        Applies from the next order on. Amounts that the key has spent still count. An expired or
        revoked key cannot be changed: create another.

        Args:
            allowed_ips: The addresses and networks (CIDR) that may use the key; null for any.
            expires_at: The time when the key expires, within 1830 days; null for never.
        """
        return await self._send(
            Call(
                operation="changeKey",
                verb="PATCH",
                path=path_of("/api-keys/{}", key_id),
                body={
                    "name": name,
                    "limits": limits,
                    "allowed_ips": allowed_ips,
                    "expires_at": expires_at,
                },
                takes_key=True,
                exact={
                    "limits": {
                        "per_order": "amount",
                        "per_day": "amount",
                        "per_month": "amount",
                        "approval_above": "amount",
                    }
                },
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

    async def get_spend(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Spend:
        """Read what your API keys have spent and have left.

        A key reads itself; a session reads every active key, newest first. Days and months are in
        UTC. A refund counts for the day of the payment.
        """
        return await self._send(
            Call(
                operation="readSpend",
                verb="GET",
                path="/me/spend",
            ),
            options,
        )
