// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  EventType,
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryPage,
  WebhookDeliveryStatus,
  WebhookPage,
  WebhookRecovery,
  WebhookRecoveryRequest,
  WebhookRequest,
  WebhookTestRequest,
} from "../types.ts";

export interface WebhooksDeliveriesListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  status?: WebhookDeliveryStatus;
  type?: EventType;
  since?: string;
  until?: string;
}

export class WebhooksDeliveriesResource extends ResourceBase {
  /**
   * List the deliveries to an endpoint, newest first. Deliveries are stored for 30 days. A key needs
   * `webhooks:read`.
   */
  list(
    webhookId: string,
    query?: WebhooksDeliveriesListQuery,
    options?: RequestOptions,
  ): PagePromise<WebhookDelivery, WebhookDeliveryPage> {
    return this.sendPage(
      {
        operation: "listWebhookDeliveries",
        verb: "GET",
        path: path`/webhooks/${webhookId}/deliveries`,
        query,
      },
      options,
    );
  }

  /** Read a delivery with its body and attempts. A key needs `webhooks:read`. */
  get(webhookId: string, deliveryId: string, options?: RequestOptions): Answer<WebhookDeliveryDetail> {
    return this.send(
      {
        operation: "readWebhookDelivery",
        verb: "GET",
        path: path`/webhooks/${webhookId}/deliveries/${deliveryId}`,
      },
      options,
    );
  }

  /**
   * Send a delivery again. Sends the same body with the same ids. A finished delivery starts its schedule
   * again. A waiting delivery is attempted at once. A key needs `webhooks:write`.
   */
  resend(webhookId: string, deliveryId: string, options?: RequestOptions): Answer<WebhookDelivery> {
    return this.send(
      {
        operation: "resendWebhookDelivery",
        verb: "POST",
        path: path`/webhooks/${webhookId}/deliveries/${deliveryId}/resend`,
        takesKey: true,
      },
      options,
    );
  }
}

export class WebhooksRecoveriesResource extends ResourceBase {
  /**
   * Send an endpoint everything that it missed. Queues, in the background, the events of the last 30 days
   * that the endpoint subscribes to and never acknowledged. A key needs `webhooks:write`.
   */
  start(webhookId: string, body: WebhookRecoveryRequest, options?: RequestOptions): Answer<WebhookRecovery> {
    return this.send(
      {
        operation: "recoverWebhook",
        verb: "POST",
        path: path`/webhooks/${webhookId}/recover`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /** Read the progress of a recovery. A key needs `webhooks:read`. */
  get(webhookId: string, recoveryId: string, options?: RequestOptions): Answer<WebhookRecovery> {
    return this.send(
      {
        operation: "readWebhookRecovery",
        verb: "GET",
        path: path`/webhooks/${webhookId}/recoveries/${recoveryId}`,
      },
      options,
    );
  }
}

export interface WebhooksListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class WebhooksResource extends ResourceBase {
  readonly deliveries = new WebhooksDeliveriesResource(this.transport);

  readonly recoveries = new WebhooksRecoveriesResource(this.transport);

  /**
   * Register an endpoint. The endpoint gets events from now on. The signing secret is shown only once. The
   * URL must be https and reach a public address; see docs/webhooks.md. A key needs `webhooks:write`.
   */
  create(body: WebhookRequest, options?: RequestOptions): Answer<NewWebhook> {
    return this.send(
      { operation: "createWebhook", verb: "POST", path: "/webhooks", body, takesKey: true },
      options,
    );
  }

  /** List your endpoints. Newest first, without revoked endpoints. A key needs `webhooks:read`. */
  list(query?: WebhooksListQuery, options?: RequestOptions): PagePromise<Webhook, WebhookPage> {
    return this.sendPage({ operation: "listWebhooks", verb: "GET", path: "/webhooks", query }, options);
  }

  /** Read an endpoint. A key needs `webhooks:read`. */
  get(webhookId: string, options?: RequestOptions): Answer<Webhook> {
    return this.send({ operation: "readWebhook", verb: "GET", path: path`/webhooks/${webhookId}` }, options);
  }

  /**
   * Change, pause or resume an endpoint. The `status` paused stops deliveries; active resumes a paused or
   * disabled endpoint. Use `recover` to send the events of the pause. An endpoint that is disabled because
   * its member left needs `rotate-secret` before its `status` can change. A key needs `webhooks:write`.
   */
  update(webhookId: string, body: WebhookChanges, options?: RequestOptions): Answer<Webhook> {
    return this.send(
      { operation: "changeWebhook", verb: "PATCH", path: path`/webhooks/${webhookId}`, body, takesKey: true },
      options,
    );
  }

  /**
   * Revoke an endpoint. Nothing more is sent to the endpoint, not even pending deliveries. A key needs
   * `webhooks:write`.
   */
  revoke(webhookId: string, options?: RequestOptions): Answer<Webhook> {
    return this.send(
      { operation: "revokeWebhook", verb: "DELETE", path: path`/webhooks/${webhookId}`, takesKey: true },
      options,
    );
  }

  /**
   * Replace the signing secret. The new secret is shown only once. For 24 hours, deliveries are signed with
   * both secrets. The next rotation is possible after that. If the endpoint is disabled because its member
   * left, the old secret stops at once. A key needs `webhooks:write`.
   */
  rotateSecret(webhookId: string, options?: RequestOptions): Answer<NewWebhook> {
    return this.send(
      {
        operation: "rotateWebhookSecret",
        verb: "POST",
        path: path`/webhooks/${webhookId}/rotate-secret`,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Send a test event to an endpoint. Sent once, also to a paused or disabled endpoint. The data have the
   * form of the type, with `test: true`, for an order that does not exist. The event is in no feed. The
   * delivery shows the result. A key needs `webhooks:write`.
   */
  sendTest(webhookId: string, body: WebhookTestRequest, options?: RequestOptions): Answer<WebhookDelivery> {
    return this.send(
      {
        operation: "testWebhook",
        verb: "POST",
        path: path`/webhooks/${webhookId}/test`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
