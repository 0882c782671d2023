# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class AuthResource(Resource):
    def sign_out(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignOut:
        """End this session."""
        return self._send(
            Call(
                operation="signOut",
                verb="POST",
                path="/auth/logout",
                takes_key=True,
            ),
            options,
        )

    def create_nonce(
        self,
        *,
        address: str,
        chain_id: int,
        purpose: types.NoncePurpose | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Nonce:
        """Ask for a message to be signed by a wallet."""
        return self._send(
            Call(
                operation="createNonce",
                verb="POST",
                path="/auth/nonce",
                body={
                    "address": address,
                    "chain_id": chain_id,
                    "purpose": purpose,
                },
                takes_key=True,
            ),
            options,
        )

    def sign_in(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.SignIn:
        """Sign in with a signed message.

        The nonce is used up by the first attempt, whatever comes of it. The first sign-in of a wallet
        makes its account. A key is known on every chain; a contract (ERC-1271) on the chain that the
        message names, and its address elsewhere is another wallet.

        Args:
            message: As `POST /auth/nonce` gave it, to the letter.
            signature: Of the message by the wallet (EIP-191), or as its contract takes it (ERC-1271).
        """
        return self._send(
            Call(
                operation="signIn",
                verb="POST",
                path="/auth/signin",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                },
                open=True,
                retries=False,
            ),
            options,
        )


class AsyncAuthResource(AsyncResource):
    async def sign_out(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignOut:
        """End this session."""
        return await self._send(
            Call(
                operation="signOut",
                verb="POST",
                path="/auth/logout",
                takes_key=True,
            ),
            options,
        )

    async def create_nonce(
        self,
        *,
        address: str,
        chain_id: int,
        purpose: types.NoncePurpose | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Nonce:
        """Ask for a message to be signed by a wallet."""
        return await self._send(
            Call(
                operation="createNonce",
                verb="POST",
                path="/auth/nonce",
                body={
                    "address": address,
                    "chain_id": chain_id,
                    "purpose": purpose,
                },
                takes_key=True,
            ),
            options,
        )

    async def sign_in(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        options: RequestOptions | None = None,
    ) -> types.SignIn:
        """Sign in with a signed message.

        The nonce is used up by the first attempt, whatever comes of it. The first sign-in of a wallet
        makes its account. A key is known on every chain; a contract (ERC-1271) on the chain that the
        message names, and its address elsewhere is another wallet.

        Args:
            message: As `POST /auth/nonce` gave it, to the letter.
            signature: Of the message by the wallet (EIP-191), or as its contract takes it (ERC-1271).
        """
        return await self._send(
            Call(
                operation="signIn",
                verb="POST",
                path="/auth/signin",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                },
                open=True,
                retries=False,
            ),
            options,
        )
