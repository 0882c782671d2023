import { z } from "@hono/zod-openapi";
import type { Config } from "../config.ts";
import { checkSchema, type Violation } from "../settlement/payloads.ts";
import { ApiError, refuseField } from "./errors.ts";
import { nullableJsonObjectField, slugField, textField } from "./fields.ts";
import { requireCategory } from "./marketplace-categories.ts";
import { pricingFields, pricingToken, readPrice } from "./pricing.ts";

const word = z.string().trim().toLowerCase().min(1).max(60);
const hours = z.int().min(1).max(8760);

const describedFields = {
  summary: textField(300).nullish(),
  description: textField(10_000).nullish(),
  category: word.nullish().openapi({ example: "translation" }),
  price_currency: pricingFields.price_currency.optional(),
  price_unit: pricingFields.price_unit.optional(),
  interval: pricingFields.interval.optional(),
  max_quantity: pricingFields.max_quantity.optional(),
  input_schema: nullableJsonObjectField.optional().openapi({
    description:
      "JSON Schema 2020-12 that every order's input has to satisfy; any object is taken without one",
  }),
  output_schema: nullableJsonObjectField
    .optional()
    .openapi({ description: "the same for every delivery's output" }),
};

export const tagsField = z
  .array(word)
  .max(30)
  .transform((tags) => [...new Set(tags)])
  .openapi({ example: ["japanese", "documents"] });

export const serviceRequest = z
  .strictObject({
    slug: slugField.openapi({ example: "documents" }),
    title: textField(160).openapi({ example: "Documents, English to Japanese" }),
    pricing_model: pricingFields.pricing_model.default("fixed"),
    price: pricingFields.price.optional(),
    delivery_time_hours: hours.openapi({ description: "from funding", example: 24 }),
    acceptance_hours: hours
      .default(72)
      .openapi({ description: "from recorded delivery to automatic release" }),
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
    title: textField(160).optional(),
    pricing_model: pricingFields.pricing_model.optional(),
    price: pricingFields.price.nullish().openapi({ description: "null clears a negotiated one" }),
    delivery_time_hours: hours.optional(),
    acceptance_hours: hours.optional(),
    min_quantity: pricingFields.min_quantity.optional(),
    tags: tagsField.optional(),
    ...describedFields,
  })
  .openapi("ServiceChange", { example: { price: "3", delivery_time_hours: 12, summary: null } });

/**
 * Columns of what a request says; what it does not name stays as it is.
 *
 * @throws ApiError `invalid_request` for a price that is none, `invalid_schema` naming all that is wrong in a schema
 */
export function serviceColumns(request: z.output<typeof serviceChange>, config: Config) {
  requireCategory(request.category);
  const token = pricingToken(config);
  if (request.price_currency !== undefined && request.price_currency !== token.symbol) {
    throw refuseField(
      "price_currency",
      "enum",
      `price_currency must be ${token.symbol}, the token that orders are paid in.`,
    );
  }
  const violations = [
    ...schemaViolations("input_schema", request.input_schema),
    ...schemaViolations("output_schema", request.output_schema),
  ];
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
    inputSchema: request.input_schema,
    outputSchema: request.output_schema,
  };
}

/** What is wrong with one of a service's schemas, by its path in the service. */
export function schemaViolations(field: "input_schema" | "output_schema", schema: unknown): Violation[] {
  if (schema === undefined || schema === null) return [];
  return checkSchema(schema).map((violation) => ({ ...violation, path: `/${field}${violation.path}` }));
}
