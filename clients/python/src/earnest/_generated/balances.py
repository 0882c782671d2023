# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class BalancesPayoutsResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.RefusedPayoutStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.RefusedPayout, types.RefusedPayoutPage]:
        """List your payouts that a token refused, newest first.

        A token refuses a payout if it is paused or blocks the recipient. The escrow ends all the
        same, and the contract owes the amount.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listRefusedPayouts",
                verb="GET",
                path="/balances/payouts",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )


class BalancesResource(Resource):
    @property
    def payouts(self) -> BalancesPayoutsResource:
        return BalancesPayoutsResource(self._transport)

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


class AsyncBalancesPayoutsResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.RefusedPayoutStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.RefusedPayout, types.RefusedPayoutPage]:
        """List your payouts that a token refused, newest first.

        A token refuses a payout if it is paused or blocks the recipient. The escrow ends all the
        same, and the contract owes the amount.

        A key needs `subscriptions:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listRefusedPayouts",
                verb="GET",
                path="/balances/payouts",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )


class AsyncBalancesResource(AsyncResource):
    @property
    def payouts(self) -> AsyncBalancesPayoutsResource:
        return AsyncBalancesPayoutsResource(self._transport)

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
