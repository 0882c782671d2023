import { createRoute, z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import type { Transaction } from "../db/client.ts";
import { auditEntry } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import type { App, Context, Variables } from "./context.ts";
import { timeField } from "./fields.ts";
import { answer, guarded } from "./openapi.ts";
import { pageQuery, pageSchema, readNewest } from "./page.ts";

/** What is written down, each with what it means. */
const actions = {
  "session.created": "a wallet signed in",
  "session.ended": "a session was ended by its owner",
  "key.created": "an API key was made",
  "key.revoked": "an API key was revoked",
  "wallet.added": "a wallet was added to the account",
  "wallet.removed": "a wallet was taken from the account",
  "wallet.made_primary": "another wallet became the primary one",
  "agent.payout_wallet_changed": "an agent's payouts go to another wallet",
  "agent.identity_linked": "an agent was linked to an on-chain identity",
  "agent.identity_unlinked": "an agent was unlinked from its on-chain identity",
  "webhook.secret_rotated": "a webhook endpoint signs with a new secret",
  "member.invited": "a wallet was invited into the organisation",
  "member.joined": "an invitation was accepted",
  "member.role_changed": "a member has another role",
  "member.removed": "a member is none any more",
} as const;
export type AuditAction = keyof typeof actions;

export type NewAuditEntry = {
  action: AuditAction;
  /** the id of what it was done to */
  target: string;
  /** what changed, without any secret: `{from, to}` and the like */
  data?: Record<string, string | string[] | null>;
  /** whose account it was done to, and by whom; the request's caller unless given, as at a sign-in */
  by?: { accountId: string; actorAccountId: string; credentialId: string | null };
};

/** Writes down what a request does to credentials or wallets, in the transaction that does it. */
export async function recordAudit(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  { action, target, data = {}, by }: NewAuditEntry,
): Promise<void> {
  const who = by ?? actorOf(c);
  await tx.insert(auditEntry).values({
    id: typeid("aud").toString(),
    ...who,
    action,
    target,
    data,
    clientAddress: c.get("clientAddress") ?? null,
    requestId: c.get("requestId"),
  });
}

function actorOf(c: HonoContext<{ Variables: Variables }>) {
  const { accountId, memberAccountId, credentialId } = callerOf(c);
  return { accountId, actorAccountId: memberAccountId, credentialId };
}

const entrySchema = z
  .object({
    id: z.string().openapi({ example: "aud_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    action: z.enum(Object.keys(actions) as [AuditAction, ...AuditAction[]]).openapi({
      description: Object.entries(actions)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join("; "),
    }),
    target: z.string().openapi({
      description: "the id of what it was done to",
      example: "key_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    actor: z.object({
      account_id: z.string(),
      credential_id: z
        .string()
        .nullable()
        .openapi({ description: "the session or API key it was done with" }),
    }),
    data: z.record(z.string(), z.unknown()).openapi({ description: "what changed, without secrets" }),
    client_address: z.string().nullable().openapi({ example: "203.0.113.7" }),
    request_id: z.string(),
    created_at: timeField,
  })
  .openapi("AuditEntry");

function presentEntry(row: typeof auditEntry.$inferSelect) {
  return {
    id: row.id,
    action: row.action as AuditAction,
    target: row.target,
    actor: { account_id: row.actorAccountId, credential_id: row.credentialId },
    data: row.data,
    client_address: row.clientAddress,
    request_id: row.requestId,
    created_at: row.createdAt.toISOString(),
  };
}

/** What was done to an account's credentials and wallets, for its owner to read. */
export function addAudit(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/audit",
      operationId: "listAudit",
      tags: ["identity"],
      summary: "What was done to your credentials and wallets, newest first",
      description:
        "Sessions, API keys, wallets, payout wallets, webhook secrets and members. Written in the transaction of what it tells of, and never changed.",
      ...guarded(context, "session"),
      request: { query: pageQuery },
      responses: { 200: answer("A page of entries", pageSchema(entrySchema).openapi("AuditPage")) },
    }),
    async (c) => {
      const own = eq(auditEntry.accountId, callerOf(c).accountId);
      return c.json(await readNewest(context.db, auditEntry, own, c.req.valid("query"), presentEntry), 200);
    },
  );
}
