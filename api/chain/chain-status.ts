import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "../context.ts";
import { chainIdField, orNull, shownAddress } from "../http/fields.ts";
import { jsonResponse } from "../http/openapi.ts";
import { logStateSchema, readLogState } from "../tlog/log-state.ts";
import type { App } from "../variables.ts";
import { chainStateShape, noState, readChainStates } from "./chain-state.ts";

/** The members that describe a chain's contracts and rules. */
export const chainShape = {
  escrow_contract: shownAddress,
  confirmations_required: z.int(),
  min_acceptance_hours: z.int().openapi({
    description: "the shortest acceptance time, from the delivery record to the automatic release",
  }),
  erc8004: orNull(
    z
      .object({ identity_registry: shownAddress, reputation_registry: shownAddress })
      .openapi("Erc8004Registries"),
  ).openapi({ description: "the registries of agents' on-chain identities and of their feedback" }),
  passkey_factory: shownAddress.nullable().openapi({
    description: "the factory of passkey accounts; null if passkeys cannot sign in and pay on this chain",
  }),
};

const statusSchema = z
  .object({
    chain_id: chainIdField.nullable(),
    network_name: z.string().nullable(),
    escrow_configured: z.boolean(),
    token_address: shownAddress.nullable(),
    token_symbol: z.string().nullable(),
    token_decimals: z.int().nullable(),
    ...chainShape,
    escrow_contract: chainShape.escrow_contract.nullable(),
    confirmations_required: chainShape.confirmations_required.nullable(),
    min_acceptance_hours: chainShape.min_acceptance_hours.nullable(),
    ...chainStateShape,
    log: orNull(logStateSchema).openapi({
      description: "the log of receipts; null until a worker with a log key has run",
    }),
  })
  .openapi("ChainStatus");

/** Adds the route that describes the default chain and the state of this deployment. */
export function addChainStatus(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/chain/status",
      operationId: "readChainStatus",
      tags: ["chain"],
      middleware: context.answers.serve,
      summary: "Read the state of the default chain and its index",
      description: "A value that cannot be determined now is null. `GET /chains` describes every chain.",
      responses: { 200: jsonResponse("The status", statusSchema) },
    }),
    (c) =>
      context.answers.give(c, async (db) => {
        const chain = context.config.defaultChain;
        const [[state], log] = await Promise.all([
          readChainStates({ ...context, db }, chain ? [chain] : []),
          readLogState(db).catch(() => null),
        ]);
        const shown = {
          chain_id: chain?.chain_id ?? null,
          network_name: chain?.network_name ?? null,
          escrow_configured: chain !== undefined,
          escrow_contract: chain?.escrow_contract ?? null,
          token_address: chain?.token.address ?? null,
          token_symbol: chain?.token.symbol ?? null,
          token_decimals: chain?.token.decimals ?? null,
          confirmations_required: chain?.confirmations ?? null,
          min_acceptance_hours: chain?.min_acceptance_hours ?? null,
          erc8004: chain?.erc8004 ?? null,
          passkey_factory: chain?.passkey_factory ?? null,
          ...(state ?? noState),
          log,
        };
        return { shown };
      }),
  );
}
