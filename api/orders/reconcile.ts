import { createRoute, z } from "@hono/zod-openapi";
import { deliveryRecordOf } from "../../protocol/facts/delivery-record.ts";
import { compareSources, type EscrowView } from "../../protocol/facts/source-comparison.ts";
import type { OrderStatus } from "../../protocol/settlement/vocabulary.ts";
import { chainUnreachable } from "../../trade/node-breaker.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import { readOrderViews } from "../../trade/orders/order-views.ts";
import { readDepositBalance } from "../../trade/payments/deposit-call.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { baseUnitsField, chainIdField } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams } from "./order.ts";
import { deliveryRecordField, escrowStatusField, orderStatusField } from "./order-fields.ts";

const viewSchema = z
  .object({
    status: escrowStatusField,
    delivery_count: z.int().openapi({ description: "the number of deliveries recorded on the chain" }),
  })
  .openapi("EscrowView");

const olderView = z.union([viewSchema, z.null()]).openapi({
  description:
    "null if the newest block agrees with ledger and index, so that older blocks are not read, or if the node has no state of that block",
});

const differenceSchema = z
  .object({
    what: z.string().openapi({
      description:
        "the compared value: `order_status`, `terms`, `escrow`, `index`, `fact:<id>` or `event:<type>:<block>:<log index>`; `confirmations` and `index_lag` are lags",
      example: "confirmations",
    }),
    ledger: z.string().nullable(),
    index: z.string().nullable(),
    contract: z.string().nullable(),
    expected_to_resolve: z.boolean().openapi({ description: "whether it is a lag that resolves by itself" }),
    explanation: z.string(),
  })
  .openapi("Difference");

const reconcileSchema = z
  .object({
    consistent: z
      .boolean()
      .openapi({ description: "false if there is a difference that does not resolve by itself" }),
    as_of: z
      .object({
        chain_id: chainIdField,
        block_number: z.int().openapi({ description: "the chain's head" }),
        indexed_block: z.int(),
        confirmed_block: z.int().openapi({ description: "the last block that the ledger must have in full" }),
      })
      .openapi("ReconciliationBlocks"),
    ledger: viewSchema
      .extend({
        order_status: orderStatusField,
        chain_facts: z.int().openapi({ description: "the number of valid facts from the chain" }),
        delivery_record: deliveryRecordField.openapi({ description: "the same as in the order" }),
      })
      .openapi("LedgerView"),
    index: viewSchema
      .extend({
        ready: z.boolean().openapi({ description: "false while the indexer catches up" }),
        events: z.int(),
      })
      .openapi("IndexView"),
    contract: viewSchema
      .extend({
        at_indexed_block: olderView,
        at_confirmed_block: olderView,
        deposit_balance_base_units: baseUnitsField.openapi({
          description: "the balance of the order's token at its deposit address",
          example: "0",
        }),
      })
      .openapi("ContractView"),
    bare_claim: z.string().nullable().openapi({
      description:
        "an explanation if `delivery_record` is `unmatched`, otherwise null. Ledger, index and contract can agree on an unmatched record, so it is no difference",
    }),
    differences: z.array(differenceSchema),
  })
  .openapi("Reconciliation");

/** Adds the route that compares an order in ledger, index and contract. */
export function addReconcile(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/reconcile",
      operationId: "reconcileOrder",
      tags: ["orders"],
      summary: "Compare an order in ledger, index and contract",
      description:
        "Reads the contract too. To trust nobody, read the contract yourself. Unconfirmed or unindexed events are lags, listed with `expected_to_resolve: true`.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The comparison", reconcileSchema) },
    }),
    async (c) => {
      const { row } = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      const served = context.chain(row.chainId);
      if (!served) throw chainUnreachable();
      const [reading, depositBalance] = await Promise.all([
        readOrderViews(db, served, row.id),
        readDepositBalance(served.client, row),
      ]);
      if (!reading) throw chainUnreachable();
      const { ledger, index, contract } = reading;
      const differences = compareSources(reading);
      return c.json(
        {
          consistent: differences.every((result) => result.expected_to_resolve),
          as_of: {
            chain_id: row.chainId,
            block_number: Number(reading.headBlock),
            indexed_block: Number(reading.indexedBlock),
            confirmed_block: Number(reading.confirmedBlock),
          },
          ledger: {
            ...present(ledger.escrow),
            order_status: ledger.status as OrderStatus,
            chain_facts: ledger.facts.length,
            delivery_record: deliveryRecordOf(row),
          },
          index: { ...present(index.escrow), ready: index.ready, events: index.events.length },
          contract: {
            ...present(contract.head),
            at_indexed_block: contract.indexed && present(contract.indexed),
            at_confirmed_block: contract.confirmed && present(contract.confirmed),
            deposit_balance_base_units: depositBalance.toString(),
          },
          bare_claim: deliveryRecordOf(row) === "unmatched" ? bareClaimNote : null,
          differences,
        },
        200,
      );
    },
  );
}

const bareClaimNote =
  "The provider recorded a delivery on the chain that matches no delivery made here. The service does not release on this record. The contract lets anyone release once the acceptance window is over. See settlement-options.";

function present({ status, deliveryCount }: EscrowView) {
  return { status, delivery_count: deliveryCount };
}
