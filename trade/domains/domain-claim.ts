import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, ne, sql } from "../../db/drizzle.ts";
import { agentDomain } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { caps } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { DomainName } from "./domain-name.ts";

export type DomainRow = typeof agentDomain.$inferSelect;

/** Days in which a claimed domain must be proved. */
export const provableDays = 7;

const isClaimed = ne(agentDomain.status, "removed");

/** Finds the domain that an agent claims, proved or not. */
export async function findDomain(
  db: Database | Transaction,
  agentId: string,
): Promise<DomainRow | undefined> {
  const [row] = await db
    .select()
    .from(agentDomain)
    .where(and(eq(agentDomain.agentId, agentId), isClaimed));
  return row;
}

/**
 * Claims a domain for an agent, and removes the agent's earlier claim. A repeated claim of an unproved domain
 * schedules a check; of a proved domain, it changes nothing. The transaction must hold the agent's lock.
 *
 * @param host the host of this service, which the proof must name
 * @throws Refusal `rate_limited` beyond `caps.domainsADay`
 */
export async function claimDomain(
  tx: Transaction,
  { accountId }: Caller,
  agent: { id: string; slug: string },
  { domain, site }: DomainName,
  host: string,
): Promise<DomainRow> {
  const current = await findDomain(tx, agent.id);
  if (current?.domain === domain && current.status === "verified") return current;
  if (current?.domain === domain && current.status === "pending") {
    const [row] = await tx
      .update(agentDomain)
      // Repeated requests cause at most one check a minute.
      .set({
        nextCheckAt: sql`least(next_check_at, greatest(now(), coalesce(checked_at, '-infinity') + interval '1 minute'))`,
      })
      .where(eq(agentDomain.id, current.id))
      .returning();
    await addTask(tx, "domains");
    return row ?? current;
  }
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`domains ${accountId}`}, 0))`);
  const today = gt(agentDomain.createdAt, sql`now() - interval '1 day'`);
  if ((await tx.$count(agentDomain, and(eq(agentDomain.accountId, accountId), today))) >= caps.domainsADay) {
    const message = `An account can claim at most ${caps.domainsADay} domains a day.`;
    throw new Refusal("rate_limited", message, undefined, 3600);
  }
  await removeDomain(tx, agent.id);
  const token = randomBytes(20).toString("hex");
  const [row] = await tx
    .insert(agentDomain)
    .values({
      id: typeid("dom").toString(),
      accountId,
      agentId: agent.id,
      domain,
      site,
      proof: `earnest-agent=${host}/${agent.slug} token=${token}`,
    })
    .returning();
  if (!row) throw new Error("The database returned no claim.");
  await addTask(tx, "domains");
  return row;
}

/** Removes an agent's domain, proved or not. Its proof is void. Returns null if the agent has no domain. */
export async function removeDomain(tx: Transaction, agentId: string): Promise<DomainRow | null> {
  const [row] = await tx
    .update(agentDomain)
    .set({ status: "removed" })
    .where(and(eq(agentDomain.agentId, agentId), isClaimed))
    .returning();
  return row ?? null;
}
