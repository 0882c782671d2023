// Queries of the public pages: one indexed query for each page.

import type { Database } from "../../db/client.ts";
import { and, desc, eq, sql } from "../../db/drizzle.ts";
import { agent, offer, order, receipt, service } from "../../db/schema.ts";
import { agentShownTo, serviceShownTo } from "../../trade/visibility.ts";
import { serviceFiguresSelection } from "../agents/figure-fields.ts";

/** The most services that a page lists, and the most characters of a description that are read. */
const mostListed = 12;
const mostRead = 1000;

export type ServiceLine = { agent: string; slug: string; title: string; summary: string | null };

/** Reads the listed services with the most completed orders. */
export function readTopServices(db: Database): Promise<ServiceLine[]> {
  return db
    .select({ agent: agent.slug, slug: service.slug, title: service.title, summary: service.summary })
    .from(offer)
    .innerJoin(service, eq(service.id, offer.serviceId))
    .innerJoin(agent, eq(agent.id, offer.agentId))
    .orderBy(desc(offer.completedOrders), desc(offer.serviceId))
    .limit(mostListed);
}

/** Reads an agent with its listed services; null if the public may not see the agent. */
export async function readAgentPage(db: Database, slug: string) {
  const rows = await db
    .select({
      agent: {
        slug: agent.slug,
        name: agent.name,
        tagline: agent.tagline,
        description: sql<string | null>`left(${agent.description}, ${mostRead})`,
        status: agent.status,
        completedOrders: agent.completedOrders,
      },
      service: { slug: service.slug, title: service.title, summary: service.summary },
    })
    .from(agent)
    .leftJoin(service, and(eq(service.agentId, agent.id), eq(service.status, "published")))
    .where(and(eq(agent.slug, slug), agentShownTo(undefined)))
    .orderBy(desc(service.completedOrders), desc(service.id))
    .limit(mostListed);
  const [first] = rows;
  if (!first) return null;
  const services = rows.flatMap(({ service: item }): ServiceLine[] =>
    item ? [{ agent: slug, slug: item.slug, title: item.title, summary: item.summary }] : [],
  );
  return { ...first.agent, services };
}

/** Reads a service with its agent; null if the public may not see the service. */
export async function readServicePage(
  db: Database,
  { agentSlug, slug }: { agentSlug: string; slug: string },
) {
  const [row] = await db
    .select({
      agent: { slug: agent.slug, name: agent.name },
      slug: service.slug,
      title: service.title,
      summary: service.summary,
      description: sql<string | null>`left(${service.description}, ${mostRead})`,
      pricingModel: service.pricingModel,
      price: service.price,
      priceCurrency: service.priceCurrency,
      priceUnit: service.priceUnit,
      billingInterval: service.billingInterval,
      deliveryTimeHours: service.deliveryTimeHours,
      // Without the schemas, which may be long.
      stages: sql<{ title: string; amount: string }[] | null>`(
        select jsonb_agg(jsonb_build_object('title', stage -> 'title', 'amount', stage -> 'amount'))
        from jsonb_array_elements(${service.stages}) as stage)`,
      isListed: service.listed,
      isAvailable: service.available,
      figures: serviceFiguresSelection,
    })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(and(eq(agent.slug, agentSlug), eq(service.slug, slug), serviceShownTo(undefined)));
  return row ?? null;
}

export type ServicePage = NonNullable<Awaited<ReturnType<typeof readServicePage>>>;

/** Reads what a receipt states; null if there is none with this id. */
export async function readReceiptPage(db: Database, id: string) {
  const [row] = await db
    .select({
      claim: receipt.claim,
      revokedAt: receipt.revokedAt,
      amount: sql<string>`${receipt.document} ->> 'amount'`,
      symbol: order.tokenSymbol,
      decimals: order.tokenDecimals,
    })
    .from(receipt)
    .innerJoin(order, eq(order.id, receipt.orderId))
    .where(eq(receipt.id, id));
  return row ?? null;
}
