import { createHash } from "node:crypto";
import { and, eq, gt, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { agent, agentProbe, probeTarget } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";

/** The distinct hosts of one account that are probed. */
const mostHosts = 5;
/** Accounts looked at in one transaction. */
const accountsAtOnce = 500;
/** A change may be seen this many seconds after its time: that is when its transaction began. */
const overlap = 60;

/** Whether an agent was changed lately, even if its transaction took as long as one may. */
export const hasChangedAgent: SQL = sql`
  (select max(${agent.updatedAt}) from ${agent}) > now() - make_interval(secs => ${overlap + 10})`;

/**
 * Says which URLs are probed for which agents, for the accounts whose agents changed since the last look, and on the
 * first look for all of them.
 *
 * @param since what the last look returned
 * @returns what the next look takes, and for how many agents something changed
 */
export async function followAgents(
  db: Database,
  since: string | null,
): Promise<{ next: string; moved: number }> {
  const { rows } = await db.execute<{ now: string }>(
    sql`select (now() - make_interval(secs => ${overlap}))::text as now`,
  );
  const changed = since === null ? undefined : sql`${agent.updatedAt} > ${since}::timestamptz`;
  let after = "";
  let moved = 0;
  while (true) {
    const accounts = await db
      .selectDistinct({ id: agent.accountId })
      .from(agent)
      .where(and(gt(agent.accountId, after), changed))
      .orderBy(agent.accountId)
      .limit(accountsAtOnce);
    if (accounts.length > 0) {
      const ids = accounts.map(({ id }) => id);
      moved += await inTransaction(db, (tx) => assignTargets(tx, ids));
    }
    if (accounts.length < accountsAtOnce) return { next: rows[0]?.now ?? "", moved };
    after = accounts.at(-1)?.id ?? "";
  }
}

/** Brings what is probed for these accounts in line with their agents. */
async function assignTargets(tx: Transaction, accountIds: string[]): Promise<number> {
  // One at a time: two that saw different moments would each keep another's hosts.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.agent_probe', 0))`);
  const rows = await tx
    .select({
      agentId: agent.id,
      accountId: agent.accountId,
      url: agent.apiEndpoint,
      isPublished: sql<boolean>`${agent.status} = 'published'`,
      targetId: agentProbe.targetId,
      probedHost: probeTarget.host,
    })
    .from(agent)
    .leftJoin(agentProbe, eq(agentProbe.agentId, agent.id))
    .leftJoin(probeTarget, eq(probeTarget.id, agentProbe.targetId))
    .where(
      and(
        inArray(agent.accountId, accountIds),
        sql`(${isNotNull(agent.apiEndpoint)} or ${isNotNull(agentProbe.targetId)})`,
      ),
    )
    .orderBy(agent.publishedAt, agent.id);
  const wanted = [...Map.groupBy(rows, ({ accountId }) => accountId).values()].flatMap(chooseTargets);
  const wantedBy = new Map(wanted.map((each) => [each.agentId, each.target]));
  const moved = rows.filter(({ agentId, targetId }) => targetId !== (wantedBy.get(agentId)?.id ?? null));
  if (moved.length === 0) return 0;

  const targets = new Map(moved.flatMap(({ agentId }) => wantedBy.get(agentId) ?? []).map((t) => [t.id, t]));
  if (targets.size > 0) {
    // Many at once, as on the first look, are begun over half a minute.
    const nextProbeAt = (phase: number) =>
      sql`now() + make_interval(secs => ${targets.size > 100 ? 30 * phase : 0})`;
    for (const part of partsOf([...targets.values()])) {
      await tx
        .insert(probeTarget)
        .values(part.map((target) => ({ ...target, nextProbeAt: nextProbeAt(target.phase) })))
        .onConflictDoNothing();
    }
  }
  const pairs = moved.flatMap(({ agentId }) => {
    const target = wantedBy.get(agentId);
    return target ? { agentId, targetId: target.id } : [];
  });
  for (const part of partsOf(pairs)) {
    await tx
      .insert(agentProbe)
      .values(part)
      .onConflictDoUpdate({ target: agentProbe.agentId, set: { targetId: sql`excluded.target_id` } });
  }
  for (const part of partsOf(moved.filter(({ agentId }) => !wantedBy.has(agentId)))) {
    await tx.delete(agentProbe).where(
      inArray(
        agentProbe.agentId,
        part.map(({ agentId }) => agentId),
      ),
    );
  }
  // What no agent advertises any more is forgotten: should one do so again, it starts anew.
  for (const part of partsOf(moved.flatMap(({ targetId }) => targetId ?? []))) {
    await tx
      .delete(probeTarget)
      .where(
        and(
          inArray(probeTarget.id, part),
          sql`not exists (select from ${agentProbe} where ${agentProbe.targetId} = ${probeTarget.id})`,
        ),
      );
  }
  return moved.length;
}

type AgentRow = {
  agentId: string;
  url: string | null;
  isPublished: boolean;
  probedHost: string | null;
};

/**
 * Which of an account's agents are probed. A host that is probed stays so for as long as a published agent advertises
 * it; places that are free go to the others in the order in which their agents were published.
 */
function chooseTargets(agents: AgentRow[]): { agentId: string; target: ReturnType<typeof targetOf> }[] {
  const candidates = agents.flatMap(({ agentId, url, isPublished, probedHost }) =>
    isPublished && url !== null && URL.canParse(url) ? { agentId, target: targetOf(url), probedHost } : [],
  );
  const probed = candidates.filter(({ target, probedHost }) => target.host === probedHost);
  const hosts = new Set([...probed, ...candidates].map(({ target }) => target.host));
  const chosen = new Set([...hosts].slice(0, mostHosts));
  return candidates.filter(({ target }) => chosen.has(target.host));
}

function targetOf(url: string) {
  const digest = createHash("sha256").update(url).digest();
  return {
    id: digest.toString("hex"),
    url,
    host: new URL(url).hostname,
    phase: digest.readUInt32BE(0) / 2 ** 32,
  };
}

/** Statements have a limit of parameters. */
function partsOf<T>(list: readonly T[]): T[][] {
  const size = 2000;
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
    list.slice(part * size, (part + 1) * size),
  );
}
