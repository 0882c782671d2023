import type { service } from "../../db/schema.ts";
import { isMove, type OwnMove } from "../publication.ts";
import { Refusal } from "../refusal.ts";
import type { OwnService } from "./own-service.ts";

type Columns = Partial<typeof service.$inferInsert>;

/**
 * Returns the columns of a service that its owner publishes, pauses or retires; none if it has the status already.
 *
 * @throws Refusal `invalid_state`
 */
export function statusColumns(row: OwnService, to: OwnMove): Columns {
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
export function availabilityColumns(row: OwnService, available: boolean): Columns {
  if (row.status !== "published" && row.status !== "paused") {
    throw new Refusal("invalid_state", `A ${row.status} service takes no orders. Publish it first.`);
  }
  return row.available === available ? {} : { available };
}
