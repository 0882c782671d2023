import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, gt, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Logger } from "pino";
import type { Chain, Config } from "../../config/config.ts";
import { escrowEvent, readIndexedBlocks, selectIndex } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { indexAudit, order, relay } from "../../db/schema.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { clientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";
import {
  type Compared,
  compareLogs,
  isInReceipt,
  isRefusal,
  isSame,
  type Place,
  type Range,
} from "./audited-logs.ts";

/** Blocks of a question at first and at most. The fewer logs come, the more blocks are asked for. */
const firstRange = 500n;
const mostRange = 10_000n;
const manyLogs = 500;
/** Questions of one round about one chain, where the audit is behind. */
const mostQuestions = 20;
/** Milliseconds until what differs is asked again: one answer of a node proves nothing. */
const askAgainAfter = 10_000;
/** Relays that were mined and left no event, and were looked at: as many are remembered. */
const mostHints = 10_000;

/** What a worker keeps from round to round. */
export type AuditMemory = { ranges: Map<number, bigint>; hinted: Set<string> };
export const newAuditMemory = (): AuditMemory => ({ ranges: new Map(), hinted: new Set() });

export type AuditOptions = {
  log?: Logger | undefined;
  signal?: AbortSignal | undefined;
  memory?: AuditMemory;
  /** milliseconds until what differs is asked again */
  again?: number;
};

type Audit = typeof indexAudit.$inferSelect;

/**
 * Asks the node again for the escrow's logs of blocks that the indexer never takes back, and compares the index with
 * them: a node that once left out some logs of a block would otherwise cost these events for good. Where it lacks some,
 * or has others, twice over and the receipt says so too, the indexer is asked to begin a new index, once an hour at most.
 *
 * Where the relayer sent something that was mined and left no event, that block is asked for before it is final.
 */
export async function auditIndex(
  db: Database,
  { chains }: Pick<Config, "chains">,
  options: AuditOptions = {},
): Promise<void> {
  const positions = await readIndexedBlocks(db);
  const { rows } = await db.execute<{ index: string | null }>(sql`select ${selectIndex()} as index`);
  const index = rows[0]?.index;
  if (!index) return;
  await actOnEach(chains, async (chain) => {
    const position = positions.get(chain.chain_id);
    if (position) await auditChain(db, chain, { index, ...position }, options);
  });
}

async function auditChain(
  db: Database,
  chain: Chain,
  { index, block, finalized }: { index: string; block: bigint; finalized: bigint },
  { log, signal, memory = newAuditMemory(), again = askAgainAfter }: AuditOptions,
): Promise<void> {
  const client = clientOf(chain);
  const { chain_id } = chain;
  const ofIndex = and(eq(indexAudit.chainId, chain_id), eq(indexAudit.index, index));
  const row = await begin();
  let questions = mostQuestions;
  let length = memory.ranges.get(chain_id) ?? firstRange;
  let auditedTo = row.auditedTo;

  if (row.missingFrom !== null && row.missingTo !== null) {
    // While it differs, nothing more is asked: a new index is needed in any case.
    if (!(await check({ from: row.missingFrom, to: row.missingTo }))) return;
    await db.update(indexAudit).set({ missingFrom: null, missingTo: null, reason: null }).where(ofIndex);
    log?.info({ chain_id }, "the index is again what the chain says");
  }
  const hinted = await findHint();
  if (hinted !== null && !(await check({ from: hinted, to: hinted }))) return;
  while (auditedTo < finalized && questions > 0 && !signal?.aborted) {
    const to = auditedTo + length < finalized ? auditedTo + length : finalized;
    if (!(await check({ from: auditedTo + 1n, to }))) return;
  }

  /** The row of this index; those of others go, but for the newest request of a new index. */
  async function begin(): Promise<Audit> {
    await db
      .delete(indexAudit)
      .where(
        and(
          eq(indexAudit.chainId, chain_id),
          ne(indexAudit.index, index),
          sql`${indexAudit.rebuildRequestedAt} is null or ${indexAudit.rebuildRequestedAt} < now() - interval '1 day'`,
        ),
      );
    const auditedTo = BigInt(chain.deployment_block) - 1n;
    await db.insert(indexAudit).values({ chainId: chain_id, index, auditedTo }).onConflictDoNothing();
    const [found] = await db.select().from(indexAudit).where(ofIndex);
    return found as Audit;
  }

  /** Whether index and node agree on a range; of one that the node refuses, on as much of it as it answers for. */
  async function check(range: Range): Promise<boolean> {
    for (let { from, to } = range; from <= range.to; ) {
      if (questions <= 0) return false;
      questions -= 1;
      let found: Compared;
      try {
        found = await compareLogs(db, client, chain, { from, to });
      } catch (error) {
        length = (to - from) / 2n + 1n;
        memory.ranges.set(chain_id, length);
        if (from === to || !isRefusal(error)) throw error;
        to = from + length - 1n;
        continue;
      }
      if (found.missing.length + found.foreign.length > 0) {
        await confirm({ from, to }, found);
        return false;
      }
      if (found.logs > manyLogs) length = length > 1n ? length / 2n : 1n;
      else if (to - from + 1n >= length && length < mostRange)
        length = length * 2n < mostRange ? length * 2n : mostRange;
      memory.ranges.set(chain_id, length);
      if (from === auditedTo + 1n && to <= finalized) {
        auditedTo = to;
        await db.update(indexAudit).set({ auditedTo, auditedAt: sql`now()` }).where(ofIndex);
      }
      from = to + 1n;
      to = from + length - 1n < range.to ? from + length - 1n : range.to;
    }
    return true;
  }

  /** Asks again, and believes the node only if it says the same, and its receipts say so too. */
  async function confirm(range: Range, found: Compared): Promise<void> {
    await sleep(again, undefined, { signal });
    const repeated = await compareLogs(db, client, chain, range);
    // The indexer itself may have written meanwhile what was missing.
    if (repeated.missing.length + repeated.foreign.length === 0) return warnOfNode(range);
    const [missing] = repeated.missing;
    const [foreign] = repeated.foreign;
    const isProved =
      isSame(found, repeated) &&
      (!missing || (await isInReceipt(client, missing))) &&
      (!foreign || !(await isInReceipt(client, foreign)));
    if (!isProved) return warnOfNode(range);
    const reason = describe(range, repeated);
    await db
      .update(indexAudit)
      .set({ missingFrom: range.from, missingTo: range.to, reason, auditedAt: sql`now()` })
      .where(ofIndex);
    const isAsked = await askForRebuild();
    log?.error(
      { alert: "index_incomplete", chain_id, reason, rebuild: isAsked ? "asked" : "not asked" },
      isAsked
        ? "the index is not what the chain says: the indexer begins a new one"
        : "the index is not what the chain says: stop the indexer and `npm run indexer -- --reindex`, unless one is being built",
    );
  }

  function warnOfNode({ from, to }: Range): void {
    const about = { alert: "node_contradicts_itself", chain_id, from: from.toString(), to: to.toString() };
    log?.error(
      about,
      "the node does not say the same twice of the escrow's logs: compare it with another one",
    );
  }

  /** Asks the indexer for a new index, once for each index and once an hour in all. */
  async function askForRebuild(): Promise<boolean> {
    const asked = await db
      .update(indexAudit)
      .set({ rebuildRequestedAt: sql`now()` })
      .where(
        and(
          ofIndex,
          sql`not exists (
            select from earnest.index_audit as other
            where other.rebuild_requested_at > now() - interval '1 hour' or (other.index = ${index} and other.rebuild_requested_at is not null))`,
        ),
      )
      .returning();
    return asked.length > 0;
  }

  /** The block of a relay that succeeded, is confirmed and left no event in the index; each is looked at once. */
  async function findHint(): Promise<bigint | null> {
    const confirmed = confirmedBlock(block, chain);
    const rows = await db
      .select({ id: relay.id, minedBlock: relay.minedBlock })
      .from(relay)
      .where(
        and(
          eq(relay.chainId, chain_id),
          eq(relay.status, "mined"),
          sql`lower(${relay.to}) = ${chain.escrow_contract.toLowerCase()}`,
          gt(relay.minedBlock, auditedTo),
          lte(relay.minedBlock, confirmed),
          sql`not exists (${eventsOf(chain)})`,
        ),
      )
      .orderBy(relay.minedBlock)
      .limit(mostHints);
    const fresh = rows.find(({ id }) => !memory.hinted.has(id));
    if (memory.hinted.size >= mostHints) memory.hinted.clear();
    if (fresh) memory.hinted.add(fresh.id);
    return fresh?.minedBlock ?? null;
  }
}

function eventsOf({ chain_id }: Chain): SQL {
  return sql`
    select from ${escrowEvent}
    where ${escrowEvent.chainId} = ${chain_id} and ${escrowEvent.blockNumber} = ${relay.minedBlock}
      and ${escrowEvent.transactionHash} = ${relay.transactionHash}
      and (${relay.orderId} is null or ${escrowEvent.escrowId} = (
        select ${order.escrowId} from ${order} where ${order.id} = ${relay.orderId}))`;
}

function describe({ from, to }: Range, { missing, foreign }: Compared): string {
  const tell = (places: Place[]) =>
    places[0] &&
    ` (${places[0].name} of block ${places[0].blockNumber}, transaction ${places[0].transactionHash})`;
  const parts = [
    missing.length > 0 && `lacks ${missing.length} events that the chain has${tell(missing)}`,
    foreign.length > 0 && `has ${foreign.length} events that the chain does not have${tell(foreign)}`,
  ].filter(Boolean);
  return `Of the blocks ${from} to ${to} the index ${parts.join(", and ")}.`;
}
