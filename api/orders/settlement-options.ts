import { createRoute, z } from "@hono/zod-openapi";
import { getAddress, type Hex } from "viem";
import { type EscrowRow, readNow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { deliveryRecordOf } from "../../protocol/facts/delivery-record.ts";
import { warnOfRecord } from "../../protocol/facts/record-warnings.ts";
import { type Situation, unixOf } from "../../protocol/settlement/actions.ts";
import { settlementOptions } from "../../protocol/settlement/settlement-options.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { type DeliveryRecord, roles } from "../../protocol/settlement/vocabulary.ts";
import { readOutputHash, readSharedOrder } from "../../trade/orders/order-access.ts";
import { claimOf, partsOf } from "../../trade/orders/signed-acts.ts";
import { readDepositBalance } from "../../trade/payments/deposit-call.ts";
import { reasonToWithholdFunding } from "../../trade/spending/key-limit-checks.ts";
import { answerOrNull } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { timeField } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
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
    available: z.boolean().openapi({ description: "whether you may act now" }),
    who: z.enum([...roles, "party", "anyone"]).openapi("WhoMayAct"),
    reason: z.string().nullable().openapi({ description: "why the action is not available" }),
    available_at: timeField.nullable(),
    note: z.string().nullable().openapi({
      description:
        "a warning about the action, for example if the delivery record is a bare claim of the provider",
    }),
    function: z.string(),
    call: z.union([callSchema, z.null()]).openapi({
      description: "null if you must supply an argument, or if the action is done already",
    }),
    typed_data: z
      .union([typedDataSchema, z.null()])
      .openapi({ description: "the data to sign instead of sending the call; anyone may then send it" }),
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
          "for `decideDispute`: the two extreme decisions, without the hash of a ruling. Read `dispute/decision` for other amounts and for a hash",
      }),
  })
  .openapi("SettlementAction");

const optionsSchema = z
  .object({
    your_roles: z.array(orderRoleField),
    onchain_status: escrowStatusField,
    delivery_record: deliveryRecordField.openapi({
      description:
        "the record, also from a block that is not confirmed. With `unmatched`, a bare claim of the provider, the actions have a `note`",
    }),
    actions: z.array(actionSchema),
  })
  .openapi("SettlementOptions");

/** Adds the route of the actions that the contract allows each party now. */
export function addSettlementOptions(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/settlement-options",
      operationId: "readSettlementOptions",
      tags: ["orders"],
      summary: "List what each party may do on the chain now",
      description:
        "Every action has its raw contract call, so nobody needs this service to reach their money. An unavailable action has a reason, and a time if it only has to wait.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The actions", optionsSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, escrow, role } = await readSharedOrder(db, caller, c.req.valid("param").id);
      const [outputHash, now, depositBalance, unfundable] = await Promise.all([
        readOutputHash(db, row.id),
        readNow(db, row.chainId),
        readDeposit(row),
        role === "buyer" ? reasonToWithholdFunding(db, caller.keyId, row) : null,
      ]);
      const situation: Situation = {
        chainId: row.chainId,
        escrowContract: getAddress(row.escrowContract),
        escrowId: row.escrowId,
        terms: termsOf(row),
        escrow,
        outputHash,
        ...partsOf(row),
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
            note: warnOfRecord(action.action, situation, known),
          })),
        },
        200,
      );
    },
  );

  async function readDeposit(row: OrderRow): Promise<bigint | null> {
    const client = context.chain(row.chainId)?.client;
    return client ? answerOrNull(readDepositBalance(client, row)) : null;
  }
}

/** The delivery record by the ledger, or by the index if the ledger does not have it yet. */
function recordOf(row: OrderRow, escrow: EscrowRow | null, outputHash: Hex | null): DeliveryRecord {
  const known = deliveryRecordOf(row);
  if (known === "matched" || !escrow?.autoReleaseAt) return known;
  const claim = claimOf(row);
  const claimsNoMore = claim === null || escrow.earnedAmount <= claim.sum;
  return escrow.outputHash === outputHash && claimsNoMore ? "matched" : "unmatched";
}
