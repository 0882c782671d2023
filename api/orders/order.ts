import { z } from "@hono/zod-openapi";
import { checksumAddress } from "viem";
import type { EscrowRow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { deliveryRecordOf } from "../../protocol/facts/delivery-record.ts";
import { summariseOrder } from "../../protocol/facts/order-summary.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { callDataPattern } from "../../protocol/settlement/shapes.ts";
import { approvalStatuses, type OrderStatus } from "../../protocol/settlement/vocabulary.ts";
import type { PricingModel } from "../../trade/services/pricing.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  currencyField,
  idField,
  nullableJsonObjectField,
  orNull,
  shownAddress,
  shownHash,
  timeField,
} from "../http/fields.ts";
import { pageSchema } from "../http/listing.ts";
import { pricingModelField } from "../services/pricing-fields.ts";
import {
  deliveryRecordField,
  escrowStatusField,
  orderedAgentField,
  orderedServiceField,
  orderStatusField,
  railField,
  referenceField,
} from "./order-fields.ts";
import { orderStageSchema, presentStages } from "./order-stages.ts";

export const orderParams = z.object({
  id: idField("ord"),
});

export const callSchema = z
  .object({
    function: z.string(),
    to: shownAddress,
    data: z.string().openapi({ pattern: callDataPattern.source, example: "0x8a4068dd" }),
    value: z.literal("0").openapi({ description: "in wei; no call sends native coin" }),
    args: z
      .record(z.string(), z.unknown())
      .openapi({ description: "the decoded arguments, by their names in the ABI" }),
  })
  .openapi("Call");

/** A value of the contract. A number above 2^53 is text. */
export const contractValueField = z.union([z.string(), z.int()]).openapi("ContractValue");
const messageValueField = z
  .union([contractValueField, z.boolean(), z.record(z.string(), contractValueField)])
  .openapi("MessageValue");

export const typedDataSchema = z
  .object({
    domain: z
      .object({
        name: z.string(),
        version: z.string().optional(),
        chainId: chainIdField,
        verifyingContract: shownAddress,
      })
      .openapi("TypedDataDomain"),
    types: z.record(
      z.string(),
      z.array(z.object({ name: z.string(), type: z.string() }).openapi("TypedDataMember")),
    ),
    primaryType: z.string(),
    message: z.record(z.string(), messageValueField),
  })
  .openapi("TypedData", {
    description: "EIP-712 typed data, to be signed unchanged by `eth_signTypedData_v4`",
  });

const approvalSchema = z
  .object({
    status: z.enum(approvalStatuses).openapi("ApprovalStatus", {
      description:
        "`pending`: the service accepts no payment yet; `refused`: the service accepts no payment; `lapsed`: before a decision, the order expired or was paid directly on the chain",
    }),
    requested_at: timeField
      .nullable()
      .openapi({ description: "null if an order was approved that needed no approval" }),
    decided_at: timeField.nullable(),
    decided_by: idField("acc").nullable().openapi({ description: "the account of the deciding person" }),
  })
  .openapi("Approval");

export const orderSchema = z
  .object({
    id: idField("ord"),
    reference: referenceField,
    service_id: idField("svc"),
    service: orderedServiceField,
    agent_id: idField("agt"),
    agent: orderedAgentField,
    buyer_address: shownAddress,
    provider_address: shownAddress,
    arbiter: shownAddress.openapi({
      description: "the address that decides disputes; zero if there is none",
    }),
    pricing_model: pricingModelField,
    quantity: z.int().openapi({
      description: "of a metered order the most units that are charged, of a session the most calls",
    }),
    input_payload: nullableJsonObjectField,
    output_payload: nullableJsonObjectField,
    settlement_rail: railField,
    status: orderStatusField,
    unit_price: amountField,
    unit_price_base_units: baseUnitsField,
    subtotal: amountField,
    subtotal_base_units: baseUnitsField,
    platform_fee: amountField,
    platform_fee_base_units: baseUnitsField,
    platform_fee_bps: z.int(),
    total_amount: amountField,
    total_amount_base_units: baseUnitsField,
    units: z.int().nullable().openapi({
      description: "the units that the last delivery of a metered order counts; null for other orders",
    }),
    charge: amountField.nullable().openapi({
      description: "the price of these units, which the provider gets. The rest goes back to the buyer",
    }),
    charge_base_units: baseUnitsField.nullable(),
    stages: z.array(orderStageSchema).nullable().openapi({
      description: "the stages in which the work is delivered and paid; null for one delivery",
    }),
    currency: currencyField,
    created_at: timeField,
    funding_deadline: timeField,
    funded_at: timeField.nullable(),
    started_at: timeField.nullable(),
    delivered_at: timeField.nullable(),
    delivery_deadline: timeField.nullable(),
    acceptance_ends_at: timeField.nullable().openapi({
      description:
        "the time until which the buyer should check the last delivery (`order.delivered`); null before a delivery and during a revision",
    }),
    auto_release_at: timeField.nullable().openapi({
      description:
        "the time from which the contract lets anyone send the release; null until a delivery is recorded on the chain",
    }),
    delivery_record: deliveryRecordField.openapi({
      description:
        "whether the chain has a delivery record, and whether it matches a delivery made here. An `unmatched` record is a bare claim of the provider, and the service does not release on it",
    }),
    disputed_at: timeField.nullable(),
    completed_at: timeField.nullable(),
    erased_at: timeField.nullable().openapi({
      description:
        "since when the provider's words are erased: the agreement has their hashes alone, and no longer hashes to the escrow's `orderHash`",
    }),
    unread_messages: z
      .int()
      .openapi({ description: "the messages of others on this order that your account has not read" }),
    approval: orNull(approvalSchema).openapi({
      description:
        "the approval of an order above its key's limit by an owner or admin; null if none is needed, and for everybody but the buyer",
    }),
    escrow: z
      .object({
        chain_id: chainIdField,
        contract_address: shownAddress,
        escrow_id: shownHash,
        deposit_address: shownAddress,
        status: escrowStatusField.openapi({
          description: "the status in the newest indexed block, confirmed or not",
        }),
      })
      .openapi("OrderEscrow"),
  })
  .openapi("Order");

/** The schema of an order in a list. */
export const listedOrderSchema = orderSchema
  .partial({ input_payload: true, output_payload: true })
  .openapi("ListedOrder", {
    description: "an order; without its payloads unless the query has `include=payloads`",
  });

export const orderPageSchema = pageSchema(listedOrderSchema).openapi("OrderPage");

/** The columns of an order that `presentOrder` needs. */
export type PresentedOrder = Omit<
  OrderRow,
  | "agreement"
  | "inputSchema"
  | "outputSchema"
  | "token"
  | "orderHash"
  | "deliveryWindow"
  | "acceptanceWindow"
  | "disputeWindow"
  | "appealWindow"
  | "providerAccountId"
>;

/**
 * Presents an order to those who may see it. Only the buyer sees its approval.
 *
 * @param unreadMessages the messages that the caller's account has not read
 */
export function presentOrder(
  row: PresentedOrder,
  escrowRow: Pick<EscrowRow, "status"> | null,
  { accountId }: Pick<Caller, "accountId">,
  unreadMessages: number,
) {
  const amount = (value: bigint) => formatAmount(value, row.tokenDecimals);
  const summary = summariseOrder(row, row.status as OrderStatus);
  return {
    // A spread of `summary` would double the time of this function.
    id: summary.id,
    reference: summary.reference,
    service_id: summary.service_id,
    service: summary.service,
    agent_id: summary.agent_id,
    agent: summary.agent,
    status: summary.status,
    total_amount: summary.total_amount,
    total_amount_base_units: summary.total_amount_base_units,
    currency: summary.currency,
    arbiter: summary.arbiter,
    buyer_address: checksumAddress(row.buyerAddress),
    provider_address: checksumAddress(row.providerAddress),
    pricing_model: row.pricingModel as PricingModel,
    quantity: row.quantity,
    input_payload: row.inputPayload,
    output_payload: row.outputPayload,
    settlement_rail: row.settlementRail,
    unit_price: amount(row.unitPrice),
    unit_price_base_units: row.unitPrice.toString(),
    subtotal: summary.total_amount,
    subtotal_base_units: summary.total_amount_base_units,
    platform_fee: amount(0n),
    platform_fee_base_units: "0",
    platform_fee_bps: 0,
    units: row.deliveredUnits,
    charge: row.charge === null ? null : amount(row.charge),
    charge_base_units: row.charge?.toString() ?? null,
    stages: presentStages(row),
    created_at: row.createdAt.toISOString(),
    funding_deadline: new Date(row.fundBy * 1000).toISOString(),
    funded_at: timeOrNull(row.fundedAt),
    started_at: timeOrNull(row.startedAt),
    delivered_at: timeOrNull(row.deliveredAt),
    delivery_deadline: timeOrNull(row.deliveryDeadline),
    acceptance_ends_at: timeOrNull(row.acceptanceEndsAt),
    auto_release_at: timeOrNull(row.autoReleaseAt),
    delivery_record: deliveryRecordOf(row),
    disputed_at: timeOrNull(row.disputedAt),
    completed_at: timeOrNull(row.completedAt),
    erased_at: timeOrNull(row.erasedAt),
    unread_messages: unreadMessages,
    approval:
      row.approvalStatus === null || accountId !== row.buyerAccountId
        ? null
        : {
            status: row.approvalStatus,
            requested_at: timeOrNull(row.approvalRequestedAt),
            decided_at: timeOrNull(row.approvalDecidedAt),
            decided_by: row.approvalDecidedBy,
          },
    escrow: {
      chain_id: row.chainId,
      contract_address: checksumAddress(row.escrowContract),
      escrow_id: row.escrowId,
      deposit_address: checksumAddress(row.depositAddress),
      status: escrowRow?.status ?? ("none" as const),
    },
  };
}

const timeOrNull = (time: Date | null): string | null => time?.toISOString() ?? null;
