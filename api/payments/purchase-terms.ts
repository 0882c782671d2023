import { z } from "@hono/zod-openapi";
import { zeroAddress } from "viem";
import { readNow } from "../../db/chain-index.ts";
import { amountPattern } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { identifierPattern, paymentIdentifier } from "../../protocol/settlement/x402-payload.ts";
import { readRequirements } from "../../trade/payments/payment-requirements.ts";
import type { LeftOut, PurchaseOffer } from "../../trade/purchases/purchase-offer.ts";
import { checkPrice } from "../../trade/purchases/purchase-offer.ts";
import { requireAmountIn, tokenNameOf } from "../../trade/services/payment-token.ts";
import { isMeasured } from "../../trade/services/pricing.ts";
import type { ServiceWithAgent } from "../../trade/services/service-on-sale.ts";
import type { Context } from "../context.ts";
import { chainIdField, exampleAddress, shownAddress } from "../http/fields.ts";
import { exampleOf, type Schema } from "../http/openapi-examples.ts";
import { agreementSchema } from "../orders/trail-entry.ts";
import {
  offerExtension,
  type PaymentRequired,
  paymentRequiredShape,
  writePaymentRequired,
} from "./payment-required.ts";

const leftOutSchema = z
  .object({
    chain_id: chainIdField,
    token: shownAddress,
    message: z.string().openapi({ example: "The chain cannot be reached. Try again." }),
  })
  .openapi("LeftOutToken");

/** Presents the tokens that cannot pay now, as a member of the body; none if all can. */
export function presentLeftOut(leftOut: readonly LeftOut[]): {
  left_out?: z.output<typeof leftOutSchema>[];
} {
  if (leftOut.length === 0) return {};
  return {
    left_out: leftOut.map(({ token, refusal }) => ({ ...tokenNameOf(token), message: refusal.message })),
  };
}

/** The payment terms of a purchase. The header `PAYMENT-REQUIRED` omits the agreement, which is long. */
export const purchaseTermsSchema = z
  .object({
    ...paymentRequiredShape,
    agreement: agreementSchema.optional().openapi({
      description:
        "the agreement of the order, which determines the first `payTo`. It is missing if the request had no content, and then the terms cannot be paid",
    }),
    other_agreements: z.array(agreementSchema).optional().openapi({
      description: "the agreements of the other tokens, in the order of their `payTo`",
    }),
    left_out: z.array(leftOutSchema).optional().openapi({
      description: "the accepted tokens that cannot pay now; missing if all can",
    }),
  })
  .openapi("PurchaseTerms", {
    description: "x402's document, version 2, with the agreement and the service's `error`",
  });

/** x402's extension by which a payer names its purchase, so that a repeated request buys once. It is short for the header. */
const identifierExtension = {
  info: { required: false },
  schema: { properties: { id: { type: "string", pattern: identifierPattern.source } } },
};

/** The URL at which a service is bought with one request. */
export function purchaseUrl(
  { config }: Pick<Context, "config">,
  { agent, service }: { agent: { slug: string }; service: { slug: string } },
): string {
  return `${config.publicUrl}${apiPath}/buy/${agent.slug}/${service.slug}`;
}

/** Writes the payment document of offered terms. The offers have the same order and the provider's order of tokens. */
export async function askForPurchase(
  context: Context,
  result: ServiceWithAgent,
  offers: PurchaseOffer[],
  error?: string,
): Promise<PaymentRequired> {
  const requirements = offers.flatMap((offer) => offer.requirements);
  const [offer] = offers;
  const fundBy = Math.min(...offers.map(({ draft }) => draft.fundBy));
  return writePaymentRequired(
    resourceOf(context, result),
    requirements,
    {
      // With the terms, the header has no space for the output.
      bazaar: describeCall(result, { withOutput: false }),
      [paymentIdentifier]: identifierExtension,
      ...(offer ? await offerExtension(context, { id: offer.draft.id, fundBy }, requirements) : {}),
    },
    error,
  );
}

/**
 * The most characters of an input schema that nobody asked for in a list, and its most bytes in a header. The header's example
 * has the same limit.
 */
export const longestSchema = { listed: 2048, inHeader: 1024 };

const fitsHeader = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= longestSchema.inHeader;

/**
 * Writes a 402 with a service's price for a request without content, which directories of services can read. It leads to no
 * order. So it names the zero address, which no token can pay, and lasts one second.
 *
 * @param nowOf reads a chain's time as indexed, in unix seconds
 * @throws Refusal if the service cannot be bought this way
 */
export async function askForPrice(
  context: Context,
  result: ServiceWithAgent,
  nowOf = (chainId: number) => readNow(context.db, chainId),
): Promise<{ document: PaymentRequired; more: ReturnType<typeof presentLeftOut> }> {
  const { service } = result;
  const isUnlimited = needsLimit(service);
  // A metered service or a session without a maximum has no default quantity, so the price is that of its least order.
  const least = isUnlimited ? { quantity: service.minQuantity } : {};
  const { quantity, price, tokens, leftOut } = await checkPrice(context, result, least);
  const requirements: PaymentRequirements[] = [];
  for (const paid of tokens) {
    const now = await nowOf(paid.chain.chain_id);
    const payable = {
      chainId: paid.chain.chain_id,
      token: paid.token.address,
      amount: requireAmountIn(context.config, price, paid) * BigInt(quantity),
      depositAddress: zeroAddress,
      fundBy: Number(now) + 1,
      pricingModel: service.pricingModel,
    };
    requirements.push(...(await readRequirements(context, payable, now)));
  }
  const error = `input_required: ${askForInput(service)}`;
  const document = writePaymentRequired(
    resourceOf(context, result),
    requirements,
    { bazaar: describeCall(result, { withOutput: true }), [paymentIdentifier]: identifierExtension },
    error,
  );
  return { document, more: presentLeftOut(leftOut) };
}

/** Whether a purchase has to state the most that may be charged, because the service has no maximum. */
function needsLimit({ pricingModel, maxQuantity }: Pick<Metered, "pricingModel" | "maxQuantity">): boolean {
  return isMeasured(pricingModel) && maxQuantity === null;
}

type Metered = ServiceWithAgent["service"];

/** Says what a request without content has to add. */
export function askForInput(service: Metered): string {
  const { minQuantity, priceUnit } = service;
  const sent = needsLimit(service)
    ? `input_payload, buyer_address, and max_amount or quantity as JSON. The price shown is that of ${minQuantity} ${priceUnit ?? "calls"}.`
    : "input_payload and buyer_address as JSON.";
  return `Send ${sent} These requirements cannot be paid.`;
}

/** The facts that describe a service's input. */
type Described = { inputSchema: object | null; hasInput: boolean } & Pick<
  Metered,
  "pricingModel" | "minQuantity" | "maxQuantity"
>;

/** Writes the JSON Schema of a purchase's body. A long input schema is left out. */
export function describePurchase({ inputSchema, hasInput, ...pricing }: Described) {
  const { minQuantity, pricingModel } = pricing;
  const maxAmount = {
    type: "string",
    pattern: amountPattern.source,
    description: "instead of quantity: the most that may be charged",
  };
  return {
    type: "object",
    properties: {
      input_payload: inputSchema ?? { type: ["object", "null"] },
      buyer_address: {
        type: "string",
        pattern: "^0x[0-9a-fA-F]{40}$",
        description: "gets refunds, and signs the release",
      },
      quantity: { type: "integer", minimum: minQuantity },
      ...(isMeasured(pricingModel) ? { max_amount: maxAmount } : {}),
    },
    ...(needsLimit(pricing) ? { oneOf: [{ required: ["quantity"] }, { required: ["max_amount"] }] } : {}),
    required: [...(hasInput ? ["input_payload"] : []), "buyer_address"],
    additionalProperties: false,
  };
}

/**
 * Describes the call of a service in x402's extension `bazaar`.
 *
 * @param more.withOutput whether the output is described too, if its schema fits the header beside the input's
 */
function describeCall({ service }: ServiceWithAgent, { withOutput }: { withOutput: boolean }) {
  const { inputSchema, outputSchema, pricingModel, minQuantity, maxQuantity } = service;
  const hasInput = inputSchema !== null;
  const isShort = hasInput && fitsHeader(inputSchema);
  const shown = isShort ? inputSchema : null;
  const output =
    withOutput && outputSchema !== null && fitsHeader([shown, outputSchema]) ? outputSchema : null;
  const pricing = { pricingModel, minQuantity, maxQuantity };
  const body = describePurchase({ inputSchema: shown, hasInput, ...pricing });
  const input = { type: "http", method: "POST", bodyType: "json" };
  const example = {
    input_payload: exampleFor(shown),
    buyer_address: exampleAddress,
    ...(needsLimit(service) ? { quantity: minQuantity } : {}),
  };
  return {
    info: {
      input: { ...input, body: example },
      ...(output ? { output: { type: "json", example: exampleFor(output) } } : {}),
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { const: "http" },
            method: { const: "POST" },
            bodyType: { const: "json" },
            body,
          },
          required: ["type", "method", "bodyType", "body"],
          additionalProperties: false,
        },
        ...(output ? { output: { type: "object", properties: { example: output } } } : {}),
      },
      required: ["input"],
    },
  };
}

/** Makes an example from a short schema. References to other parts of the schema are not followed. */
export function exampleFor(schema: Schema | null): unknown {
  try {
    const example = schema ? exampleOf(schema, {}) : {};
    return fitsHeader(example) ? example : {};
  } catch {
    return {};
  }
}

function resourceOf(context: Context, result: ServiceWithAgent): { url: string; description: string } {
  return {
    url: purchaseUrl(context, result),
    description: `${result.service.title}, by ${result.agent.name}`,
  };
}
