import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { agent, service } from "../../db/schema.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { Refusal } from "../refusal.ts";

export type ServiceRow = Omit<typeof service.$inferSelect, "search">;
export type AgentRow = Omit<typeof agent.$inferSelect, "search">;
export type ServiceWithAgent = { service: ServiceRow; agent: AgentRow };

const { search: _, ...serviceColumns } = getTableColumns(service);
const { search: __, ...agentColumns } = getTableColumns(agent);
/** The columns of a service and its agent, for statements that join both. */
export const offerColumns = { service: serviceColumns, agent: agentColumns };

/** A service with its agent, whatever their states; undefined where there is none. */
export async function readServiceWithAgent(
  db: Database | Transaction,
  serviceId: string,
): Promise<ServiceWithAgent | undefined> {
  const [found] = await findServiceWithAgent(db).execute({ serviceId });
  return found;
}

/** The same by the slugs of both. */
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

/** Why a service is not sold to this account now, or to nobody in particular; null where it is. */
export function refuseSale(
  found: ServiceWithAgent | undefined,
  buyerAccountId: string | null,
): Refusal | null {
  const statuses = found && [found.service.status, found.agent.status];
  if (!found || statuses?.some((status) => status === "draft" || status === "retired")) {
    return new Refusal("not_found", "There is no such published service.");
  }
  if (statuses?.includes("paused")) {
    return new Refusal(
      "invalid_state",
      "This service takes no orders at the moment: it, or its agent, is paused.",
    );
  }
  if (!found.service.available) {
    return new Refusal("invalid_state", "This service takes no new orders at the moment.");
  }
  if (found.agent.accountId === buyerAccountId) {
    return new Refusal("conflict", "This service is your own agent's; it cannot be ordered by its owner.");
  }
  return null;
}

/**
 * Lets through what is sold to this account now.
 *
 * @throws Refusal `not_found`, `invalid_state` for what is paused, `conflict` for the account's own
 */
export function requireOnSale(
  found: ServiceWithAgent | undefined,
  buyerAccountId: string | null,
): asserts found is ServiceWithAgent {
  const refusal = refuseSale(found, buyerAccountId);
  if (refusal) throw refusal;
}
