import { z } from "@hono/zod-openapi";
import { zeroAddress } from "viem";
import { readNow } from "../../db/chain-index.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { settlementChainOf } from "../../trade/orders/settlement-chain.ts";
import { readRequirements } from "../../trade/payments/payment-requirements.ts";
import type { Offer } from "../../trade/purchases/purchase-offer.ts";
import { checkPrice } from "../../trade/purchases/purchase-offer.ts";
import type { ServiceWithAgent } from "../../trade/services/sale.ts";
import type { Context } from "../context.ts";
import { exampleAddress } from "../http/fields.ts";
import { exampleOf, type Schema } from "../http/openapi-examples.ts";
import { agreementSchema } from "../orders/trail-entry.ts";
import {
  offerExtension,
  type PaymentRequired,
  unpaidShape,
  writePaymentRequired,
} from "./payment-required.ts";

/** The payment that a purchase asks for. The header `PAYMENT-REQUIRED` leaves out the agreement, which is long. */
export const purchaseTermsSchema = z
  .object({
    ...unpaidShape,
    agreement: agreementSchema.optional().openapi({
      description:
        "what would be agreed: `payTo` follows from it. Left out where the request said nothing yet, and then the terms cannot be paid",
    }),
  })
  .openapi("PurchaseTerms", {
    description: "x402's document, version 2, with the agreement, and with our error in the place of its own",
  });

/** Where a service is bought by one request. */
function purchaseUrl(
  { config }: Pick<Context, "config">,
  { agent, service }: { agent: { slug: string }; service: { slug: string } },
): string {
  return `${config.publicUrl}${apiPath}/buy/${agent.slug}/${service.slug}`;
}

/** Asks for the payment of terms that are offered. */
export async function askForPurchase(
  context: Context,
  found: ServiceWithAgent,
  { draft, requirements }: Offer,
  error?: string,
): Promise<PaymentRequired> {
  return writePaymentRequired(
    resourceOf(context, found),
    requirements,
    await offerExtension(context, draft, requirements),
    error,
  );
}

/** What an input schema may have where it is told unasked, in characters: in a list; and in a header, as its example may. */
export const longestSchema = { listed: 2048, inHeader: 1024 };

/**
 * The price of a service for a request that says neither an input nor who is refunded, so that what lists services finds a
 * 402 that it can read. No order follows from it, so it names the zero address, which no token pays, for one second.
 *
 * @throws Refusal where the service is not sold so
 */
export async function askForPrice(context: Context, found: ServiceWithAgent): Promise<PaymentRequired> {
  const { quantity, unitPrice } = await checkPrice(context, found);
  const chain = settlementChainOf(context.config);
  const now = await readNow(context.db, chain.chain_id);
  const payable = {
    chainId: chain.chain_id,
    token: chain.token.address,
    amount: unitPrice * BigInt(quantity),
    depositAddress: zeroAddress,
    fundBy: Number(now) + 1,
  };
  const error =
    "input_required: send input_payload and buyer_address as JSON. What is asked here cannot be paid.";
  return writePaymentRequired(
    resourceOf(context, found),
    await readRequirements(context, payable, now),
    { bazaar: describeInput(found) },
    error,
  );
}

/** What is told of a service's input to whoever is to send it. */
type Described = { inputSchema: object | null; hasInput: boolean; minQuantity: number };

/** JSON Schema of what a purchase of a service takes; an input schema that is long is left out. */
export function describePurchase({ inputSchema, hasInput, minQuantity }: Described) {
  return {
    type: "object",
    properties: {
      input_payload: inputSchema ?? { type: ["object", "null"] },
      buyer_address: {
        type: "string",
        pattern: "^0x[0-9a-fA-F]{40}$",
        description: "where refunds go, and whose signature releases",
      },
      quantity: { type: "integer", minimum: minQuantity },
    },
    required: [...(hasInput ? ["input_payload"] : []), "buyer_address"],
    additionalProperties: false,
  };
}

/** How a service is called, as x402's extension `bazaar` has it. */
function describeInput({ service: { inputSchema, minQuantity } }: ServiceWithAgent) {
  const hasInput = inputSchema !== null;
  const isShort = hasInput && JSON.stringify(inputSchema).length <= longestSchema.inHeader;
  const shown = isShort ? inputSchema : null;
  const body = describePurchase({ inputSchema: shown, hasInput, minQuantity });
  const input = { type: "http", method: "POST", bodyType: "json" };
  const example = { input_payload: exampleInput(shown), buyer_address: exampleAddress };
  return {
    info: { input: { ...input, body: example } },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
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
      },
      required: ["input"],
    },
  };
}

/** An input as a short schema has it at first sight; one that refers to its own parts is not followed. */
function exampleInput(schema: Schema | null): unknown {
  try {
    const example = schema ? exampleOf(schema, {}) : {};
    return JSON.stringify(example).length <= longestSchema.inHeader ? example : {};
  } catch {
    return {};
  }
}

function resourceOf(context: Context, found: ServiceWithAgent): { url: string; description: string } {
  return {
    url: purchaseUrl(context, found),
    description: `${found.service.title}, by ${found.agent.name}`,
  };
}
