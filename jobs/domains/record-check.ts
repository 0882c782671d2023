import { and, eq, inArray, ne, sql } from "drizzle-orm";
import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { agent, agentDomain } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { inTransaction } from "../../db/transaction.ts";
import { domainEventData } from "../../protocol/facts/order-events.ts";
import { type DomainRow, provableDays } from "../../trade/domains/domain-claim.ts";
import type { Found } from "./domain-proof.ts";
import type { DomainClaim } from "./due-domains.ts";

/** Looks in a row that did not find the line, after which a domain counts as lost. */
const mostFailures = 3;
const day = 86_400;
/** Seconds until a claim is looked at again that waits for its proof: half a minute, then twice as long each time. */
const pendingPause = (failures: number) => Math.min(3600, 30 * 2 ** Math.min(failures - 1, 10));

/**
 * Writes down what a look found, with the event of a domain that is proved or lost in the same transaction. What is no
 * longer as it was taken is left alone.
 *
 * @returns the status that it has now; null where it was left alone
 */
export function recordLook(
  db: Database,
  { id, agentId, domain, until }: DomainClaim,
  found: Exclude<Found, { method: "aborted" }>,
): Promise<DomainRow["status"] | null> {
  return inTransaction(db, async (tx) => {
    // In the order in which the owner's requests take them.
    const [owner] = await tx
      .select({ id: agent.id, slug: agent.slug, name: agent.name })
      .from(agent)
      .where(eq(agent.id, agentId))
      .for("no key update");
    // Of two accounts that prove one domain at once, the second contests the first.
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
    const change = found.method ? proved(found.method) : missed(row, found);
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
      const data = domainEventData(owner, domain);
      const key = `domain:${id}:${columns.status}`;
      await insertEvents(tx, [{ accountId: row.accountId, type, orderId: null, key, data }]);
    }
    return columns.status;
  });
}

function proved(method: "dns" | "file") {
  // Not all of a day's at one moment of it.
  const pause = day * (0.9 + 0.1 * Math.random());
  return { status: "verified" as const, method, failures: 0, contestedAt: null, problems: null, pause };
}

function missed(row: DomainRow, { dns, file }: Extract<Found, { method: null }>) {
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
  // Another account proved the domain: what is seen not to be there any more is the other's now.
  const isTaken = row.contestedAt !== null && (row.method === "file" ? file : dns).isAbsent;
  const isLost = isTaken || failures >= mostFailures;
  return {
    ...columns,
    status: isLost ? ("lost" as const) : ("verified" as const),
    pause: row.contestedAt ? 3600 : day,
  };
}

/** Has the same domain's other proofs looked at again at once, where other accounts made them. */
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
