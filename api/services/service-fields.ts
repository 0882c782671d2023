import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { causeOf, checksOf } from "../../trade/schema-checks.ts";
import { minAcceptanceHours } from "../../trade/services/acceptance.ts";
import { pricingToken, readPrice } from "../../trade/services/pricing.ts";
import { checkUrl, policyOf } from "../../untrusted/outbound/url-guard.ts";
import type { Context } from "../context.ts";
import { ApiError, refuseField, type Violation } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import {
  addressField,
  nullableJsonObjectField,
  orNull,
  slugField,
  tagsField,
  textField,
  wordField,
} from "../http/fields.ts";
import { requireCategory } from "./category-tree.ts";
import { pricingFields } from "./pricing-fields.ts";

/** The form of an execution setting; only its owner sees one. */
export const executionField = z
  .strictObject({
    endpoint: z.string().max(2048).openapi({
      format: "uri",
      description: "https, of a public address; it is sent requests only for funded orders of this service",
      example: "https://translator.example/orders",
    }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(300)
      .default(30)
      .openapi({ description: "the most that an answer may take in all" }),
  })
  .openapi("ServiceExecution");

const hours = z.int().min(1).max(8760);
const acceptanceMeaning =
  "from recorded delivery to automatic release; at least `min_acceptance_hours` of `/chain/status`";

const describedFields = {
  summary: textField(longest.summary).nullish(),
  description: textField(longest.description).nullish(),
  category: wordField.nullish().openapi({ example: "translation" }),
  price_currency: pricingFields.price_currency.optional(),
  price_unit: pricingFields.price_unit.optional(),
  interval: pricingFields.interval.optional(),
  max_quantity: pricingFields.max_quantity.optional(),
  arbiters: z
    .array(addressField)
    .min(1)
    .max(10)
    .transform((list) => [...new Set(list)])
    .nullish()
    .openapi({
      description:
        "who may decide disputes of its orders; the zero address: nobody, only time. Unless given, or null: the chain's arbiter, and nobody",
    }),
  input_schema: nullableJsonObjectField.optional().openapi({
    description:
      "JSON Schema 2020-12 that every order's input has to satisfy, of at most 64 kB; any object is taken without one. `$ref` stays within it, and `pattern` is RE2's.",
  }),
  output_schema: nullableJsonObjectField
    .optional()
    .openapi({ description: "the same for every delivery's output" }),
  execution: orNull(executionField).optional().openapi({
    description:
      "where the service has its paid orders executed, by signed requests whose answers it delivers; null: nowhere, you deliver by yourself",
  }),
};

export const serviceRequest = z
  .strictObject({
    slug: slugField.openapi({ example: "documents" }),
    title: textField(longest.title).openapi({ example: "Documents, English to Japanese" }),
    pricing_model: pricingFields.pricing_model.default("fixed"),
    price: pricingFields.price.optional(),
    delivery_time_hours: hours.openapi({ description: "from funding", example: 24 }),
    acceptance_hours: hours.default(72).openapi({ description: acceptanceMeaning }),
    min_quantity: pricingFields.min_quantity.default(1),
    tags: tagsField.default([]),
    ...describedFields,
  })
  .openapi("ServiceRequest", {
    example: {
      slug: "documents",
      title: "Documents, English to Japanese",
      summary: "A page a day, by a native speaker",
      category: "translation",
      tags: ["japanese", "documents"],
      pricing_model: "per_unit",
      price: "2.50",
      price_unit: "page",
      delivery_time_hours: 24,
      acceptance_hours: 72,
      input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      output_schema: { type: "object", properties: { translation: { type: "string" } } },
    },
  });

export const serviceChange = z
  .strictObject({
    title: textField(longest.title).optional(),
    pricing_model: pricingFields.pricing_model.optional(),
    price: pricingFields.price.nullish().openapi({ description: "null clears a negotiated one" }),
    delivery_time_hours: hours.optional(),
    acceptance_hours: hours.optional().openapi({ description: acceptanceMeaning }),
    min_quantity: pricingFields.min_quantity.optional(),
    tags: tagsField.optional(),
    ...describedFields,
  })
  .openapi("ServiceChange", { example: { price: "3", delivery_time_hours: 12, summary: null } });

/**
 * Columns of what a request says; what it does not name stays as it is.
 *
 * @throws ApiError `invalid_request` for a price that is none, too short a time to accept in or an endpoint that is not public, `invalid_schema` naming all that is wrong in a schema
 */
export async function serviceColumns(
  context: Context,
  caller: Caller,
  request: z.output<typeof serviceChange>,
) {
  const { config } = context;
  requireCategory(request.category);
  const token = pricingToken(config);
  const least = minAcceptanceHours(config);
  if (request.acceptance_hours !== undefined && request.acceptance_hours < least) {
    throw refuseField(
      "acceptance_hours",
      "minimum",
      `acceptance_hours must be at least ${least}: a buyer needs that long to look at a delivery.`,
    );
  }
  if (request.price_currency !== undefined && request.price_currency !== token.symbol) {
    throw refuseField(
      "price_currency",
      "enum",
      `price_currency must be ${token.symbol}, the token that orders are paid in.`,
    );
  }
  const violations = await schemaViolations(context, caller, {
    input_schema: request.input_schema,
    output_schema: request.output_schema,
  });
  if (violations.length > 0) {
    throw new ApiError("invalid_schema", "A schema of the service is no JSON Schema 2020-12.", violations);
  }
  return {
    title: request.title,
    summary: request.summary,
    description: request.description,
    category: request.category,
    tags: request.tags,
    pricingModel: request.pricing_model,
    // Zero is "none set" in the database, where prices are sorted.
    price:
      typeof request.price === "string"
        ? readPrice(request.price, config)
        : request.price === null
          ? 0n
          : undefined,
    priceUnit: request.price_unit,
    billingInterval: request.interval,
    minQuantity: request.min_quantity,
    maxQuantity: request.max_quantity,
    deliveryTimeHours: request.delivery_time_hours,
    acceptanceHours: request.acceptance_hours,
    arbiters: request.arbiters,
    inputSchema: request.input_schema,
    outputSchema: request.output_schema,
    ...executionColumns(request.execution, context),
  };
}

function executionColumns(execution: z.output<typeof serviceChange>["execution"], { config }: Context) {
  if (execution === undefined) return {};
  if (execution === null) return { executionUrl: null, executionHost: null, executionSeconds: null };
  const check = checkUrl(execution.endpoint, policyOf(config.publicUrl));
  if (!check.allowed) throw refuseField("execution/endpoint", check.code, check.message);
  const { href, hostname } = check.url;
  return { executionUrl: href, executionHost: hostname, executionSeconds: execution.timeout_seconds };
}

/** What is wrong with a service's schemas, by its path in the service. */
export async function schemaViolations(
  context: Context,
  caller: Caller,
  schemas: Record<"input_schema" | "output_schema", unknown>,
): Promise<Violation[]> {
  const found = Object.entries(schemas).map(async ([field, schema]) => {
    if (schema === undefined || schema === null) return [];
    const violations = await checksOf(context.checker).run(causeOf(context, caller.accountId), "schema", {
      schema,
    });
    return violations.map((violation) => ({ ...violation, path: `/${field}${violation.path}` }));
  });
  return (await Promise.all(found)).flat();
}
