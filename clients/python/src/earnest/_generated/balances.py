# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class BalancesResource(Resource):
    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Balances:
        """Read the money in your wallets and in escrow.

        The balances of the primary wallet and of the oldest other wallets, at most 10: an entry for
        each wallet, served chain and token of the chain. The default chain is the first. Balances
        come from the chain's node and are at most a second old. A chain that does not answer delays
        no other chain. The amounts in escrow follow the confirmed events of the chain. Deposits are
        those of your newest 100 orders of 90 days.

        A key needs `subscriptions:read`.
        """
        return self._send(
            Call(
                operation="readBalances",
                verb="GET",
                path="/balances",
            ),
            options,
        )


class AsyncBalancesResource(AsyncResource):
    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Balances:
        """Read the money in your wallets and in escrow.

        The balances of the primary wallet and of the oldest other wallets, at most 10: an entry for
        each wallet, served chain and token of the chain. The default chain is the first. Balances
        come from the chain's node and are at most a second old. A chain that does not answer delays
        no other chain. The amounts in escrow follow the confirmed events of the chain. Deposits are
        those of your newest 100 orders of 90 days.

        A key needs `subscriptions:read`.
        """
        return await self._send(
            Call(
                operation="readBalances",
                verb="GET",
                path="/balances",
            ),
            options,
        )
