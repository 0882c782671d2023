# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions, path_of
from .._core.resource import AsyncResource, Resource
from . import types


class PasskeysResource(Resource):
    def get(
        self,
        credential_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Passkey:
        """Read the public key of a passkey.

        A passkey is known from its first sign-in on. Compare the key with a signature of the passkey
        before use.
        """
        return self._send(
            Call(
                operation="readPasskey",
                verb="GET",
                path=path_of("/passkeys/{}", credential_id),
                open=True,
            ),
            options,
        )


class AsyncPasskeysResource(AsyncResource):
    async def get(
        self,
        credential_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Passkey:
        """Read the public key of a passkey.

        A passkey is known from its first sign-in on. Compare the key with a signature of the passkey
        before use.
        """
        return await self._send(
            Call(
                operation="readPasskey",
                verb="GET",
                path=path_of("/passkeys/{}", credential_id),
                open=True,
            ),
            options,
        )
