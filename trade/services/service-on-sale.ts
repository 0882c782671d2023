import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, sql } from "../../db/drizzle.ts";
import { agent, type PublicationStatus, service } from "../../db/schema.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { Refusal } from "../refusal.ts";

export type ServiceRow = Omit<typeof service.$inferSelect, "search">;
export type AgentRow = Omit<typeof agent.$inferSelect, "search">;
export type ServiceWithAgent = { service: ServiceRow; agent: AgentRow };

const { search: _, ...serviceColumns } = getTableColumns(service);
const { search: __, ...agentColumns } = getTableColumns(agent);
/** The columns of a service and its agent, for statements that join both. */
export const offerColumns = { service: serviceColumns, agent: agentColumns };

/** Reads a service with its agent, whatever their statuses; undefined if it does not exist. */
export async function readServiceWithAgent(
  db: Database | Transaction,
  serviceId: string,
): Promise<ServiceWithAgent | undefined> {
  const [found] = await findServiceWithAgent(db).execute({ serviceId });
  return found;
}

/** Reads a service with its agent by their slugs. */
export async function readServiceNamed(
  db: Database,
  agentSlug: string,
  serviceSlug: string,
): Promise<ServiceWithAgent | undefined> {
  if (!slugPattern.test(agentSlug) || !slugPattern.test(serviceSlug)) return undefined;
  const [found] = await findServiceNamed(db).execute({ agentSlug, serviceSlug });
  return found;
}

const findServiceWithAgent = prepareOnce("find_service_with_agent", (db) =>
  selectServices(db).where(eq(service.id, sql.placeholder("serviceId"))),
);

const findServiceNamed = prepareOnce("find_service_named", (db) =>
  selectServices(db).where(
    and(eq(agent.slug, sql.placeholder("agentSlug")), eq(service.slug, sql.placeholder("serviceSlug"))),
  ),
);

function selectServices(db: Database | Transaction) {
  return db.select(offerColumns).from(service).innerJoin(agent, eq(agent.id, service.agentId));
}

const notForSale: PublicationStatus[] = ["draft", "retired", "suspended"];

/** Returns the refusal of a sale to an account (null for an anonymous buyer); null if the service is on sale. */
export function refuseSale(
  found: ServiceWithAgent | undefined,
  buyerAccountId: string | null,
): Refusal | null {
  const statuses = found && [found.service.status, found.agent.status];
  if (!found || statuses?.some((status) => notForSale.includes(status))) {
    return new Refusal("not_found", "There is no such published service.");
  }
  if (statuses?.includes("paused")) {
    return new Refusal("invalid_state", "This service takes no orders, because it or its agent is paused.");
  }
  if (!found.service.available) {
    return new Refusal("invalid_state", "This service takes no new orders.");
  }
  if (found.agent.accountId === buyerAccountId) {
    return new Refusal("conflict", "You cannot order a service of your own agent.");
  }
  return null;
}

/**
 * Requires that a service is on sale to an account.
 *
 * @throws Refusal `not_found`, `invalid_state` for a paused or unavailable service, `conflict` for the account's own
 */
export function requireOnSale(
  found: ServiceWithAgent | undefined,
  buyerAccountId: string | null,
): asserts found is ServiceWithAgent {
  const refusal = refuseSale(found, buyerAccountId);
  if (refusal) throw refusal;
}
