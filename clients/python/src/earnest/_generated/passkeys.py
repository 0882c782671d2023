# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class PasskeysResource(Resource):
    def find(
        self,
        *,
        addresses: str,
        options: RequestOptions | None = None,
    ) -> types.PasskeyList:
        """Find the accounts that belong to passkeys.

        A signature of a passkey fits two public keys, or rarely more. Compute the account of each:
        the one that is found has signed in here.

        Args:
            addresses: The accounts to look for, with commas between them: at most 4.
        """
        return self._send(
            Call(
                operation="findPasskeys",
                verb="GET",
                path="/passkeys",
                query={
                    "addresses": addresses,
                },
                open=True,
            ),
            options,
        )


class AsyncPasskeysResource(AsyncResource):
    async def find(
        self,
        *,
        addresses: str,
        options: RequestOptions | None = None,
    ) -> types.PasskeyList:
        """Find the accounts that belong to passkeys.

        A signature of a passkey fits two public keys, or rarely more. Compute the account of each:
        the one that is found has signed in here.

        Args:
            addresses: The accounts to look for, with commas between them: at most 4.
        """
        return await self._send(
            Call(
                operation="findPasskeys",
                verb="GET",
                path="/passkeys",
                query={
                    "addresses": addresses,
                },
                open=True,
            ),
            options,
        )
