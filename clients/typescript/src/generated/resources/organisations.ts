// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  ChangedMember,
  Invitation,
  InvitationPage,
  InvitationRequest,
  Member,
  MemberPage,
  Organisation,
  OrganisationChange,
  Organisations,
  RemovedMember,
  RoleRequest,
} from "../types.ts";

export interface OrganisationsInvitationsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class OrganisationsInvitationsResource extends ResourceBase {
  /**
   * Invite a wallet into an organisation. Nothing is sent: the owner of the wallet signs in with it and
   * finds the invitation at `GET /invitations`. The invitation is open for 14 days, as long as its sender
   * may give the role. It replaces an open invitation to the same wallet.
   */
  create(organisationId: string, body: InvitationRequest, options?: RequestOptions): Answer<Invitation> {
    return this.send(
      {
        operation: "inviteMember",
        verb: "POST",
        path: path`/organisations/${organisationId}/invitations`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /** List the invitations of an organisation. For owners and admins. Newest first, with answered invitations. */
  list(
    organisationId: string,
    query?: OrganisationsInvitationsListQuery,
    options?: RequestOptions,
  ): PagePromise<Invitation, InvitationPage> {
    return this.sendPage(
      {
        operation: "listInvitations",
        verb: "GET",
        path: path`/organisations/${organisationId}/invitations`,
        query,
      },
      options,
    );
  }

  /** Revoke an invitation. */
  revoke(organisationId: string, invitationId: string, options?: RequestOptions): Answer<Invitation> {
    return this.send(
      {
        operation: "revokeInvitation",
        verb: "DELETE",
        path: path`/organisations/${organisationId}/invitations/${invitationId}`,
        takesKey: true,
      },
      options,
    );
  }
}

export interface OrganisationsMembersListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export interface OrganisationsMembersRemoveQuery {
  /** Whether to revoke the keys that the member created for the organisation. Unless given: `true`. */
  revoke_keys?: boolean;
}

export class OrganisationsMembersResource extends ResourceBase {
  /** List an organisation's members. For every member. The founder first. */
  list(
    organisationId: string,
    query?: OrganisationsMembersListQuery,
    options?: RequestOptions,
  ): PagePromise<Member, MemberPage> {
    return this.sendPage(
      { operation: "listMembers", verb: "GET", path: path`/organisations/${organisationId}/members`, query },
      options,
    );
  }

  /**
   * Change the role of a member. The new role applies from the member's next request. Only owners can give
   * or take the role of an owner. What the new role may not set ends: the member's open invitations to roles
   * that the member may no longer give; for a developer or viewer, also the API keys and the mail address;
   * for a viewer, also the webhook endpoints. The answer lists them.
   */
  setRole(
    organisationId: string,
    accountId: string,
    body: RoleRequest,
    options?: RequestOptions,
  ): Answer<ChangedMember> {
    return this.send(
      {
        operation: "setMemberRole",
        verb: "PUT",
        path: path`/organisations/${organisationId}/members/${accountId}`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Remove a member, or leave an organisation. The member's rights end at once, and so do things that the
   * member set for the organisation: open invitations, API keys, the mail address and webhook endpoints. The
   * answer lists them, and the members whom the member invited. With `revoke_keys=false` the keys stay
   * valid; members cannot choose this for themselves.
   */
  remove(
    organisationId: string,
    accountId: string,
    query?: OrganisationsMembersRemoveQuery,
    options?: RequestOptions,
  ): Answer<RemovedMember> {
    return this.send(
      {
        operation: "removeMember",
        verb: "DELETE",
        path: path`/organisations/${organisationId}/members/${accountId}`,
        query,
        takesKey: true,
      },
      options,
    );
  }
}

export class OrganisationsResource extends ResourceBase {
  readonly invitations = new OrganisationsInvitationsResource(this.transport);

  readonly members = new OrganisationsMembersResource(this.transport);

  /**
   * List the organisations that you may act for. Your own account first. To act for another organisation,
   * send its id as `X-Organisation`.
   */
  list(options?: RequestOptions): Answer<Organisations> {
    return this.send({ operation: "listOrganisations", verb: "GET", path: "/organisations" }, options);
  }

  /** Rename an organisation. */
  rename(organisationId: string, body: OrganisationChange, options?: RequestOptions): Answer<Organisation> {
    return this.send(
      {
        operation: "renameOrganisation",
        verb: "PATCH",
        path: path`/organisations/${organisationId}`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
