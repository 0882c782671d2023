import { z } from "@hono/zod-openapi";
import { and, eq, gte, lt, type SQL, sql } from "../../db/drizzle.ts";
import { order, orderDeadline, orderValue, tradedService } from "../../db/schema.ts";
import { amountPattern } from "../../protocol/settlement/money.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { orderStatuses, type Party } from "../../protocol/settlement/vocabulary.ts";
import { ApiError } from "../http/api-error.ts";
import { amountInput, idField, queryText, shownSlug, timeInput } from "../http/fields.ts";
import { newestFirst, type Ordering } from "../http/list-order.ts";

const amountFilter = amountInput
  .regex(amountPattern, "must be a decimal, such as 2.50")
  .optional()
  .openapi({ pattern: amountPattern.source, example: "2.50" });

/** The filters of an account's orders besides their statuses. */
export const orderFilters = z.object({
  q: queryText(200).min(1).optional().openapi({
    description:
      "Finds an order by its id, by the first three or more characters of its reference, or by its names: each word is in the service's title or the agent's name.",
    example: "E-7K3M9Q",
  }),
  agent: shownSlug.optional().openapi({ description: "the agent's slug" }),
  service: idField("svc").optional().openapi({ description: "the service's id" }),
  created_after: timeInput.optional().openapi({ description: "placed at this time or later" }),
  created_before: timeInput.optional().openapi({ description: "placed before this time" }),
  min_amount: amountFilter.openapi({ description: "the least total amount, in whole tokens of `currency`" }),
  max_amount: amountFilter.openapi({
    description: "the largest total amount, in whole tokens of `currency`",
  }),
  currency: queryText(100).min(1).optional().openapi({
    description:
      "the token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it",
    example: "TUSD",
  }),
});
export type OrderFilters = z.output<typeof orderFilters>;

export const statusesFilter = z
  .string()
  .transform((list) => [...new Set(list.split(",").map((status) => status.trim()))])
  .pipe(z.array(z.enum(orderStatuses)).min(1))
  .optional()
  .openapi({
    type: "string",
    pattern: `^(${orderStatuses.join("|")})(,(${orderStatuses.join("|")}))*$`,
    description: "one status, or several separated by commas",
    example: "funded,started",
  });

const byId = { by: order.id, type: "id" } as const;
/** Amounts are compared within the orders of one symbol only. */
const bySymbol = { by: order.tokenSymbol, type: "text" } as const;
const byValue = { by: orderValue(order), type: "decimal" } as const;
const byDeadline = { by: orderDeadline(order), type: "time" } as const;

/** The orders of a list, by the value of `sort`. An index has each, in both directions. */
const orderings = {
  newest: newestFirst(order.createdAt, order.id),
  oldest: { ...newestFirst(order.createdAt, order.id), name: "oldest", direction: "asc" },
  amount_high: { name: "amount_high", direction: "desc", keys: [bySymbol, byValue, byId] },
  amount_low: { name: "amount_low", direction: "asc", keys: [bySymbol, byValue, byId] },
  deadline_first: { name: "deadline_first", direction: "asc", keys: [byDeadline, byId] },
  deadline_last: { name: "deadline_last", direction: "desc", keys: [byDeadline, byId] },
} satisfies Record<string, Ordering>;
export type OrderSort = keyof typeof orderings;

export const sortField = z
  .enum(Object.keys(orderings) as [OrderSort, ...OrderSort[]])
  .openapi("OrderSort")
  .default("newest")
  .openapi({
    description:
      "Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline is that of the delivery, or that of the funding before an order is funded.",
  });

export const orderingBy = (sort: OrderSort): Ordering => orderings[sort];

/** The account and the side of the orders of a list. */
export type OwnOrders = { accountId: string; side: Party };

export const ownerColumns = { buyer: order.buyerAccountId, provider: order.providerAccountId };

/**
 * Refuses a bound for amounts of unlike tokens.
 *
 * @throws ApiError `invalid_request`
 */
export function requireOneToken({ min_amount, max_amount, currency }: OrderFilters): void {
  if (currency !== undefined || (min_amount === undefined && max_amount === undefined)) return;
  const name = min_amount === undefined ? "max_amount" : "min_amount";
  const message = `Field ${name}: name the token by currency, because amounts of unlike tokens are not compared.`;
  throw new ApiError("invalid_request", message, [
    { path: `/${name}`, keyword: "currency_required", message: "needs currency" },
  ]);
}

/**
 * The condition for filtered orders of an account.
 *
 * @param found the condition for `q`, from `findMatchingOrders`
 */
export function filterOrders(own: OwnOrders, filters: Omit<OrderFilters, "q">, found?: SQL): SQL | undefined {
  const { agent, service, created_after: after, created_before: before, currency } = filters;
  const { min_amount: min, max_amount: max } = filters;
  return and(
    eq(ownerColumns[own.side], own.accountId),
    found,
    service === undefined ? undefined : eq(order.serviceId, service),
    agent === undefined ? undefined : isOfAgent(own, agent),
    after && gte(order.createdAt, after),
    before && lt(order.createdAt, before),
    min === undefined ? undefined : sql`${orderValue(order)} >= ${min}::numeric`,
    max === undefined ? undefined : sql`${orderValue(order)} <= ${max}::numeric`,
    currency === undefined ? undefined : eq(order.tokenSymbol, currency),
  );
}

/** The agent's services are read first, because the index of a list has the service and not the agent. */
function isOfAgent({ accountId, side }: OwnOrders, slug: string): SQL {
  if (!slugPattern.test(slug)) return sql`false`;
  return sql`${order.serviceId} = any(array(
    select ${tradedService.serviceId} from ${tradedService}
    where ${tradedService.accountId} = ${accountId} and ${tradedService.side} = ${side}
      and ${tradedService.agentSlug} = ${slug}))`;
}
