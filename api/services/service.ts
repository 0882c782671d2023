import { z } from "@hono/zod-openapi";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, type SQL } from "../../db/drizzle.ts";
import { agent, publicationStatuses, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { acceptedArbiters } from "../../trade/orders/parties.ts";
import { acceptanceHoursOf } from "../../trade/services/acceptance-window.ts";
import { changeService, type ServiceChange, type ServiceName } from "../../trade/services/own-service.ts";
import { acceptedTokens } from "../../trade/services/payment-token.ts";
import { isSoldToAnybody, type PricingModel, pricingToken } from "../../trade/services/pricing.ts";
import { serviceShownTo } from "../../trade/visibility.ts";
import { agentReference } from "../agents/agent.ts";
import {
  marketFiguresSchema,
  presentFigures,
  scoreSelection,
  serviceFiguresSelection,
} from "../agents/figure-fields.ts";
import { presentVerified, verifiedSchema, verifiedSelection } from "../agents/verified-proofs.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { createVersionCheck } from "../http/etag.ts";
import {
  baseUnitsField,
  currencyField,
  idField,
  nullableJsonObjectField,
  orNull,
  shownAddress,
  shownSlug,
  shownUrl,
  timeField,
} from "../http/fields.ts";
import { pageSchema } from "../http/listing.ts";
import { acceptedTokenSchema, presentAccepted } from "./payment-token.ts";
import { intervalField, pricingModelField } from "./pricing-fields.ts";
import { sessionField } from "./service-fields.ts";
import { presentStage, quotedStageSchema } from "./stage-fields.ts";

export const serviceParams = z.object({
  slug: shownSlug,
  svc: shownSlug.openapi({ example: "documents", description: "the service's slug" }),
});

export const serviceStatusField = z.enum(publicationStatuses).openapi("ServiceStatus");

/** A service as other resources refer to it. */
export const serviceReference = z
  .object({
    id: idField("svc"),
    slug: shownSlug.openapi({ example: "documents" }),
    title: z.string().openapi({ example: "Documents, English to Japanese" }),
  })
  .openapi("ServiceReference");

/** A service in a list: without its schemas, which may be far larger than the rest. */
export const listedServiceSchema = z
  .object({
    id: idField("svc"),
    slug: shownSlug.openapi({ example: "documents" }),
    title: z.string().openapi({ example: "Documents, English to Japanese" }),
    summary: z.string().nullable().openapi({ example: "A page a day, by a native speaker" }),
    description: z.string().nullable().openapi({ example: null }),
    category: z.string().nullable().openapi({ example: "translation" }),
    tags: z.array(z.string()).openapi({ example: ["japanese", "documents"] }),
    pricing_model: pricingModelField.openapi({ example: "per_unit" }),
    price: z.string().nullable().openapi({
      example: "2.500000",
      description: "null without a price: for a draft, or if only quotes have prices",
    }),
    price_base_units: baseUnitsField.nullable(),
    price_currency: currencyField,
    accepts: z.array(acceptedTokenSchema).openapi({
      description: "the tokens that pay for orders, the preferred one first",
    }),
    price_unit: z.string().nullable().openapi({ example: "page" }),
    interval: orNull(intervalField).openapi({ description: "the interval of a subscription", example: null }),
    min_quantity: z.int().openapi({ example: 1 }),
    max_quantity: z.int().nullable().openapi({ example: 50 }),
    delivery_time_hours: z.int().openapi({ example: 24 }),
    acceptance_hours: z.int().openapi({
      example: 72,
      description:
        "the acceptance window of orders that the first token of `accepts` pays; not used by `per_call`",
    }),
    arbiters: z.array(shownAddress).openapi({
      description:
        "the addresses that may decide disputes of orders that the first token of `accepts` pays; the zero address means nobody, so that disputes end by time. If the service names none: the arbiter of the token's chain, and nobody. Each token of `accepts` has those of its own chain",
    }),
    status: serviceStatusField,
    available: z.boolean().openapi({ description: "false while a published service takes no new orders" }),
    answers_at_once: z.boolean().openapi({
      description: "whether an endpoint of the provider executes paid orders at once",
    }),
    buy_url: shownUrl.nullable().openapi({
      description:
        "the URL where anybody can buy the service with one request, without an account: `POST /buy/{slug}/{svc}`; null if that is not possible",
    }),
    completed_order_count: z.int(),
    reputation: marketFiguresSchema.openapi({ description: "of this service alone" }),
    agent: agentReference
      .extend({
        verified: verifiedSchema,
        score: z.int().nullable().openapi({ description: "from the agent's whole record", example: 612 }),
      })
      .openapi("ServiceAgent"),
    created_at: timeField,
  })
  .openapi("ListedService");

export const servicePageSchema = pageSchema(listedServiceSchema).openapi("ServicePage");

const executionShown = z.object({ endpoint: shownUrl, timeout_seconds: z.int() }).openapi("ShownExecution", {
  example: { endpoint: "https://translator.example/orders", timeout_seconds: 30 },
});

export const serviceSchema = listedServiceSchema
  .extend({
    input_schema: nullableJsonObjectField,
    output_schema: nullableJsonObjectField,
    stages: z.array(quotedStageSchema).nullable().openapi({
      description: "the stages in which an order is delivered and paid; null for one delivery",
      example: null,
    }),
    execution: orNull(executionShown).openapi({
      description: "shown to the owner only; null for others",
    }),
    session: orNull(sessionField).openapi({
      description: "what the calls of a session go to; null unless the pricing model is `per_call`",
      example: null,
    }),
  })
  .openapi("Service");

const {
  search: _,
  verified: _kinds,
  inputSchema,
  outputSchema,
  stages,
  ...listedColumns
} = getTableColumns(service);

/** The columns that `presentListedService` needs, selected from `service` joined with `agent`. */
export const listedServiceSelection = {
  service: listedColumns,
  reputation: serviceFiguresSelection,
  agent: {
    id: agent.id,
    slug: agent.slug,
    name: agent.name,
    verified: verifiedSelection,
    score: scoreSelection,
  },
};

const serviceSelection = {
  ...listedServiceSelection,
  ownerId: agent.accountId,
  schemas: { inputSchema, outputSchema, stages },
};
type ListedServiceRow = Omit<ServiceRow, "schemas" | "ownerId">;
export type ServiceRow = Awaited<ReturnType<typeof selectServices>>[number];

function selectServices(db: Database | Transaction, where: SQL | undefined) {
  return db
    .select(serviceSelection)
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(where);
}

/** Presents a service in a list. */
export function presentListedService(row: ListedServiceRow, config: Config) {
  const { price, pricingModel } = row.service;
  // An order follows the rules of the chain that settles it.
  const [first] = acceptedTokens(config, row.service);
  const chain = first?.chain ?? config.defaultChain;
  return {
    id: row.service.id,
    slug: row.service.slug,
    title: row.service.title,
    summary: row.service.summary,
    description: row.service.description,
    category: row.service.category,
    tags: row.service.tags,
    pricing_model: pricingModel as PricingModel,
    price: price === 0n ? null : formatAmount(price, pricingToken(config).decimals),
    price_base_units: price === 0n ? null : price.toString(),
    price_currency: row.service.priceCurrency,
    accepts: presentAccepted(row.service, config),
    price_unit: pricingModel === "hourly" ? "hour" : row.service.priceUnit,
    interval: row.service.billingInterval,
    min_quantity: row.service.minQuantity,
    max_quantity: row.service.maxQuantity,
    delivery_time_hours: row.service.deliveryTimeHours,
    acceptance_hours: acceptanceHoursOf(row.service, chain),
    arbiters: acceptedArbiters(row.service, { arbiter: chain?.arbiter ?? null }),
    status: row.service.status,
    available: row.service.available,
    answers_at_once: row.service.executionUrl !== null,
    buy_url: isSoldToAnybody(row.service, config)
      ? `${config.publicUrl}${apiPath}/buy/${row.agent.slug}/${row.service.slug}`
      : null,
    completed_order_count: row.service.completedOrders,
    reputation: presentFigures(row.reputation),
    agent: { ...row.agent, verified: presentVerified(row.agent.verified) },
    created_at: row.service.createdAt.toISOString(),
  };
}

/** Presents a service with its schemas, and for its owner with its execution endpoint. */
export function presentService(row: ServiceRow, config: Config, caller: Caller | undefined) {
  const { executionUrl: endpoint, executionSeconds: seconds, sessionUrl, sessionKey } = row.service;
  const isOwner = caller?.accountId === row.ownerId;
  return {
    ...presentListedService(row, config),
    input_schema: row.schemas.inputSchema,
    output_schema: row.schemas.outputSchema,
    stages:
      row.schemas.stages?.map((stage, index) => presentStage(stage, index, pricingToken(config).decimals)) ??
      null,
    execution: isOwner && endpoint && seconds ? { endpoint, timeout_seconds: seconds } : null,
    session: sessionUrl && sessionKey ? { endpoint_url: sessionUrl, session_key: sessionKey } : null,
  };
}

/** Reads a service by its id. */
export async function readService(db: Database | Transaction, id: string): Promise<ServiceRow> {
  const [row] = await selectServices(db, eq(service.id, id));
  if (!row) throw new ApiError("not_found", "There is no service with this id.");
  return row;
}

/**
 * Reads a service that the caller may see. Drafts and services of draft agents are visible to their owner only.
 *
 * @throws ApiError `not_found`
 */
export async function readVisibleService(
  db: Database,
  { slug, svc }: z.output<typeof serviceParams>,
  caller: Caller | undefined,
): Promise<ServiceRow> {
  const named = and(eq(agent.slug, slug), eq(service.slug, svc), serviceShownTo(caller?.accountId));
  const [row] = slugPattern.test(slug) && slugPattern.test(svc) ? await selectServices(db, named) : [];
  if (!row) throw new ApiError("not_found", `There is no agent ${slug} with a service ${svc}.`);
  return row;
}

/** Changes the caller's own service as `changeService` does, and reads it. @throws ApiError `precondition_failed` */
export function changeOwnService(
  { config, db }: Context,
  caller: Caller,
  name: ServiceName,
  ifMatch: string | undefined,
  change: ServiceChange,
): Promise<ServiceRow> {
  return inTransaction(db, async (tx) =>
    readService(tx, await changeService(tx, config, caller, name, change, createVersionCheck(ifMatch))),
  );
}
