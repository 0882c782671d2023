import pg from "pg";
import { typeid } from "typeid-js";
import type { Config } from "../../config/config.ts";
import type { Transaction } from "../../db/client.ts";
import { eq, inArray } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import { lockOwnAgent, type VersionCheck } from "../agents/own-agent.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { lockOwnService, type ServiceName } from "./own-service.ts";
import { checkAccepts } from "./payment-token.ts";
import { requirePayoutChains } from "./payout-chains.ts";
import { checkPricing } from "./pricing.ts";
import { checkServiceStages } from "./stages.ts";

/** SQLSTATE of a row that other rows refer to. */
const foreignKeyViolation = "23503";

/** Slugs that could become paths below `/agents/{slug}/services`, or that readers would take for a path. */
const reservedSlugs = new Set(["mine", "new", "search"]);

/** The columns of a new service. An omitted one gets its default; an omitted price is none. */
export type NewService = Omit<typeof service.$inferInsert, "id" | "agentId" | "price" | "priceCurrency"> & {
  price: bigint | undefined;
  /** the currency of the price; that of the first accepted token by default */
  priceCurrency: string | undefined;
};

/**
 * Creates a service of the caller's own agent as a draft.
 *
 * @returns the service's id
 * @throws Refusal `conflict` if the slug is taken, or for too many services of the account; `invalid_state` for a retired agent;
 *   `invalid_request` for prices, stages or tokens that do not fit
 */
export async function createService(
  tx: Transaction,
  config: Config,
  caller: Caller,
  agentSlug: string,
  { priceCurrency, ...columns }: NewService,
): Promise<string> {
  const { slug } = columns;
  if (reservedSlugs.has(slug)) throw slugTaken(slug);
  const offered = {
    pricingModel: columns.pricingModel,
    stages: columns.stages ?? null,
    deliveryTimeHours: columns.deliveryTimeHours,
    minQuantity: columns.minQuantity ?? 1,
    maxQuantity: columns.maxQuantity ?? null,
    priceUnit: columns.priceUnit ?? null,
    billingInterval: columns.billingInterval ?? null,
    sessionUrl: columns.sessionUrl ?? null,
    executionUrl: columns.executionUrl ?? null,
    price: columns.price ?? 0n,
  };
  checkPricing(offered);
  checkServiceStages(offered);
  const { accepts = null } = columns;
  const accepting = checkAccepts(config, { accepts, currency: priceCurrency, price: offered.price });
  const owner = await lockOwnAgent(tx, agentSlug, caller);
  if (owner.status === "retired") {
    throw new Refusal("invalid_state", "A retired agent cannot have new services.");
  }
  await requirePayoutChains(tx, config, { ...owner, ...accepting });
  const agents = tx.select({ id: agent.id }).from(agent).where(eq(agent.accountId, owner.accountId));
  const own = inArray(service.agentId, agents);
  await requireBelowCap(tx, owner.accountId, [service, own], caps.services, "services, retired ones too");
  const [row] = await tx
    .insert(service)
    .values({
      ...columns,
      ...accepting,
      id: typeid("svc").toString(),
      agentId: owner.id,
      price: offered.price,
    })
    .onConflictDoNothing({ target: [service.agentId, service.slug] })
    .returning({ id: service.id });
  if (!row) throw slugTaken(slug);
  return row.id;
}

/**
 * Deletes a service of the caller.
 *
 * @returns the service's id
 * @throws Refusal `invalid_state` for a suspended service; `conflict` for one with orders
 */
export async function deleteService(
  tx: Transaction,
  caller: Caller,
  name: ServiceName,
  checkVersion: VersionCheck,
): Promise<string> {
  const { id, status } = await lockOwnService(tx, name, caller, checkVersion);
  // Otherwise its owner could make it again under the same path.
  if (status === "suspended") {
    throw new Refusal("invalid_state", "An operator suspended this service, so it cannot be deleted.");
  }
  await tx
    .delete(service)
    .where(eq(service.id, id))
    .catch((error: unknown) => {
      if (!isReferredTo(error)) throw error;
      throw new Refusal(
        "conflict",
        `The service has orders, so it cannot be deleted. Retire it: POST /agents/${name.slug}/services/${name.svc}/retire.`,
      );
    });
  return id;
}

/** Whether the database's foreign key refused a deletion. It also covers an order that is being placed at this moment. */
function isReferredTo(error: unknown): boolean {
  const cause = error instanceof pg.DatabaseError ? error : (error as Error | undefined)?.cause;
  return cause instanceof pg.DatabaseError && cause.code === foreignKeyViolation;
}

function slugTaken(slug: string): Refusal {
  return new Refusal(
    "conflict",
    `The agent has a service ${slug} already, or the slug is reserved. Choose another slug.`,
    [{ path: "/slug", keyword: "unique", message: "is taken" }],
  );
}
