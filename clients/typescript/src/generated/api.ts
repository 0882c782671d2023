// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../core/call.ts";
import { ResourceBase } from "../core/resource.ts";
import { AgentsResource } from "./resources/agents.ts";
import { AnalyticsResource } from "./resources/analytics.ts";
import { ApiKeysResource } from "./resources/api-keys.ts";
import { AuditResource } from "./resources/audit.ts";
import { AuthResource } from "./resources/auth.ts";
import { BalancesResource } from "./resources/balances.ts";
import { BillingDetailsResource } from "./resources/billing-details.ts";
import { ChainResource } from "./resources/chain.ts";
import { DataExportResource } from "./resources/data-export.ts";
import { DisputesResource } from "./resources/disputes.ts";
import { EmailResource } from "./resources/email.ts";
import { ErasureResource } from "./resources/erasure.ts";
import { EventsResource } from "./resources/events.ts";
import { FeedbackResource } from "./resources/feedback.ts";
import { FilesResource } from "./resources/files.ts";
import { InvitationsResource } from "./resources/invitations.ts";
import { MarketplaceResource } from "./resources/marketplace.ts";
import { ModerationsResource } from "./resources/moderations.ts";
import { NotificationsResource } from "./resources/notifications.ts";
import { OperatorResource } from "./resources/operator.ts";
import { OrdersResource } from "./resources/orders.ts";
import { OrganisationsResource } from "./resources/organisations.ts";
import { PasskeysResource } from "./resources/passkeys.ts";
import { PaymentsResource } from "./resources/payments.ts";
import { QuotesResource } from "./resources/quotes.ts";
import { ReceiptsResource } from "./resources/receipts.ts";
import { ReportsResource } from "./resources/reports.ts";
import { RequestsResource } from "./resources/requests.ts";
import { ReviewsResource } from "./resources/reviews.ts";
import { ServicesResource } from "./resources/services.ts";
import { SessionsResource } from "./resources/sessions.ts";
import { SubscriptionsResource } from "./resources/subscriptions.ts";
import { WalletsResource } from "./resources/wallets.ts";
import { WebhooksResource } from "./resources/webhooks.ts";
import type { ErrorCode, Me, Transparency } from "./types.ts";

/** Every resource of the API. */
export class Api extends ResourceBase {
  readonly agents = new AgentsResource(this.transport);

  readonly reviews = new ReviewsResource(this.transport);

  readonly services = new ServicesResource(this.transport);

  readonly analytics = new AnalyticsResource(this.transport);

  readonly apiKeys = new ApiKeysResource(this.transport);

  readonly audit = new AuditResource(this.transport);

  readonly auth = new AuthResource(this.transport);

  readonly wallets = new WalletsResource(this.transport);

  readonly balances = new BalancesResource(this.transport);

  readonly orders = new OrdersResource(this.transport);

  readonly marketplace = new MarketplaceResource(this.transport);

  readonly chain = new ChainResource(this.transport);

  readonly disputes = new DisputesResource(this.transport);

  readonly events = new EventsResource(this.transport);

  readonly dataExport = new DataExportResource(this.transport);

  readonly payments = new PaymentsResource(this.transport);

  readonly subscriptions = new SubscriptionsResource(this.transport);

  readonly feedback = new FeedbackResource(this.transport);

  readonly files = new FilesResource(this.transport);

  readonly invitations = new InvitationsResource(this.transport);

  readonly billingDetails = new BillingDetailsResource(this.transport);

  readonly email = new EmailResource(this.transport);

  readonly erasure = new ErasureResource(this.transport);

  readonly moderations = new ModerationsResource(this.transport);

  readonly notifications = new NotificationsResource(this.transport);

  readonly operator = new OperatorResource(this.transport);

  readonly receipts = new ReceiptsResource(this.transport);

  readonly organisations = new OrganisationsResource(this.transport);

  readonly passkeys = new PasskeysResource(this.transport);

  readonly quotes = new QuotesResource(this.transport);

  readonly reports = new ReportsResource(this.transport);

  readonly requests = new RequestsResource(this.transport);

  readonly sessions = new SessionsResource(this.transport);

  readonly webhooks = new WebhooksResource(this.transport);

  /** Read the account that this token acts for. */
  me(options?: RequestOptions): Answer<Me> {
    return this.send({ operation: "readMe", verb: "GET", path: "/me" }, options);
  }

  /**
   * Count the reports and the operators' acts by month. Open to everybody. The last 24 months (UTC) with a
   * count, newest first. No count names anybody.
   */
  getTransparency(options?: RequestOptions): Answer<Transparency> {
    return this.send(
      { operation: "readTransparency", verb: "GET", path: "/transparency", open: true },
      options,
    );
  }
}

/** The codes of errors that the service had when this client was made. */
export const errorCodes = [
  "invalid_request",
  "unauthenticated",
  "payment_required",
  "insufficient_scope",
  "insufficient_role",
  "address_not_allowed",
  "spend_limit_exceeded",
  "approval_required",
  "account_banned",
  "forbidden_origin",
  "not_found",
  "not_logged_yet",
  "file_not_found",
  "method_not_allowed",
  "conflict",
  "invalid_state",
  "payout_wallet_required",
  "agent_not_published",
  "service_incomplete",
  "quote_required",
  "subscription_required",
  "not_settled",
  "email_unavailable",
  "file_quota_exceeded",
  "file_erased",
  "precondition_failed",
  "payload_too_large",
  "unsupported_media_type",
  "input_schema_violation",
  "output_schema_violation",
  "invalid_schema",
  "file_mismatch",
  "file_hash_mismatch",
  "idempotency_mismatch",
  "upload_busy",
  "rate_limited",
  "too_many_unpaid_orders",
  "too_many_streams",
  "internal_error",
  "dependency_unavailable",
  "checker_busy",
  "streams_full",
  "outcome_unknown",
] as const satisfies readonly ErrorCode[];
