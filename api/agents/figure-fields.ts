import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "../../db/drizzle.ts";
import { agentRecord, reviewTally } from "../../db/schema.ts";
import { averageOf } from "../../trade/reviews/review-queries.ts";
import { orNull } from "../http/fields.ts";

const points = z.int().min(0).max(1000);

/** The figures that the market sorts and filters by, each with the evidence behind it. */
export const marketFiguresSchema = z
  .object({
    score: orNull(
      z
        .object({
          value: points.openapi({ description: "the lower bound of the interval", example: 612 }),
          upper: points.openapi({
            description: "the upper bound: with few orders, the two are far apart",
            example: 941,
          }),
          evidence: z.int().openapi({
            description: "the weight of all counted orders, in thousandths of a full order",
            example: 8250,
          }),
        })
        .openapi("ShownScore"),
    ).openapi({ description: "from the record, 0 to 1000; null if no order counts" }),
    orders: z.int().openapi({ description: "settled orders between parties at arm's length", example: 14 }),
    on_time: z.int().nullable().openapi({
      description:
        "the percentage of these orders that were delivered on time, rounded down; null without orders",
      example: 92,
    }),
    rating: z.number().nullable().openapi({
      description: "the average of the counted reviews, to two decimals; null without reviews",
      example: 4.67,
    }),
    reviews: z.int().openapi({ description: "the number of counted reviews", example: 3 }),
  })
  .openapi("ReputationFigures");

type FigureRow = {
  record: {
    score: number | null;
    upper: number | null;
    evidence: number;
    orders: number;
    on_time: number | null;
  } | null;
  rated: { reviews: number; points: number };
};

/** The figures of an agent, for `presentFigures`; selected from `agent`. */
export const agentFiguresSelection = figuresOf(sql`agent.id`, sql`t.agent_id = agent.id`);

/** The score of an agent, selected from `agent`. */
export const scoreSelection = sql<
  number | null
>`(select r.score from ${agentRecord} as r where r.id = agent.id)`;

/** The figures of a service, selected from `service`. */
export const serviceFiguresSelection = figuresOf(sql`service.id`, sql`t.service_id = service.id`);

function figuresOf(id: SQL, tallied: SQL): SQL<FigureRow> {
  return sql<FigureRow>`jsonb_build_object(
    'record', (
      select jsonb_build_object('score', r.score, 'upper', r.upper, 'evidence', r.evidence, 'orders', r.orders,
        'on_time', r.on_time)
      from ${agentRecord} as r where r.id = ${id}),
    'rated', (
      select jsonb_build_object('reviews', coalesce(sum(rated_1 + rated_2 + rated_3 + rated_4 + rated_5), 0),
        'points', coalesce(sum(rated_1 + 2 * rated_2 + 3 * rated_3 + 4 * rated_4 + 5 * rated_5), 0))
      from ${reviewTally} as t where ${tallied}))`;
}

/** Presents `reputation` of an agent or a service. */
export function presentFigures({ record, rated }: FigureRow): z.output<typeof marketFiguresSchema> {
  const { score = null, upper = null, evidence = 0, orders = 0, on_time: onTime = null } = record ?? {};
  return {
    score: score === null || upper === null ? null : { value: score, upper, evidence },
    orders,
    on_time: onTime === null ? null : Math.floor(onTime / 10),
    rating: averageOf(rated.points, rated.reviews),
    reviews: rated.reviews,
  };
}
