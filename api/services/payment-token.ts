import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Config } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { acceptedArbiters } from "../../trade/orders/parties.ts";
import { acceptanceHoursOf } from "../../trade/services/acceptance-window.ts";
import { acceptedTokens, amountIn } from "../../trade/services/payment-token.ts";
import { chainIdField, currencyField, shownAddress, tokenNameField } from "../http/fields.ts";

/** The most tokens that a service may accept. */
const mostAccepted = 8;

export const acceptsField = z
  .array(tokenNameField)
  .min(1)
  .max(mostAccepted)
  .refine(
    (list) => new Set(list.map(({ chain_id, token }) => `${chain_id} ${token}`)).size === list.length,
    "names a token twice",
  )
  .nullable()
  .openapi({
    description:
      "the tokens that pay for orders, the preferred one first. Each is of the price's currency and pays it one for one. With null, the default token of the default chain",
  });

export const acceptedTokenSchema = z
  .object({
    chain_id: chainIdField,
    network_name: z.string().openapi({ example: "Base" }),
    token: shownAddress,
    symbol: currencyField,
    decimals: z.int().openapi({ example: 6 }),
    price: z
      .string()
      .nullable()
      .openapi({ example: "2.500000", description: "in this token; null without a price" }),
    acceptance_hours: z.int().openapi({
      example: 72,
      description: "the acceptance window of orders that this token pays, by the rules of its chain",
    }),
    arbiters: z.array(shownAddress).openapi({
      description: "the arbiters that orders in this token may name, by the rules of its chain",
    }),
  })
  .openapi("AcceptedToken");

/** Presents the served tokens that a service accepts, in the provider's order. */
export function presentAccepted(
  row: Pick<
    typeof service.$inferSelect,
    "accepts" | "price" | "acceptanceHours" | "arbiters" | "pricingModel"
  >,
  config: Config,
): z.output<typeof acceptedTokenSchema>[] {
  return acceptedTokens(config, row).map((accepted) => {
    const { chain, token } = accepted;
    const price = row.price === 0n ? null : amountIn(config, row.price, accepted);
    return {
      chain_id: chain.chain_id,
      network_name: chain.network_name,
      token: getAddress(token.address),
      symbol: token.symbol,
      decimals: token.decimals,
      price: price === null ? null : formatAmount(price, token.decimals),
      acceptance_hours: acceptanceHoursOf(row, chain),
      arbiters: acceptedArbiters(row, chain),
    };
  });
}
