import { createRoute, z } from "@hono/zod-openapi";
import { readWitnesses } from "../db/reconcile.ts";
import { compareWitnesses, type EscrowView } from "../settlement/reconcile.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { answer, guarded } from "./openapi.ts";
import { orderParams, orderStatuses, readOwnOrder } from "./order.ts";
import { chainSilent } from "./outages.ts";

const viewSchema = z
  .object({
    status: z.enum(["none", "funded", "disputed", "decided", "released", "refunded", "split"]),
    delivery_count: z.int().openapi({ description: "deliveries recorded on the chain" }),
  })
  .openapi("EscrowView");

const differenceSchema = z
  .object({
    what: z.string().openapi({
      description:
        "`order_status`, `terms`, `escrow`, `index`, `fact:<id>`, `event:<type>:<block>:<log index>`; `confirmations` and `index_lag` are lags",
      example: "confirmations",
    }),
    ledger: z.string().nullable(),
    index: z.string().nullable(),
    contract: z.string().nullable(),
    expected_to_resolve: z.boolean().openapi({ description: "whether it is a lag that ends by itself" }),
    explanation: z.string(),
  })
  .openapi("Difference");

const reconcileSchema = z
  .object({
    consistent: z
      .boolean()
      .openapi({ description: "false if anything differs that does not resolve by itself" }),
    as_of: z.object({
      chain_id: z.int(),
      block_number: z.int().openapi({ description: "the chain's head" }),
      indexed_block: z.int(),
      confirmed_block: z.int().openapi({ description: "up to where the ledger has to know everything" }),
    }),
    ledger: viewSchema.extend({
      order_status: z.enum(orderStatuses),
      chain_facts: z.int().openapi({ description: "facts of the chain that stand" }),
    }),
    index: viewSchema.extend({
      ready: z.boolean().openapi({ description: "false while the indexer catches up" }),
      events: z.int(),
    }),
    contract: viewSchema.extend({
      at_indexed_block: viewSchema.nullable(),
      at_confirmed_block: viewSchema
        .nullable()
        .openapi({ description: "null where the node keeps no state of that block" }),
      deposit_balance_base_units: z
        .string()
        .openapi({ description: "the order's token at its deposit address", example: "0" }),
    }),
    differences: z.array(differenceSchema),
  })
  .openapi("Reconciliation");

/** What ledger, index and contract say of an order, side by side. */
export function addReconcile(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/reconcile",
      operationId: "reconcileOrder",
      tags: ["orders"],
      summary: "Whether ledger, index and contract agree on the order",
      description:
        "Reads the contract itself, so that nothing has to be believed. What is not confirmed or not indexed yet is a lag and listed with `expected_to_resolve: true`.",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The comparison", reconcileSchema) },
    }),
    async (c) => {
      const { row } = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      const served = context.chain(row.chainId);
      const reading = served ? await readWitnesses(db, served, row.id) : null;
      if (!reading) throw chainSilent();
      const { ledger, index, contract } = reading;
      const differences = compareWitnesses(reading);
      return c.json(
        {
          consistent: differences.every((found) => found.expected_to_resolve),
          as_of: {
            chain_id: row.chainId,
            block_number: Number(reading.headBlock),
            indexed_block: Number(reading.indexedBlock),
            confirmed_block: Number(reading.confirmedBlock),
          },
          ledger: {
            ...present(ledger.escrow),
            order_status: ledger.status as (typeof orderStatuses)[number],
            chain_facts: ledger.facts.length,
          },
          index: { ...present(index.escrow), ready: index.ready, events: index.events.length },
          contract: {
            ...present(contract.head),
            at_indexed_block: contract.indexed && present(contract.indexed),
            at_confirmed_block: contract.confirmed && present(contract.confirmed),
            deposit_balance_base_units: reading.depositBalance.toString(),
          },
          differences,
        },
        200,
      );
    },
  );
}

function present({ status, deliveryCount }: EscrowView) {
  return { status, delivery_count: deliveryCount };
}
