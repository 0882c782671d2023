import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, type Hex } from "viem";
import { type EscrowRow, readNow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { noteOn } from "../../protocol/facts/bare-claim.ts";
import { deliveryRecordOf } from "../../protocol/facts/delivery-record.ts";
import { type Situation, unixOf } from "../../protocol/settlement/actions.ts";
import { settlementOptions } from "../../protocol/settlement/settlement-options.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { type DeliveryRecord, roles } from "../../protocol/settlement/vocabulary.ts";
import { readOutputHash, readSharedOrder } from "../../trade/orders/order-access.ts";
import { readDepositBalance } from "../../trade/payments/deposits.ts";
import { findUnfundable } from "../../trade/spending/key-spending.ts";
import { askChain } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { timeField } from "../http/fields.ts";
import { answer, guarded } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { callSchema, orderParams, typedDataSchema } from "./order.ts";
import { deliveryRecordField, escrowStatusField, orderRoleField } from "./order-fields.ts";

const actionSchema = z
  .object({
    action: z
      .enum([
        "fund",
        "recordDelivery",
        "release",
        "refund",
        "dispute",
        "decideDispute",
        "settleDispute",
        "returnDeposit",
      ])
      .openapi("SettlementActionName"),
    available: z.boolean().openapi({ description: "whether you may do it now" }),
    who: z.enum([...roles, "party", "anyone"]).openapi("WhoMayAct"),
    reason: z.string().nullable().openapi({ description: "why it is not available" }),
    available_at: timeField.nullable(),
    note: z.string().nullable().openapi({
      description:
        "what to know before it is done, as where the record on the chain is the provider's bare claim",
    }),
    function: z.string(),
    call: z.union([callSchema, z.null()]).openapi({
      description: "null where an argument is still yours to find, or where what it would do is done",
    }),
    typed_data: z
      .union([typedDataSchema, z.null()])
      .openapi({ description: "what you may sign, for anyone to send, instead of the call" }),
    choices: z
      .array(
        z
          .object({
            choice: z.enum(["all_to_provider", "all_to_buyer"]).openapi("DecisionChoiceName"),
            call: callSchema,
            typed_data: z.union([typedDataSchema, z.null()]),
          })
          .openapi("DecisionChoice"),
      )
      .openapi({
        description:
          "`decideDispute` alone: the two ends of what the arbiter may decide, without a ruling's hash. For any amount between them, and a hash, read `dispute/decision`.",
      }),
  })
  .openapi("SettlementAction");

const optionsSchema = z
  .object({
    your_roles: z.array(orderRoleField),
    onchain_status: escrowStatusField,
    delivery_record: deliveryRecordField.openapi({
      description:
        "as the order has it, and as the newest indexed block has it: with `unmatched`, the provider's bare claim, the `note` of an action says what holds",
    }),
    actions: z.array(actionSchema),
  })
  .openapi("SettlementOptions");

/** What the contract lets each party do now. */
export function addSettlementOptions(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/settlement-options",
      operationId: "readSettlementOptions",
      tags: ["orders"],
      summary: "What each party may do on the chain now",
      description:
        "Every action with its raw contract call, so that nobody needs this service to reach their money; what is not available says why and, where only time is missing, from when.",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The actions", optionsSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, escrow, role } = await readSharedOrder(db, caller, c.req.valid("param").id);
      const [outputHash, now, depositBalance, unfundable] = await Promise.all([
        readOutputHash(db, row.id),
        readNow(db, row.chainId),
        readDeposit(row),
        role === "buyer" ? findUnfundable(db, caller.keyId, row) : null,
      ]);
      const situation: Situation = {
        chainId: row.chainId,
        escrowContract: getAddress(row.escrowContract),
        escrowId: row.escrowId,
        terms: termsOf(row),
        escrow,
        outputHash,
        depositBalance,
        now,
        roles: [role],
      };
      const known = {
        deliveryRecord: recordOf(row, escrow, outputHash),
        releaseDueAt: row.releaseDueAt && unixOf(row.releaseDueAt),
      };
      return c.json(
        {
          your_roles: [role],
          onchain_status: escrow?.status ?? ("none" as const),
          delivery_record: known.deliveryRecord,
          actions: settlementOptions(situation).map((action) => ({
            ...action,
            ...(action.action === "fund" && unfundable
              ? { available: false, reason: unfundable, call: null, typed_data: null }
              : {}),
            note: noteOn(action.action, situation, known),
          })),
        },
        200,
      );
    },
  );

  async function readDeposit(row: OrderRow): Promise<bigint | null> {
    const client = context.chain(row.chainId)?.client;
    return client ? askChain(readDepositBalance(client, row)) : null;
  }
}

/** What the ledger says, and of a record that it does not have yet what the index says. */
function recordOf(row: OrderRow, escrow: EscrowRow | null, outputHash: Hex | null): DeliveryRecord {
  const known = deliveryRecordOf(row);
  if (known === "matched" || !escrow?.deliveryCount) return known;
  return escrow.outputHash === outputHash ? "matched" : "unmatched";
}
