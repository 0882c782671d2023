import type { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { agent, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { checkPricing, findMissingPricing } from "../../trade/services/pricing.ts";
import type { Context } from "../context.ts";
import { ApiError, type Violation } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { requireMatch } from "../http/etag.ts";
import { readService, type ServiceRow, type serviceParams } from "./service.ts";

const { search: _, ...ownColumns } = getTableColumns(service);

/**
 * A service of the caller's own agent with the agent's state, kept from changing until the transaction ends.
 *
 * @param ifMatch the header of that name: the service must still be at the version it names
 * @throws ApiError `not_found` or `precondition_failed`
 */
export async function lockOwnService(
  tx: Transaction,
  { slug, svc }: z.output<typeof serviceParams>,
  caller: Caller,
  ifMatch: string | undefined,
) {
  const [row] = await tx
    .select({ ...ownColumns, agentStatus: agent.status })
    // The agent first: rows are locked in this order, everywhere.
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(and(eq(agent.accountId, caller.accountId), eq(agent.slug, slug), eq(service.slug, svc)))
    .for("update");
  if (!row) throw new ApiError("not_found", `You have no service ${svc} of an agent ${slug}.`);
  requireMatch(ifMatch, row.version);
  return row;
}
type OwnService = Awaited<ReturnType<typeof lockOwnService>>;

type ServiceChange = {
  schemaFaults?: Violation[];
  recordChange?: (tx: Transaction, before: OwnService, after: OwnService) => Promise<void>;
};

/**
 * Changes the caller's own service by what `columnsOf` says of it, while nobody else can change it. A published one
 * stays fit to be offered.
 *
 * @param columnsOf throws to leave it as it is; no columns change nothing
 * @param more.schemaFaults what is wrong with its schemas, looked at before it was locked
 * @param more.recordChange writes down what changed, in the same transaction
 */
export function changeService(
  { db }: Context,
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
      if (after.status === "published")
        requireSellable(after, row.status === "published" ? [] : schemaFaults);
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
 * Says all that a service lacks to be offered to buyers.
 *
 * @param schemas what is wrong with the schemas of one that is about to be offered, rather than already
 * @throws ApiError `agent_not_published`, else `service_incomplete`, else `invalid_schema`; each with everything in `details`
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
      "Publish the agent of this service first; details name all that is missing.",
      details,
    );
  }
  if (missing.length > 0) {
    throw new ApiError("service_incomplete", "The service lacks what details name.", details);
  }
  if (schemas.length > 0) {
    throw new ApiError("invalid_schema", "A schema of the service is no JSON Schema 2020-12.", details);
  }
}
