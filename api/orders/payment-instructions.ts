import { randomBytes } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import { bytesToHex, getAddress, hexToBigInt } from "viem";
import type { OrderRow } from "../../db/order-rows.ts";
import { approveCall, createEscrowCall } from "../../protocol/settlement/calls.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { permitData, receiveAuthorizationData } from "../../protocol/settlement/x402.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import { requireUnfunded } from "../../trade/payments/pay-order.ts";
import { payableOf, readRequirements } from "../../trade/payments/payment-requirements.ts";
import { takesReceiveAuthorizations } from "../../trade/payments/receive-authorization.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  idField,
  shownAddress,
  shownHash,
  timeField,
} from "../http/fields.ts";
import { answer, guarded, refusals } from "../http/openapi.ts";
import { dataToSign, paymentRequiredSchema, requirePayment } from "../payments/payment-required.ts";
import type { App } from "../variables.ts";
import { callSchema, contractValueField, orderParams, typedDataSchema } from "./order.ts";
import { railField, referenceField } from "./order-fields.ts";

const instructionsSchema = z
  .object({
    order_id: idField("ord"),
    order_reference: referenceField,
    settlement_rail: railField,
    chain_id: chainIdField,
    network_name: z.string(),
    escrow_contract: shownAddress,
    token_address: shownAddress,
    token_symbol: z.string(),
    token_decimals: z.int(),
    amount: amountField,
    amount_base_units: baseUnitsField,
    escrow_id: shownHash,
    deposit_address: shownAddress,
    terms: z.record(z.string(), contractValueField).openapi({
      description: "the contract's Terms, field by field; the amount in base units, times in unix seconds",
    }),
    buyer_address: shownAddress.openapi({ description: "who is refunded, whoever pays" }),
    provider_address: shownAddress,
    funding_deadline: timeField,
    calls: z.array(callSchema).optional().openapi({
      description:
        "rail escrow: for the buyer's own wallet to send, in this order: `approve`, then `createEscrow`",
    }),
    payment_required: paymentRequiredSchema.optional().openapi({
      description: "rail x402: what `POST /orders/{id}/payment` asks for",
    }),
    typed_data: typedDataSchema.optional().openapi({
      description:
        "rail x402: what a wallet may sign as it stands, for `POST /orders/{id}/payment` with `{signature, authorization}`, where `authorization` is its message; each time with a nonce of its own. For a token without such authorizations (EIP-3009) it is the permit of a payer who has approved Permit2 to spend the token: then `{signature, permit2Authorization}`, which is its message with `from`, the payer's address",
    }),
    receive_authorization: typedDataSchema.optional().openapi({
      description:
        "rail x402, for clients that sign a nonce as given, where token and escrow contract take it: a cheaper way beside `typed_data`, for `POST /orders/{id}/payment` with `{signature, receiveAuthorization}`, which is its message. EIP-3009's `ReceiveWithAuthorization` to the escrow contract; its nonce is the escrow's id, so it is good for this order's terms alone",
    }),
  })
  .openapi("PaymentInstructions");

/** How an order is paid. This describes and never moves money, nor says whether any was moved. */
export function addPaymentInstructions(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/payment-instructions",
      operationId: "readPaymentInstructions",
      tags: ["orders"],
      summary: "How the order is paid",
      description:
        "Chain, contract, token and exact amount, and by the order's rail the two calls for the buyer's wallet, or what x402 asks for and the typed data to sign. That the order is funded is known by the event `order.funded` and the trail, never from here.",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: answer("The instructions", instructionsSchema),
        ...refusals("invalid_state", "spend_limit_exceeded", "approval_required"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, escrow } = await readOwnOrder(context.db, caller, c.req.valid("param").id);
      const now = await requireUnfunded(context.db, caller, { row, escrow }, "has payment instructions");
      const served = context.chain(row.chainId);
      if (!served) {
        throw new ApiError(
          "dependency_unavailable",
          `Chain ${row.chainId} is not served here at the moment.`,
        );
      }
      const byRail = row.settlementRail === "x402" ? await describeX402(row, now) : null;
      const place = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
      const createEscrow = createEscrowCall(place);
      return c.json(
        {
          order_id: row.id,
          order_reference: row.reference,
          settlement_rail: row.settlementRail,
          chain_id: row.chainId,
          network_name: served.chain.network_name,
          escrow_contract: place.escrowContract,
          token_address: getAddress(row.token),
          token_symbol: row.tokenSymbol,
          token_decimals: row.tokenDecimals,
          amount: formatAmount(row.amount, row.tokenDecimals),
          amount_base_units: row.amount.toString(),
          escrow_id: row.escrowId,
          deposit_address: getAddress(row.depositAddress),
          terms: createEscrow.args.terms as Record<string, string | number>,
          buyer_address: getAddress(row.buyerAddress),
          provider_address: getAddress(row.providerAddress),
          funding_deadline: new Date(row.fundBy * 1000).toISOString(),
          ...(byRail ?? { calls: [approveCall(place), createEscrow] }),
        },
        200,
      );
    },
  );

  async function describeX402(row: OrderRow, now: bigint) {
    const requirements = await readRequirements(context, row, now);
    const payable = payableOf(context, row);
    const authorizes = requirements.some(({ extra }) => extra.assetTransferMethod === undefined);
    const receives = authorizes && (await takesReceiveAuthorizations(context, row));
    const place = { escrowContract: getAddress(row.escrowContract), escrowId: row.escrowId };
    return {
      payment_required: await requirePayment(context, row, requirements),
      typed_data: authorizes
        ? dataToSign(payable, row.buyerAddress, now)
        : permitData(payable, hexToBigInt(bytesToHex(randomBytes(32))), now),
      ...(receives
        ? { receive_authorization: receiveAuthorizationData(payable, place, row.buyerAddress, now) }
        : {}),
    };
  }
}
