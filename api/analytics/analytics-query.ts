import { z } from "@hono/zod-openapi";
import { slugField } from "../http/fields.ts";
import { refuseQuery } from "../http/list-order.ts";

/** The most days of an answer, and those without a query. */
const mostDays = 366;
const usualDays = 30;

/** The first day of a query: PostgreSQL has no year 0. */
const firstDay = "2000-01-01";

const dayMs = 86_400_000;

const dayInput = z.iso
  .date()
  .refine((day) => day >= firstDay, `must be ${firstDay} or later`)
  .openapi({ type: "string", format: "date", example: "2026-11-21" });

export const analyticsQuery = z.object({
  since: dayInput
    .optional()
    .openapi({ description: `the first day (UTC); by default the day that makes ${usualDays} days` }),
  until: dayInput.optional().openapi({ description: "the last day (UTC); by default today" }),
  agent: slugField.optional().openapi({ description: "the slug of one of your agents: only its sales" }),
});

/** The first and the last day of an answer, as dates. */
export type Days = { since: string; until: string };

/**
 * Reads the days of a query.
 *
 * @throws ApiError `invalid_request` if there is no day, or too many
 */
export function readDays(query: { since?: string | undefined; until?: string | undefined }): Days {
  const until = query.until ?? dateOf(Date.now());
  const since = query.since ?? dateOf(Date.parse(until) - (usualDays - 1) * dayMs);
  const days = (Date.parse(until) - Date.parse(since)) / dayMs + 1;
  if (days < 1) throw refuseQuery("since", "must not be after `until`");
  if (days > mostDays) throw refuseQuery("since", `must be at most ${mostDays - 1} days before \`until\``);
  return { since, until };
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
