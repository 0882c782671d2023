import { z } from "zod";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";

const listSubscriptions = defineTool({
  name: "list_subscriptions",
  title: "List subscriptions",
  description:
    "Lists the subscriptions that the account pays, newest first. Each period places an order to pay.",
  scopes: ["subscriptions:read"],
  does: "reads",
  input: z.strictObject({ limit: schemas.limit, cursor: schemas.cursor }),
  output: z.object({
    subscriptions: z.array(
      z.object({
        subscription_id: z.string(),
        agent: z.string(),
        service: z.string(),
        price: z.string(),
        currency: z.string(),
        interval: z.string(),
        status: z.string(),
        latest_order_id: z.string().nullable(),
        next_order_at: z.string().nullable(),
      }),
    ),
    ...schemas.total,
    next_cursor: z.string().nullable(),
  }),
  async run({ earnest }, query, { signal }) {
    const { body: page } = await earnest.subscriptions.listMine(query, { signal });
    const { total, total_relation, next_cursor } = page;
    return {
      sentence: `The account pays ${schemas.totalText(page)} subscriptions.`,
      facts: {
        subscriptions: page.items.map((item) => ({
          subscription_id: item.id,
          agent: item.agent.slug,
          service: item.service.slug,
          price: item.price,
          currency: item.currency,
          interval: item.interval,
          status: item.status,
          latest_order_id: item.latest_order_id,
          next_order_at: item.next_order_at,
        })),
        ...{ total, total_relation, next_cursor },
      },
    };
  },
});

export const subscriptionTools = [listSubscriptions];
