import { createHash } from "node:crypto";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, inArray, isNotNull, sql } from "../../db/drizzle.ts";
import { account, agent, agentProbe, probeTarget } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { inTransaction } from "../../db/transaction.ts";

/** The most hosts of one account that are probed. */
const mostHosts = 5;
/** Accounts handled in one transaction. */
const accountsAtOnce = 500;

/** Assigns the URLs to probe for the agents of an account, or of all accounts. */
export async function assignTargets(db: Database, accountId: string | null): Promise<void> {
  let after = "";
  while (true) {
    const accounts = await db
      .selectDistinct({ id: agent.accountId })
      .from(agent)
      .where(accountId === null ? gt(agent.accountId, after) : eq(agent.accountId, accountId))
      .orderBy(agent.accountId)
      .limit(accountsAtOnce);
    if (accounts.length > 0) {
      await inTransaction(db, (tx) =>
        assignTo(
          tx,
          accounts.map(({ id }) => id),
        ),
      );
    }
    if (accounts.length < accountsAtOnce) return;
    after = accounts.at(-1)?.id ?? "";
  }
}

/** Updates the probed URLs of these accounts to match their agents. */
async function assignTo(tx: Transaction, accountIds: string[]): Promise<void> {
  // One at a time: two concurrent runs could each keep the hosts of the other.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('earnest.agent_probe', 0))`);
  const rows = await tx
    .select({
      agentId: agent.id,
      accountId: agent.accountId,
      network: account.network,
      url: agent.apiEndpoint,
      isPublished: sql<boolean>`${agent.status} = 'published'`,
      targetId: agentProbe.targetId,
      probedHost: probeTarget.host,
    })
    .from(agent)
    .innerJoin(account, eq(account.id, agent.accountId))
    .leftJoin(agentProbe, eq(agentProbe.agentId, agent.id))
    .leftJoin(probeTarget, eq(probeTarget.id, agentProbe.targetId))
    .where(
      and(
        inArray(agent.accountId, accountIds),
        sql`(${isNotNull(agent.apiEndpoint)} or ${isNotNull(agentProbe.targetId)})`,
      ),
    )
    .orderBy(agent.publishedAt, agent.id);
  const chosenTargets = [...Map.groupBy(rows, ({ accountId }) => accountId).values()].flatMap(chooseTargets);
  const targetByAgent = new Map(chosenTargets.map((each) => [each.agentId, each.target]));
  const moved = rows.filter(({ agentId, targetId }) => targetId !== (targetByAgent.get(agentId)?.id ?? null));
  if (moved.length === 0) return;

  const targets = new Map(
    moved.flatMap(({ agentId }) => targetByAgent.get(agentId) ?? []).map((t) => [t.id, t]),
  );
  if (targets.size > 0) {
    // Many new targets, as on the first run, start over half a minute.
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
    const target = targetByAgent.get(agentId);
    return target ? { agentId, targetId: target.id } : [];
  });
  for (const part of partsOf(pairs)) {
    await tx
      .insert(agentProbe)
      .values(part)
      .onConflictDoUpdate({ target: agentProbe.agentId, set: { targetId: sql`excluded.target_id` } });
  }
  for (const part of partsOf(moved.filter(({ agentId }) => !targetByAgent.has(agentId)))) {
    await tx.delete(agentProbe).where(
      inArray(
        agentProbe.agentId,
        part.map(({ agentId }) => agentId),
      ),
    );
  }
  // A URL that no agent advertises loses its record.
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
  await addTask(tx, "probes");
}

type AgentRow = {
  agentId: string;
  url: string | null;
  network: string | null;
  isPublished: boolean;
  probedHost: string | null;
};

/**
 * Chooses which of an account's agents are probed. A probed host stays as long as a published agent advertises it. Free
 * slots go to the other hosts in the order of publication.
 */
function chooseTargets(agents: AgentRow[]): { agentId: string; target: ReturnType<typeof targetOf> }[] {
  const candidates = agents.flatMap(({ agentId, url, network, isPublished, probedHost }) =>
    isPublished && url !== null && URL.canParse(url)
      ? { agentId, target: targetOf(url, network), probedHost }
      : [],
  );
  const probed = candidates.filter(({ target, probedHost }) => target.host === probedHost);
  const hosts = new Set([...probed, ...candidates].map(({ target }) => target.host));
  const chosen = new Set([...hosts].slice(0, mostHosts));
  return candidates.filter(({ target }) => chosen.has(target.host));
}

function targetOf(url: string, network: string | null) {
  const digest = createHash("sha256").update(url).digest();
  return {
    id: digest.toString("hex"),
    url,
    host: new URL(url).hostname,
    network,
    phase: digest.readUInt32BE(0) / 2 ** 32,
  };
}

/** Splits a list, because statements limit their parameters. */
function partsOf<T>(list: readonly T[]): T[][] {
  const size = 2000;
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
    list.slice(part * size, (part + 1) * size),
  );
}
