// Filters by the record and the reviews of an agent or a service.

import { z } from "@hono/zod-openapi";
import { and, gte, type SQL, sql } from "../../db/drizzle.ts";
import type { agent, listedAgent, offer } from "../../db/schema.ts";
import { wholeQuery } from "../http/fields.ts";

/** The filters by record and reviews of a service or an agent. */
export const figureQuery = z.object({
  min_score: wholeQuery(1000, { description: "the lowest score of the record", example: 500 }),
  min_rating: z
    .string()
    .regex(/^([1-4](\.\d{1,2})?|5(\.00?)?)$/, "must be from 1 to 5, with at most two decimals")
    .optional()
    .openapi({
      example: "4.5",
      description: "the lowest average of reviews, from 1 to 5; results without reviews are left out",
    }),
  min_orders: wholeQuery(999_999_999, {
    description: "the fewest released orders",
    example: 10,
  }),
  on_time: wholeQuery(100, {
    description:
      "the lowest percentage of settled orders, between parties at arm's length, that were delivered on time; results without such orders are left out",
    example: 95,
  }),
});
export type FigureQuery = z.output<typeof figureQuery>;

/** The lowest figures that a query accepts: points, hundredths of a rating, percent. Null without such a filter. */
export function minimumFigures({ min_score: score, min_rating: rating, on_time: onTime }: FigureQuery) {
  if (!score && !rating && !onTime) return null;
  return { score: score ?? 0, rating: Math.round(100 * Number(rating ?? 0)), onTime: onTime ?? 0 };
}

/** The conditions of these filters on a row of an agent or an offer. */
export function figureConditions(
  table: typeof agent | typeof listedAgent | typeof offer,
  query: FigureQuery,
): SQL | undefined {
  const least = minimumFigures(query);
  return and(
    least?.score ? gte(table.score, least.score) : undefined,
    least?.rating ? gte(table.rating, least.rating) : undefined,
    least?.onTime ? gte(table.onTime, least.onTime) : undefined,
    query.min_orders ? gte(table.completedOrders, query.min_orders) : undefined,
  );
}

/** The steps that filters offer, as values of the query's fields. `min_rating` has its value as text. */
export const figureSteps = {
  min_score: { values: [100, 300, 500, 700], column: sql`score`, unit: 1 },
  min_rating: { values: ["3", "4", "4.5"], column: sql`rating`, unit: 100 },
  min_orders: { values: [1, 10, 100], column: sql`completed_orders`, unit: 1 },
  on_time: { values: [80, 95, 100], column: sql`on_time`, unit: 1 },
} as const;
export type FigureStep = keyof typeof figureSteps;

/** Conditions that put a row into exactly one group, by the number of steps that it has reached. */
export function stepsReached(name: FigureStep): SQL[] {
  const { values, column, unit } = figureSteps[name];
  const bounds = values.map((value) => sql.raw(String(Number(value) * unit)));
  return [undefined, ...bounds].map((from, at) => {
    const to = bounds[at];
    return sql`(${from ? sql`${column} >= ${from}` : sql`true`} and ${to ? sql`${column} < ${to}` : sql`true`})`;
  });
}
