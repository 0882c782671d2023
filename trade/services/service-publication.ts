import type { agent, service } from "../../db/schema.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import { isMove, type OwnMove } from "../publication.ts";
import { Refusal } from "../refusal.ts";
import { findMissingPricing } from "./pricing.ts";

type Columns = Partial<typeof service.$inferInsert>;
type PublishedRow = Pick<typeof service.$inferSelect, "status" | "publishedAt" | "available"> & {
  agentStatus: (typeof agent.$inferSelect)["status"];
};

/**
 * Returns the columns of a service that its owner publishes, pauses or retires; none if it has the status already.
 *
 * @throws Refusal `invalid_state`
 */
export function serviceStatusColumns(row: PublishedRow, to: OwnMove): Columns {
  if (!isMove("service", row.status, to)) return {};
  if (to !== "published") return { status: to };
  if (row.agentStatus === "retired") {
    throw new Refusal(
      "invalid_state",
      "The agent of this service is retired, so the service cannot be published.",
    );
  }
  return { status: to, publishedAt: row.publishedAt ?? new Date() };
}

/**
 * Returns the columns of a service that takes new orders, or takes none.
 *
 * @throws Refusal `invalid_state` for a service that is not published
 */
export function availabilityColumns(row: PublishedRow, available: boolean): Columns {
  if (row.status !== "published" && row.status !== "paused") {
    throw new Refusal("invalid_state", `A ${row.status} service takes no orders. Publish it first.`);
  }
  return row.available === available ? {} : { available };
}

/**
 * Requires that a service is complete, so that buyers can order it.
 *
 * @param schemas the faults of the schemas of a service that is being published
 * @throws Refusal `agent_not_published`, else `service_incomplete`, else `invalid_schema`; `details` lists everything
 */
export function requireSellable(
  row: Pick<PublishedRow, "agentStatus"> & Parameters<typeof findMissingPricing>[0],
  schemas: Violation[],
): void {
  const agentViolations =
    row.agentStatus === "draft"
      ? [{ path: "/agent", keyword: "published", message: "is a draft: publish it first" }]
      : [];
  const missing = findMissingPricing(row);
  const details = [...agentViolations, ...missing, ...schemas];
  if (agentViolations.length > 0) {
    throw new Refusal(
      "agent_not_published",
      "The agent of this service is not published: publish it first. `details` lists everything that is missing.",
      details,
    );
  }
  if (missing.length > 0) {
    throw new Refusal(
      "service_incomplete",
      "The service is incomplete. `details` lists everything that is missing.",
      details,
    );
  }
  if (schemas.length > 0) {
    throw new Refusal(
      "invalid_schema",
      "A schema of the service is not valid JSON Schema 2020-12. `details` lists the faults.",
      details,
    );
  }
}
