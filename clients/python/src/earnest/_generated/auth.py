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
        """Create a message for a wallet to sign."""
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
        passkey: types.NamedPasskey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.SignIn:
        """Sign in with a signed message.

        The first attempt uses up the nonce, even if it fails. The first sign-in of a wallet creates
        its account. A key is the same wallet on every chain. A contract wallet (ERC-1271) is known on
        the chain that the message names; its address on another chain is another wallet.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
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
                    "passkey": passkey,
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
        """Create a message for a wallet to sign."""
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
        passkey: types.NamedPasskey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.SignIn:
        """Sign in with a signed message.

        The first attempt uses up the nonce, even if it fails. The first sign-in of a wallet creates
        its account. A key is the same wallet on every chain. A contract wallet (ERC-1271) is known on
        the chain that the message names; its address on another chain is another wallet.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
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
                    "passkey": passkey,
                },
                open=True,
                retries=False,
            ),
            options,
        )
