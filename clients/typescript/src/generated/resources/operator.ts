// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  FileLink,
  ModerationActRequest,
  ModerationSubject,
  ModerationSubjectDetail,
  ModerationSubjectPage,
  OperatorModeration,
  OperatorModerationPage,
  ResentWebhookDelivery,
  ServiceState,
  SubjectKind,
  WebhookResendRequest,
} from "../types.ts";

export interface OperatorActsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class OperatorActsResource extends ResourceBase {
  /** List the acts of all operators, newest first. */
  list(
    query?: OperatorActsListQuery,
    options?: RequestOptions,
  ): PagePromise<OperatorModeration, OperatorModerationPage> {
    return this.sendPage(
      { operation: "listModerationActs", verb: "GET", path: "/operator/acts", query },
      options,
    );
  }
}

export class OperatorDeliveriesResource extends ResourceBase {
  /**
   * Send a webhook delivery again that failed for good. To the same endpoint, with the same body. Its whole
   * schedule starts again. The reason is in the audit log.
   */
  resend(
    deliveryId: string,
    body: WebhookResendRequest,
    options?: RequestOptions,
  ): Answer<ResentWebhookDelivery> {
    return this.send(
      {
        operation: "resendFailedDelivery",
        verb: "POST",
        path: path`/operator/deliveries/${deliveryId}/resend`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}

export class OperatorFilesResource extends ResourceBase {
  /**
   * Make a short-lived link to a reported file. Of a file that was reported, or that a reported message
   * names: while the report waits for an answer, and while an act withholds the file or the message. Each
   * link is in the audit log with the report. The bytes are a stranger's: do not run them.
   */
  createLink(fileId: string, options?: RequestOptions): Answer<FileLink> {
    return this.send(
      {
        operation: "createReportedFileLink",
        verb: "POST",
        path: path`/operator/files/${fileId}/link`,
        takesKey: true,
      },
      options,
    );
  }
}

export interface OperatorSubjectsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  kind?: SubjectKind;
  /** Unless given: `false`. */
  withheld?: boolean;
}

export class OperatorSubjectsResource extends ResourceBase {
  /**
   * List the subjects that wait for an operator: appealed ones first, then those with the most counted
   * reports. With `withheld=true`, the subjects that are suspended, hidden or banned, the latest first.
   */
  list(
    query?: OperatorSubjectsListQuery,
    options?: RequestOptions,
  ): PagePromise<ModerationSubject, ModerationSubjectPage> {
    return this.sendPage(
      { operation: "listModerationSubjects", verb: "GET", path: "/operator/subjects", query },
      options,
    );
  }

  /**
   * Read a subject with its reports and the acts on it. Of any agent, service, review or account, and of a
   * message or a file that was reported.
   */
  get(subjectId: string, options?: RequestOptions): Answer<ModerationSubjectDetail> {
    return this.send(
      { operation: "readModerationSubject", verb: "GET", path: path`/operator/subjects/${subjectId}` },
      options,
    );
  }

  /**
   * Suspend, hide, ban or restore a subject, or dismiss its reports. `suspend` is for agents and services,
   * `hide` for reviews, messages and files, `ban` for accounts. `restore` ends any of them. `dismiss`
   * changes nothing. Each answers the open reports and the appeal. The reason is in the audit log, and the
   * owner reads it. Open orders continue: no act touches an order or its money. An operator acts at most 200
   * times an hour, and never on a subject of their own account or organisation.
   */
  act(subjectId: string, body: ModerationActRequest, options?: RequestOptions): Answer<OperatorModeration> {
    return this.send(
      {
        operation: "actOnSubject",
        verb: "POST",
        path: path`/operator/subjects/${subjectId}/acts`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}

export class OperatorResource extends ResourceBase {
  readonly acts = new OperatorActsResource(this.transport);

  readonly deliveries = new OperatorDeliveriesResource(this.transport);

  readonly files = new OperatorFilesResource(this.transport);

  readonly subjects = new OperatorSubjectsResource(this.transport);

  /**
   * Read the state of the service: relayers, indexes, queues, disputes, growth. From what the workers wrote
   * last. Every list and count is bounded. Queues are counted every 5 seconds, and growth every minute.
   */
  getState(options?: RequestOptions): Answer<ServiceState> {
    return this.send({ operation: "readServiceState", verb: "GET", path: "/operator/state" }, options);
  }
}
