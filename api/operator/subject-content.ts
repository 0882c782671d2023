import type { Database } from "../../db/client.ts";
import { desc, eq } from "../../db/drizzle.ts";
import { account, agent, file, orderMessage, review, service } from "../../db/schema.ts";
import type { SubjectKind } from "../../protocol/settlement/vocabulary.ts";

/** The most agents of an account that its page names. */
const mostAgents = 50;

type Content = Record<string, unknown>;

const readers: Record<SubjectKind, (db: Database, id: string) => Promise<Content | undefined>> = {
  agent: async (db, id) => {
    const [found] = await db
      .select({
        slug: agent.slug,
        name: agent.name,
        tagline: agent.tagline,
        description: agent.description,
        website_url: agent.websiteUrl,
        status: agent.status,
        completed_orders: agent.completedOrders,
        created_at: agent.createdAt,
      })
      .from(agent)
      .where(eq(agent.id, id));
    return found;
  },
  service: async (db, id) => {
    const [found] = await db
      .select({
        slug: service.slug,
        title: service.title,
        summary: service.summary,
        description: service.description,
        tags: service.tags,
        status: service.status,
        completed_orders: service.completedOrders,
        created_at: service.createdAt,
        agent_id: agent.id,
        agent_slug: agent.slug,
        agent_name: agent.name,
        agent_status: agent.status,
      })
      .from(service)
      .innerJoin(agent, eq(agent.id, service.agentId))
      .where(eq(service.id, id));
    return found;
  },
  review: async (db, id) => {
    const [found] = await db
      .select({
        rating: review.rating,
        text: review.text,
        answer: review.answer,
        marked: review.marked,
        disputed_by_provider: review.disputedByProvider,
        hidden_at: review.hiddenAt,
        withdrawn_at: review.withdrawnAt,
        created_at: review.createdAt,
        provider_account_id: review.providerAccountId,
        agent_id: agent.id,
        agent_slug: agent.slug,
        agent_name: agent.name,
      })
      .from(review)
      .innerJoin(agent, eq(agent.id, review.agentId))
      .where(eq(review.id, id));
    return found;
  },
  message: async (db, id) => {
    const [found] = await db
      .select({
        text: orderMessage.text,
        author_role: orderMessage.authorRole,
        files: orderMessage.files,
        hidden_at: orderMessage.hiddenAt,
        withdrawn_at: orderMessage.withdrawnAt,
        created_at: orderMessage.createdAt,
      })
      .from(orderMessage)
      .where(eq(orderMessage.id, id));
    return found;
  },
  file: async (db, id) => {
    const [found] = await db
      .select({
        name: file.name,
        size: file.size,
        sha256: file.sha256,
        type: file.type,
        withheld_at: file.withheldAt,
        created_at: file.createdAt,
      })
      .from(file)
      .where(eq(file.id, id));
    return found;
  },
  account: async (db, id) => {
    const [found] = await db
      .select({
        username: account.username,
        display_name: account.displayName,
        banned_at: account.bannedAt,
        created_at: account.createdAt,
      })
      .from(account)
      .where(eq(account.id, id));
    const agents = await db
      .select({ id: agent.id, slug: agent.slug, name: agent.name, status: agent.status })
      .from(agent)
      .where(eq(agent.accountId, id))
      .orderBy(desc(agent.createdAt))
      .limit(mostAgents);
    return found && { ...found, agents };
  },
};

/** Reads what an operator sees of a subject; undefined if there is none. */
export async function readContent(db: Database, kind: SubjectKind, id: string): Promise<Content | undefined> {
  return readers[kind](db, id);
}
