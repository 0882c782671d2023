# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class AuthDeviceResource(Resource):
    def create(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignIn:
        """Ask for a sign-in by another device.

        For the console's pages, with the header `Earnest-Console`. The codes are valid for 10 minutes
        and for one session.
        """
        return self._send(
            Call(
                operation="createDeviceSignIn",
                verb="POST",
                path="/auth/device",
                open=True,
                may_repeat=False,
            ),
            options,
        )

    def approve(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        passkey: types.PasskeyKey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeviceApproved:
        """Approve the sign-in of another device.

        The proof is a message of `POST /auth/device/nonce`, signed by the wallet. The device that the
        message names gets a session of the wallet's account. Approve a code only if you see it on a
        screen in front of you.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return self._send(
            Call(
                operation="approveDeviceSignIn",
                verb="POST",
                path="/auth/device/approval",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                    "passkey": passkey,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    def open_link(
        self,
        *,
        link_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceLink:
        """Read the code of a scanned link."""
        return self._send(
            Call(
                operation="openDeviceLink",
                verb="POST",
                path="/auth/device/link",
                body={
                    "link_code": link_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    def create_nonce(
        self,
        *,
        user_code: str,
        address: str,
        chain_id: int,
        options: RequestOptions | None = None,
    ) -> types.Nonce:
        """Create a message that approves the sign-in of another device.

        The message names the code and the device. It approves nothing else, and a message of `POST
        /auth/nonce` does not approve a device.

        Args:
            user_code: The code that the other device shows.
        """
        return self._send(
            Call(
                operation="createDeviceNonce",
                verb="POST",
                path="/auth/device/nonce",
                body={
                    "user_code": user_code,
                    "address": address,
                    "chain_id": chain_id,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    def refuse(
        self,
        *,
        user_code: str,
        options: RequestOptions | None = None,
    ) -> types.UserCode:
        """Refuse the sign-in of another device.

        Args:
            user_code: The code that the other device shows.
        """
        return self._send(
            Call(
                operation="refuseDeviceSignIn",
                verb="POST",
                path="/auth/device/refusal",
                body={
                    "user_code": user_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    def get(
        self,
        *,
        user_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignInRequest:
        """Read which device asks for a sign-in.

        Args:
            user_code: The code that the other device shows.
        """
        return self._send(
            Call(
                operation="readDeviceSignIn",
                verb="POST",
                path="/auth/device/request",
                body={
                    "user_code": user_code,
                },
                open=True,
            ),
            options,
        )

    def poll(
        self,
        *,
        device_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignInPoll:
        """Ask whether the other device approved.

        For the console's pages. Once the other device approved, the answer sets the session's cookie.
        """
        return self._send(
            Call(
                operation="pollDeviceSignIn",
                verb="POST",
                path="/auth/device/session",
                body={
                    "device_code": device_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )


class AuthResource(Resource):
    @property
    def device(self) -> AuthDeviceResource:
        return AuthDeviceResource(self._transport)

    def sign_out(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignOut:
        """End this session.

        In the console, the answer also removes the cookie.
        """
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
        passkey: types.PasskeyKey | Omitted = OMITTED,
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
                may_repeat=False,
            ),
            options,
        )


class AsyncAuthDeviceResource(AsyncResource):
    async def create(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignIn:
        """Ask for a sign-in by another device.

        For the console's pages, with the header `Earnest-Console`. The codes are valid for 10 minutes
        and for one session.
        """
        return await self._send(
            Call(
                operation="createDeviceSignIn",
                verb="POST",
                path="/auth/device",
                open=True,
                may_repeat=False,
            ),
            options,
        )

    async def approve(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        passkey: types.PasskeyKey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeviceApproved:
        """Approve the sign-in of another device.

        The proof is a message of `POST /auth/device/nonce`, signed by the wallet. The device that the
        message names gets a session of the wallet's account. Approve a code only if you see it on a
        screen in front of you.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return await self._send(
            Call(
                operation="approveDeviceSignIn",
                verb="POST",
                path="/auth/device/approval",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                    "passkey": passkey,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    async def open_link(
        self,
        *,
        link_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceLink:
        """Read the code of a scanned link."""
        return await self._send(
            Call(
                operation="openDeviceLink",
                verb="POST",
                path="/auth/device/link",
                body={
                    "link_code": link_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    async def create_nonce(
        self,
        *,
        user_code: str,
        address: str,
        chain_id: int,
        options: RequestOptions | None = None,
    ) -> types.Nonce:
        """Create a message that approves the sign-in of another device.

        The message names the code and the device. It approves nothing else, and a message of `POST
        /auth/nonce` does not approve a device.

        Args:
            user_code: The code that the other device shows.
        """
        return await self._send(
            Call(
                operation="createDeviceNonce",
                verb="POST",
                path="/auth/device/nonce",
                body={
                    "user_code": user_code,
                    "address": address,
                    "chain_id": chain_id,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    async def refuse(
        self,
        *,
        user_code: str,
        options: RequestOptions | None = None,
    ) -> types.UserCode:
        """Refuse the sign-in of another device.

        Args:
            user_code: The code that the other device shows.
        """
        return await self._send(
            Call(
                operation="refuseDeviceSignIn",
                verb="POST",
                path="/auth/device/refusal",
                body={
                    "user_code": user_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )

    async def get(
        self,
        *,
        user_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignInRequest:
        """Read which device asks for a sign-in.

        Args:
            user_code: The code that the other device shows.
        """
        return await self._send(
            Call(
                operation="readDeviceSignIn",
                verb="POST",
                path="/auth/device/request",
                body={
                    "user_code": user_code,
                },
                open=True,
            ),
            options,
        )

    async def poll(
        self,
        *,
        device_code: str,
        options: RequestOptions | None = None,
    ) -> types.DeviceSignInPoll:
        """Ask whether the other device approved.

        For the console's pages. Once the other device approved, the answer sets the session's cookie.
        """
        return await self._send(
            Call(
                operation="pollDeviceSignIn",
                verb="POST",
                path="/auth/device/session",
                body={
                    "device_code": device_code,
                },
                open=True,
                may_repeat=False,
            ),
            options,
        )


class AsyncAuthResource(AsyncResource):
    @property
    def device(self) -> AsyncAuthDeviceResource:
        return AsyncAuthDeviceResource(self._transport)

    async def sign_out(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.SignOut:
        """End this session.

        In the console, the answer also removes the cookie.
        """
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
        passkey: types.PasskeyKey | Omitted = OMITTED,
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
                may_repeat=False,
            ),
            options,
        )
