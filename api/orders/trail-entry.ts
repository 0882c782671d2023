import { z } from "@hono/zod-openapi";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { and, asc, eq, gt, notInArray } from "../../db/drizzle.ts";
import { readFacts, readTallies } from "../../db/ledger.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { fact } from "../../db/schema.ts";
import { readUnrecorded } from "../../db/unrecorded-events.ts";
import { confirmedBlock } from "../../protocol/facts/confirmations.ts";
import { buyerOnlyFacts, concernsBuyerAlone } from "../../protocol/facts/lifecycle.ts";
import { presentFact, presentPending, type TrailEntry } from "../../protocol/facts/order-trail.ts";
import { presentTallies } from "../../protocol/facts/repetitions.ts";
import { actors } from "../../protocol/settlement/vocabulary.ts";
import type { SharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { orNull, timeField, transactionSchema } from "../http/fields.ts";
import { refuseQuery } from "../http/list-order.ts";

export const entrySchema = z
  .object({
    id: z.string(),
    type: z.string().openapi({ example: "order.funded" }),
    actor: z.enum(actors).openapi("TrailActor"),
    occurred_at: timeField,
    confirmed: z.boolean().openapi({
      description:
        "false for an event in a block that is not confirmed; the entry gets another id when it is",
    }),
    transaction: orNull(transactionSchema),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("TrailEntry");

export const agreementSchema = z
  .record(z.string(), z.unknown())
  .openapi("Agreement", { description: "the frozen agreement; docs/orders.md describes its fields" });

/**
 * The start of a page of a trail. The page comes after the fact with this sequence number, after this many counted entries,
 * and after this block and log of the unconfirmed events.
 */
const pageStartSchema = z.object({
  fact: z.int().nonnegative(),
  counted: z.int().nonnegative(),
  pending: z.tuple([z.int(), z.int()]),
});
type PageStart = z.output<typeof pageStartSchema>;

const firstPage: PageStart = { fact: 0, counted: 0, pending: [-1, -1] };

/**
 * Reads one page of an order's trail: the facts of the ledger, with the index's counted entries at their times, then the
 * unconfirmed events.
 *
 * @throws ApiError `invalid_request` for a cursor that is not a trail's
 */
export async function readTrailPage(
  context: Context,
  { row, role }: Pick<SharedOrder, "row" | "role">,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: TrailEntry[]; next_cursor: string | null }> {
  const start = cursor === undefined ? { ...firstPage } : readPageStart(cursor);
  // Events are read before facts. So an event that becomes a fact in between is among the facts, and shown once.
  const unrecorded = await readUnrecorded(context.db, row);
  const counted = await readCounted(context, row);
  const facts = (await context.db
    .select()
    .from(fact)
    .where(
      and(
        eq(fact.orderId, row.id),
        gt(fact.seq, start.fact),
        role === "buyer" ? undefined : notInArray(fact.type, [...buyerOnlyFacts]),
      ),
    )
    .orderBy(asc(fact.seq))
    .limit(limit + 1)) as FoldableFact[];
  const recorded = new Set(facts.map(({ key }) => key));
  const pending = unrecorded.filter(({ key }) => !recorded.has(key)).filter(isAfter(start));

  const items: TrailEntry[] = [];
  const next = { facts: 0, pending: 0 };
  while (items.length < limit) {
    const step = facts[next.facts];
    const entry = counted[start.counted];
    const recent = pending[next.pending];
    if (entry && !(step && step.seq <= entry.after)) {
      items.push(entry.entry);
      start.counted += 1;
    } else if (step) {
      items.push(presentFact(step));
      start.fact = step.seq;
      next.facts += 1;
    } else if (recent) {
      items.push(presentPending(recent));
      start.pending = [Number(recent.chain.blockNumber), recent.chain.logIndex];
      next.pending += 1;
    } else break;
  }
  const ended =
    next.facts === facts.length && start.counted >= counted.length && next.pending === pending.length;
  return { items, next_cursor: ended ? null : writePageStart(start) };
}

/** Reads the valid steps of an order that concern both parties: facts, unconfirmed events, and counted delivery records. */
export async function readEffectiveTrail(context: Context, row: OrderRow): Promise<TrailEntry[]> {
  const pending = await readUnrecorded(context.db, row);
  const counted = (await readCounted(context, row)).map(({ entry }) => entry);
  const facts = await readFacts(context.db, row.id);
  const recorded = new Set(facts.map(({ key }) => key));
  return [
    ...facts.filter((step) => !concernsBuyerAlone(step)).map(presentFact),
    ...counted.filter(({ type }) => type !== "deposit.returned"),
    ...pending.filter(({ key }) => !recorded.has(key)).map(presentPending),
  ];
}

/** Reads the counted entries, each with the sequence number of the fact that it follows. */
async function readCounted(context: Context, row: OrderRow): Promise<{ entry: TrailEntry; after: number }[]> {
  const tallies = await readTallies(context.db, row);
  if (tallies.length === 0) return [];
  const indexed = (await readIndexedBlocks(context.db)).get(row.chainId)?.block ?? 0n;
  const chain = context.chain(row.chainId)?.chain ?? { confirmations: 1 };
  const entries = presentTallies(tallies, row, confirmedBlock(indexed, chain));
  const { seq, occurredAt, blockNumber } = fact;
  const facts = await context.db
    .select({ seq, occurredAt, blockNumber })
    .from(fact)
    .where(eq(fact.orderId, row.id))
    .orderBy(asc(seq));
  return entries.map((entry) => ({ entry, after: findBefore(facts, entry)?.seq ?? 0 }));
}

/** Finds the last fact before an entry. Facts of the chain are compared by block, because the chain's clock differs from ours. */
function findBefore<Placed extends { occurredAt: Date; blockNumber: bigint | null }>(
  facts: Placed[],
  { occurred_at, transaction }: TrailEntry,
): Placed | undefined {
  const isBefore = ({ occurredAt, blockNumber }: Placed) =>
    blockNumber === null
      ? occurredAt <= new Date(occurred_at)
      : Number(blockNumber) <= (transaction?.block_number ?? 0);
  return facts.findLast(isBefore) ?? facts[0];
}

function isAfter({ pending: [block, log] }: PageStart) {
  return ({ chain }: { chain: { blockNumber: bigint; logIndex: number } }) =>
    chain.blockNumber > block || (chain.blockNumber === BigInt(block) && chain.logIndex > log);
}

function writePageStart(start: PageStart): string {
  return Buffer.from(JSON.stringify(start)).toString("base64url");
}

function readPageStart(cursor: string): PageStart {
  try {
    return pageStartSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw refuseQuery("cursor", "does not belong to a trail; start without a cursor");
  }
}
