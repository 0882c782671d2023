import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Chain, Config } from "../../config/config.ts";
import { escrowEvent, readIndexedBlocks, selectIndex } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, gt, lte, ne, type SQL, sql } from "../../db/drizzle.ts";
import { indexAudit, order, relay } from "../../db/schema.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { clientOf } from "../chain-client.ts";
import { actOnEach } from "../loop.ts";
import {
  compareLogs,
  isInReceipt,
  isNodeRefusal,
  isSameLog,
  type LogComparison,
  type LogPosition,
  type Range,
} from "./audited-logs.ts";

/** Blocks of one call at first and at most. The fewer logs an answer has, the larger is the next range. */
const firstRange = 500n;
const mostRange = 10_000n;
const manyLogs = 500;
/** The most calls of one round for one chain. */
const mostCalls = 20;
/** Milliseconds until a difference is checked again: a single answer of a node proves nothing. */
const checkAgainAfter = 10_000;
/** The most relays without an event that one query reads and that `checkedRelays` holds. */
const mostCheckedRelays = 10_000;

/**
 * The state that a worker keeps between rounds. `ranges` has the number of blocks of each chain's next call.
 * `checkedRelays` has the relays without an event whose block was audited.
 */
export type AuditMemory = { ranges: Map<number, bigint>; checkedRelays: Set<string> };
export const newAuditMemory = (): AuditMemory => ({ ranges: new Map(), checkedRelays: new Set() });

export type AuditOptions = {
  log?: Logger | undefined;
  signal?: AbortSignal | undefined;
  memory?: AuditMemory;
  /** milliseconds until a difference is checked again */
  checkAgainMs?: number;
};

type Audit = typeof indexAudit.$inferSelect;

/**
 * Reads the escrow's logs of final blocks from the node again, and compares the index with them. If a node once omitted
 * some logs of a block, the index would lack these events for good.
 *
 * An audit requests a new index if the difference is found twice and confirmed by the transaction's receipt, at most
 * once an hour.
 *
 * If a relay was mined but left no event, its block is audited before it is final.
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
  { log, signal, memory = newAuditMemory(), checkAgainMs = checkAgainAfter }: AuditOptions,
): Promise<void> {
  const client = clientOf(chain);
  const { chain_id } = chain;
  const ofIndex = and(eq(indexAudit.chainId, chain_id), eq(indexAudit.index, index));
  const row = await begin();
  let calls = mostCalls;
  let length = memory.ranges.get(chain_id) ?? firstRange;
  let auditedTo = row.auditedTo;

  if (row.missingFrom !== null && row.missingTo !== null) {
    // No further range is checked while one differs: a new index is needed in any case.
    if (!(await check({ from: row.missingFrom, to: row.missingTo }))) return;
    await db.update(indexAudit).set({ missingFrom: null, missingTo: null, reason: null }).where(ofIndex);
    log?.info({ chain_id }, "the index agrees with the chain again");
  }
  const suspicious = await findSuspiciousBlock();
  if (suspicious !== null && !(await check({ from: suspicious, to: suspicious }))) return;
  while (auditedTo < finalized && calls > 0 && !signal?.aborted) {
    const to = auditedTo + length < finalized ? auditedTo + length : finalized;
    if (!(await check({ from: auditedTo + 1n, to }))) return;
  }

  /**
   * Reads or creates the audit of this index. Deletes audits of other indexes, except the newest request for a new
   * index.
   */
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
    const [audit] = await db.select().from(indexAudit).where(ofIndex);
    return audit as Audit;
  }

  /** Whether index and node agree on a range. Splits a range that the node refuses. */
  async function check(range: Range): Promise<boolean> {
    for (let { from, to } = range; from <= range.to; ) {
      if (calls <= 0) return false;
      calls -= 1;
      let comparison: LogComparison;
      try {
        comparison = await compareLogs(db, client, chain, { from, to });
      } catch (error) {
        length = (to - from) / 2n + 1n;
        memory.ranges.set(chain_id, length);
        if (from === to || !isNodeRefusal(error)) throw error;
        to = from + length - 1n;
        continue;
      }
      if (comparison.missing.length + comparison.foreign.length > 0) {
        await confirm({ from, to }, comparison);
        return false;
      }
      if (comparison.logs > manyLogs) length = length > 1n ? length / 2n : 1n;
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

  /**
   * Repeats the comparison. The difference counts only if the node gives the same answer, and its receipts confirm it.
   */
  async function confirm(range: Range, comparison: LogComparison): Promise<void> {
    await sleep(checkAgainMs, undefined, { signal });
    const repeated = await compareLogs(db, client, chain, range);
    // The indexer may have written the missing rows meanwhile.
    if (repeated.missing.length + repeated.foreign.length === 0) return warnOfNode(range);
    const [missing] = repeated.missing;
    const [foreign] = repeated.foreign;
    const isProved =
      isSameLog(comparison, repeated) &&
      (!missing || (await isInReceipt(client, missing))) &&
      (!foreign || !(await isInReceipt(client, foreign)));
    if (!isProved) return warnOfNode(range);
    const reason = describe(range, repeated);
    await db
      .update(indexAudit)
      .set({ missingFrom: range.from, missingTo: range.to, reason, auditedAt: sql`now()` })
      .where(ofIndex);
    const isRequested = await requestRebuild();
    log?.error(
      { alert: "index_incomplete", chain_id, reason, rebuild: isRequested ? "requested" : "not requested" },
      isRequested
        ? "the index differs from the chain: the indexer builds a new one"
        : "the index differs from the chain: unless a new one is being built, stop the indexer and run `npm run indexer -- --reindex`",
    );
  }

  function warnOfNode({ from, to }: Range): void {
    const about = { alert: "node_contradicts_itself", chain_id, from: from.toString(), to: to.toString() };
    log?.error(
      about,
      "the node gave different answers about the escrow's logs: compare it with another node",
    );
  }

  /** Requests a new index from the indexer, once for each index and once an hour in all. */
  async function requestRebuild(): Promise<boolean> {
    const requested = await db
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
    return requested.length > 0;
  }

  /** Finds the block of a confirmed relay that left no event in the index. Each relay is checked once. */
  async function findSuspiciousBlock(): Promise<bigint | null> {
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
          // A withdrawal leaves no event of an escrow.
          sql`${relay.key} not like 'withdraw:%'`,
          sql`not exists (${eventsOf(chain)})`,
        ),
      )
      .orderBy(relay.minedBlock)
      .limit(mostCheckedRelays);
    const fresh = rows.find(({ id }) => !memory.checkedRelays.has(id));
    if (memory.checkedRelays.size >= mostCheckedRelays) memory.checkedRelays.clear();
    if (fresh) memory.checkedRelays.add(fresh.id);
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

function describe({ from, to }: Range, { missing, foreign }: LogComparison): string {
  const exampleOf = (logs: LogPosition[]) =>
    logs[0] && ` (${logs[0].name} of block ${logs[0].blockNumber}, transaction ${logs[0].transactionHash})`;
  const parts = [
    missing.length > 0 && `lacks ${missing.length} events that the chain has${exampleOf(missing)}`,
    foreign.length > 0 && `has ${foreign.length} events that the chain does not have${exampleOf(foreign)}`,
  ].filter(Boolean);
  return `In blocks ${from} to ${to}, the index ${parts.join(", and ")}.`;
}
