import type { Context as HonoContext } from "hono";
import { routePath } from "hono/route";
import { apiPath, uploadsPath } from "../../protocol/settlement/vocabulary.ts";
import { refuseBannedAccount } from "../../trade/accounts/active-account.ts";

/**
 * The writing operations that a banned account keeps, besides all deletions. With them it ends its open orders, looks after its
 * money and its credentials, appeals, exports its data, and takes back what it offered. A new operation is refused unless it
 * is listed here.
 */
export const operationsOfBanned: readonly string[] = [
  "POST /auth/logout",
  "POST /auth/me/wallets/:id/deployment",
  "PUT /auth/me/wallets/:id/primary",
  "POST /auth/me/wallets/:id/transfer",
  "POST /files",
  "POST /files/:id/link",
  "POST /invitations/:id/decline",
  "PUT /me/billing-details",
  "PUT /me/email",
  "POST /me/email/verify",
  "POST /me/erasure",
  "POST /me/export",
  "POST /moderations/:id/appeal",
  "POST /notifications/read",
  "POST /orders/:id/approval",
  "POST /orders/:id/close",
  "POST /orders/:id/deliver",
  "POST /orders/:id/delivery-record",
  "POST /orders/:id/dispute",
  "POST /orders/:id/dispute-intent",
  "POST /orders/:id/dispute/decision",
  "POST /orders/:id/dispute/statements",
  // On an order that is paid and open alone: `writeMessage` refuses the others.
  "POST /orders/:id/messages",
  "POST /orders/:id/messages/read",
  "POST /orders/:id/messages/:message_id/withdraw",
  "POST /orders/:id/payment",
  "POST /orders/:id/refund",
  "POST /orders/:id/release",
  "POST /orders/:id/revision",
  "POST /orders/:id/start",
  "POST /orders/:id/voucher",
  "POST /quotes/:id/withdraw",
  "POST /requests/:id/close",
  "POST /subscriptions/:id/cancel",
  `POST ${uploadsPath}`,
  `PATCH ${uploadsPath}/:id`,
  "PATCH /webhooks/:id",
  "POST /webhooks/:id/deliveries/:delivery/resend",
  "POST /webhooks/:id/recover",
  "POST /webhooks/:id/rotate-secret",
  "POST /webhooks/:id/test",
];
const kept = new Set(operationsOfBanned);

/**
 * Requires that the route of a request is one that a banned account keeps.
 *
 * @throws Refusal `account_banned`
 */
export function requireKeptByBanned(c: HonoContext): void {
  const { method } = c.req;
  if (method === "GET" || method === "HEAD" || method === "DELETE") return;
  const path = routePath(c);
  const named = path.startsWith(apiPath) ? path.slice(apiPath.length) : path;
  if (!kept.has(`${method} ${named}`)) throw refuseBannedAccount();
}
