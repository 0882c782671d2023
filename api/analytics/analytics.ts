import { createRoute } from "@hono/zod-openapi";
import { requireOwnAgent } from "../../trade/agents/own-agent.ts";
import { readSpendItems } from "../accounts/key-spend.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { analyticsQuery, readDays } from "./analytics-query.ts";
import { analyticsSchema } from "./analytics-schemas.ts";
import {
  type Extent,
  readDeliveries,
  readMoney,
  readOrders,
  readScores,
  readWebhooks,
} from "./day-figures.ts";

/** Adds the route of an account's figures by day. They come from the daily counts, however many orders there are. */
export function addAnalytics(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/analytics",
      operationId: "readAnalytics",
      tags: ["payments"],
      summary: "Read your revenue, spending, orders and deliveries by day",
      description:
        "Days are in UTC, at most 366. Money counts on the day of its block, an order on the day of its placement, a delivery on the day of the settlement. A reorganisation takes back what it removes. Views of services are not counted.",
      ...accessRule(context, "subscriptions:read"),
      request: { query: analyticsQuery },
      responses: { 200: jsonResponse("The figures", analyticsSchema), ...errorResponses("not_found") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { accountId } = caller;
      const { agent: slug, ...query } = c.req.valid("query");
      const days = readDays(query);
      const agentId = slug === undefined ? null : await requireOwnAgent(db, slug, caller);
      const extent: Extent = { ...days, accountId, agentId };
      // Two sequences, so that a request takes two connections of the pool at most.
      const [{ money, delivery, scores }, { orders, webhooks, keys }] = await Promise.all([
        readSettled(),
        readPlaced(),
      ]);
      return c.json(
        {
          ...days,
          seller: { revenue: money.revenue, orders: orders.sales, delivery, scores },
          buyer: { spending: money.spending, orders: orders.purchases },
          webhooks,
          keys,
        },
        200,
      );

      async function readSettled() {
        const money = await readMoney(db, extent);
        const delivery = await readDeliveries(db, extent);
        const scores = await readScores(db, extent);
        return { money, delivery, scores };
      }

      async function readPlaced() {
        const orders = await readOrders(db, extent);
        const webhooks = await readWebhooks(db, extent);
        const keys = context.config.defaultChain ? await readSpendItems(context, caller) : [];
        return { orders, webhooks, keys };
      }
    },
  );
}
