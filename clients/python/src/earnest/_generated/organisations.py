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

        Nothing is sent: the owner of the wallet signs in with it and finds the invitation at `GET
        /invitations`. The invitation is open for 14 days, as long as its sender may give the role. It
        replaces an open invitation to the same wallet.

        Args:
            chain_id: The chain of a contract wallet. Without it, only a key can answer.
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
        """List the invitations of an organisation.

        For owners and admins. Newest first, with answered invitations.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Revoke an invitation."""
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

        For every member. The founder first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Change the role of a member.

        The new role applies from the member's next request. Only owners can give or take the role of
        an owner. What the new role may not set ends: the member's open invitations to roles that the
        member may no longer give; for a developer or viewer, also the API keys and the mail address;
        for a viewer, also the webhook endpoints. The answer lists them.

        Args:
            revoke_keys: Whether to revoke the keys that the member created for the organisation. The
                default is true if the new role may not create keys. A member who gives up such a role
                cannot keep their own keys.
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
        """Remove a member, or leave an organisation.

        The member's rights end at once, and so do things that the member set for the organisation:
        open invitations, API keys, the mail address and webhook endpoints. The answer lists them, and
        the members whom the member invited. With `revoke_keys=false` the keys stay valid; members
        cannot choose this for themselves.

        Args:
            revoke_keys: Whether to revoke the keys that the member created for the organisation.
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

        Your own account first. To act for another organisation, send its id as `X-Organisation`.
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
        """Rename an organisation."""
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

        Nothing is sent: the owner of the wallet signs in with it and finds the invitation at `GET
        /invitations`. The invitation is open for 14 days, as long as its sender may give the role. It
        replaces an open invitation to the same wallet.

        Args:
            chain_id: The chain of a contract wallet. Without it, only a key can answer.
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
        """List the invitations of an organisation.

        For owners and admins. Newest first, with answered invitations.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Revoke an invitation."""
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

        For every member. The founder first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Change the role of a member.

        The new role applies from the member's next request. Only owners can give or take the role of
        an owner. What the new role may not set ends: the member's open invitations to roles that the
        member may no longer give; for a developer or viewer, also the API keys and the mail address;
        for a viewer, also the webhook endpoints. The answer lists them.

        Args:
            revoke_keys: Whether to revoke the keys that the member created for the organisation. The
                default is true if the new role may not create keys. A member who gives up such a role
                cannot keep their own keys.
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
        """Remove a member, or leave an organisation.

        The member's rights end at once, and so do things that the member set for the organisation:
        open invitations, API keys, the mail address and webhook endpoints. The answer lists them, and
        the members whom the member invited. With `revoke_keys=false` the keys stay valid; members
        cannot choose this for themselves.

        Args:
            revoke_keys: Whether to revoke the keys that the member created for the organisation.
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

        Your own account first. To act for another organisation, send its id as `X-Organisation`.
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
        """Rename an organisation."""
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
