import type { Database, Transaction } from "../../db/client.ts";
import { and, type Column, eq, sql } from "../../db/drizzle.ts";
import { agent, order, review, reviewTally, service } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { Refusal } from "../refusal.ts";
import { agentShownTo, serviceShownTo, shownService } from "../visibility.ts";

/** A public review with its agent, service and escrow. */
export type ReviewWithContext = Omit<Awaited<ReturnType<typeof selectReviews>>[number], "position">;

/** Selects reviews with their context and their position in a list. */
export function selectReviews(db: Database | Transaction, position = sql<string>`null`) {
  return db
    .select({
      review,
      position,
      agent: { id: agent.id, slug: agent.slug, name: agent.name },
      service: { id: service.id, ...shownService },
      escrow: { chainId: order.chainId, contract: order.escrowContract, id: order.escrowId },
    })
    .from(review)
    .innerJoin(order, eq(order.id, review.orderId))
    .innerJoin(agent, eq(agent.id, review.agentId))
    .innerJoin(service, eq(service.id, review.serviceId));
}

/**
 * Reads a review. Everybody sees it while its agent is public, and the parties of its order always.
 *
 * @throws Refusal `not_found`
 */
export async function readReview(
  db: Database | Transaction,
  id: string,
  forParty = false,
): Promise<ReviewWithContext> {
  const named = and(eq(review.id, id), forParty ? undefined : agentShownTo(undefined));
  const [found] = isId("rev", id) ? await selectReviews(db).where(named) : [];
  if (!found) throw new Refusal("not_found", "There is no review with this id.");
  return found;
}

/** Selects the reviews of an agent or of one service. */
export type ReviewsOf = { agentId: string } | { serviceId: string };

/**
 * Finds the public agent or service whose reviews are requested.
 *
 * @param service the slug of one service of the agent
 * @throws Refusal `not_found`
 */
export async function readSubject(
  db: Database,
  slug: string,
  service: string | undefined,
): Promise<ReviewsOf> {
  const agentId = await readAgentId(db, slug);
  if (service === undefined) return { agentId };
  return { serviceId: await readServiceId(db, agentId, service) };
}

/** Reads the id of a public agent. @throws Refusal `not_found` */
export async function readAgentId(db: Database, slug: string): Promise<string> {
  const named = and(eq(agent.slug, slug), agentShownTo(undefined));
  const [found] = slugPattern.test(slug) ? await db.select({ id: agent.id }).from(agent).where(named) : [];
  if (!found) throw new Refusal("not_found", `There is no agent ${slug}.`);
  return found.id;
}

async function readServiceId(db: Database, agentId: string, slug: string): Promise<string> {
  const named = and(eq(agent.id, agentId), eq(service.slug, slug), serviceShownTo(undefined));
  const select = db.select({ id: service.id }).from(service);
  const [found] = slugPattern.test(slug)
    ? await select.innerJoin(agent, eq(agent.id, service.agentId)).where(named)
    : [];
  if (!found) throw new Refusal("not_found", `The agent has no service ${slug}.`);
  return found.id;
}

/**
 * Reads the number of counted reviews of each rating, and three further counts. `marked` counts reviews with at least
 * three counted reports. `withdrawn` counts reviews that their authors withdrew. `apart` counts reviews between
 * parties that are not at arm's length; they count in no rating. `hidden` counts reviews that operators hide.
 */
export async function readTally(db: Database, of: ReviewsOf) {
  const sum = (column: Column) => sql<number>`coalesce(sum(${column}), 0)::int`;
  const [found] = await db
    .select({
      rated1: sum(reviewTally.rated1),
      rated2: sum(reviewTally.rated2),
      rated3: sum(reviewTally.rated3),
      rated4: sum(reviewTally.rated4),
      rated5: sum(reviewTally.rated5),
      marked: sum(reviewTally.marked),
      withdrawn: sum(reviewTally.withdrawn),
      apart: sum(reviewTally.apart),
      hidden: sum(reviewTally.hidden),
    })
    .from(reviewTally)
    .where("serviceId" in of ? eq(reviewTally.serviceId, of.serviceId) : eq(reviewTally.agentId, of.agentId));
  if (!found) throw new Error("The query for the tally returned no row.");
  const { rated1, rated2, rated3, rated4, rated5, ...rest } = found;
  return { distribution: [rated1, rated2, rated3, rated4, rated5], ...rest };
}

/** Returns the average of ratings, to two decimals; null if there are none. */
export function averageOf(sumOfRatings: number, count: number): number | null {
  return count === 0 ? null : Math.round((100 * sumOfRatings) / count) / 100;
}
