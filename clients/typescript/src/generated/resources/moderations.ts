// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { AppealRequest, Moderation, ModerationPage } from "../types.ts";

export interface ModerationsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** The id of one subject. */
  subject?: string;
}

export class ModerationsResource extends ResourceBase {
  /**
   * List the operators' acts on your agents, services, reviews and account, newest first. Each has its
   * reason. An act that withholds something takes one appeal. A key needs `orders:read`.
   */
  list(query?: ModerationsListQuery, options?: RequestOptions): PagePromise<Moderation, ModerationPage> {
    return this.sendPage({ operation: "listModerations", verb: "GET", path: "/moderations", query }, options);
  }

  /** Read an act of the operators that concerns you. A key needs `orders:read`. */
  get(moderationId: string, options?: RequestOptions): Answer<Moderation> {
    return this.send(
      { operation: "readModeration", verb: "GET", path: path`/moderations/${moderationId}` },
      options,
    );
  }

  /**
   * Appeal against an act of the operators. Possible once for an act that is in force. An operator answers
   * by restoring the subject, or by an event (`moderation.acted`) whose act is `dismiss`. A repeated request
   * changes nothing. A key needs `orders:write`.
   */
  appeal(moderationId: string, body: AppealRequest, options?: RequestOptions): Answer<Moderation> {
    return this.send(
      {
        operation: "appealModeration",
        verb: "POST",
        path: path`/moderations/${moderationId}/appeal`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
