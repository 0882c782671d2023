import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { orderQuery } from "./orders/order-queries.ts";
import { Skeleton } from "./parts/skeleton.tsx";
import { clientOf } from "./session/client.ts";
import { requireSession, SignedIn } from "./session/require-session.tsx";
import { currentSession } from "./session/session.ts";
import { queries } from "./session/session-queries.ts";
import { basePath } from "./settings.ts";
import { ErrorPage, NotFoundPage } from "./shell/error-page.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

/**
 * Creates the route of a page for signed-in users. Its file is loaded on demand.
 *
 * @param read begins to read the page's data while the file loads
 */
function ownPage<Path extends string, Search extends object>(
  path: Path,
  load: () => Promise<Record<string, unknown>>,
  name: string,
  validateSearch: (search: Record<string, unknown>) => Search,
  read?: (params: Record<string, string>) => void,
) {
  const Loaded = lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name);
  const component = () => (
    <SignedIn>
      <Loaded />
    </SignedIn>
  );
  const page = Object.assign(component, { preload: Loaded.preload });
  return createRoute({
    getParentRoute: () => root,
    path,
    component: page,
    validateSearch,
    beforeLoad: requireSession,
    loader: ({ params }) => read?.(params as Record<string, string>),
  });
}

/** Creates the route of a public page. Its file is loaded on demand. */
function openPage<Path extends string, Search extends object>(
  path: Path,
  load: () => Promise<Record<string, unknown>>,
  name: string,
  validateSearch: (search: Record<string, unknown>) => Search,
) {
  const component = lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name);
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

/** Reads the named search parameters of a URL as texts. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]])),
    ) as { [K in Name]?: string };

/** The search parameters of a list of orders. */
const orderSearch = ["q", "status", "since", "until", "min", "max", "sort"] as const;

/** Every page, in the order of the navigation. */
const routeTree = root.addChildren([
  openPage("/", () => import("./home/first-page.tsx"), "FirstPage", texts()),
  openPage(
    "/market",
    () => import("./market/market-page.tsx"),
    "MarketPage",
    texts(
      "q",
      "category",
      "pricing",
      "currency",
      "token",
      "min",
      "max",
      "hours",
      "verified",
      "score",
      "rating",
      "orders",
      "ontime",
      "sort",
    ),
  ),
  openPage("/market/$agent/$service", () => import("./market/service-page.tsx"), "ServicePage", texts()),
  openPage("/agents/$agent", () => import("./market/agent-page.tsx"), "AgentPage", texts()),
  openPage("/records/$agent", () => import("./market/record-page.tsx"), "RecordPage", texts()),
  openPage("/reputation", () => import("./market/score-page.tsx"), "ScorePage", texts()),
  ownPage("/purchases", () => import("./orders/orders-page.tsx"), "PurchasesPage", texts(...orderSearch)),
  ownPage("/sales", () => import("./orders/orders-page.tsx"), "SalesPage", texts(...orderSearch)),
  ownPage(
    "/orders/$orderId",
    () => import("./orders/order-page.tsx"),
    "OrderPage",
    texts(),
    ({ orderId = "" }) => void queries.prefetchQuery(orderQuery(clientOf(currentSession()), orderId)),
  ),
  ownPage("/sell/agents", () => import("./agents/agents-page.tsx"), "AgentsPage", texts("show")),
  ownPage("/sell/agents/new", () => import("./agents/new-agent-page.tsx"), "NewAgentPage", texts()),
  ownPage("/sell/agents/$agent", () => import("./agents/own-agent-page.tsx"), "OwnAgentPage", texts()),
  ownPage(
    "/sell/agents/$agent/new",
    () => import("./agents/new-service-page.tsx"),
    "NewServicePage",
    texts(),
  ),
  ownPage(
    "/sell/agents/$agent/$service",
    () => import("./agents/own-service-page.tsx"),
    "OwnServicePage",
    texts(),
  ),
  ownPage(
    "/analytics",
    () => import("./analytics/analytics-page.tsx"),
    "AnalyticsPage",
    texts("days", "since", "until", "agent"),
  ),
  ownPage("/requests", () => import("./requests/requests-page.tsx"), "RequestsPage", texts("show", "tag")),
  ownPage("/quotes", () => import("./requests/quotes-page.tsx"), "QuotesPage", texts()),
  ownPage("/requests/new", () => import("./requests/new-request-page.tsx"), "NewRequestPage", texts()),
  ownPage("/requests/$requestId", () => import("./requests/request-page.tsx"), "RequestPage", texts()),
  ownPage("/orders/$orderId/dispute", () => import("./disputes/dispute-page.tsx"), "DisputePage", texts()),
  ownPage("/disputes", () => import("./disputes/disputes-page.tsx"), "DisputesPage", texts("part", "ended")),
  ownPage("/balances", () => import("./balances/balances-page.tsx"), "BalancesPage", texts()),
  ownPage(
    "/notifications",
    () => import("./notifications/notifications-page.tsx"),
    "NotificationsPage",
    texts("show"),
  ),
  ownPage(
    "/payments",
    () => import("./payments/payments-page.tsx"),
    "PaymentsPage",
    texts("role", "claim", "since", "until"),
  ),
  ownPage(
    "/subscriptions",
    () => import("./subscriptions/subscriptions-page.tsx"),
    "SubscriptionsPage",
    texts("status"),
  ),
  ownPage(
    "/subscriptions/$subscriptionId",
    () => import("./subscriptions/subscription-page.tsx"),
    "SubscriptionPage",
    texts(),
  ),
  openPage(
    "/receipts",
    () => import("./receipts/receipts-page.tsx"),
    "ReceiptsPage",
    texts("role", "claim", "since", "until"),
  ),
  openPage(
    "/receipts/$receiptId/checks",
    () => import("./receipts/receipt-page.tsx"),
    "ReceiptPage",
    texts(),
  ),
  openPage("/docs", () => import("./reference/reference-page.tsx"), "ReferencePage", texts("op")),
  openPage("/chain-status", () => import("./status/status-page.tsx"), "StatusPage", texts()),
  ownPage("/developers", () => import("./developers/quickstart-page.tsx"), "QuickstartPage", texts()),
  ownPage("/events", () => import("./events/events-page.tsx"), "EventsPage", texts("type", "event")),
  ownPage("/keys", () => import("./keys/keys-page.tsx"), "KeysPage", texts("key")),
  ownPage("/webhooks", () => import("./webhooks/webhooks-page.tsx"), "WebhooksPage", texts()),
  ownPage(
    "/webhooks/$webhookId",
    () => import("./webhooks/webhook-page.tsx"),
    "WebhookPage",
    texts("status", "type", "since", "until"),
  ),
  ownPage(
    "/webhooks/$webhookId/$deliveryId",
    () => import("./webhooks/delivery-page.tsx"),
    "DeliveryPage",
    texts(),
  ),
  ownPage(
    "/settings/organisation",
    () => import("./organisation/organisation-page.tsx"),
    "OrganisationPage",
    texts(),
  ),
  ownPage("/settings/wallets", () => import("./wallets/wallets-page.tsx"), "WalletsPage", texts()),
  ownPage("/settings/audit", () => import("./audit/audit-page.tsx"), "AuditPage", texts()),
  ownPage("/settings/notifications", () => import("./email/email-page.tsx"), "EmailPage", texts()),
  ownPage("/settings/billing", () => import("./billing/billing-page.tsx"), "BillingPage", texts()),
  ownPage("/settings/files", () => import("./files/files-page.tsx"), "FilesPage", texts()),
  ownPage("/settings/sessions", () => import("./session/sessions-page.tsx"), "SessionsPage", texts()),
  ownPage("/settings/reports", () => import("./reports/reports-page.tsx"), "ReportsPage", texts()),
  ownPage("/operator", () => import("./operator/subjects-page.tsx"), "SubjectsPage", texts("show", "kind")),
  ownPage("/operator/state", () => import("./operator/service-state-page.tsx"), "StatePage", texts()),
  ownPage("/operator/$subject", () => import("./operator/subject-page.tsx"), "SubjectPage", texts()),
  ownPage("/connect/$uid", () => import("./connect/connect-page.tsx"), "ConnectPage", texts()),
  openPage("/link", () => import("./session/link-page.tsx"), "LinkPage", texts("request")),
  openPage("/sign-in", () => import("./session/sign-in-page.tsx"), "SignInPage", texts("next")),
]);

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    basepath: basePath,
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultPendingComponent: () => <Skeleton />,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
  interface HistoryState {
    /** whether this page placed the order that it opens; a link from elsewhere cannot set it */
    isJustPlaced?: boolean;
  }
}
