import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, ne, sql } from "../../db/drizzle.ts";
import { webhookEndpoint } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { checkUrl, type UrlPolicy } from "../../untrusted/outbound/url-guard.ts";
import type { Caller, Member } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { cancelPending } from "./deliveries.ts";

export type EndpointRow = typeof webhookEndpoint.$inferSelect;

/** The fields that an endpoint's owner sets; `events` are types, or `*` alone for all of them. */
export type EndpointFields = { url: string; events: string[]; description: string | null };

/** Changes of an endpoint. An undefined field keeps its value. */
export type EndpointChanges = {
  [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined;
} & { status?: "active" | "paused" | undefined };

/** The most endpoints of an account that are not revoked. */
const mostEndpoints = 50;

/** Hours for which the previous secret also signs after a rotation. */
export const overlapHours = 24;

export const isNotRevoked = ne(webhookEndpoint.status, "revoked");

/** Selects the caller's endpoints that are not revoked. */
export const isOwn = ({ accountId }: Caller) => and(eq(webhookEndpoint.accountId, accountId), isNotRevoked);

/**
 * Reads an endpoint of the caller.
 *
 * @throws Refusal `not_found` for other accounts' endpoints and revoked ones
 */
export async function readEndpoint(
  db: Database | Transaction,
  caller: Caller,
  id: string,
): Promise<EndpointRow> {
  const [row] = isId("whe", id) ? await selectEndpoint(db, caller, id) : [];
  if (!row) throw noSuchEndpoint();
  return row;
}

/** Reads an endpoint as `readEndpoint` does, and locks its row until the transaction ends. */
async function lockEndpoint(tx: Transaction, caller: Caller, id: string): Promise<EndpointRow> {
  const [row] = isId("whe", id) ? await selectEndpoint(tx, caller, id).for("no key update") : [];
  if (!row) throw noSuchEndpoint();
  return row;
}

const selectEndpoint = (db: Database | Transaction, caller: Caller, id: string) =>
  db
    .select()
    .from(webhookEndpoint)
    .where(and(eq(webhookEndpoint.id, id), isOwn(caller)));

/**
 * Registers an endpoint, which gets the events from now on.
 *
 * @throws Refusal `invalid_request` for a URL without a public address, `conflict` beyond `mostEndpoints`
 */
export async function createEndpoint(
  tx: Transaction,
  caller: Member,
  fields: EndpointFields,
  policy: UrlPolicy,
): Promise<EndpointRow> {
  const { accountId, memberAccountId } = caller;
  requirePublic(fields.url, policy);
  // The lock serialises the account's requests, so that two cannot both be the last endpoint.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${accountId}`}, 0))`);
  if ((await tx.$count(webhookEndpoint, isOwn(caller))) >= mostEndpoints) {
    throw new Refusal(
      "conflict",
      `An account has at most ${mostEndpoints} endpoints. Revoke one that is not used.`,
    );
  }
  const [created] = await tx
    .insert(webhookEndpoint)
    .values({
      id: typeid("whe").toString(),
      accountId,
      host: new URL(fields.url).hostname,
      urlBy: memberAccountId,
      secretBy: memberAccountId,
      ...fields,
    })
    .returning();
  if (!created) throw new Error("The database returned no endpoint.");
  return created;
}

/**
 * Changes, pauses or resumes an endpoint. A new URL is on trial until its first 2xx response. So is an endpoint that
 * was failing when it was resumed.
 *
 * @throws Refusal `not_found`, `invalid_request` for a URL without a public address, or `invalid_state` if a removed
 *   member knows the secret
 */
export async function changeEndpoint(
  tx: Transaction,
  caller: Member,
  id: string,
  { status, ...changes }: EndpointChanges,
  policy: UrlPolicy,
): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, caller, id);
  const { url } = changes;
  const setsStatusAfterMemberLeft =
    status !== undefined && row.status === "disabled" && row.disabledReason === "member_left";
  if (setsStatusAfterMemberLeft && row.secretBy === null) {
    throw new Refusal(
      "invalid_state",
      "A removed member set this endpoint. Replace its secret first (POST .../rotate-secret), then set its status.",
    );
  }
  if (url !== undefined) requirePublic(url, policy);
  // A failing endpoint, or a new URL, must acknowledge a delivery again before it gets its full rate.
  const proven = sql`case when ${webhookEndpoint.failingSince} is null then ${webhookEndpoint.acknowledgedAt} end`;
  const resumedColumns =
    status === "active" ? { disabledReason: null, failingSince: null, acknowledgedAt: proven } : {};
  const setBy = { urlBy: caller.memberAccountId };
  const urlColumns =
    url === undefined || url === row.url
      ? {}
      : {
          host: new URL(url).hostname,
          acknowledgedAt: null,
          failingSince: null,
          nextTrialAt: null,
          ...setBy,
        };
  const [changed] = await tx
    .update(webhookEndpoint)
    .set({
      ...changes,
      ...(status && { status }),
      ...resumedColumns,
      ...urlColumns,
      ...(setsStatusAfterMemberLeft && { ...setBy, disabledReason: null }),
      updatedAt: sql`now()`,
    })
    .where(and(eq(webhookEndpoint.id, row.id), isNotRevoked))
    .returning();
  if (!changed) throw noSuchEndpoint();
  return changed;
}

/**
 * Revokes an endpoint for good and cancels its pending deliveries.
 *
 * @throws Refusal `not_found`
 */
export async function revokeEndpoint(tx: Transaction, caller: Caller, id: string): Promise<EndpointRow> {
  const row = await readEndpoint(tx, caller, id);
  await cancelPending(tx, row.id, "The endpoint was revoked.");
  const [revoked] = await tx
    .update(webhookEndpoint)
    .set({ status: "revoked", updatedAt: sql`now()` })
    .where(eq(webhookEndpoint.id, row.id))
    .returning();
  return revoked ?? row;
}

/**
 * Replaces an endpoint's secret. The previous secret also signs for `overlapHours`, unless a removed member knows it.
 * A third secret within that time is refused, because a receiver may still have the first.
 *
 * @throws Refusal `not_found`, or `invalid_state` within that time
 */
export async function rotateSecret(tx: Transaction, caller: Member, id: string): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, caller, id);
  const overlap =
    row.disabledReason === "member_left" ? null : sql`now() + make_interval(hours => ${overlapHours})`;
  const [rotated] = await tx
    .update(webhookEndpoint)
    .set({
      secretVersion: sql`${webhookEndpoint.secretVersion} + 1`,
      secretBy: caller.memberAccountId,
      previousSecretUntil: overlap,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(webhookEndpoint.id, row.id),
        isNotRevoked,
        sql`coalesce(${webhookEndpoint.previousSecretUntil}, '-infinity') <= now()`,
      ),
    )
    .returning();
  if (rotated) return rotated;
  const until = row.previousSecretUntil?.toISOString() ?? "a moment";
  throw new Refusal(
    "invalid_state",
    `The secret was already rotated, and the previous one signs until ${until}. Rotate again after that.`,
  );
}

function requirePublic(url: string, policy: UrlPolicy): void {
  const check = checkUrl(url, policy);
  if (!check.isAllowed) throw refuseField("url", check.code, check.message);
}

function noSuchEndpoint(): Refusal {
  return new Refusal("not_found", "You have no endpoint with this id.");
}
