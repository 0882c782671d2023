# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class InvitationsResource(Resource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        organisation: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ReceivedInvitation, types.ReceivedInvitationPage]:
        """List the open invitations to your wallets, newest first.

        Anybody may invite anybody, once for each organisation. Use `organisation` to find the one
        that you expect.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            organisation: The id of the organisation.
        """
        return self._send_page(
            Call(
                operation="listReceivedInvitations",
                verb="GET",
                path="/invitations",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "organisation": organisation,
                },
            ),
            options,
        )

    def accept(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Join the organisation."""
        return self._send(
            Call(
                operation="acceptInvitation",
                verb="POST",
                path=path_of("/invitations/{}/accept", invitation_id),
                takes_key=True,
            ),
            options,
        )

    def decline(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Decline to join the organisation."""
        return self._send(
            Call(
                operation="declineInvitation",
                verb="POST",
                path=path_of("/invitations/{}/decline", invitation_id),
                takes_key=True,
            ),
            options,
        )


class AsyncInvitationsResource(AsyncResource):
    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        organisation: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ReceivedInvitation, types.ReceivedInvitationPage]:
        """List the open invitations to your wallets, newest first.

        Anybody may invite anybody, once for each organisation. Use `organisation` to find the one
        that you expect.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            organisation: The id of the organisation.
        """
        return self._send_page(
            Call(
                operation="listReceivedInvitations",
                verb="GET",
                path="/invitations",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "organisation": organisation,
                },
            ),
            options,
        )

    async def accept(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Join the organisation."""
        return await self._send(
            Call(
                operation="acceptInvitation",
                verb="POST",
                path=path_of("/invitations/{}/accept", invitation_id),
                takes_key=True,
            ),
            options,
        )

    async def decline(
        self,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Decline to join the organisation."""
        return await self._send(
            Call(
                operation="declineInvitation",
                verb="POST",
                path=path_of("/invitations/{}/decline", invitation_id),
                takes_key=True,
            ),
            options,
        )
