// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Notification, NotificationPage, NotificationsToRead, UnreadNotifications } from "../types.ts";

export interface NotificationsListQuery {
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** Only unread notifications. Unless given: `false`. */
  unread?: boolean;
}

export class NotificationsResource extends ResourceBase {
  /**
   * List what happened to your account, newest first. The events of 30 days that concern a person: acts of
   * other parties, of the chain and of the service. Your own acts, starts of work and delivery records are
   * in `GET /events` alone. Each member of an organisation has a read state. A key has the read state of the
   * person who created the key. A key needs `webhooks:read`.
   */
  list(
    query?: NotificationsListQuery,
    options?: RequestOptions,
  ): PagePromise<Notification, NotificationPage> {
    return this.sendPage(
      { operation: "listNotifications", verb: "GET", path: "/notifications", query },
      options,
    );
  }

  /**
   * Mark notifications as read. Marks the notifications of `ids`, or the notification `up_to` and all older
   * ones. The request changes your own read state alone. Ids of other accounts change nothing. A key needs
   * `webhooks:read`.
   */
  markRead(body: NotificationsToRead, options?: RequestOptions): Answer<UnreadNotifications> {
    return this.send(
      { operation: "readNotifications", verb: "POST", path: "/notifications/read", body, takesKey: true },
      options,
    );
  }
}
