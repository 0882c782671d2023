# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class OrganisationsInvitationsResource(Resource):
    def create(
        self,
        organisation_id: str,
        *,
        address: str,
        role: types.OrganisationRole,
        chain_id: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Invite a wallet into an organisation.

        Nothing is sent: whoever signs in with the wallet finds it at `GET /invitations`. It stands
        for 14 days, while whoever invited may give the role, and takes the place of an open one to
        the same wallet.

        Args:
            chain_id: Where the wallet is a contract: its chain. Without it a key alone can answer.
        """
        return self._send(
            Call(
                operation="inviteMember",
                verb="POST",
                path=path_of("/organisations/{}/invitations", organisation_id),
                body={
                    "address": address,
                    "chain_id": chain_id,
                    "role": role,
                },
                takes_key=True,
            ),
            options,
        )

    def list(
        self,
        organisation_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Invitation, types.InvitationPage]:
        """List an organisation's invitations, newest first.

        To its owners and admins, the answered ones included.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listInvitations",
                verb="GET",
                path=path_of("/organisations/{}/invitations", organisation_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def revoke(
        self,
        organisation_id: str,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Take an invitation back."""
        return self._send(
            Call(
                operation="revokeInvitation",
                verb="DELETE",
                path=path_of("/organisations/{}/invitations/{}", organisation_id, invitation_id),
                takes_key=True,
            ),
            options,
        )


class OrganisationsMembersResource(Resource):
    def list(
        self,
        organisation_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Member, types.MemberPage]:
        """List an organisation's members.

        To every member. Its founder first.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listMembers",
                verb="GET",
                path=path_of("/organisations/{}/members", organisation_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def set_role(
        self,
        organisation_id: str,
        account_id: str,
        *,
        role: types.OrganisationRole,
        revoke_keys: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.ChangedMember:
        """Give a member another role.

        It holds from the member's next request. Only owners make owners, or make them less. What they
        set ends where they may not set it now, and the answer names it: invitations to roles that
        they may not give, and of who is neither owner nor admin the keys and the address for mail; of
        a viewer the webhook endpoints too.

        Args:
            revoke_keys: Whether the keys that they made for the organisation are revoked; unless
                given, where the new role makes no keys. Nobody keeps their own.
        """
        return self._send(
            Call(
                operation="setMemberRole",
                verb="PUT",
                path=path_of("/organisations/{}/members/{}", organisation_id, account_id),
                body={
                    "role": role,
                    "revoke_keys": revoke_keys,
                },
                takes_key=True,
            ),
            options,
        )

    def remove(
        self,
        organisation_id: str,
        account_id: str,
        *,
        revoke_keys: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RemovedMember:
        """Remove a member, or leave.

        What they may do ends at once, and so does what they set for the organisation: open
        invitations, API keys, the address for mail, webhook endpoints. The answer names it, and the
        members whom they let in. With `revoke_keys=false` the keys stand, which nobody asks for their
        own.

        Args:
            revoke_keys: Whether the keys that they made for the organisation are revoked as well.
                Unless given: `true`.
        """
        return self._send(
            Call(
                operation="removeMember",
                verb="DELETE",
                path=path_of("/organisations/{}/members/{}", organisation_id, account_id),
                query={
                    "revoke_keys": revoke_keys,
                },
                takes_key=True,
            ),
            options,
        )


class OrganisationsResource(Resource):
    @property
    def invitations(self) -> OrganisationsInvitationsResource:
        return OrganisationsInvitationsResource(self._transport)

    @property
    def members(self) -> OrganisationsMembersResource:
        return OrganisationsMembersResource(self._transport)

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Organisations:
        """List the organisations that you may act for.

        Your own account first. To act for another one, send its id as `X-Organisation`.
        """
        return self._send(
            Call(
                operation="listOrganisations",
                verb="GET",
                path="/organisations",
            ),
            options,
        )

    def rename(
        self,
        organisation_id: str,
        *,
        name: str | None,
        options: RequestOptions | None = None,
    ) -> types.Organisation:
        """Name an organisation."""
        return self._send(
            Call(
                operation="renameOrganisation",
                verb="PATCH",
                path=path_of("/organisations/{}", organisation_id),
                body={
                    "name": name,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncOrganisationsInvitationsResource(AsyncResource):
    async def create(
        self,
        organisation_id: str,
        *,
        address: str,
        role: types.OrganisationRole,
        chain_id: int | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Invite a wallet into an organisation.

        Nothing is sent: whoever signs in with the wallet finds it at `GET /invitations`. It stands
        for 14 days, while whoever invited may give the role, and takes the place of an open one to
        the same wallet.

        Args:
            chain_id: Where the wallet is a contract: its chain. Without it a key alone can answer.
        """
        return await self._send(
            Call(
                operation="inviteMember",
                verb="POST",
                path=path_of("/organisations/{}/invitations", organisation_id),
                body={
                    "address": address,
                    "chain_id": chain_id,
                    "role": role,
                },
                takes_key=True,
            ),
            options,
        )

    def list(
        self,
        organisation_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Invitation, types.InvitationPage]:
        """List an organisation's invitations, newest first.

        To its owners and admins, the answered ones included.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listInvitations",
                verb="GET",
                path=path_of("/organisations/{}/invitations", organisation_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def revoke(
        self,
        organisation_id: str,
        invitation_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Invitation:
        """Take an invitation back."""
        return await self._send(
            Call(
                operation="revokeInvitation",
                verb="DELETE",
                path=path_of("/organisations/{}/invitations/{}", organisation_id, invitation_id),
                takes_key=True,
            ),
            options,
        )


class AsyncOrganisationsMembersResource(AsyncResource):
    def list(
        self,
        organisation_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Member, types.MemberPage]:
        """List an organisation's members.

        To every member. Its founder first.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listMembers",
                verb="GET",
                path=path_of("/organisations/{}/members", organisation_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def set_role(
        self,
        organisation_id: str,
        account_id: str,
        *,
        role: types.OrganisationRole,
        revoke_keys: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.ChangedMember:
        """Give a member another role.

        It holds from the member's next request. Only owners make owners, or make them less. What they
        set ends where they may not set it now, and the answer names it: invitations to roles that
        they may not give, and of who is neither owner nor admin the keys and the address for mail; of
        a viewer the webhook endpoints too.

        Args:
            revoke_keys: Whether the keys that they made for the organisation are revoked; unless
                given, where the new role makes no keys. Nobody keeps their own.
        """
        return await self._send(
            Call(
                operation="setMemberRole",
                verb="PUT",
                path=path_of("/organisations/{}/members/{}", organisation_id, account_id),
                body={
                    "role": role,
                    "revoke_keys": revoke_keys,
                },
                takes_key=True,
            ),
            options,
        )

    async def remove(
        self,
        organisation_id: str,
        account_id: str,
        *,
        revoke_keys: bool | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.RemovedMember:
        """Remove a member, or leave.

        What they may do ends at once, and so does what they set for the organisation: open
        invitations, API keys, the address for mail, webhook endpoints. The answer names it, and the
        members whom they let in. With `revoke_keys=false` the keys stand, which nobody asks for their
        own.

        Args:
            revoke_keys: Whether the keys that they made for the organisation are revoked as well.
                Unless given: `true`.
        """
        return await self._send(
            Call(
                operation="removeMember",
                verb="DELETE",
                path=path_of("/organisations/{}/members/{}", organisation_id, account_id),
                query={
                    "revoke_keys": revoke_keys,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncOrganisationsResource(AsyncResource):
    @property
    def invitations(self) -> AsyncOrganisationsInvitationsResource:
        return AsyncOrganisationsInvitationsResource(self._transport)

    @property
    def members(self) -> AsyncOrganisationsMembersResource:
        return AsyncOrganisationsMembersResource(self._transport)

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Organisations:
        """List the organisations that you may act for.

        Your own account first. To act for another one, send its id as `X-Organisation`.
        """
        return await self._send(
            Call(
                operation="listOrganisations",
                verb="GET",
                path="/organisations",
            ),
            options,
        )

    async def rename(
        self,
        organisation_id: str,
        *,
        name: str | None,
        options: RequestOptions | None = None,
    ) -> types.Organisation:
        """Name an organisation."""
        return await self._send(
            Call(
                operation="renameOrganisation",
                verb="PATCH",
                path=path_of("/organisations/{}", organisation_id),
                body={
                    "name": name,
                },
                takes_key=True,
            ),
            options,
        )
