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
        """Read the state of the default chain and its index.

        A value that cannot be determined now is null. `GET /chains` describes every chain.
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

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ChainList:
        """List the chains, their tokens and their state.

        The chains on which orders can settle. One chain that does not answer delays no order on
        another.
        """
        return self._send(
            Call(
                operation="listChains",
                verb="GET",
                path="/chains",
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
        """Read the state of the default chain and its index.

        A value that cannot be determined now is null. `GET /chains` describes every chain.
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

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.ChainList:
        """List the chains, their tokens and their state.

        The chains on which orders can settle. One chain that does not answer delays no order on
        another.
        """
        return await self._send(
            Call(
                operation="listChains",
                verb="GET",
                path="/chains",
                open=True,
            ),
            options,
        )
