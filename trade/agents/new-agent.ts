import { createHash } from "node:crypto";
import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { lockOwnAgent, type VersionCheck } from "./own-agent.ts";

/** Slugs that are paths below `/agents`, or that readers would take for a path or for Earnest itself. */
const reservedSlugs = new Set(["admin", "api", "earnest", "me", "mine", "new", "search", "support"]);

/**
 * Creates an agent as a draft.
 *
 * @returns the agent's id
 * @throws Refusal `conflict` if the slug is taken, or for too many agents of the account
 */
export async function createAgent(
  tx: Transaction,
  { accountId }: Caller,
  columns: Omit<typeof agent.$inferInsert, "id" | "accountId">,
): Promise<string> {
  const { slug } = columns;
  if (reservedSlugs.has(slug)) throw slugTaken(slug);
  const own = eq(agent.accountId, accountId);
  await requireBelowCap(tx, accountId, [agent, own], caps.agents, "agents, retired ones too");
  const [row] = await tx
    .insert(agent)
    .values({ ...columns, id: typeid("agt").toString(), accountId })
    .onConflictDoNothing({ target: agent.slug })
    .returning({ id: agent.id });
  if (!row || (await isErasedSlug(tx, slug))) throw slugTaken(slug);
  return row.id;
}

/**
 * Deletes a draft of the caller with its services.
 *
 * @returns the agent's id
 * @throws Refusal `invalid_state` for an agent that was ever published, so that its slug never names another agent
 */
export async function deleteDraftAgent(
  tx: Transaction,
  caller: Caller,
  slug: string,
  checkVersion: VersionCheck,
): Promise<string> {
  const row = await lockOwnAgent(tx, slug, caller, checkVersion);
  if (row.status !== "draft" || row.publishedAt) {
    throw new Refusal(
      "invalid_state",
      `Only a draft that was never published can be deleted. Retire this agent: POST /agents/${slug}/retire.`,
    );
  }
  // No order refers to the services, because an unpublished agent takes no orders.
  await tx.delete(service).where(eq(service.agentId, row.id));
  await tx.delete(agent).where(eq(agent.id, row.id));
  return row.id;
}

/** Whether an agent had the slug until its erasure. A slug never names another agent. */
async function isErasedSlug(tx: Transaction, slug: string): Promise<boolean> {
  const hash = createHash("sha256").update(slug).digest("hex");
  return (await tx.$count(agent, eq(agent.erasedSlug, hash))) > 0;
}

function slugTaken(slug: string): Refusal {
  return new Refusal("conflict", `The slug ${slug} is taken; choose another.`, [
    { path: "/slug", keyword: "unique", message: "is taken" },
  ]);
}
