# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class ErasureResource(Resource):
    def request(
        self,
        *,
        confirm: str,
        options: RequestOptions | None = None,
    ) -> types.Erasure:
        """Request the erasure of your account's words and files.

        A worker begins after 3 days. Until then DELETE takes the request back. The account buys and
        sells nothing meanwhile.

        Args:
            confirm: The id of your account.
        """
        return self._send(
            Call(
                operation="requestErasure",
                verb="POST",
                path="/me/erasure",
                body={
                    "confirm": confirm,
                },
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Erasure:
        """Read the state of the newest erasure of your account."""
        return self._send(
            Call(
                operation="readErasure",
                verb="GET",
                path="/me/erasure",
            ),
            options,
        )

    def take_back(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ErasureTakenBack:
        """Take the request of an erasure back."""
        return self._send(
            Call(
                operation="takeBackErasure",
                verb="DELETE",
                path="/me/erasure",
                takes_key=True,
            ),
            options,
        )


class AsyncErasureResource(AsyncResource):
    async def request(
        self,
        *,
        confirm: str,
        options: RequestOptions | None = None,
    ) -> types.Erasure:
        """Request the erasure of your account's words and files.

        A worker begins after 3 days. Until then DELETE takes the request back. The account buys and
        sells nothing meanwhile.

        Args:
            confirm: The id of your account.
        """
        return await self._send(
            Call(
                operation="requestErasure",
                verb="POST",
                path="/me/erasure",
                body={
                    "confirm": confirm,
                },
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Erasure:
        """Read the state of the newest erasure of your account."""
        return await self._send(
            Call(
                operation="readErasure",
                verb="GET",
                path="/me/erasure",
            ),
            options,
        )

    async def take_back(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ErasureTakenBack:
        """Take the request of an erasure back."""
        return await self._send(
            Call(
                operation="takeBackErasure",
                verb="DELETE",
                path="/me/erasure",
                takes_key=True,
            ),
            options,
        )
