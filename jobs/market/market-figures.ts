import type { Database, Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { agent, agentRecord, marketFiguresDue, reviewTally, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";

/** Rows in one transaction: each may be indexed again, by all its words. */
const batch = 25;

/** Whether a change of an agent's or a service's figures is queued. */
export const hasDueFigures: SQL = sql`exists (select from ${marketFiguresDue})`;

/**
 * Copies changed figures of records, reviews and proofs to the agents and services, which the market sorts and filters
 * by them. Runs until the queue is empty. Several processes may run it. A writer of an order or a review waits for one
 * batch at most.
 */
export async function updateFigures(db: Database, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
  while (!signal?.aborted) {
    if (!(await inTransaction(db, updateBatch))) return;
  }
}

async function updateBatch(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    with due as materialized (select seq from ${marketFiguresDue} order by seq limit ${batch} for update skip locked)
    delete from ${marketFiguresDue} where seq in (select seq from due)
    returning id`);
  if (rows.length === 0) return false;
  const due = sql.param([...new Set(rows.map(({ id }) => id))]);
  // Every transaction locks agents before services. Figures are read under the locks, so the last writer has all changes.
  await tx.execute(sql`select from ${agent} where id = any(${due}) order by id for no key update`);
  await tx.execute(sql`select from ${service} where id = any(${due}) order by id for no key update`);
  await tx.execute(sql`
    update ${agent} set score = known.score, rating = known.rating, on_time = known.on_time
    from (
      select subject.id, ${ofRecord}, ${ratingOf(sql`tally.agent_id = subject.id`)}
      from ${agent} as subject left join ${agentRecord} as record on record.id = subject.id
      where subject.id = any(${due})) as known
    where agent.id = known.id
      and (agent.score, agent.rating, agent.on_time) <> (known.score, known.rating, known.on_time)`);
  await tx.execute(sql`
    update ${service} set score = known.score, rating = known.rating, on_time = known.on_time, verified = known.verified
    from (
      select subject.id, owner.verified, ${ofRecord}, ${ratingOf(sql`tally.service_id = subject.id`)}
      from ${service} as subject join ${agent} as owner on owner.id = subject.agent_id
      left join ${agentRecord} as record on record.id = subject.id
      where subject.id = any(${due})) as known
    where service.id = known.id and (service.score, service.rating, service.on_time, service.verified)
      <> (known.score, known.rating, known.on_time, known.verified)`);
  // A service shows its agent's proof. Services with another value follow in batches of their own.
  await tx.execute(sql`
    insert into ${marketFiguresDue} (id) select service.id from ${service} join ${agent} on agent.id = service.agent_id
    where agent.id = any(${due}) and service.status = 'published' and service.verified <> agent.verified`);
  return true;
}

const ofRecord = sql`coalesce(record.score, 0)::smallint as score, coalesce(record.on_time / 10, 0)::smallint as on_time`;

/** The average of the reviews that count, in hundredths, because a rating has two decimals. */
function ratingOf(condition: SQL): SQL {
  return sql`(
    select coalesce(round(100.0 * sum(rated_1 + 2 * rated_2 + 3 * rated_3 + 4 * rated_4 + 5 * rated_5)
      / nullif(sum(rated_1 + rated_2 + rated_3 + rated_4 + rated_5), 0)), 0)::smallint
    from ${reviewTally} as tally where ${condition}) as rating`;
}
