import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { causeOf, checksOf } from "../../trade/schema-checks.ts";
import { minAcceptanceHours } from "../../trade/services/acceptance-window.ts";
import { readPrice } from "../../trade/services/pricing.ts";
import { checkStageSchemas, readStages } from "../../trade/services/stages.ts";
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
import { acceptsField } from "./payment-token.ts";
import { pricingFields } from "./pricing-fields.ts";
import { stagesRequest } from "./stage-fields.ts";

/** The schema of an execution setting. Only the owner sees the setting. */
export const executionField = z
  .strictObject({
    endpoint: z.string().max(2048).openapi({
      format: "uri",
      description:
        "an https URL of a public address, which gets requests only for funded orders of this service",
      example: "https://translator.example/orders",
    }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(300)
      .default(30)
      .openapi({ description: "the longest time for the whole answer" }),
  })
  .openapi("ServiceExecution");

/** The schema of what a session calls. Buyers see it, and an order's agreement freezes it. */
export const sessionField = z
  .strictObject({
    endpoint_url: z.string().max(2048).openapi({
      format: "uri",
      description: "an https URL of a public address, which gets the calls of funded sessions",
      example: "https://translator.example/calls",
    }),
    session_key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .openapi({
        description: "the Ed25519 public key that signs the answers: `x` of its JWK (RFC 8037)",
        example: "_HpP3NYtYtKo3JW7ywUlD14HQHmAknyl9ay0WWehQrc",
      }),
  })
  .openapi("ServiceSession");

const hours = z.int().min(1).max(8760);
const acceptanceMeaning =
  "from the delivery record to the automatic release; at least `min_acceptance_hours` of `/chain/status`. Not used by `per_call`, whose sessions have no records";

const describedFields = {
  summary: textField(longest.summary).nullish(),
  description: textField(longest.description).nullish(),
  category: wordField.nullish().openapi({ example: "translation" }),
  price_currency: pricingFields.price_currency.optional(),
  accepts: acceptsField.optional(),
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
        "the addresses that may decide disputes of the service's orders; the zero address means nobody, so that disputes end by time. The default, also for null, is the chain's arbiter and nobody",
    }),
  input_schema: nullableJsonObjectField.optional().openapi({
    description:
      "JSON Schema 2020-12 for the input of orders, at most 64 kB; without one, every object is accepted. `$ref` must stay within the schema, and `pattern` is a regular expression of RE2.",
  }),
  output_schema: nullableJsonObjectField
    .optional()
    .openapi({ description: "JSON Schema 2020-12 for the output of deliveries, with the same limits" }),
  stages: orNull(stagesRequest).optional().openapi({
    description:
      "the stages of each order, in order; of services with the pricing model `fixed` only. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`. A stage without `output_schema` takes any object, and the service's own `output_schema` is not used",
  }),
  execution: orNull(executionField).optional().openapi({
    description:
      "the endpoint that executes paid orders: the service sends it signed requests and delivers its answers. With null you deliver by yourself",
  }),
  session: orNull(sessionField).optional().openapi({
    description:
      "what the calls of a session go to; required by the pricing model `per_call`, and for no other",
  }),
};

export const serviceRequest = z
  .strictObject({
    slug: slugField.openapi({ example: "documents" }),
    title: textField(longest.title).openapi({ example: "Documents, English to Japanese" }),
    pricing_model: pricingFields.pricing_model.default("fixed"),
    price: pricingFields.price.optional(),
    delivery_time_hours: hours.openapi({ description: "counted from funding", example: 24 }),
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
    price: pricingFields.price
      .nullish()
      .openapi({ description: "null clears the price of a negotiated service" }),
    delivery_time_hours: hours.optional(),
    acceptance_hours: hours.optional().openapi({ description: acceptanceMeaning }),
    min_quantity: pricingFields.min_quantity.optional(),
    tags: tagsField.optional(),
    ...describedFields,
  })
  .openapi("ServiceChange", { example: { price: "3", delivery_time_hours: 12, summary: null } });

/**
 * The columns of a request. An omitted field leaves its column unchanged.
 *
 * @throws ApiError `invalid_request` for an invalid price, acceptance time or endpoint; `invalid_schema` with all faults of
 *   the schemas
 */
export async function serviceColumns(
  context: Context,
  caller: Caller,
  request: z.output<typeof serviceChange>,
) {
  const { config } = context;
  requireCategory(request.category);
  const least = minAcceptanceHours(config);
  if (request.acceptance_hours !== undefined && request.acceptance_hours < least) {
    throw refuseField(
      "acceptance_hours",
      "minimum",
      `Field \`acceptance_hours\`: use at least ${least}, the time that a buyer needs to check a delivery.`,
    );
  }
  await checkStageSchemas(context, caller, request.stages ?? []);
  const violations = await schemaViolations(context, caller, {
    input_schema: request.input_schema,
    output_schema: request.output_schema,
  });
  if (violations.length > 0) {
    throw new ApiError(
      "invalid_schema",
      "A schema of the service is not valid JSON Schema 2020-12. `details` lists the faults.",
      violations,
    );
  }
  return {
    title: request.title,
    summary: request.summary,
    description: request.description,
    category: request.category,
    tags: request.tags,
    pricingModel: request.pricing_model,
    // The database stores a missing price as 0, because it sorts by price.
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
    stages: request.stages && readStages(config, request.stages),
    ...executionColumns(request.execution, context),
    ...sessionColumns(request.session, context),
  };
}

function sessionColumns(session: z.output<typeof serviceChange>["session"], { config }: Context) {
  if (session === undefined) return {};
  if (session === null) return { sessionUrl: null, sessionKey: null };
  const check = checkUrl(session.endpoint_url, policyOf(config.publicUrl));
  if (!check.isAllowed) throw refuseField("session/endpoint_url", check.code, check.message);
  return { sessionUrl: check.url.href, sessionKey: session.session_key };
}

function executionColumns(execution: z.output<typeof serviceChange>["execution"], { config }: Context) {
  if (execution === undefined) return {};
  if (execution === null) return { executionUrl: null, executionHost: null, executionSeconds: null };
  const check = checkUrl(execution.endpoint, policyOf(config.publicUrl));
  if (!check.isAllowed) throw refuseField("execution/endpoint", check.code, check.message);
  const { href, hostname } = check.url;
  return { executionUrl: href, executionHost: hostname, executionSeconds: execution.timeout_seconds };
}

/** Finds the faults of a service's schemas, with their paths in the service. */
export async function schemaViolations(
  context: Context,
  caller: Caller,
  schemas: Record<"input_schema" | "output_schema", unknown>,
): Promise<Violation[]> {
  const result = Object.entries(schemas).map(async ([field, schema]) => {
    if (schema === undefined || schema === null) return [];
    const violations = await checksOf(context.checker).run(causeOf(context, caller.accountId), "schema", {
      schema,
    });
    return violations.map((violation) => ({ ...violation, path: `/${field}${violation.path}` }));
  });
  return (await Promise.all(result)).flat();
}
