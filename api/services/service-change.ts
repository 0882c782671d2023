import type { z } from "@hono/zod-openapi";
import type { Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, sql } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requirePayoutChains } from "../../trade/services/payout-chains.ts";
import { checkPricing, findMissingPricing } from "../../trade/services/pricing.ts";
import { checkServiceStages } from "../../trade/services/stages.ts";
import type { Context } from "../context.ts";
import { ApiError, type Violation } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { requireMatch } from "../http/etag.ts";
import { readService, type ServiceRow, type serviceParams } from "./service.ts";

const { search: _, ...ownColumns } = getTableColumns(service);

/**
 * Reads a service of the caller's own agent with the agent's status, and locks both until the transaction ends.
 *
 * @param ifMatch the header of that name: the service must still have the version it names
 * @throws ApiError `not_found` or `precondition_failed`
 */
export async function lockOwnService(
  tx: Transaction,
  { slug, svc }: z.output<typeof serviceParams>,
  caller: Caller,
  ifMatch: string | undefined,
) {
  const [row] = await tx
    .select({ ...ownColumns, agentStatus: agent.status, payoutWallet: agent.payoutWallet })
    // The agent comes first: all code locks the rows in this order.
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(and(eq(agent.accountId, caller.accountId), eq(agent.slug, slug), eq(service.slug, svc)))
    .for("update");
  if (!row) throw new ApiError("not_found", `You have no agent ${slug} with a service ${svc}.`);
  requireMatch(ifMatch, row.version);
  return row;
}
type OwnService = Awaited<ReturnType<typeof lockOwnService>>;

type ServiceChange = {
  schemaFaults?: Violation[];
  recordChange?: (tx: Transaction, before: OwnService, after: OwnService) => Promise<void>;
};

/**
 * Changes the caller's own service, under its lock. A published service must remain complete.
 *
 * @param columnsOf returns the columns to set, if any; throws to refuse the change
 * @param more.schemaFaults the faults of the service's schemas, found before the lock
 * @param more.recordChange records the change in the same transaction
 */
export function changeService(
  { config, db }: Context,
  caller: Caller,
  params: z.output<typeof serviceParams>,
  ifMatch: string | undefined,
  columnsOf: (row: OwnService) => Partial<typeof service.$inferInsert>,
  { schemaFaults = [], recordChange }: ServiceChange = {},
): Promise<ServiceRow> {
  return inTransaction(db, async (tx) => {
    const row = await lockOwnService(tx, params, caller, ifMatch);
    const columns = columnsOf(row);
    const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length > 0) {
      const after: OwnService = { ...row, ...given };
      checkPricing(after);
      checkServiceStages(after);
      if (after.status === "published")
        requireSellable(after, row.status === "published" ? [] : schemaFaults);
      // The default chain, which pays without a list, may have changed since the service was written.
      if ("accepts" in given || after.status !== row.status) {
        await requirePayoutChains(tx, config, { ...after, accountId: caller.accountId });
      }
      await tx
        .update(service)
        .set({ ...columns, version: sql`${service.version} + 1`, updatedAt: sql`now()` })
        .where(eq(service.id, row.id));
      await recordChange?.(tx, row, after);
    }
    return readService(tx, row.id);
  });
}

/**
 * Requires that a service is complete, so that buyers can order it.
 *
 * @param schemas the faults of the schemas of a service that is being published
 * @throws ApiError `agent_not_published`, else `service_incomplete`, else `invalid_schema`; `details` lists everything
 */
function requireSellable(row: OwnService, schemas: Violation[]): void {
  const agentViolations =
    row.agentStatus === "draft"
      ? [{ path: "/agent", keyword: "published", message: "is a draft: publish it first" }]
      : [];
  const missing = findMissingPricing(row);
  const details = [...agentViolations, ...missing, ...schemas];
  if (agentViolations.length > 0) {
    throw new ApiError(
      "agent_not_published",
      "The agent of this service is not published: publish it first. `details` lists everything that is missing.",
      details,
    );
  }
  if (missing.length > 0) {
    throw new ApiError(
      "service_incomplete",
      "The service is incomplete. `details` lists everything that is missing.",
      details,
    );
  }
  if (schemas.length > 0) {
    throw new ApiError(
      "invalid_schema",
      "A schema of the service is not valid JSON Schema 2020-12. `details` lists the faults.",
      details,
    );
  }
}
