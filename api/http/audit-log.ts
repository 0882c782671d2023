import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import { placeholdersOf, prepareOnce, type Transaction } from "../../db/client.ts";
import { getTableColumns } from "../../db/drizzle.ts";
import { auditEntry, type JsonObject } from "../../db/schema.ts";
import type { Variables } from "../variables.ts";
import { callerOf } from "./access.ts";

/** The actions of the audit log, each with its meaning. */
export const auditActions = {
  "session.created": "a wallet signed in",
  "session.ended": "a session was ended by its owner",
  "key.created": "an API key was made",
  "key.changed": "an API key has other limits, another end, or is bound to other networks",
  "key.revoked": "an API key was revoked",
  "wallet.added": "a wallet was added to the account",
  "wallet.removed": "a wallet was taken from the account",
  "wallet.made_primary": "the account has another primary wallet",
  "email.set": "mail of the account's events goes to another address, or covers other events",
  "email.removed":
    "the account gets no more mail: its owner ended it, or the member who set the address left",
  "billing.set": "the account's invoices state other billing details",
  "billing.removed": "the account has no billing details for new invoices",
  "data.export_requested": "an export of all data of the account was requested",
  "data.erasure_requested": "the erasure of the account's words and files was requested",
  "data.erasure_taken_back": "the request of an erasure was taken back",
  "agent.payout_wallet_changed": "an agent's payouts go to another wallet",
  "agent.identity_linked": "an agent was linked to an on-chain identity",
  "agent.identity_unlinked": "an agent was unlinked from its on-chain identity",
  "agent.domain_claimed": "a domain was claimed for an agent, in the place of any other",
  "agent.domain_removed": "an agent's claim to a domain was taken back",
  "service.execution_changed": "paid orders of a service are executed at another endpoint, or at none",
  "webhook.disabled": "nothing more is sent to a webhook endpoint: the member who set it left",
  "webhook.secret_rotated": "a webhook endpoint signs with a new secret",
  "operator.acted": "an operator acted on a subject, for the reason in the data",
  "operator.file_linked": "an operator made a link to a reported file, for the report in the data",
  "operator.delivery_resent": "an operator sent a failed webhook delivery again, for the reason in the data",
  "member.invited": "a wallet was invited into the organisation",
  "member.joined": "an invitation was accepted",
  "member.role_changed": "a member has another role",
  "member.removed": "a member was removed from the organisation",
} as const;
export type AuditAction = keyof typeof auditActions;

export type NewAuditEntry = {
  action: AuditAction;
  /** the id of the object of the action */
  target: string;
  /** the change, without secrets: `{from, to}` and the like */
  data?: Record<string, string | string[] | JsonObject | null>;
  /** the account and the actor, where they are not the request's caller, as at a sign-in */
  by?: { accountId: string; actorAccountId: string; credentialId: string | null };
};

/** Records a change to credentials, wallets or the target of orders, in the transaction of the change. */
export async function recordAudit(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  entry: NewAuditEntry,
): Promise<void> {
  await insertEntry(tx).execute(auditValues(c, entry));
}

/** The values of `auditPlaceholders`, for a statement that writes an entry and other rows. */
export function auditValues(c: HonoContext<{ Variables: Variables }>, entry: NewAuditEntry) {
  const { action, target, data = {}, by = actorOf(c) } = entry;
  return {
    ...by,
    id: typeid("aud").toString(),
    action,
    target,
    data,
    clientAddress: c.get("clientAddress") ?? null,
    requestId: c.get("requestId"),
  };
}

const { createdAt: _, ...columns } = getTableColumns(auditEntry);
export const auditPlaceholders = placeholdersOf(columns);

const insertEntry = prepareOnce("insert_audit_entry", (db) =>
  db.insert(auditEntry).values(auditPlaceholders),
);

function actorOf(c: HonoContext<{ Variables: Variables }>) {
  const { accountId, memberAccountId, credentialId } = callerOf(c);
  return { accountId, actorAccountId: memberAccountId, credentialId };
}
