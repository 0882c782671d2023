import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, notInArray } from "drizzle-orm";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { readFacts, readTallies } from "../../db/ledger.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { fact } from "../../db/schema.ts";
import { readUnrecorded } from "../../db/unrecorded-events.ts";
import { buyersConcerns, concernsBuyerAlone } from "../../protocol/facts/lifecycle.ts";
import { presentFact, presentPending, type TrailEntry } from "../../protocol/facts/order-trail.ts";
import { presentTallies } from "../../protocol/facts/repetitions.ts";
import { actors } from "../../protocol/settlement/vocabulary.ts";
import type { SharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { orNull, timeField, transactionSchema } from "../http/fields.ts";
import { refuseQuery } from "../http/listing.ts";

export const entrySchema = z
  .object({
    id: z.string(),
    type: z.string().openapi({ example: "order.funded" }),
    actor: z.enum(actors).openapi("TrailActor"),
    occurred_at: timeField,
    confirmed: z.boolean().openapi({
      description: "false for what the chain said too recently to count; its id changes once it does",
    }),
    transaction: orNull(transactionSchema),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("TrailEntry");

export const agreementSchema = z
  .record(z.string(), z.unknown())
  .openapi("Agreement", { description: "the frozen document; see docs/orders.md for its fields" });

/**
 * Where a page of a trail starts: after this fact (by its place in the ledger), after so many of the counted entries,
 * and after this block and log of what is not confirmed.
 */
const placeSchema = z.object({
  fact: z.int().nonnegative(),
  counted: z.int().nonnegative(),
  pending: z.tuple([z.int(), z.int()]),
});
type Place = z.output<typeof placeSchema>;

const start: Place = { fact: 0, counted: 0, pending: [-1, -1] };

/**
 * One page of an order's trail: the ledger with what the index only counts at its time between, and after them what the
 * chain said too recently to be in the ledger.
 *
 * @throws ApiError `invalid_request` for a cursor that was not given out for a trail
 */
export async function readTrailPage(
  context: Context,
  { row, role }: Pick<SharedOrder, "row" | "role">,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: TrailEntry[]; next_cursor: string | null }> {
  const place = cursor === undefined ? { ...start } : readPlace(cursor);
  // In this order: an event that becomes a fact between the two reads is then among the facts, and shown once.
  const unrecorded = await readUnrecorded(context.db, row);
  const counted = await readCounted(context, row);
  const facts = (await context.db
    .select()
    .from(fact)
    .where(
      and(
        eq(fact.orderId, row.id),
        gt(fact.seq, place.fact),
        role === "buyer" ? undefined : notInArray(fact.type, [...buyersConcerns]),
      ),
    )
    .orderBy(asc(fact.seq))
    .limit(limit + 1)) as FoldableFact[];
  const recorded = new Set(facts.map(({ key }) => key));
  const pending = unrecorded.filter(({ key }) => !recorded.has(key)).filter(isAfter(place));

  const items: TrailEntry[] = [];
  const next = { facts: 0, pending: 0 };
  while (items.length < limit) {
    const step = facts[next.facts];
    const entry = counted[place.counted];
    const recent = pending[next.pending];
    if (entry && !(step && step.seq <= entry.after)) {
      items.push(entry.entry);
      place.counted += 1;
    } else if (step) {
      items.push(presentFact(step));
      place.fact = step.seq;
      next.facts += 1;
    } else if (recent) {
      items.push(presentPending(recent));
      place.pending = [Number(recent.chain.blockNumber), recent.chain.logIndex];
      next.pending += 1;
    } else break;
  }
  const ended =
    next.facts === facts.length && place.counted >= counted.length && next.pending === pending.length;
  return { items, next_cursor: ended ? null : writePlace(place) };
}

/** The steps of an order that count and concern both parties, the ledger's own and the records of deliveries that are only counted. */
export async function readStandingTrail(context: Context, row: OrderRow): Promise<TrailEntry[]> {
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

/** The entries that are only counted, each with the fact after which it stands (by its place in the ledger). */
async function readCounted(context: Context, row: OrderRow): Promise<{ entry: TrailEntry; after: number }[]> {
  const tallies = await readTallies(context.db, row);
  if (tallies.length === 0) return [];
  const indexed = (await readIndexedBlocks(context.db)).get(row.chainId)?.block ?? 0n;
  const confirmations = context.chain(row.chainId)?.chain.confirmations ?? 1;
  const entries = presentTallies(tallies, row, indexed - BigInt(confirmations) + 1n);
  const { seq, occurredAt, blockNumber } = fact;
  const facts = await context.db
    .select({ seq, occurredAt, blockNumber })
    .from(fact)
    .where(eq(fact.orderId, row.id))
    .orderBy(asc(seq));
  return entries.map((entry) => ({ entry, after: findBefore(facts, entry)?.seq ?? 0 }));
}

/** The last fact before an entry: of the chain's by their blocks, since its clock and ours are not the same. */
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

function isAfter({ pending: [block, log] }: Place) {
  return ({ chain }: { chain: { blockNumber: bigint; logIndex: number } }) =>
    chain.blockNumber > block || (chain.blockNumber === BigInt(block) && chain.logIndex > log);
}

function writePlace(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

function readPlace(cursor: string): Place {
  try {
    return placeSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw refuseQuery("cursor", "was not given out for a trail; start without one");
  }
}
