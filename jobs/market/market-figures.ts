import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { agent, agentRecord, reputeDue, reviewTally, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";

/** Rows that are carried in one transaction: each may be indexed anew, by all its words. */
const batch = 25;

/** Whether anything of what agents and services are sorted and filtered by is still to be carried to them. */
export const hasDueFigures: SQL = sql`exists (select from ${reputeDue})`;

/**
 * Carries what changed of records, reviews and proofs to the agents and services that the market sorts and filters by it,
 * until nothing is due. Several processes may do so at once; whoever writes an order or a review waits for one batch at most.
 */
export async function updateFigures(db: Database, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
  while (!signal?.aborted) {
    if (!(await inTransaction(db, carryBatch))) return;
  }
}

async function carryBatch(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    with due as materialized (select seq from ${reputeDue} order by seq limit ${batch} for update skip locked)
    delete from ${reputeDue} where seq in (select seq from due)
    returning id`);
  if (rows.length === 0) return false;
  const due = sql.param([...new Set(rows.map(({ id }) => id))]);
  // Agents first, as wherever both are locked; what is known of them is read after that, so the last to write knows all.
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
  // What its agent shows as proved stands with each service: those follow in batches of their own.
  await tx.execute(sql`
    insert into ${reputeDue} (id) select service.id from ${service} join ${agent} on agent.id = service.agent_id
    where agent.id = any(${due}) and service.status = 'published' and service.verified <> agent.verified`);
  return true;
}

const ofRecord = sql`coalesce(record.score, 0)::smallint as score, coalesce(record.on_time / 10, 0)::smallint as on_time`;

/** The average of the reviews that count, to two decimals as it is shown everywhere, in hundredths. */
function ratingOf(wanted: SQL): SQL {
  return sql`(
    select coalesce(round(100.0 * sum(rated_1 + 2 * rated_2 + 3 * rated_3 + 4 * rated_4 + 5 * rated_5)
      / nullif(sum(rated_1 + rated_2 + rated_3 + rated_4 + rated_5), 0)), 0)::smallint
    from ${reviewTally} as tally where ${wanted}) as rating`;
}
