# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class ChainResource(Resource):
    def get_status(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ChainStatus:
        """Read the state of the chain and its index.

        A value that cannot be determined now is null.
        """
        return self._send(
            Call(
                operation="readChainStatus",
                verb="GET",
                path="/chain/status",
                open=True,
            ),
            options,
        )


class AsyncChainResource(AsyncResource):
    async def get_status(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ChainStatus:
        """Read the state of the chain and its index.

        A value that cannot be determined now is null.
        """
        return await self._send(
            Call(
                operation="readChainStatus",
                verb="GET",
                path="/chain/status",
                open=True,
            ),
            options,
        )
