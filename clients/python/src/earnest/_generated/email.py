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
        """Read the mail setting of this account."""
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
        language: types.MailLanguage | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Set the mail address and events of this account.

        A new address gets one message with a link, which is valid for one use within a day. No other
        mail is sent until the address is confirmed. Send the same address again to get another link.
        At most five links a day are sent for an account, and three to an address.

        Args:
            events: Event types, or `*` for all.
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
                    "language": language,
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
        """Remove the mail address."""
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
        """Confirm a mail address by the token of its message.

        The page that the message links to does the same without a session.

        Args:
            token: The part of the link after `token=`.
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
        """Read the mail setting of this account."""
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
        language: types.MailLanguage | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.MailSetting:
        """Set the mail address and events of this account.

        A new address gets one message with a link, which is valid for one use within a day. No other
        mail is sent until the address is confirmed. Send the same address again to get another link.
        At most five links a day are sent for an account, and three to an address.

        Args:
            events: Event types, or `*` for all.
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
                    "language": language,
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
        """Remove the mail address."""
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
        """Confirm a mail address by the token of its message.

        The page that the message links to does the same without a session.

        Args:
            token: The part of the link after `token=`.
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
