/**
 * The paths of the console's pages, as the router writes them. The server answers all other paths with status 404. A test
 * compares the lists with the router.
 */

/** Pages that start a session. Crawlers are asked to leave them out. */
export const signInPaths = ["/sign-in", "/link"] as const;

/** Pages that need no session. The server writes their titles and descriptions. */
export const openPaths = [
  "/",
  "/market",
  "/market/$agent/$service",
  "/agents/$agent",
  "/records/$agent",
  "/receipts",
  "/receipts/$receiptId/checks",
  "/reputation",
  "/docs",
  "/chain-status",
  ...signInPaths,
] as const;

/** Pages of a signed-in user. Crawlers are asked to leave them out. */
export const ownPaths = [
  "/requests",
  "/requests/new",
  "/requests/$requestId",
  "/purchases",
  "/orders/$orderId",
  "/orders/$orderId/dispute",
  "/subscriptions",
  "/subscriptions/$subscriptionId",
  "/sell/agents",
  "/sell/agents/new",
  "/sell/agents/$agent",
  "/sell/agents/$agent/new",
  "/sell/agents/$agent/$service",
  "/sales",
  "/quotes",
  "/analytics",
  "/balances",
  "/payments",
  "/notifications",
  "/developers",
  "/keys",
  "/webhooks",
  "/webhooks/$webhookId",
  "/webhooks/$webhookId/$deliveryId",
  "/events",
  "/settings/organisation",
  "/settings/wallets",
  "/settings/notifications",
  "/settings/billing",
  "/settings/files",
  "/settings/sessions",
  "/settings/audit",
  "/settings/reports",
  "/operator",
  "/operator/state",
  "/operator/$subject",
  "/disputes",
  "/connect/$uid",
] as const;

/** Returns the pattern of the paths that a route serves. */
export const patternOf = (route: string): RegExp => new RegExp(`^${route.replaceAll(/\$\w+/g, "[^/]+")}/?$`);

const patterns = [...openPaths, ...ownPaths].map(patternOf);

/** Whether the console has a page at a path. */
export const hasPage = (path: string): boolean => patterns.some((pattern) => pattern.test(path));
