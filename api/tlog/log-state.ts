import { z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { logHead, logQueue } from "../../db/schema.ts";
import { orNull } from "../http/fields.ts";

/** The most counted facts of the queue. */
const mostCounted = 10_000;

const haltField = z.enum(["rolled_back", "forked", "tree_broken", "memory_unreadable"]).openapi("LogHalt");

export const logStateSchema = z
  .object({
    size: z.int().openapi({ description: "the number of entries of the published checkpoint" }),
    age_seconds: z.int().nullable().openapi({ description: "the age of the published checkpoint" }),
    witnessed: z.boolean().nullable().openapi({
      description:
        "whether enough witnesses have signed the checkpoint for the log's policy; null if the policy needs none",
    }),
    queued: z.int().openapi({
      description: `the number of entries that are not published yet, counted up to ${mostCounted}`,
    }),
    halted: orNull(haltField).openapi({
      description:
        "why the log is halted: docs/operations/troubleshoot.md explains what to do; null if it is not halted",
    }),
  })
  .openapi("LogState");

/** Reads the state of the log of receipts; null until a worker with a log key has run. */
export async function readLogState(db: Database): Promise<z.output<typeof logStateSchema> | null> {
  const [result] = await db
    .select({
      size: logHead.publishedSize,
      age: sql<number | null>`floor(extract(epoch from now() - ${logHead.publishedAt}))::int`,
      witnessed: logHead.isWitnessed,
      unshown: sql<number>`(${logHead.size} - ${logHead.publishedSize})::int`,
      queued: sql<number>`(select count(*)::int from (select from ${logQueue} limit ${mostCounted}) as counted)`,
      halted: logHead.halted,
    })
    .from(logHead);
  if (!result) return null;
  const { size, age, witnessed, unshown, queued, halted } = result;
  return {
    size,
    age_seconds: age,
    witnessed,
    queued: Math.min(unshown + queued, mostCounted),
    halted: halted === null ? null : haltField.parse(halted),
  };
}
