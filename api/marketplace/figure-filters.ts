// What is asked of the record and of the reviews of an agent or a service.

import { z } from "@hono/zod-openapi";
import { and, gte, type SQL, sql } from "drizzle-orm";
import type { agent, listedAgent, offer } from "../../db/schema.ts";

/** A whole number from 1 to `most`, as an address has it. */
export const wholeFrom1 = (most: number, shown: { description?: string; example?: number } = {}) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be a whole number from 1")
    .transform(Number)
    .pipe(z.number().max(most))
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: most, ...shown });

/** What a service, or an agent, must have behind it: of its record, and of its reviews. */
export const reputeQuery = z.object({
  min_score: wholeFrom1(1000, { description: "the least score of its record", example: 500 }),
  min_rating: z
    .string()
    .regex(/^([1-4](\.\d{1,2})?|5(\.00?)?)$/, "must be from 1 to 5, with two decimals at most")
    .optional()
    .openapi({
      example: "4.5",
      description: "the least average of its reviews, from 1 to 5; leaves out what has no review",
    }),
  min_orders: wholeFrom1(999_999_999, {
    description: "the least number of its orders that are released now",
    example: 10,
  }),
  on_time: wholeFrom1(100, {
    description:
      "the least share, in percent, that was delivered on time of its settled orders between parties at arm's length; leaves out what has none",
    example: 95,
  }),
});
export type ReputeQuery = z.output<typeof reputeQuery>;

/** The least that `repute` of a row may be: points, hundredths, percent. None where nothing is asked for. */
export function leastOf({ min_score: score, min_rating: rating, on_time: onTime }: ReputeQuery) {
  if (!score && !rating && !onTime) return null;
  return { score: score ?? 0, rating: Math.round(100 * Number(rating ?? 0)), onTime: onTime ?? 0 };
}

/** What an agent or an offer must fulfil of it. */
export function reputeConditions(
  table: typeof agent | typeof listedAgent | typeof offer,
  query: ReputeQuery,
): SQL | undefined {
  const least = leastOf(query);
  return and(
    least?.score ? gte(table.score, least.score) : undefined,
    least?.rating ? gte(table.rating, least.rating) : undefined,
    least?.onTime ? gte(table.onTime, least.onTime) : undefined,
    query.min_orders ? gte(table.completedOrders, query.min_orders) : undefined,
  );
}

/** What of a query a step is for, in the query's own words and order: `min_rating` has its value as a text. */
export const reputeSteps = {
  min_score: { values: [100, 300, 500, 700], column: sql`score`, unit: 1 },
  min_rating: { values: ["3", "4", "4.5"], column: sql`rating`, unit: 100 },
  min_orders: { values: [1, 10, 100], column: sql`completed_orders`, unit: 1 },
  on_time: { values: [80, 95, 100], column: sql`on_time`, unit: 1 },
} as const;
export type ReputeStep = keyof typeof reputeSteps;

/** What a row fulfils that has reached none of the steps, one of them and so on. */
export function stepsReached(name: ReputeStep): SQL[] {
  const { values, column, unit } = reputeSteps[name];
  const bounds = values.map((value) => sql.raw(String(Number(value) * unit)));
  return [undefined, ...bounds].map((from, at) => {
    const to = bounds[at];
    return sql`(${from ? sql`${column} >= ${from}` : sql`true`} and ${to ? sql`${column} < ${to}` : sql`true`})`;
  });
}
