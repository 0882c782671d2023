// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Invitation, ReceivedInvitation, ReceivedInvitationPage } from "../types.ts";

export interface InvitationsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** The id of the organisation. */
  organisation?: string;
}

export class InvitationsResource extends ResourceBase {
  /**
   * List the open invitations to your wallets, newest first. Anybody may invite anybody, once for each
   * organisation. Use `organisation` to find the one that you expect.
   */
  list(
    query?: InvitationsListQuery,
    options?: RequestOptions,
  ): PagePromise<ReceivedInvitation, ReceivedInvitationPage> {
    return this.sendPage(
      { operation: "listReceivedInvitations", verb: "GET", path: "/invitations", query },
      options,
    );
  }

  /** Join the organisation. */
  accept(invitationId: string, options?: RequestOptions): Answer<Invitation> {
    return this.send(
      {
        operation: "acceptInvitation",
        verb: "POST",
        path: path`/invitations/${invitationId}/accept`,
        takesKey: true,
      },
      options,
    );
  }

  /** Decline to join the organisation. */
  decline(invitationId: string, options?: RequestOptions): Answer<Invitation> {
    return this.send(
      {
        operation: "declineInvitation",
        verb: "POST",
        path: path`/invitations/${invitationId}/decline`,
        takesKey: true,
      },
      options,
    );
  }
}
