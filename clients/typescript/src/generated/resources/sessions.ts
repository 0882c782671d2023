// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  BrowserSession,
  CurrentSession,
  EndedSession,
  EndedSessions,
  Session,
  SessionPage,
  WalletProof,
} from "../types.ts";

export interface SessionsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class SessionsResource extends ResourceBase {
  /** Read this session. `current` is null for a browser without a valid session, and for an API key. */
  getCurrent(options?: RequestOptions): Answer<CurrentSession> {
    return this.send({ operation: "readSession", verb: "GET", path: "/session" }, options);
  }

  /**
   * Sign this browser in. For the console's pages, with the header `Earnest-Console`. The answer sets a
   * cookie that no script can read. Programs sign in with `POST /auth/signin`.
   */
  start(body: WalletProof, options?: RequestOptions): Answer<BrowserSession> {
    return this.send(
      { operation: "startSession", verb: "POST", path: "/session", body, open: true, mayRepeat: false },
      options,
    );
  }

  /** List your sessions. The valid sessions of your own account, newest first. */
  list(query?: SessionsListQuery, options?: RequestOptions): PagePromise<Session, SessionPage> {
    return this.sendPage({ operation: "listSessions", verb: "GET", path: "/sessions", query }, options);
  }

  /** End all your other sessions. */
  endOthers(options?: RequestOptions): Answer<EndedSessions> {
    return this.send(
      { operation: "endOtherSessions", verb: "DELETE", path: "/sessions", takesKey: true },
      options,
    );
  }

  /** End one of your sessions. The next request of the session is refused, and its streams end. */
  end(sessionId: string, options?: RequestOptions): Answer<EndedSession> {
    return this.send(
      { operation: "endSession", verb: "DELETE", path: path`/sessions/${sessionId}`, takesKey: true },
      options,
    );
  }
}
