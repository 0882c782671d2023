import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { getAddress, zeroHash } from "viem";
import type { Database } from "../db/client.ts";
import type { OrderRow } from "../db/ledger.ts";
import { receipt } from "../db/schema.ts";
import { type DisputeStage, disputeStage, disputeStages, hashOfText } from "../settlement/dispute.ts";
import { defaultOutcome, timeOf } from "../settlement/exits.ts";
import { standingFacts } from "../settlement/lifecycle.ts";
import { formatAmount } from "../settlement/money.ts";
import { digestOf } from "../settlement/terms.ts";
import type { TrailEntry } from "../settlement/trail.ts";
import { presentStatement, statementSchema } from "./dispute-statements.ts";
import { nullableJsonObjectField, shownAddress, timeField } from "./fields.ts";
import { readNow, requireIndexed, type SharedOrder, typedDataSchema } from "./order.ts";
import { agreementSchema, entrySchema, readTrail, transactionSchema } from "./order-trail.ts";
import { readReceipts, receiptSchema } from "./receipts.ts";

const party = z.enum(["buyer", "provider"]);
const amount = z.string().openapi({ example: "2.500000" });
const baseUnits = z.string().openapi({ example: "2500000" });
const hash = z.string().openapi({ example: `0x${"1c".repeat(32)}` });
const shares = {
  provider_amount: amount,
  provider_amount_base_units: baseUnits,
  buyer_amount: amount,
  buyer_amount_base_units: baseUnits,
};
const chainStep = {
  at: timeField,
  confirmed: z.boolean().openapi({ description: "as in the trail" }),
  transaction: z.union([transactionSchema, z.null()]),
};
const text = (of: string) =>
  z
    .string()
    .nullable()
    .openapi({ description: `${of}, where somebody gave the text that the hash is of` });

const bundleSchema = z
  .object({
    version: z.literal(1),
    order_id: z.string(),
    agreement: agreementSchema,
    agreement_digest: hash,
    input_schema: nullableJsonObjectField,
    output_schema: nullableJsonObjectField,
    input_payload: nullableJsonObjectField,
    input_digest: hash.nullable(),
    deliveries: z.array(
      z.object({
        at: timeField,
        output_hash: hash,
        note: z.string().nullable(),
        recorded: z
          .union([z.object({ at: timeField, transaction: z.union([transactionSchema, z.null()]) }), z.null()])
          .openapi({ description: "its newest record on the chain; null where there is none" }),
      }),
    ),
    output_payload: nullableJsonObjectField.openapi({ description: "of the latest delivery" }),
    trail: z.array(entrySchema).openapi({ description: "the ledger; without what is not confirmed" }),
    receipts: z.array(receiptSchema),
  })
  .openapi("EvidenceBundle");

export const disputeSchema = z
  .object({
    order_id: z.string(),
    your_role: z.enum(["buyer", "provider", "arbiter"]),
    stage: z.enum(Object.keys(disputeStages) as [DisputeStage, ...DisputeStage[]]).openapi({
      description: Object.entries(disputeStages)
        .map(([stage, meaning]) => `\`${stage}\`: ${meaning}`)
        .join("; "),
    }),
    arbiter: shownAddress.openapi({ description: "the zero address if nobody decides" }),
    intents: z.array(z.object({ by: party, at: timeField, reason: z.string() })),
    opened: z.union([
      z.object({
        by: party,
        ...chainStep,
        reason_hash: hash.nullable(),
        reason: text("the reason"),
      }),
      z.null(),
    ]),
    decide_by: timeField.nullable().openapi({ description: "the last second of the arbiter" }),
    decision: z.union([
      z.object({
        ...shares,
        ...chainStep,
        ruling_hash: hash.nullable(),
        ruling: text("the ruling"),
      }),
      z.null(),
    ]),
    default_outcome: z
      .union([z.object(shares), z.null()])
      .openapi({ description: "how it ends if nothing is decided, as things stand; null once that is past" }),
    settleable_at: timeField
      .nullable()
      .openapi({ description: "from when anyone may settle it: as decided, or by default" }),
    settled: z.union([z.object({ ...shares, ...chainStep }), z.null()]),
    statements: z.array(statementSchema).openapi({ description: "oldest first" }),
    evidence: z.object({
      digest: hash.openapi({
        description: "SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all who read it",
      }),
      checks: z.object({
        agreement: z.boolean().nullable().openapi({
          description: "whether the agreement's digest is the escrow's `orderHash`; null before funding",
        }),
        input: z.boolean().openapi({ description: "whether the input is the one that was agreed" }),
        output: z
          .boolean()
          .nullable()
          .openapi({ description: "whether the output is the one that was delivered; null before any" }),
      }),
      bundle: bundleSchema,
    }),
    typed_data: z
      .union([typedDataSchema, z.null()])
      .openapi({ description: "what you sign to open a dispute; null where you cannot now" }),
    links: z.object({
      order: z.string(),
      statements: z.string(),
      decision: z.string(),
      settlement_options: z.string(),
    }),
  })
  .openapi("Dispute");

/** An order's dispute as whoever may see it sees it, at whatever stage; what opens one is the route's. */
export async function readDispute(
  db: Database,
  { row, escrow, role }: SharedOrder,
): Promise<Omit<z.output<typeof disputeSchema>, "typed_data">> {
  requireIndexed({ row, escrow });
  const [now, trail] = [await readNow(db, row.chainId), await readTrail(db, row)];
  const standing = standingFacts(trail);
  const find = (type: TrailEntry["type"]) => standing.find((entry) => entry.type === type) ?? null;
  const all = (type: TrailEntry["type"]) => standing.filter((entry) => entry.type === type);

  const [opened, decided] = [find("order.disputed"), find("order.dispute_decided")];
  const intents = all("order.dispute_intent").map(({ actor, occurred_at, data }) => ({
    by: actor as "buyer" | "provider",
    at: occurred_at,
    reason: data.reason as string,
  }));
  const statements = all("dispute.statement").map(presentStatement);
  const texts = [...statements.map((statement) => statement.text), ...intents.map(({ reason }) => reason)];
  const outcome = defaultOutcome(escrow);
  const path = `/api/v1/orders/${row.id}`;

  return {
    order_id: row.id,
    your_role: role,
    stage: disputeStage(escrow, intents.length > 0, now),
    arbiter: getAddress(row.arbiter),
    intents,
    opened: opened && {
      by: opened.data.party as "buyer" | "provider",
      ...presentStep(opened),
      ...named("reason", opened, texts),
    },
    decide_by: (opened?.data.decide_by as string | undefined) ?? null,
    decision: decided && {
      ...presentShares(row, BigInt(decided.data.provider_amount_base_units as string)),
      ...presentStep(decided),
      ...named("ruling", decided, texts),
    },
    default_outcome: outcome && presentShares(row, outcome.to === "provider" ? row.amount : 0n),
    settleable_at: (decided?.data.settleable_at as string | undefined) ?? (outcome && timeOf(outcome.from)),
    settled: opened && presentSettlement(row, find("order.released"), find("order.refunded")),
    statements,
    evidence: await readEvidence(db, row, escrow?.orderHash ?? null, trail),
    links: {
      order: path,
      statements: `${path}/dispute/statements`,
      decision: `${path}/dispute/decision`,
      settlement_options: `${path}/settlement-options`,
    },
  };
}

/** Everything that an order's dispute is judged by, under one digest. */
async function readEvidence(db: Database, row: OrderRow, orderHash: string | null, trail: TrailEntry[]) {
  const ledger = trail.filter(({ confirmed }) => confirmed);
  const recorded = new Set(ledger.map(({ transaction }) => transaction && nameOf(transaction)));
  const standing = standingFacts(ledger);
  const records = standing.filter(({ type }) => type === "delivery.recorded");
  const deliveries = standing
    .filter(({ type }) => type === "order.delivered")
    .map(({ occurred_at, data }) => {
      const record = records.findLast((one) => one.data.output_hash === data.output_hash);
      return {
        at: occurred_at,
        output_hash: data.output_hash as string,
        note: (data.note as string | undefined) ?? null,
        recorded: record ? { at: record.occurred_at, transaction: record.transaction } : null,
      };
    });
  const receipts = await readReceipts(db, eq(receipt.orderId, row.id));
  const bundle = {
    version: 1 as const,
    order_id: row.id,
    agreement: row.agreement,
    agreement_digest: digestOf(row.agreement),
    input_schema: row.inputSchema,
    output_schema: row.outputSchema,
    input_payload: row.inputPayload,
    input_digest: row.inputPayload && digestOf(row.inputPayload),
    deliveries,
    output_payload: row.outputPayload,
    trail: ledger,
    // One that was issued since the trail was read is left out, as its fact is.
    receipts: receipts.filter(({ transaction }) => recorded.has(nameOf(transaction))),
  };
  const latest = deliveries.at(-1);
  return {
    digest: digestOf(bundle),
    checks: {
      agreement: orderHash === null ? null : bundle.agreement_digest === orderHash,
      input: row.agreement.input_digest === bundle.input_digest,
      output: latest ? digestOf(row.outputPayload) === latest.output_hash : null,
    },
    bundle,
  };
}

/** How an amount is shared out when the provider gets this much of it (base units). */
function presentShares({ amount: whole, tokenDecimals }: OrderRow, providerAmount: bigint) {
  const buyerAmount = whole - providerAmount;
  return {
    provider_amount: formatAmount(providerAmount, tokenDecimals),
    provider_amount_base_units: providerAmount.toString(),
    buyer_amount: formatAmount(buyerAmount, tokenDecimals),
    buyer_amount_base_units: buyerAmount.toString(),
  };
}

function presentStep({ occurred_at, confirmed, transaction }: TrailEntry) {
  return { at: occurred_at, confirmed, transaction };
}

function presentSettlement(row: OrderRow, released: TrailEntry | null, refunded: TrailEntry | null) {
  const step = released ?? refunded;
  if (!step) return null;
  const providerAmount = BigInt((released?.data.amount_base_units as string | undefined) ?? 0);
  return { ...presentShares(row, providerAmount), ...presentStep(step) };
}

/** A step's hash of a text, and that text if it is among these. */
function named<Name extends "reason" | "ruling">(name: Name, { data }: TrailEntry, texts: string[]) {
  const given = data[`${name}_hash`] as string;
  const found = given === zeroHash ? undefined : texts.find((one) => hashOfText(one) === given);
  return { [`${name}_hash`]: given === zeroHash ? null : given, [name]: found ?? null } as Record<
    Name | `${Name}_hash`,
    string | null
  >;
}

function nameOf({ hash: transaction, log_index }: { hash: string; log_index: number }): string {
  return `${transaction}:${log_index}`;
}
