import { type Hook, OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import {
  apiPath,
  downloadsPath,
  exportsPath,
  facilitatorPath,
  streamsPath,
  uploadsPath,
} from "../protocol/settlement/vocabulary.ts";
import { Refusal } from "../trade/refusal.ts";
import { SpendRefusal } from "../trade/spending/key-limits.ts";
import { a2aPath } from "./a2a/agent-card.ts";
import { addA2a } from "./a2a/index.ts";
import { longestWait } from "./a2a/inner-api.ts";
import { addAccounts } from "./accounts/index.ts";
import { addMailPages } from "./accounts/mail-pages.ts";
import { addAgents } from "./agents/index.ts";
import { addAnalytics } from "./analytics/analytics.ts";
import { addBalances } from "./balances/balances.ts";
import { addRefusedPayouts } from "./balances/refused-payouts.ts";
import { addChain } from "./chain/index.ts";
import { addSampleWallet, sampleWalletPath } from "./chain/sample-wallet.ts";
import type { Context } from "./context.ts";
import { addDiscovery } from "./discovery/index.ts";
import { sitemapPartsPath, sitemapPath } from "./discovery/sitemap.ts";
import { addDisputes } from "./disputes/index.ts";
import { addFeedback } from "./feedback/index.ts";
import { addFiles } from "./files/index.ts";
import { logRequests } from "./http/access-log.ts";
import { ApiError, errorStatus, pointerOf, unexpectedErrorMessage } from "./http/api-error.ts";
import { createByteSender } from "./http/byte-sender.ts";
import { addConsole } from "./http/console-files.ts";
import { createShell } from "./http/console-shell.ts";
import { constantDocument } from "./http/constant-document.ts";
import { answerInTime } from "./http/deadline.ts";
import { takeReadTurns } from "./http/expensive-reads.ts";
import { storeAnswers } from "./http/idempotency.ts";
import { describeApi } from "./http/openapi.ts";
import { findOutage, trackWrites } from "./http/outages.ts";
import { refuseUnknownParameters } from "./http/query-parameters.ts";
import { createRateLimits } from "./http/rate-limit.ts";
import {
  checkJsonBody,
  checkRequest,
  forgetCallerDuringUpload,
  limitBodies,
  refuseBrokenBody,
} from "./http/request-body.ts";
import { openToOrigins, refuseUnknownPath, refuseUnrouted, secureAnswers } from "./http/security-headers.ts";
import { readSessionCookie } from "./http/session-cookie.ts";
import { limitUnread } from "./http/unread-answers.ts";
import { addInvoices } from "./invoices/index.ts";
import { addMarketplace } from "./marketplace/index.ts";
import { addMcp } from "./mcp/index.ts";
import { mcpPaths } from "./mcp/resource-metadata.ts";
import { defaultWaitLimits } from "./mcp/tool-waits.ts";
import { addMessages } from "./messages/index.ts";
import { addNotifications } from "./notifications/notifications.ts";
import { addOauth } from "./oauth/index.ts";
import { consentPath } from "./oauth/provider.ts";
import { addOperator } from "./operator/index.ts";
import { addOrders } from "./orders/index.ts";
import { addOrderExports } from "./orders/order-export.ts";
import { addOrganisations } from "./organisations/index.ts";
import { addPages } from "./pages/index.ts";
import { publicRoutes } from "./pages/public-pages.ts";
import { addPayments } from "./payments/index.ts";
import { addPaymentExports } from "./payments/payment-export.ts";
import { addDataExport } from "./privacy/data-export.ts";
import { addErasure } from "./privacy/erasure.ts";
import { addReceipts } from "./receipts/index.ts";
import { addReports } from "./reports/index.ts";
import { addRecord } from "./reputation/agent-record.ts";
import { addRequests } from "./requests/index.ts";
import { addReviews } from "./reviews/index.ts";
import { addSearch } from "./search/search.ts";
import { addServices } from "./services/index.ts";
import { addSubscriptions } from "./subscriptions/subscriptions.ts";
import { addTlog } from "./tlog/index.ts";
import type { App, Variables } from "./variables.ts";
import { addEventStream } from "./webhooks/event-stream.ts";
import { addWebhooks } from "./webhooks/index.ts";

/** Seconds after which to repeat a request that was answered 503, where the error names no time. */
const defaultRetryAfter = 2;

/** Builds the REST API over a context. The app does not depend on Ponder. */
export function createApp(context: Context): App {
  const limits = createRateLimits(context);
  const app = newApp(context, limits);
  const sendBytes = createByteSender(context, limits.countDownload);
  const api: App = new OpenAPIHono<{ Variables: Variables }>({ defaultHook: refuseInvalid });
  for (const item of [app, api]) refuseUnknownParameters(item);

  // In the order of the API's description. No path of one resource shadows a path of another.
  addAccounts(api, context);
  addOrganisations(api, context);
  addAgents(api, context);
  addServices(api, context);
  addMarketplace(api, context);
  addSearch(api, context);
  addRequests(api, context);
  addOrders(api, context);
  addMessages(api, context);
  addPayments(api, app, context);
  addInvoices(api, app, context);
  addDataExport(api, app, context, sendBytes);
  addErasure(api, context);
  const downloads = addFiles(api, app, context, sendBytes);
  addBalances(api, context);
  addRefusedPayouts(api, context);
  addAnalytics(api, context);
  addDisputes(api, context);
  addReceipts(api, app, context);
  addSubscriptions(api, context);
  addReviews(api, context);
  addReports(api, context);
  addRecord(api, context);
  addFeedback(api, context);
  addWebhooks(api, context);
  addNotifications(api, context);
  addChain(api, context);
  addOperator(api, context, downloads);
  addMailPages(app, context);
  addSampleWallet(app, context);
  addMcp(app, context);
  addA2a(app, context);
  addOauth(app, context);
  addDiscovery(app, context);

  const describe = () => describeApi(app, `${context.config.publicUrl}${apiPath}`);
  api.get(
    "/openapi.json",
    constantDocument("application/json", () => JSON.stringify(describe())),
  );
  app.route(apiPath, api);
  // The answers of these routes are not JSON, so their paths are at the root. Their descriptions use the API's field names.
  addTlog(app, context);
  addPaymentExports(app, context);
  addOrderExports(app, context);
  addEventStream(app, context);
  const shell = createShell(context);
  addPages(app, context, shell);
  addConsole(app, shell);
  // Hono does not call `notFound` of an app that another app mounts, as Ponder does.
  app.all("*", refuseUnknownPath(app));
  return app;
}

/** Refuses a request that a route's schemas do not accept, with a JSON pointer to each fault. */
const refuseInvalid: Hook<unknown, { Variables: Variables }, string, unknown> = (result) => {
  if (result.success) return;
  const { issues } = result.error;
  const part = result.target === "json" ? "body" : result.target;
  const [first] = issues;
  const at = first && first.path.length > 0 ? ` at ${pointerOf(first.path)}` : "";
  const more = issues.length > 1 ? ` \`details\` lists all ${issues.length} faults.` : "";
  throw new ApiError(
    "invalid_request",
    `The ${part} is invalid${at}: ${first?.message ?? "it does not match the schema"}.${more}`,
    issues.map((issue) => ({
      path: pointerOf(issue.path),
      keyword: issue.code ?? "invalid",
      message: issue.message,
    })),
  );
};

/** Makes an app with the error envelope, request ids, body rules and validation, and no routes. */
function newApp(context: Context, limits: ReturnType<typeof createRateLimits>): App {
  const app: App = new OpenAPIHono<{ Variables: Variables }>({
    defaultHook: refuseInvalid,
  });
  const programs = [
    apiPath,
    exportsPath,
    streamsPath,
    uploadsPath,
    downloadsPath,
    facilitatorPath,
    "/discovery",
    "/.well-known",
    "/oauth",
    "/log",
  ].map((path) => `${path}/*`);
  const open = [...programs, uploadsPath, "/openapi.json"];
  const documents = [
    "/receipts/:id",
    "/receipt-page.js",
    "/mail/*",
    `${consentPath}/*`,
    sampleWalletPath,
    sitemapPath,
    `${sitemapPartsPath}/*`,
  ];
  const limited = [...open, ...documents, ...publicRoutes];

  app.use(limitUnread(context, limits.countAnswer));
  app.use(logRequests(context));
  app.use(readSessionCookie(context));
  app.use(secureAnswers(context));
  // Pages of other origins may read neither the pages for people nor MCP.
  const a2a = `${a2aPath}/*`;
  for (const path of [...open, a2a]) app.use(path, openToOrigins);
  for (const path of limited) app.use(path, answerInTime(context));
  for (const path of mcpPaths) app.use(path, answerInTime(context, defaultWaitLimits.longest));
  app.use(a2a, answerInTime(context, context.config.answerSeconds + longestWait));
  const counted = [...limited, ...mcpPaths, a2a];
  for (const path of counted) app.use(path, limits.requests);
  app.use(checkRequest);
  app.use(refuseUnrouted(app));
  app.use(forgetCallerDuringUpload);
  app.use(limitBodies(limits.countUndeclared));
  for (const path of counted) app.use(path, limits.bodies);
  app.use(`${apiPath}/*`, takeReadTurns(context));
  app.use(checkJsonBody);
  // MCP and A2A are left out: each of their writes is a request of its own.
  app.use(`${apiPath}/*`, storeAnswers(context));
  app.use(trackWrites);

  app.onError((error, c) => {
    const requestId = c.get("requestId");
    const broken = refuseBrokenBody(c, error);
    const outage = broken ? null : findOutage(error, c.get("writes"));
    const known =
      error instanceof ApiError || error instanceof Refusal
        ? error
        : (broken ?? outage ?? fromHttpException(error));
    if (outage) context.log.warn({ err: error, request_id: requestId, path: c.req.path }, "outage");
    if (!known)
      context.log.error({ err: error, request_id: requestId, path: c.req.path }, "unexpected error");
    const code = known?.code ?? "internal_error";
    c.header("X-Request-ID", requestId);
    const retryAfter = known?.retryAfter ?? (errorStatus[code] === 503 ? defaultRetryAfter : undefined);
    if (retryAfter) c.header("Retry-After", String(retryAfter));
    return c.json(
      {
        ...(code === "payment_required" ? c.get("paymentRequired") : {}),
        error: {
          code,
          message: known?.message ?? unexpectedErrorMessage,
          request_id: requestId,
          ...(known?.details ? { details: known.details } : {}),
          ...(known instanceof SpendRefusal ? { spend_limit: known.passed } : {}),
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
