import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { and, eq } from "../../db/drizzle.ts";
import { apiKey } from "../../db/schema.ts";
import { caps, requireBelowCap } from "../../trade/account-caps.ts";
import { defaultToken } from "../../trade/services/payment-token.ts";
import { isActiveKey } from "../../trade/spending/key-limit-checks.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { type NewAuditEntry, recordAudit } from "../http/audit-log.ts";
import { lockActing } from "../organisations/membership.ts";
import type { Variables } from "../variables.ts";
import type { KeyBounds } from "./key-bounds.ts";
import { applyLimits } from "./key-limits.ts";

type KeyRow = typeof apiKey.$inferSelect;

/** The credential of a key: a token of its own, or the access tokens of an OAuth grant. */
type Credential =
  | Required<{ [Name in "tokenHash" | "tokenHint"]: string }>
  | { grantId: string; clientHost: string };

/**
 * Creates a key for the account that the caller acts for, and its audit entry.
 *
 * @throws ApiError `insufficient_role`; Refusal `conflict` at the most keys of an account
 */
export async function insertKey(
  tx: Transaction,
  { config }: Pick<Context, "config">,
  c: HonoContext<{ Variables: Variables }>,
  request: KeyBounds & { name: string },
  credential: Credential,
): Promise<KeyRow> {
  const caller = callerOf(c);
  const { accountId } = caller;
  await lockActing(tx, caller, "session");
  const current = and(eq(apiKey.accountId, accountId), isActiveKey());
  await requireBelowCap(
    tx,
    accountId,
    [apiKey, current],
    caps.keys,
    "keys that are neither revoked nor expired",
  );
  const [made] = await tx
    .insert(apiKey)
    .values({
      id: typeid("key").toString(),
      accountId,
      createdBy: caller.memberAccountId,
      name: request.name,
      scopes: request.scopes,
      limits: request.limits ? applyLimits(request.limits, null, defaultToken(config)) : null,
      allowedIps: request.allowed_ips ?? null,
      expiresAt: request.expires_at ?? null,
      ...credential,
    })
    .returning();
  if (!made) throw new Error("The database returned no key.");
  const { name, scopes, clientHost } = made;
  const data: NewAuditEntry["data"] = { name, scopes, ...keyBoundsOf(made) };
  if (clientHost !== null) data.client_host = clientHost;
  await recordAudit(tx, c, { action: "key.created", target: made.id, data });
  return made;
}

/** The restrictions of a key, for the audit log. */
export function keyBoundsOf({ limits, allowedIps, expiresAt }: KeyRow) {
  return { limits, allowed_ips: allowedIps, expires_at: expiresAt?.toISOString() ?? null };
}
