import { type Hook, OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { addMe } from "./account.ts";
import { addAgentStatus } from "./agent-status.ts";
import { addAgents } from "./agents.ts";
import { addAudit } from "./audit.ts";
import { addAuthentication } from "./authentication.ts";
import { checkJsonBody, checkRequest } from "./body.ts";
import { addCapabilities } from "./capabilities.ts";
import { addChain } from "./chain.ts";
import type { App, Context, Variables } from "./context.ts";
import { addDeliveryRecord } from "./delivery-record.ts";
import { addDisputes } from "./dispute.ts";
import { addDisputeDecision } from "./dispute-decision.ts";
import { addDisputeIntent } from "./dispute-intent.ts";
import { addDisputeOpening } from "./dispute-opening.ts";
import { addDisputeStatements } from "./dispute-statements.ts";
import { addIdentities } from "./erc8004.ts";
import { ApiError, errorStatus, pointerOf } from "./errors.ts";
import { addEvents } from "./events.ts";
import { addFeedbackFiles } from "./feedback-files.ts";
import { keepAnswers } from "./idempotency.ts";
import { addInvitations } from "./invitations.ts";
import { addKeys } from "./keys.ts";
import { addMarketplace } from "./marketplace.ts";
import { addCategories } from "./marketplace-categories.ts";
import { addMarketplaceFilters } from "./marketplace-filters.ts";
import { addMetrics } from "./metrics.ts";
import { addOpenRequests } from "./open-requests.ts";
import { basePath, describeApi } from "./openapi.ts";
import { addOpenApiPage } from "./openapi-page.ts";
import { addOrderActs } from "./order-acts.ts";
import { addPaymentInstructions } from "./order-payment.ts";
import { addOrderRevision } from "./order-revision.ts";
import { addSettlementOptions } from "./order-settlement.ts";
import { addOrderTrail } from "./order-trail.ts";
import { addOrderWork } from "./order-work.ts";
import { addOrders } from "./orders.ts";
import { addOrganisations } from "./organisations.ts";
import { findOutage } from "./outages.ts";
import { addPaymentHistory } from "./payment-history.ts";
import { addPayments } from "./payments.ts";
import { addPortableFeedback } from "./portable-feedback.ts";
import { addQuoteAcceptance } from "./quote-acceptance.ts";
import { addQuotes } from "./quotes.ts";
import { limitRequests } from "./rate-limit.ts";
import { addReceiptCheck } from "./receipt-check.ts";
import { addReceiptKeys } from "./receipt-keys.ts";
import { addReceiptPage } from "./receipt-page.ts";
import { addReceiptSchemas } from "./receipt-schemas.ts";
import { addReceipts } from "./receipts.ts";
import { addReconcile } from "./reconcile.ts";
import { followRequests } from "./requests.ts";
import { openToOrigins, refuseUnknown, secureAnswers } from "./security.ts";
import { addServiceStatus } from "./service-status.ts";
import { addServices } from "./services.ts";
import { addSubscriptions } from "./subscriptions.ts";
import { addWallets } from "./wallets.ts";
import { addWebhookDeliveries } from "./webhook-deliveries.ts";
import { addWebhooks } from "./webhooks.ts";

/** The largest request body, in bytes. */
const largestBody = 256 * 1024;

/** Builds the REST API over a context; nothing here knows of Ponder. */
export function createApp(context: Context): App {
  const app = newApp(context);
  const api: App = new OpenAPIHono<{ Variables: Variables }>({ defaultHook: refuseInvalid });

  addAuthentication(api, context);
  addWallets(api, context);
  addOrganisations(api, context);
  addInvitations(api, context);
  addMe(api, context);
  addKeys(api, context);
  addAudit(api, context);
  addAgents(api, context);
  addAgentStatus(api, context);
  addCapabilities(api);
  addIdentities(api, context);
  addServices(api, context);
  addServiceStatus(api, context);
  addMarketplace(api, context);
  addMarketplaceFilters(api, context);
  addCategories(api, context);
  addOpenRequests(api, context);
  addQuotes(api, context);
  addQuoteAcceptance(api, context);
  addOrders(api, context);
  addPaymentInstructions(api, context);
  addPayments(api, context);
  addOrderWork(api, context);
  addDeliveryRecord(api, context);
  addOrderActs(api, context);
  addOrderRevision(api, context);
  addDisputeIntent(api, context);
  addDisputeOpening(api, context);
  addDisputes(api, context);
  addDisputeStatements(api, context);
  addDisputeDecision(api, context);
  addSettlementOptions(api, context);
  addOrderTrail(api, context);
  addReconcile(api, context);
  addReceipts(api, context);
  // Before the subscriptions, which would take its path for an id.
  addPaymentHistory(api, context);
  addSubscriptions(api, context);
  addPortableFeedback(api, context);
  addFeedbackFiles(api, context);
  addWebhooks(api, context);
  addWebhookDeliveries(api, context);
  addEvents(api, context);
  addReceiptPage(api);
  addReceiptCheck(api, app, context);
  addReceiptSchemas(api, context);
  addChain(api, context);
  addReceiptKeys(app, context);
  addMetrics(app, context);

  // The document is asked for rarely and never changes: made when it is first wanted.
  let document: ReturnType<typeof describeApi> | undefined;
  const describe = () => {
    document ??= describeApi(app, `${context.config.publicUrl}${basePath}`);
    return document;
  };
  api.get("/openapi.json", (c) => c.json(describe()));
  addOpenApiPage(api, describe);
  app.route(basePath, api);
  // Not as Hono's `notFound`, which is not asked where another app mounts these routes, as Ponder does.
  app.all("*", refuseUnknown(app));
  return app;
}

/** Answers what a route's schemas refuse, with a JSON pointer to each fault. */
const refuseInvalid: Hook<unknown, { Variables: Variables }, string, unknown> = (result) => {
  if (result.success) return;
  const where = result.target === "json" ? "body" : result.target;
  throw new ApiError(
    "invalid_request",
    `The request's ${where} is not as this operation takes it.`,
    result.error.issues.map((issue) => ({
      path: pointerOf(issue.path),
      keyword: issue.code ?? "invalid",
      message: issue.message,
    })),
  );
};

/** An app with the envelope, request ids, body rules and validation answers, and no routes yet. */
function newApp(context: Context): App {
  const app: App = new OpenAPIHono<{ Variables: Variables }>({ defaultHook: refuseInvalid });

  app.use(followRequests(context));
  app.use(secureAnswers(context));
  // The operator's own paths are neither for pages of other origins nor counted.
  for (const path of [`${basePath}/*`, "/.well-known/*"]) {
    app.use(path, openToOrigins);
    app.use(path, limitRequests(context));
  }
  app.use(checkRequest);
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: () => {
        throw new ApiError("payload_too_large", `The request body is over ${largestBody} bytes.`);
      },
    }),
  );
  app.use(checkJsonBody);
  app.use(keepAnswers(context));

  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const outage = findOutage(error);
    const known = error instanceof ApiError ? error : (outage ?? fromHttpException(error));
    if (outage) context.log.warn({ err: error, request_id: requestId, path: c.req.path }, "outage");
    if (!known)
      context.log.error({ err: error, request_id: requestId, path: c.req.path }, "unexpected error");
    const code = known?.code ?? "internal_error";
    c.header("X-Request-ID", requestId);
    if (known?.retryAfter) c.header("Retry-After", String(known.retryAfter));
    return c.json(
      {
        error: {
          code,
          message:
            known?.message ?? "Something went wrong on our side. Quote the request id when you report it.",
          request_id: requestId,
          ...(known?.details ? { details: known.details } : {}),
        },
      },
      errorStatus[code] as ContentfulStatusCode,
    );
  });
  return app;
}

function fromHttpException(error: unknown): ApiError | null {
  if (!(error instanceof HTTPException)) return null;
  if (error.status === 400) return new ApiError("invalid_request", error.message);
  if (error.status === 415)
    return new ApiError("unsupported_media_type", "Send the body as `Content-Type: application/json`.");
  return null;
}
