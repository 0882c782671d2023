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
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  status?: WebhookDeliveryStatus;
  type?: EventType;
  since?: string;
  until?: string;
}

export class WebhooksDeliveriesResource extends ResourceBase {
  /** The deliveries to an endpoint, newest first. Kept for 30 days. A key needs `webhooks:read`. */
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

  /** A delivery with its body and each of its attempts. A key needs `webhooks:read`. */
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
   * Send a delivery again. The same body with the same ids. A finished one begins its schedule anew; one
   * that waits for its next attempt is tried at once. A key needs `webhooks:write`.
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
   * Send everything that an endpoint missed in a time. Events of the last 30 days that the endpoint
   * subscribes to and never acknowledged are queued, in the background. A key needs `webhooks:write`.
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

  /** How far a recovery has come. A key needs `webhooks:read`. */
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
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export class WebhooksResource extends ResourceBase {
  readonly deliveries = new WebhooksDeliveriesResource(this.transport);

  readonly recoveries = new WebhooksRecoveriesResource(this.transport);

  /**
   * Register an endpoint. Events that happen from now on are sent to it. The signing secret is shown this
   * once. The URL must be https and reach a public address; see docs/webhooks.md. A key needs
   * `webhooks:write`.
   */
  create(body: WebhookRequest, options?: RequestOptions): Answer<NewWebhook> {
    return this.send(
      { operation: "createWebhook", verb: "POST", path: "/webhooks", body, takesKey: true },
      options,
    );
  }

  /** List your endpoints. Newest first, without the revoked ones. A key needs `webhooks:read`. */
  list(query?: WebhooksListQuery, options?: RequestOptions): PagePromise<Webhook, WebhookPage> {
    return this.sendPage({ operation: "listWebhooks", verb: "GET", path: "/webhooks", query }, options);
  }

  /** Read an endpoint. A key needs `webhooks:read`. */
  get(webhookId: string, options?: RequestOptions): Answer<Webhook> {
    return this.send({ operation: "readWebhook", verb: "GET", path: path`/webhooks/${webhookId}` }, options);
  }

  /**
   * Change an endpoint, pause it, or let it go on. `status` paused stops deliveries; active lets a paused or
   * disabled endpoint go on. What happened meanwhile is sent by `recover`. An endpoint that is disabled
   * because its member left takes no `status` before `rotate-secret` has replaced its secret. A key needs
   * `webhooks:write`.
   */
  update(webhookId: string, body: WebhookChanges, options?: RequestOptions): Answer<Webhook> {
    return this.send(
      { operation: "changeWebhook", verb: "PATCH", path: path`/webhooks/${webhookId}`, body, takesKey: true },
      options,
    );
  }

  /**
   * Revoke an endpoint. Nothing more is sent to it, ever, not even what was on its way. A key needs
   * `webhooks:write`.
   */
  revoke(webhookId: string, options?: RequestOptions): Answer<Webhook> {
    return this.send(
      { operation: "revokeWebhook", verb: "DELETE", path: path`/webhooks/${webhookId}`, takesKey: true },
      options,
    );
  }

  /**
   * Replace the signing secret. The new secret is shown this once. For 24 hours deliveries are signed with
   * both. Rotate again only after that. The secret of a member who left signs nothing more. A key needs
   * `webhooks:write`.
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
   * Send a test event to an endpoint. Tried once, to a paused or disabled endpoint too. Its data has the
   * form of its type and `test: true` in it, of an order that does not exist; it is in no feed. How it went
   * is in the delivery. A key needs `webhooks:write`.
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
