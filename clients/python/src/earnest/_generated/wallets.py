# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions, path_of
from .._core.resource import AsyncResource, Resource
from . import types


class WalletsResource(Resource):
    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Wallets:
        """List your verified wallets."""
        return self._send(
            Call(
                operation="listWallets",
                verb="GET",
                path="/auth/me/wallets",
            ),
            options,
        )

    def add(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.Wallet:
        """Add a wallet to your account.

        The proof is a message of `POST /auth/nonce` with the purpose `link_wallet`, made in a session
        of this account and signed by the wallet. The wallet may then sign in, receive payments and
        place orders for the account.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return self._send(
            Call(
                operation="addWallet",
                verb="POST",
                path="/auth/me/wallets",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    def remove(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.RemovedWallet:
        """Remove a wallet from your account.

        The primary wallet and payout wallets cannot be removed. Sessions of the wallet end. Its
        orders continue, and the contract still allows the wallet what it allowed before.
        """
        return self._send(
            Call(
                operation="removeWallet",
                verb="DELETE",
                path=path_of("/auth/me/wallets/{}", wallet_id),
                takes_key=True,
            ),
            options,
        )

    def make_primary(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Wallet:
        """Make a wallet your primary one.

        The primary wallet is the buyer's wallet of orders that name none.
        """
        return self._send(
            Call(
                operation="makeWalletPrimary",
                verb="PUT",
                path=path_of("/auth/me/wallets/{}/primary", wallet_id),
                takes_key=True,
            ),
            options,
        )


class AsyncWalletsResource(AsyncResource):
    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Wallets:
        """List your verified wallets."""
        return await self._send(
            Call(
                operation="listWallets",
                verb="GET",
                path="/auth/me/wallets",
            ),
            options,
        )

    async def add(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.Wallet:
        """Add a wallet to your account.

        The proof is a message of `POST /auth/nonce` with the purpose `link_wallet`, made in a session
        of this account and signed by the wallet. The wallet may then sign in, receive payments and
        place orders for the account.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return await self._send(
            Call(
                operation="addWallet",
                verb="POST",
                path="/auth/me/wallets",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                },
                takes_key=True,
            ),
            options,
        )

    async def remove(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.RemovedWallet:
        """Remove a wallet from your account.

        The primary wallet and payout wallets cannot be removed. Sessions of the wallet end. Its
        orders continue, and the contract still allows the wallet what it allowed before.
        """
        return await self._send(
            Call(
                operation="removeWallet",
                verb="DELETE",
                path=path_of("/auth/me/wallets/{}", wallet_id),
                takes_key=True,
            ),
            options,
        )

    async def make_primary(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Wallet:
        """Make a wallet your primary one.

        The primary wallet is the buyer's wallet of orders that name none.
        """
        return await self._send(
            Call(
                operation="makeWalletPrimary",
                verb="PUT",
                path=path_of("/auth/me/wallets/{}/primary", wallet_id),
                takes_key=True,
            ),
            options,
        )
