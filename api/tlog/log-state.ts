import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { logHead, logQueue } from "../../db/schema.ts";
import { orNull } from "../http/fields.ts";

/** How many facts that wait are counted at the most. */
const mostCounted = 10_000;

const haltField = z.enum(["rolled_back", "forked", "tree_broken", "memory_unreadable"]).openapi("LogHalt");

export const logStateSchema = z
  .object({
    size: z.int().openapi({ description: "the entries of the checkpoint that everybody sees" }),
    age_seconds: z.int().nullable().openapi({ description: "since when it is shown" }),
    witnessed: z.boolean().nullable().openapi({
      description:
        "whether as many witnesses as the log's policy asks for have signed it; null where it asks for none",
    }),
    queued: z
      .int()
      .openapi({ description: `what is to be logged and is not shown yet, counted up to ${mostCounted}` }),
    halted: orNull(haltField).openapi({
      description:
        "why nothing is added: docs/operations/troubleshoot.md has what to do; null while the log works",
    }),
  })
  .openapi("LogState");

/** How the log of receipts is; null before a worker with a log key has run. */
export async function readLogState(db: Database): Promise<z.output<typeof logStateSchema> | null> {
  const [found] = await db
    .select({
      size: logHead.shownSize,
      age: sql<number | null>`floor(extract(epoch from now() - ${logHead.shownAt}))::int`,
      witnessed: logHead.isWitnessed,
      unshown: sql<number>`(${logHead.size} - ${logHead.shownSize})::int`,
      queued: sql<number>`(select count(*)::int from (select from ${logQueue} limit ${mostCounted}) as counted)`,
      halted: logHead.halted,
    })
    .from(logHead);
  if (!found) return null;
  const { size, age, witnessed, unshown, queued, halted } = found;
  return {
    size,
    age_seconds: age,
    witnessed,
    queued: Math.min(unshown + queued, mostCounted),
    halted: halted === null ? null : haltField.parse(halted),
  };
}
