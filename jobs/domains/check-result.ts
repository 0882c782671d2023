import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, ne, sql } from "../../db/drizzle.ts";
import { agent, agentDomain } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { inTransaction } from "../../db/transaction.ts";
import { domainEventData } from "../../protocol/facts/market-events.ts";
import { type DomainRow, provableDays } from "../../trade/domains/domain-claim.ts";
import type { ProofResult } from "./domain-proof.ts";
import type { LeasedDomain } from "./due-domains.ts";

/** Consecutive failed checks after which a domain is lost. */
const mostFailures = 3;
const day = 86_400;
/** Returns the seconds until a pending claim is checked again: half a minute, then twice as long each time. */
const pendingPause = (failures: number) => Math.min(3600, 30 * 2 ** Math.min(failures - 1, 10));

/**
 * Records a check's result, with the event of a proved or lost domain in the same transaction. A domain that has
 * changed since its lease began stays as it is.
 *
 * @returns the domain's status; null if it was left unchanged
 */
export function recordCheck(
  db: Database,
  { id, agentId, domain, until }: LeasedDomain,
  result: Exclude<ProofResult, { method: "aborted" }>,
): Promise<DomainRow["status"] | null> {
  return inTransaction(db, async (tx) => {
    // Requests of the owner lock the agent first too.
    const [owner] = await tx
      .select({ id: agent.id, slug: agent.slug, name: agent.name })
      .from(agent)
      .where(eq(agent.id, agentId))
      .for("no key update");
    // If two accounts prove one domain at once, the second contests the first.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`domain ${domain}`}, 0))`);
    const [row] = await tx
      .select()
      .from(agentDomain)
      .where(
        and(
          eq(agentDomain.id, id),
          sql`${agentDomain.nextCheckAt} = ${until}::timestamptz`,
          inArray(agentDomain.status, ["pending", "verified"]),
        ),
      )
      .for("update");
    if (!owner || !row) return null;
    const change = result.method ? proved(result.method) : missed(row, result);
    const { pause, ...columns } = change;
    await tx
      .update(agentDomain)
      .set({
        ...columns,
        ...(columns.status === "verified" && row.status === "pending" ? { verifiedAt: sql`now()` } : {}),
        ...(columns.status === "lost" ? { lostAt: sql`now()` } : {}),
        checkedAt: sql`now()`,
        nextCheckAt: sql`now() + make_interval(secs => ${pause}::float8)`,
      })
      .where(eq(agentDomain.id, id));
    if (columns.status === row.status) return row.status;
    if (columns.status === "verified") await contest(tx, row);
    if (columns.status !== "expired") {
      const type = columns.status === "verified" ? "agent.domain_verified" : "agent.domain_lost";
      const data = domainEventData({ agent: owner, domain });
      const key = `domain:${id}:${columns.status}`;
      await insertEvents(tx, [{ accountId: row.accountId, type, orderId: null, key, data }]);
    }
    return columns.status;
  });
}

function proved(method: "dns" | "file") {
  // The random part spreads the checks over the day.
  const pause = day * (0.9 + 0.1 * Math.random());
  return { status: "verified" as const, method, failures: 0, contestedAt: null, problems: null, pause };
}

function missed(row: DomainRow, { dns, file }: Extract<ProofResult, { method: null }>) {
  const failures = row.failures + 1;
  const columns = { failures, problems: { dns: dns.problem, file: file.problem } };
  if (row.status === "pending") {
    const isOver = row.createdAt.getTime() + provableDays * day * 1000 <= Date.now();
    return {
      ...columns,
      status: isOver ? ("expired" as const) : ("pending" as const),
      pause: pendingPause(failures),
    };
  }
  // Another account proved the domain, so a proof that is certainly absent moves the domain to that account.
  const isTaken = row.contestedAt !== null && (row.method === "file" ? file : dns).isAbsent;
  const isLost = isTaken || failures >= mostFailures;
  return {
    ...columns,
    status: isLost ? ("lost" as const) : ("verified" as const),
    pause: row.contestedAt ? 3600 : day,
  };
}

/** Makes other accounts' proofs of the same domain due at once. */
async function contest(tx: Transaction, { id, domain, accountId }: DomainRow): Promise<void> {
  await tx
    .update(agentDomain)
    .set({ contestedAt: sql`now()`, nextCheckAt: sql`now()` })
    .where(
      and(
        eq(agentDomain.domain, domain),
        eq(agentDomain.status, "verified"),
        ne(agentDomain.accountId, accountId),
        ne(agentDomain.id, id),
      ),
    );
  await addTask(tx, "domains");
}
