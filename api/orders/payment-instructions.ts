import { randomBytes } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import { bytesToHex, getAddress, hexToBigInt } from "viem";
import type { OrderRow } from "../../db/order-rows.ts";
import { approveCall, createEscrowCall } from "../../protocol/settlement/calls.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { callDataPattern } from "../../protocol/settlement/shapes.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { permitData, receiveAuthorizationData } from "../../protocol/settlement/x402.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import { readAccountPayment } from "../../trade/payments/account-payment.ts";
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
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import { dataToSign, paymentRequiredSchema, requirePayment } from "../payments/payment-required.ts";
import type { App } from "../variables.ts";
import { callSchema, contractValueField, orderParams, typedDataSchema } from "./order.ts";
import { railField, referenceField } from "./order-fields.ts";

const accountPaymentSchema = z
  .object({
    account: shownAddress,
    calls: z.array(
      z
        .object({
          to: shownAddress,
          value: z.literal("0"),
          data: z.string().openapi({ pattern: callDataPattern.source, example: "0x8a4068dd" }),
        })
        .openapi("AccountCall"),
    ),
    nonce: z.string().openapi({ example: "0", description: "the account's next nonce" }),
    deadline: z.string().openapi({ example: "1795343400", description: "in unix seconds" }),
    challenge: shownHash.openapi({ description: "the digest of the calls, which the passkey signs" }),
  })
  .openapi("AccountPayment");

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
      description: "the contract's Terms, field by field: the amount in base units, times in unix seconds",
    }),
    buyer_address: shownAddress.openapi({ description: "the wallet that gets refunds, whoever pays" }),
    provider_address: shownAddress,
    funding_deadline: timeField,
    calls: z.array(callSchema).optional().openapi({
      description:
        "rail escrow: the calls for the buyer's own wallet, in this order: `approve`, then `createEscrow`",
    }),
    payment_required: paymentRequiredSchema.optional().openapi({
      description: "rail x402: the requirements of `POST /orders/{id}/payment`",
    }),
    typed_data: typedDataSchema.optional().openapi({
      description:
        "rail x402: the data for a wallet to sign unchanged, for `POST /orders/{id}/payment` with `{signature, authorization}`, where `authorization` is the message. Each read has a new nonce. For a token without EIP-3009 it is a Permit2 permit, which needs the payer's approval of Permit2; send it as `{signature, permit2Authorization}`, which is the message with `from`, the payer's address",
    }),
    receive_authorization: typedDataSchema.optional().openapi({
      description:
        "rail x402, if token and escrow contract support it: a cheaper alternative to `typed_data`, for clients that sign a given nonce. It is EIP-3009's `ReceiveWithAuthorization` to the escrow contract. Its nonce is the escrow's id, so it pays for this order's terms only. Send it to `POST /orders/{id}/payment` as `{signature, receiveAuthorization}`, which is the message",
    }),
    account_payment: accountPaymentSchema.optional().openapi({
      description:
        "for a buyer that is a passkey account, if the rail is escrow or the token has no EIP-3009: the calls by which the account pays. The passkey signs `challenge`. Send `{signature, accountCalls}` to `POST /orders/{id}/payment`, where `accountCalls` has `account`, `nonce` and `deadline`; the service pays the gas",
    }),
  })
  .openapi("PaymentInstructions");

/** Adds the route of an order's payment instructions. It moves no money, and does not say whether any was moved. */
export function addPaymentInstructions(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/payment-instructions",
      operationId: "readPaymentInstructions",
      tags: ["orders"],
      summary: "Read the payment instructions of an order",
      description:
        "Chain, contract, token and exact amount. For the rail escrow, the two calls for the buyer's wallet; for x402, the payment requirements and the typed data to sign. Only the event `order.funded` and the trail say that the order is funded.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The instructions", instructionsSchema),
        ...errorResponses("invalid_state", "spend_limit_exceeded", "approval_required"),
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
          `Chain ${row.chainId} is not served at the moment. Try again later.`,
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
          ...(byRail ?? {
            calls: [approveCall(place), createEscrow],
            ...(await describeAccountPayment(row)),
          }),
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
      ...(authorizes ? {} : await describeAccountPayment(row)),
      ...(receives
        ? { receive_authorization: receiveAuthorizationData(payable, place, row.buyerAddress, now) }
        : {}),
    };
  }

  async function describeAccountPayment(row: OrderRow) {
    const found = await readAccountPayment(context, row);
    if (!found) return {};
    const { account, calls, nonce, deadline, challenge } = found;
    return {
      account_payment: {
        account,
        challenge,
        nonce: nonce.toString(),
        deadline: deadline.toString(),
        calls: calls.map(({ to, data }) => ({ to: getAddress(to), value: "0" as const, data })),
      },
    };
  }
}
