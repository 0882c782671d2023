import { z } from "@hono/zod-openapi";
import { checksumAddress } from "viem";
import type { EscrowRow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { deliveryRecordOf } from "../../protocol/facts/delivery-record.ts";
import { summariseOrder } from "../../protocol/facts/order-summary.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { callDataPattern } from "../../protocol/settlement/shapes.ts";
import { approvalStatuses, type OrderStatus } from "../../protocol/settlement/vocabulary.ts";
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
import {
  deliveryRecordField,
  escrowStatusField,
  orderStatusField,
  railField,
  referenceField,
} from "./order-fields.ts";

export const orderParams = z.object({
  id: idField("ord"),
});

export const callSchema = z
  .object({
    function: z.string(),
    to: shownAddress,
    data: z.string().openapi({ pattern: callDataPattern.source, example: "0x8a4068dd" }),
    value: z.literal("0").openapi({ description: "wei; none of these calls sends native coin" }),
    args: z
      .record(z.string(), z.unknown())
      .openapi({ description: "what the data says, by the ABI's names" }),
  })
  .openapi("Call");

/** A value of the contract: a number beyond 2^53 is text. */
export const contractValueField = z.union([z.string(), z.int()]).openapi("ContractValue");
const messageValueField = z
  .union([contractValueField, z.record(z.string(), contractValueField)])
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
  .openapi("TypedData", { description: "EIP-712 typed data, signed as it stands by `eth_signTypedData_v4`" });

const approvalSchema = z
  .object({
    status: z.enum(approvalStatuses).openapi("ApprovalStatus", {
      description:
        "`pending`: the service takes no payment yet; `refused`: it takes none; `lapsed`: the order expired, or was paid on the chain past the service, before anybody decided",
    }),
    requested_at: timeField
      .nullable()
      .openapi({ description: "null where an order was approved that waited for nobody" }),
    decided_at: timeField.nullable(),
    decided_by: idField("acc").nullable().openapi({ description: "the account of the person" }),
  })
  .openapi("Approval");

export const orderSchema = z
  .object({
    id: idField("ord"),
    reference: referenceField,
    service_id: idField("svc"),
    agent_id: idField("agt"),
    buyer_address: shownAddress,
    provider_address: shownAddress,
    arbiter: shownAddress.openapi({ description: "who decides a dispute; the zero address if nobody does" }),
    quantity: z.int(),
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
    currency: currencyField,
    created_at: timeField,
    funding_deadline: timeField,
    funded_at: timeField.nullable(),
    started_at: timeField.nullable(),
    delivered_at: timeField.nullable(),
    delivery_deadline: timeField.nullable(),
    acceptance_ends_at: timeField.nullable().openapi({
      description:
        "until when the buyer has to judge the last delivery, by `order.delivered`; null before any delivery, and while a revision is worked on",
    }),
    auto_release_at: timeField.nullable().openapi({
      description:
        "from when the contract lets anyone send the release; null while no delivery is recorded on the chain",
    }),
    delivery_record: deliveryRecordField.openapi({
      description:
        "whether a delivery is recorded on the chain, and matches one made here; an `unmatched` one is the provider's bare claim, on which the service does not release",
    }),
    disputed_at: timeField.nullable(),
    completed_at: timeField.nullable(),
    approval: orNull(approvalSchema).openapi({
      description:
        "of an owner or admin, where the order's key may not spend so much by itself; null where none is needed, and for all but the buyer",
    }),
    escrow: z
      .object({
        chain_id: chainIdField,
        contract_address: shownAddress,
        escrow_id: shownHash,
        deposit_address: shownAddress,
        status: escrowStatusField.openapi({
          description: "as the newest indexed block has it, confirmed or not",
        }),
      })
      .openapi("OrderEscrow"),
  })
  .openapi("Order");

/** An order in a list. */
export const listedOrderSchema = orderSchema
  .partial({ input_payload: true, output_payload: true })
  .openapi("ListedOrder", {
    description: "an order without its payloads, unless `include=payloads` was asked",
  });

export const orderPageSchema = pageSchema(listedOrderSchema).openapi("OrderPage");

/** What `presentOrder` needs of an order. */
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

/** An order as everybody sees it who may see it; its approval is shown to the buyer alone. */
export function presentOrder(
  row: PresentedOrder,
  escrowRow: Pick<EscrowRow, "status"> | null,
  { accountId }: Pick<Caller, "accountId">,
) {
  const amount = (value: bigint) => formatAmount(value, row.tokenDecimals);
  const summary = summariseOrder(row, row.status as OrderStatus);
  return {
    // One by one: to spread them before others takes as long as all that is written here.
    id: summary.id,
    reference: summary.reference,
    service_id: summary.service_id,
    agent_id: summary.agent_id,
    status: summary.status,
    total_amount: summary.total_amount,
    total_amount_base_units: summary.total_amount_base_units,
    currency: summary.currency,
    arbiter: summary.arbiter,
    buyer_address: checksumAddress(row.buyerAddress),
    provider_address: checksumAddress(row.providerAddress),
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
