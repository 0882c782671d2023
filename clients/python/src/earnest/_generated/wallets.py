# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
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
        passkey: types.PasskeyKey | Omitted = OMITTED,
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
                    "passkey": passkey,
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

    def deploy(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AccountDeployment:
        """Deploy a passkey account.

        The escrow accepts signatures of deployed accounts only. A payment deploys its payer's
        account; a provider's account needs this before its first delivery record. The service pays
        the gas once one of your orders is funded.
        """
        return self._send(
            Call(
                operation="deployPasskeyAccount",
                verb="POST",
                path=path_of("/auth/me/wallets/{}/deployment", wallet_id),
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

    def get_transfer_to_sign(
        self,
        wallet_id: str,
        *,
        to: str,
        amount: types.AmountInput,
        token: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.TransferToSign:
        """Read what a passkey signs to move tokens out of its account.

        Args:
            token: A token of the wallet's chain; its default token unless given.
        """
        return self._send(
            Call(
                operation="readTransferToSign",
                verb="GET",
                path=path_of("/auth/me/wallets/{}/transfer", wallet_id),
                query={
                    "to": to,
                    "amount": amount,
                    "token": token,
                },
                exact={"amount": "amount"},
            ),
            options,
        )

    def transfer(
        self,
        wallet_id: str,
        *,
        to: str,
        amount: types.AmountInput,
        nonce: types.Uint256,
        deadline: types.Uint256,
        signature: str,
        token: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Move tokens out of a passkey account.

        Takes the passkey's signature of the transfer and sends it. The service pays the gas. The
        account is deployed with it if it does not exist. A repeated request gets the same relay.

        Args:
            token: A token of the wallet's chain; its default token unless given.
            nonce: The account's next nonce.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
        """
        return self._send(
            Call(
                operation="sendTransfer",
                verb="POST",
                path=path_of("/auth/me/wallets/{}/transfer", wallet_id),
                body={
                    "to": to,
                    "amount": amount,
                    "token": token,
                    "nonce": nonce,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"amount": "amount", "nonce": "uint256", "deadline": "uint256"},
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
        passkey: types.PasskeyKey | Omitted = OMITTED,
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
                    "passkey": passkey,
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

    async def deploy(
        self,
        wallet_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AccountDeployment:
        """Deploy a passkey account.

        The escrow accepts signatures of deployed accounts only. A payment deploys its payer's
        account; a provider's account needs this before its first delivery record. The service pays
        the gas once one of your orders is funded.
        """
        return await self._send(
            Call(
                operation="deployPasskeyAccount",
                verb="POST",
                path=path_of("/auth/me/wallets/{}/deployment", wallet_id),
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

    async def get_transfer_to_sign(
        self,
        wallet_id: str,
        *,
        to: str,
        amount: types.AmountInput,
        token: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.TransferToSign:
        """Read what a passkey signs to move tokens out of its account.

        Args:
            token: A token of the wallet's chain; its default token unless given.
        """
        return await self._send(
            Call(
                operation="readTransferToSign",
                verb="GET",
                path=path_of("/auth/me/wallets/{}/transfer", wallet_id),
                query={
                    "to": to,
                    "amount": amount,
                    "token": token,
                },
                exact={"amount": "amount"},
            ),
            options,
        )

    async def transfer(
        self,
        wallet_id: str,
        *,
        to: str,
        amount: types.AmountInput,
        nonce: types.Uint256,
        deadline: types.Uint256,
        signature: str,
        token: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RelayAnswer:
        """Move tokens out of a passkey account.

        Takes the passkey's signature of the transfer and sends it. The service pays the gas. The
        account is deployed with it if it does not exist. A repeated request gets the same relay.

        Args:
            token: A token of the wallet's chain; its default token unless given.
            nonce: The account's next nonce.
            deadline: The `deadline` of the signed typed data, in unix seconds.
            signature: The wallet's signature of the typed data, in 0x-hex.
        """
        return await self._send(
            Call(
                operation="sendTransfer",
                verb="POST",
                path=path_of("/auth/me/wallets/{}/transfer", wallet_id),
                body={
                    "to": to,
                    "amount": amount,
                    "token": token,
                    "nonce": nonce,
                    "deadline": deadline,
                    "signature": signature,
                },
                takes_key=True,
                exact={"amount": "amount", "nonce": "uint256", "deadline": "uint256"},
            ),
            options,
        )
