# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class EmailResource(Resource):
    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Read where this account gets mail of its events."""
        return self._send(
            Call(
                operation="readMail",
                verb="GET",
                path="/me/email",
            ),
            options,
        )

    def set(
        self,
        *,
        address: str,
        events: Sequence[types.MailEventChoice],
        mode: types.MailMode | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Set where this account gets mail of its events, and of which.

        A new address gets one message with a link that is good for a day and once. Until it is
        confirmed it gets nothing else. The same address may be sent again to get another link; five
        are sent of an account within a day, and three to an address.

        Args:
            events: Types, or `*` for all of them.
        """
        return self._send(
            Call(
                operation="setMail",
                verb="PUT",
                path="/me/email",
                body={
                    "address": address,
                    "events": events,
                    "mode": mode,
                },
                takes_key=True,
            ),
            options,
        )

    def remove(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.MailRemoved:
        """Forget the address: no more mail."""
        return self._send(
            Call(
                operation="removeMail",
                verb="DELETE",
                path="/me/email",
                takes_key=True,
            ),
            options,
        )

    def verify(
        self,
        *,
        token: str,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Confirm an address by the token of its message.

        The page that the message links to does the same without a sign-in.

        Args:
            token: What follows `token=` in the link.
        """
        return self._send(
            Call(
                operation="verifyMail",
                verb="POST",
                path="/me/email/verify",
                body={
                    "token": token,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncEmailResource(AsyncResource):
    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Read where this account gets mail of its events."""
        return await self._send(
            Call(
                operation="readMail",
                verb="GET",
                path="/me/email",
            ),
            options,
        )

    async def set(
        self,
        *,
        address: str,
        events: Sequence[types.MailEventChoice],
        mode: types.MailMode | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Set where this account gets mail of its events, and of which.

        A new address gets one message with a link that is good for a day and once. Until it is
        confirmed it gets nothing else. The same address may be sent again to get another link; five
        are sent of an account within a day, and three to an address.

        Args:
            events: Types, or `*` for all of them.
        """
        return await self._send(
            Call(
                operation="setMail",
                verb="PUT",
                path="/me/email",
                body={
                    "address": address,
                    "events": events,
                    "mode": mode,
                },
                takes_key=True,
            ),
            options,
        )

    async def remove(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.MailRemoved:
        """Forget the address: no more mail."""
        return await self._send(
            Call(
                operation="removeMail",
                verb="DELETE",
                path="/me/email",
                takes_key=True,
            ),
            options,
        )

    async def verify(
        self,
        *,
        token: str,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Confirm an address by the token of its message.

        The page that the message links to does the same without a sign-in.

        Args:
            token: What follows `token=` in the link.
        """
        return await self._send(
            Call(
                operation="verifyMail",
                verb="POST",
                path="/me/email/verify",
                body={
                    "token": token,
                },
                takes_key=True,
            ),
            options,
        )
