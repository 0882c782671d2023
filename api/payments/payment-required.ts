import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { type Address, bytesToHex } from "viem";
import type { OrderRow } from "../../db/order-rows.ts";
import type { TypedData } from "../../protocol/settlement/signatures.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { authorizationData, type Payable, type PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { signX402Offer } from "../../receipts/sign.ts";
import type { Context } from "../context.ts";
import { findSigner } from "../http/answer-signer.ts";
import { baseUnitsField, shownAddress, shownUrl } from "../http/fields.ts";
import { errorSchema } from "../http/openapi.ts";

const requirementsSchema = z
  .object({
    scheme: z.enum(["exact", "upto"]).openapi("PaymentScheme", {
      description:
        "`upto` is offered for metered orders: the whole amount goes into the escrow, which returns what is not used",
    }),
    network: z.string().openapi({ pattern: "^eip155:[1-9][0-9]{0,15}$", example: "eip155:8453" }),
    amount: baseUnitsField.openapi({ description: "base units" }),
    asset: shownAddress,
    payTo: shownAddress.openapi({
      description: "the order's own deposit address, from which only the escrow contract can take money",
    }),
    maxTimeoutSeconds: z.int(),
    extra: z
      .object({
        name: z.string(),
        version: z.string(),
        assetTransferMethod: z.literal("permit2").optional(),
        facilitatorAddress: shownAddress
          .optional()
          .openapi({ description: "of `upto`: who sends the payment" }),
        terms: z.string().optional().openapi({
          description:
            "for a purchase without an account: the sealed terms, which the payment must return. Keep them as secret as a token",
        }),
      })
      .openapi("PaymentExtra"),
  })
  .openapi("PaymentRequirements");

export const paymentRequiredSchema = z
  .object({
    x402Version: z.literal(2),
    error: z.string().optional(),
    resource: z
      .object({
        url: shownUrl,
        description: z.string(),
        mimeType: z.string(),
        serviceName: z.string(),
      })
      .openapi("PaymentResource"),
    accepts: z.array(requirementsSchema).min(1),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("PaymentRequired", { description: "x402's document, version 2" });

/** The members of a 402: x402's document with `error` of the error envelope. The header has x402's own `error`. */
export const paymentRequiredShape = {
  ...paymentRequiredSchema.shape,
  error: errorSchema.shape.error.openapi({
    example: {
      code: "payment_required",
      message: "What is wrong, where, and what to do.",
      request_id: "req_6f1c2b7e0d9a4c53b8e1f0a2d3c4b5e6",
    },
  }),
};

export type PaymentRequired = z.output<typeof paymentRequiredSchema>;

/** The URL at which an order is paid by x402. */
export function paymentUrl({ config }: Context, orderId: string): string {
  return `${config.publicUrl}${apiPath}/orders/${orderId}/payment`;
}

/** The data for the buyer's wallet to sign, with a new nonce each time. */
export function dataToSign(payable: Payable, payer: Address, now: bigint): TypedData {
  return authorizationData(payable, payer, bytesToHex(randomBytes(32)), now);
}

/**
 * Writes the payment document of an order (x402 v2). Each way to pay is signed as an offer, if this process has the signing
 * key.
 */
export async function requirePayment(
  context: Context,
  row: Pick<OrderRow, "id" | "reference" | "fundBy">,
  accepts: PaymentRequirements[],
  error?: string,
): Promise<PaymentRequired> {
  const resource = {
    url: paymentUrl(context, row.id),
    description: `Order ${row.reference}, into its escrow`,
  };
  return writePaymentRequired(resource, accepts, await offerExtension(context, row, accepts), error);
}

/** Writes x402's document for any resource. */
export function writePaymentRequired(
  resource: { url: string; description: string },
  accepts: PaymentRequirements[],
  extensions: Record<string, unknown>,
  error?: string,
): PaymentRequired {
  return {
    x402Version: 2,
    ...(error === undefined ? {} : { error }),
    resource: { ...resource, mimeType: "application/json", serviceName: "Earnest" },
    accepts,
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
}

/** Signs the ways to pay as offers, if this process has the signing key. */
export async function offerExtension(
  context: Context,
  row: Pick<OrderRow, "id" | "fundBy">,
  accepts: PaymentRequirements[],
): Promise<Record<string, unknown>> {
  const offers = await signOffers(context, row, accepts);
  return offers.length > 0 ? { "offer-receipt": { info: { offers }, schema: offersSchema } } : {};
}

/** A JSON Schema of the extension's `info`, which x402 requires beside it. It is short for the header. */
const offersSchema = { required: ["offers"] };

async function signOffers(
  context: Context,
  row: Pick<OrderRow, "id" | "fundBy">,
  accepts: PaymentRequirements[],
) {
  const signer = findSigner(context);
  if (!signer) return [];
  const signed = accepts.map(async ({ scheme, network, asset, payTo, amount }, acceptIndex) => {
    // The URL of the order. Its x402 receipt has the same URL, by which x402 matches the two.
    const resourceUrl = `${context.config.publicUrl}${apiPath}/orders/${row.id}`;
    const offer = { resourceUrl, scheme, network, asset, payTo, amount, validUntil: row.fundBy };
    return {
      format: "jws" as const,
      acceptIndex,
      signature: await signX402Offer(offer, signer.key, signer.issuer),
    };
  });
  return Promise.all(signed);
}
