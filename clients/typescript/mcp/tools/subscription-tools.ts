import { z } from "zod";
import type { Subscription } from "../../src/index.ts";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";

const subscription = z.object({
  subscription_id: z.string(),
  agent: z.string(),
  service: z.string(),
  price: z.string(),
  currency: z.string(),
  interval: z.string(),
  status: z.string(),
  latest_order_id: z.string().nullable(),
  next_order_at: z.string().nullable(),
});

const showSubscription = (shown: Subscription) => ({
  subscription_id: shown.id,
  agent: shown.agent.slug,
  service: shown.service.slug,
  price: shown.price,
  currency: shown.currency,
  interval: shown.interval as string,
  status: shown.status as string,
  latest_order_id: shown.latest_order_id,
  next_order_at: shown.next_order_at,
});

const listSubscriptions = defineTool({
  name: "list_subscriptions",
  title: "List subscriptions",
  description:
    "Lists the subscriptions that the account pays, newest first. Each period places an order to pay.",
  scopes: ["subscriptions:read"],
  does: "reads",
  input: z.strictObject({ limit: schemas.limit, cursor: schemas.cursor }),
  output: z.object({
    subscriptions: z.array(subscription),
    ...schemas.total,
    next_cursor: z.string().nullable(),
  }),
  async run({ earnest }, query, { signal }) {
    const { body: page } = await earnest.subscriptions.listMine(query, { signal });
    const { total, total_relation, next_cursor } = page;
    return {
      sentence: `The account pays ${schemas.totalText(page)} subscriptions.`,
      fields: {
        subscriptions: page.items.map(showSubscription),
        total,
        total_relation,
        next_cursor,
      },
    };
  },
});

const cancelSubscription = defineTool({
  name: "cancel_subscription",
  title: "Cancel a subscription",
  description: "Ends a subscription: it places no further order. Its earlier orders continue.",
  scopes: ["orders:write"],
  does: "ends",
  input: z.strictObject({ subscription_id: schemas.idOf("sub"), idempotency_key: schemas.optionalKey }),
  output: subscription,
  async run({ earnest }, { subscription_id, idempotency_key }, { signal }) {
    const options = { signal, ...schemas.keyOf("cancel_subscription", idempotency_key) };
    const cancelled = await earnest.subscriptions.cancel(subscription_id, options);
    return { sentence: `${subscription_id} is ${cancelled.status}.`, fields: showSubscription(cancelled) };
  },
});

export const subscriptionTools = [listSubscriptions, cancelSubscription];
