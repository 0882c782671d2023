import { insertEvents } from "../../db/account-events.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, ne, or, sql } from "../../db/drizzle.ts";
import { webhookEndpoint } from "../../db/schema.ts";
import { webhookEventData } from "../../protocol/facts/account-events.ts";
import { cancelPending } from "./deliveries.ts";
import { type EndpointRow, isNotRevoked } from "./endpoints.ts";

/** The time without any success after which an endpoint is disabled. */
const failingFor = sql`interval '5 days'`;
/** The failed attempts of one delivery before an endpoint is disabled. They leave a receiver some hours to recover. */
const failuresOfDelivery = 7;

/** The reasons for a disabled endpoint, which its owner reads at each cancelled delivery. */
const failing =
  "endpoint_disabled: Every attempt failed for five days, so nothing more is sent to the endpoint.";
const memberLeft =
  "endpoint_disabled: The member who set the endpoint was removed, so nothing more is sent to the endpoint.";

/** Whether a delivery has failed often enough to disable its endpoint. `disableFailing` then checks the five days. */
export function mayDisable(failures: number): boolean {
  return failures >= failuresOfDelivery;
}

/**
 * Disables an active endpoint as `failing`: every attempt has failed for five days, and one delivery has failed seven
 * times. The caller checks the seven failures with `mayDisable`.
 *
 * @returns false if the endpoint has recovered, or is not active
 */
export async function disableFailing(tx: Transaction, id: string): Promise<boolean> {
  const [changed] = await tx
    .update(webhookEndpoint)
    .set({ status: "disabled", disabledReason: "failing", updatedAt: sql`now()` })
    .where(
      and(
        eq(webhookEndpoint.id, id),
        eq(webhookEndpoint.status, "active"),
        sql`${webhookEndpoint.failingSince} <= now() - ${failingFor}`,
      ),
    )
    .returning();
  if (!changed) return false;
  await cancelPending(tx, id, failing);
  await insertDisabled(tx, [changed], "failing");
  return true;
}

/**
 * Disables the endpoints whose URL this person set, or whose current secret this person saw. They stay disabled until
 * their secret is replaced.
 */
export async function disableEndpointsOf(
  tx: Transaction,
  accountId: string,
  person: string,
): Promise<EndpointRow[]> {
  const theirs = or(eq(webhookEndpoint.urlBy, person), eq(webhookEndpoint.secretBy, person));
  const ofPerson = and(eq(webhookEndpoint.accountId, accountId), isNotRevoked, theirs);
  const enabled = await tx
    .select({ id: webhookEndpoint.id })
    .from(webhookEndpoint)
    .where(and(ofPerson, ne(webhookEndpoint.status, "disabled")))
    .orderBy(webhookEndpoint.id)
    .for("no key update");
  const disabled = await tx
    .update(webhookEndpoint)
    .set({
      status: "disabled",
      disabledReason: "member_left",
      secretBy: null,
      previousSecretUntil: null,
      updatedAt: sql`now()`,
    })
    .where(ofPerson)
    .returning();
  for (const { id } of disabled) await cancelPending(tx, id, memberLeft);
  const changed = disabled.filter(({ id }) => enabled.some((before) => before.id === id));
  await insertDisabled(tx, changed, "member_left");
  return disabled;
}

/** Writes the events of endpoints that this transaction disabled. The account's other endpoints get them. */
function insertDisabled(
  tx: Transaction,
  rows: readonly EndpointRow[],
  reason: "failing" | "member_left",
): Promise<void> {
  return insertEvents(
    tx,
    rows.map(({ id, accountId, host, updatedAt }) => ({
      accountId,
      type: "webhook.disabled",
      orderId: null,
      key: `webhook_disabled:${id}:${updatedAt.toISOString()}`,
      data: webhookEventData({ endpoint_id: id, host, reason }),
    })),
  );
}
