import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/client.ts";
import { agent, order, service } from "../db/schema.ts";
import { formatAmount, parseAmount } from "../settlement/money.ts";
import { checkSchema, type Violation } from "../settlement/payloads.ts";
import type { Caller } from "./access.ts";
import { ApiError, refuseField } from "./errors.ts";
import { nullableJsonObjectField, slugField, slugPattern, textField, timeField } from "./fields.ts";
import { pageSchema } from "./page.ts";

export const pricingModels = ["fixed", "per_unit", "hourly", "negotiated", "subscription"] as const;

const word = z.string().trim().toLowerCase().min(1).max(60);
/** What fits the database's integers, and 32 bits of the contract when hours become seconds. */
const quantity = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const hours = z.int().min(1).max(8760);

const priceField = z.string().max(100).openapi({
  example: "2.50",
  description: "per unit; an exact decimal above zero, no finer than the token",
});

const describedFields = {
  summary: textField(300).nullish(),
  description: textField(10_000).nullish(),
  category: word.nullish().openapi({ example: "translation" }),
  price_currency: z.string().optional().openapi({ description: "the token's symbol, and by default that" }),
  price_unit: textField(40).nullish().openapi({ example: "page" }),
  max_quantity: quantity.nullish().openapi({ description: "no limit unless given" }),
  input_schema: nullableJsonObjectField.optional().openapi({
    description:
      "JSON Schema 2020-12 that every order's input has to satisfy; any object is taken without one",
  }),
  output_schema: nullableJsonObjectField
    .optional()
    .openapi({ description: "the same for every delivery's output" }),
};

const tagsField = z
  .array(word)
  .max(30)
  .transform((tags) => [...new Set(tags)])
  .openapi({ example: ["japanese", "documents"] });

export const serviceRequest = z
  .strictObject({
    slug: slugField.openapi({ example: "documents" }),
    title: textField(160).openapi({ example: "Documents, English to Japanese" }),
    pricing_model: z.enum(pricingModels).default("fixed"),
    price: priceField,
    delivery_time_hours: hours.openapi({ description: "from funding", example: 24 }),
    acceptance_hours: hours
      .default(72)
      .openapi({ description: "from recorded delivery to automatic release" }),
    min_quantity: quantity.default(1),
    tags: tagsField.default([]),
    ...describedFields,
  })
  .openapi("ServiceRequest");

export const serviceChange = z
  .strictObject({
    title: textField(160).optional(),
    pricing_model: z.enum(pricingModels).optional(),
    price: priceField.optional(),
    delivery_time_hours: hours.optional(),
    acceptance_hours: hours.optional(),
    min_quantity: quantity.optional(),
    tags: tagsField.optional(),
    ...describedFields,
  })
  .openapi("ServiceChange");

export const serviceParams = z.object({
  slug: z.string().openapi({ example: "translator" }),
  svc: z.string().openapi({ example: "documents", description: "the service's slug" }),
});

/**
 * Columns of what a request says; what it does not name stays as it is.
 *
 * @throws ApiError `invalid_request` for a price that is none, `invalid_schema` naming all that is wrong in a schema
 */
export function serviceColumns(request: z.output<typeof serviceChange>, config: Config) {
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
    price: request.price === undefined ? undefined : readPrice(request.price, config),
    priceUnit: request.price_unit,
    minQuantity: request.min_quantity,
    maxQuantity: request.max_quantity,
    deliveryTimeHours: request.delivery_time_hours,
    acceptanceHours: request.acceptance_hours,
    inputSchema: request.input_schema,
    outputSchema: request.output_schema,
  };
}

function schemaViolations(field: string, schema: unknown): Violation[] {
  if (schema === undefined || schema === null) return [];
  return checkSchema(schema).map((violation) => ({ ...violation, path: `/${field}${violation.path}` }));
}

/** @throws ApiError `invalid_request` when more would be the least than the most */
export function checkQuantities(row: { minQuantity?: number; maxQuantity?: number | null }): void {
  const { minQuantity = 1, maxQuantity } = row;
  if (typeof maxQuantity !== "number" || minQuantity <= maxQuantity) return;
  throw refuseField(
    "max_quantity",
    "minimum",
    `max_quantity is below min_quantity, which is ${minQuantity}.`,
  );
}

/** The token that prices are in: the default chain's. */
export function pricingToken(config: Config) {
  if (config.defaultChain) return config.defaultChain.token;
  throw new ApiError(
    "dependency_unavailable",
    "No chain is configured, so there is no token to name prices in.",
  );
}

/** The most that `amount` holds in an escrow's terms. */
const largestAmount = 2n ** 128n - 1n;

/**
 * Reads an amount of a request, in base units of the token that prices are in.
 *
 * @throws ApiError `invalid_request` naming the field
 */
export function readAmount(field: string, text: string, config: Config): bigint {
  const { decimals, symbol } = pricingToken(config);
  const amount = parseAmount(text, decimals);
  if (amount !== null && amount <= largestAmount) return amount;
  const message = `${field} must be an exact decimal with at most ${decimals} decimals (${symbol}), as in 2.50.`;
  throw refuseField(field, "amount", message);
}

function readPrice(text: string, config: Config): bigint {
  const price = readAmount("price", text, config);
  if (price === 0n) throw refuseField("price", "exclusiveMinimum", "price must be above zero.");
  return price;
}

/** A service as lists show it: without its schemas, which may be far larger than all the rest. */
export const listedServiceSchema = z
  .object({
    id: z.string().openapi({ example: "svc_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    slug: z.string().openapi({ example: "documents" }),
    title: z.string().openapi({ example: "Documents, English to Japanese" }),
    summary: z.string().nullable(),
    description: z.string().nullable(),
    category: z.string().nullable(),
    tags: z.array(z.string()),
    pricing_model: z.enum(pricingModels),
    price: z.string().openapi({ example: "2.500000" }),
    price_base_units: z.string().openapi({ example: "2500000" }),
    price_currency: z.string().openapi({ example: "TUSD" }),
    price_unit: z.string().nullable(),
    min_quantity: z.int(),
    max_quantity: z.int().nullable(),
    delivery_time_hours: z.int(),
    acceptance_hours: z.int(),
    status: z.enum(["draft", "published", "paused", "retired"]),
    completed_order_count: z.int(),
    agent: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    created_at: timeField,
  })
  .openapi("ListedService");

export const servicePageSchema = pageSchema(listedServiceSchema).openapi("ServicePage");

export const serviceSchema = listedServiceSchema
  .extend({ input_schema: nullableJsonObjectField, output_schema: nullableJsonObjectField })
  .openapi("Service");

const { search: _, inputSchema, outputSchema, ...listedColumns } = getTableColumns(service);

/** What `presentListedService` needs, to be selected from `service` joined with `agent`. */
export const listedServiceSelection = {
  service: listedColumns,
  agent: { id: agent.id, slug: agent.slug, name: agent.name },
  completedOrders: sql<number>`(
    select count(*)::int from ${order} as o where o.service_id = service.id and o.status = 'released')`,
};

const serviceSelection = { ...listedServiceSelection, schemas: { inputSchema, outputSchema } };
type ListedServiceRow = Omit<ServiceRow, "schemas">;
type ServiceRow = Awaited<ReturnType<typeof selectServices>>[number];

function selectServices(db: Database | Transaction, where: SQL | undefined) {
  return db
    .select(serviceSelection)
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(where);
}

/** A service as lists show it. */
export function presentListedService(row: ListedServiceRow, config: Config) {
  const { price, pricingModel } = row.service;
  return {
    id: row.service.id,
    slug: row.service.slug,
    title: row.service.title,
    summary: row.service.summary,
    description: row.service.description,
    category: row.service.category,
    tags: row.service.tags,
    pricing_model: pricingModel as (typeof pricingModels)[number],
    price: formatAmount(price, pricingToken(config).decimals),
    price_base_units: price.toString(),
    price_currency: row.service.priceCurrency,
    price_unit: row.service.priceUnit,
    min_quantity: row.service.minQuantity,
    max_quantity: row.service.maxQuantity,
    delivery_time_hours: row.service.deliveryTimeHours,
    acceptance_hours: row.service.acceptanceHours,
    status: row.service.status,
    completed_order_count: row.completedOrders,
    agent: row.agent,
    created_at: row.service.createdAt.toISOString(),
  };
}

/** A service with its schemas. */
export function presentService(row: ServiceRow, config: Config) {
  return {
    ...presentListedService(row, config),
    input_schema: row.schemas.inputSchema,
    output_schema: row.schemas.outputSchema,
  };
}

/** A service by its id. */
export async function readService(db: Database | Transaction, id: string): Promise<ServiceRow> {
  const [row] = await selectServices(db, eq(service.id, id));
  if (!row) throw new ApiError("not_found", "There is no such service.");
  return row;
}

/**
 * A service that this caller may see: everybody's but drafts and those of draft agents, and all of one's own.
 *
 * @throws ApiError `not_found`
 */
export async function readVisibleService(
  db: Database,
  { slug, svc }: z.output<typeof serviceParams>,
  caller: Caller | undefined,
): Promise<ServiceRow> {
  const isOwn = caller ? eq(agent.accountId, caller.accountId) : sql`false`;
  const isPublic = sql`${service.status} <> 'draft' and ${agent.status} <> 'draft'`;
  const named = and(eq(agent.slug, slug), eq(service.slug, svc), sql`(${isOwn} or (${isPublic}))`);
  const [row] = slugPattern.test(slug) && slugPattern.test(svc) ? await selectServices(db, named) : [];
  if (!row) throw new ApiError("not_found", `There is no service ${svc} of an agent ${slug}.`);
  return row;
}

/**
 * A service of the caller's own agent, kept from changing until the transaction ends.
 *
 * @throws ApiError `not_found`
 */
export async function lockOwnService(
  tx: Transaction,
  { slug, svc }: z.output<typeof serviceParams>,
  caller: Caller,
) {
  const [row] = await tx
    .select({ service: listedColumns, agentStatus: agent.status })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(and(eq(agent.accountId, caller.accountId), eq(agent.slug, slug), eq(service.slug, svc)))
    .for("update");
  if (!row) throw new ApiError("not_found", `You have no service ${svc} of an agent ${slug}.`);
  return row;
}
