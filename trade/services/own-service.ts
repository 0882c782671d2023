import type { Config } from "../../config/config.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, sql } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import type { VersionCheck } from "../agents/own-agent.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { requirePayoutChains } from "./payout-chains.ts";
import { checkPricing } from "./pricing.ts";
import { requireSellable } from "./service-publication.ts";
import { checkServiceStages } from "./stages.ts";

/** The slugs of an agent and of its service. */
export type ServiceName = { slug: string; svc: string };

const { search: _, ...ownColumns } = getTableColumns(service);

/**
 * Reads a service of the caller's own agent with the agent's status, and locks both until the transaction ends.
 *
 * @throws Refusal `not_found`; what `checkVersion` throws
 */
export async function lockOwnService(
  tx: Transaction,
  { slug, svc }: ServiceName,
  caller: Caller,
  checkVersion: VersionCheck,
) {
  const [row] = await tx
    .select({ ...ownColumns, agentStatus: agent.status, payoutWallet: agent.payoutWallet })
    // The agent comes first: all code locks the rows in this order.
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(and(eq(agent.accountId, caller.accountId), eq(agent.slug, slug), eq(service.slug, svc)))
    .for("update");
  if (!row) throw new Refusal("not_found", `You have no agent ${slug} with a service ${svc}.`);
  checkVersion(row.version);
  return row;
}
export type OwnService = Awaited<ReturnType<typeof lockOwnService>>;

/** A change of a service, under its lock. */
export type ServiceChange = {
  /** returns the columns to set, if any; throws to refuse the change */
  columnsOf: (row: OwnService) => Partial<typeof service.$inferInsert>;
  /** the faults of the service's schemas, found before the lock */
  schemaFaults?: Violation[];
  /** records the change in the same transaction */
  recordChange?: (tx: Transaction, before: OwnService, after: OwnService) => Promise<void>;
};

/**
 * Changes the caller's own service. A published service must remain complete.
 *
 * @returns the service's id
 */
export async function changeService(
  tx: Transaction,
  config: Config,
  caller: Caller,
  name: ServiceName,
  { columnsOf, schemaFaults = [], recordChange }: ServiceChange,
  checkVersion: VersionCheck,
): Promise<string> {
  const row = await lockOwnService(tx, name, caller, checkVersion);
  const columns = columnsOf(row);
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) return row.id;
  const after: OwnService = { ...row, ...given };
  checkPricing(after);
  checkServiceStages(after);
  if (after.status === "published") requireSellable(after, row.status === "published" ? [] : schemaFaults);
  // The default chain, which pays without a list, may have changed since the service was written.
  if ("accepts" in given || after.status !== row.status) {
    await requirePayoutChains(tx, config, { ...after, accountId: caller.accountId });
  }
  await tx
    .update(service)
    .set({ ...columns, version: sql`${service.version} + 1`, updatedAt: sql`now()` })
    .where(eq(service.id, row.id));
  await recordChange?.(tx, row, after);
  return row.id;
}
