import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { defaultToken } from "../../trade/services/payment-token.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { currencyField, shownAddress } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { readSpendItems, spendItem } from "./key-spend.ts";

const spendSchema = z
  .object({
    token_address: shownAddress,
    currency: currencyField,
    items: z.array(spendItem),
  })
  .openapi("Spend");

/** Adds the route of the amounts that keys have spent and have left. */
export function addSpend(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/me/spend",
      operationId: "readSpend",
      tags: ["identity"],
      summary: "Read what your API keys have spent and have left",
      description:
        "A key reads itself; a session reads every active key, newest first. Days and months are in UTC. A refund counts for the day of the payment.",
      ...accessRule(context, "any"),
      responses: { 200: jsonResponse("Spending by key", spendSchema) },
    }),
    async (c) => {
      const { token } = defaultToken(context.config);
      const items = await readSpendItems(context, callerOf(c));
      return c.json({ token_address: getAddress(token.address), currency: token.symbol, items }, 200);
    },
  );
}
