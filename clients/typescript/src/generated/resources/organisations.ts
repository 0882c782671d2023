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
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export class OrganisationsInvitationsResource extends ResourceBase {
  /**
   * Invite a wallet into an organisation. Nothing is sent: whoever signs in with the wallet finds it at `GET
   * /invitations`. It stands for 14 days, while whoever invited may give the role, and takes the place of an
   * open one to the same wallet.
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

  /** List an organisation's invitations, newest first. To its owners and admins, the answered ones included. */
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

  /** Take an invitation back. */
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
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export interface OrganisationsMembersRemoveQuery {
  /** Whether the keys that they made for the organisation are revoked as well. Unless given: `true`. */
  revoke_keys?: boolean;
}

export class OrganisationsMembersResource extends ResourceBase {
  /** List an organisation's members. To every member. Its founder first. */
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
   * Give a member another role. It holds from the member's next request. Only owners make owners, or make
   * them less. What they set ends where they may not set it now, and the answer names it: invitations to
   * roles that they may not give, and of who is neither owner nor admin the keys and the address for mail;
   * of a viewer the webhook endpoints too.
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
   * Remove a member, or leave. What they may do ends at once, and so does what they set for the
   * organisation: open invitations, API keys, the address for mail, webhook endpoints. The answer names it,
   * and the members whom they let in. With `revoke_keys=false` the keys stand, which nobody asks for their
   * own.
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
   * List the organisations that you may act for. Your own account first. To act for another one, send its id
   * as `X-Organisation`.
   */
  list(options?: RequestOptions): Answer<Organisations> {
    return this.send({ operation: "listOrganisations", verb: "GET", path: "/organisations" }, options);
  }

  /** Name an organisation. */
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
