import { randomBytes } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import { bytesToHex, getAddress, hexToBigInt } from "viem";
import type { OrderRow } from "../db/ledger.ts";
import { approveCall, createEscrowCall } from "../settlement/calls.ts";
import { refuseFunding } from "../settlement/exits.ts";
import { formatAmount } from "../settlement/money.ts";
import { termsOf } from "../settlement/terms.ts";
import { permitData } from "../settlement/x402.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { timeField } from "./fields.ts";
import { answer, guarded, refusals } from "./openapi.ts";
import { callSchema, orderParams, readNow, readOwnOrder, typedDataSchema } from "./order.ts";
import { dataToSign, payableOf, paymentRequiredSchema, readRequirements, requirePayment } from "./payment.ts";

const instructionsSchema = z
  .object({
    order_id: z.string(),
    order_reference: z.string(),
    settlement_rail: z.enum(["escrow", "x402"]),
    chain_id: z.int(),
    network_name: z.string(),
    escrow_contract: z.string(),
    token_address: z.string(),
    token_symbol: z.string(),
    token_decimals: z.int(),
    amount: z.string(),
    amount_base_units: z.string(),
    escrow_id: z.string(),
    deposit_address: z.string(),
    terms: z.record(z.string(), z.union([z.string(), z.int()])).openapi({
      description: "the contract's Terms, field by field; the amount in base units, times in unix seconds",
    }),
    buyer_address: z.string().openapi({ description: "who is refunded, whoever pays" }),
    provider_address: z.string(),
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
      responses: { 200: answer("The instructions", instructionsSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const { row, escrow } = await readOwnOrder(context.db, callerOf(c), c.req.valid("param").id);
      const terms = termsOf(row);
      const refusal =
        row.status === "created"
          ? refuseFunding({ escrow, terms, now: await readNow(context.db, row.chainId) })
          : `The order is ${row.status}; only an unfunded order has payment instructions.`;
      if (refusal) throw new ApiError("invalid_state", refusal);
      const served = context.chain(row.chainId);
      if (!served) {
        throw new ApiError(
          "dependency_unavailable",
          `Chain ${row.chainId} is not served here at the moment.`,
        );
      }
      const byRail = row.settlementRail === "x402" ? await describeX402(row) : null;
      const place = { escrowContract: getAddress(row.escrowContract), terms };
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

  async function describeX402(row: OrderRow) {
    const now = await readNow(context.db, row.chainId);
    const requirements = await readRequirements(context, row, now);
    const payable = payableOf(context, row);
    const authorizes = requirements.some(({ extra }) => extra.assetTransferMethod === undefined);
    return {
      payment_required: requirePayment(context, row, requirements),
      typed_data: authorizes
        ? dataToSign(payable, row.buyerAddress, now)
        : permitData(payable, hexToBigInt(bytesToHex(randomBytes(32))), now),
    };
  }
}
