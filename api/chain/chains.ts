import { createRoute, z } from "@hono/zod-openapi";
import { readMethodsShortly } from "../../trade/payment-methods.ts";
import { type PaymentToken, tokenNameOf } from "../../trade/services/payment-token.ts";
import type { Context } from "../context.ts";
import { chainIdField, currencyField, orNull, shownAddress } from "../http/fields.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { chainStateShape, readChainStates } from "./chain-state.ts";
import { chainShape } from "./chain-status.ts";

const tokenSchema = z
  .object({
    address: shownAddress,
    symbol: currencyField,
    decimals: z.int().openapi({ example: 6 }),
    name: z.string().openapi({ example: "USD Coin", description: "of the token's EIP-712 domain" }),
    version: z.string().openapi({ example: "2", description: "of the token's EIP-712 domain" }),
    currency: z.string().nullable().openapi({
      example: "USD",
      description: "the currency whose prices the token pays one for one; null if only its own",
    }),
    methods: orNull(z.array(z.enum(["approve", "eip3009", "permit2"]).openapi("TokenMethod"))).openapi({
      description:
        "how the token pays: `approve` and a transaction of the buyer, an `eip3009` authorization, or a `permit2` permit. null if the chain does not answer",
    }),
  })
  .openapi("ChainToken");

const chainSchema = z
  .object({
    chain_id: chainIdField,
    network_name: z.string().openapi({ example: "Base" }),
    is_default: z.boolean().openapi({ description: "whether services that name no token settle here" }),
    tokens: z.array(tokenSchema).openapi({ description: "the chain's default token is the first" }),
    ...chainShape,
    ...chainStateShape,
  })
  .openapi("Chain");

/** Adds the route that lists the chains with their tokens. */
export function addChains(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/chains",
      operationId: "listChains",
      tags: ["chain"],
      middleware: context.answers.serve,
      summary: "List the chains, their tokens and their state",
      description:
        "The chains on which orders can settle. One chain that does not answer delays no order on another.",
      responses: {
        200: jsonResponse("The chains", z.object({ items: z.array(chainSchema) }).openapi("ChainList")),
      },
    }),
    (c) =>
      context.answers.give(c, async (db) => {
        const { chains, defaultChain } = context.config;
        const states = await readChainStates({ ...context, db }, chains);
        const items = await Promise.all(
          chains.map(async (chain, at) => {
            const state = states[at] as (typeof states)[number];
            return {
              chain_id: chain.chain_id,
              network_name: chain.network_name,
              is_default: chain.chain_id === defaultChain?.chain_id,
              tokens: await Promise.all(
                chain.tokens.map((token) => presentToken(context, { chain, token }, state.rpc_reachable)),
              ),
              escrow_contract: chain.escrow_contract,
              confirmations_required: chain.confirmations,
              min_acceptance_hours: chain.min_acceptance_hours,
              erc8004: chain.erc8004 ?? null,
              passkey_factory: chain.passkey_factory ?? null,
              ...state,
            };
          }),
        );
        return { shown: { items } };
      }),
  );
}

async function presentToken(context: Context, paid: PaymentToken, isReachable: boolean) {
  const { address, symbol, decimals, name, version, currency } = paid.token;
  const methods = isReachable ? await readMethodsShortly(context, tokenNameOf(paid)).catch(() => null) : null;
  return {
    address,
    symbol,
    decimals,
    name,
    version,
    currency: currency ?? null,
    methods: methods && ["approve" as const, ...methods],
  };
}
