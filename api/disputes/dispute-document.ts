import { z } from "@hono/zod-openapi";
import { getAddress, zeroHash } from "viem";
import { readNow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import type { TrailEntry } from "../../protocol/facts/order-trail.ts";
import { timeOf } from "../../protocol/settlement/actions.ts";
import {
  type DisputeStage,
  decidableAmounts,
  defaultOutcome,
  disputeStage,
  disputeStages,
  hashOfText,
} from "../../protocol/settlement/dispute.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { requireIndexed, type SharedOrder } from "../../trade/orders/order-access.ts";
import { checksOf } from "../../trade/schema-checks.ts";
import type { Context } from "../context.ts";
import { fileReferenceSchema } from "../files/file-reference.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  baseUnitsField,
  idField,
  orNull,
  shownAddress,
  shownHash,
  timeField,
  transactionSchema,
} from "../http/fields.ts";
import { typedDataSchema } from "../orders/order.ts";
import { orderRoleField, partyField } from "../orders/order-fields.ts";
import { lastRelayField } from "../orders/relay-answer.ts";
import { readEffectiveTrail } from "../orders/trail-entry.ts";
import { evidenceSchema, readEvidence } from "./dispute-evidence.ts";
import { presentStatement, statementSchema } from "./dispute-statements.ts";

const shares = {
  provider_amount: amountField,
  provider_amount_base_units: baseUnitsField,
  buyer_amount: amountField,
  buyer_amount_base_units: baseUnitsField,
};
const chainStep = {
  at: timeField,
  confirmed: z.boolean().openapi({ description: "as in the trail" }),
  transaction: orNull(transactionSchema),
};
const text = (of: string) =>
  z
    .string()
    .nullable()
    .openapi({ description: `${of} with this hash, if somebody submitted the text` });

const openingSchema = z
  .object({
    by: partyField,
    ...chainStep,
    reason_hash: shownHash.nullable(),
    reason: text("the reason"),
  })
  .openapi("DisputeOpening");
const decisionSchema = z
  .object({
    ...shares,
    ...chainStep,
    ruling_hash: shownHash.nullable(),
    ruling: text("the ruling"),
  })
  .openapi("DisputeDecision");

const stageField = z
  .enum(Object.keys(disputeStages) as [DisputeStage, ...DisputeStage[]])
  .openapi("DisputeStage", {
    description: Object.entries(disputeStages)
      .map(([stage, meaning]) => `\`${stage}\`: ${meaning}`)
      .join("; "),
  });

const folderSchema = z
  .object({
    files: z.array(
      z
        .object({
          file: fileReferenceSchema,
          statement_id: idField("fct"),
          by: orderRoleField,
          at: timeField,
        })
        .openapi("EvidenceFile"),
    ),
    sealed_at: timeField.nullable().openapi({
      description:
        "the decision, after which no file is added; null before it. No file can be deleted at any time",
    }),
  })
  .openapi("EvidenceFolder", {
    description: "the uploaded files of all statements, which both parties and the arbiter read",
  });

export const disputeSchema = z
  .object({
    order_id: idField("ord"),
    your_role: orderRoleField,
    stage: stageField,
    arbiter: shownAddress.openapi({ description: "the zero address if there is no arbiter" }),
    intents: z.array(
      z.object({ by: partyField, at: timeField, reason: z.string() }).openapi("DisputeIntent"),
    ),
    opened: orNull(openingSchema),
    decide_by: timeField.nullable().openapi({ description: "the arbiter's deadline" }),
    decidable: z.object({ least: amountField, most: amountField }).openapi("DecidableAmounts", {
      description:
        "what the arbiter may give the provider: at least what parts have paid, at most what a final record claims",
    }),
    decision: orNull(decisionSchema),
    default_outcome: orNull(z.object(shares).openapi("DisputeShares")).openapi({
      description: "the outcome if nothing more happens; null once that is past",
    }),
    settleable_at: timeField.nullable().openapi({
      description: "the time from which anyone may settle the dispute, as decided or by default",
    }),
    settled: orNull(z.object({ ...shares, ...chainStep }).openapi("DisputeSettlement")),
    statements: z.array(statementSchema).openapi({ description: "oldest first" }),
    folder: folderSchema,
    evidence: evidenceSchema,
    typed_data: z
      .union([typedDataSchema, z.null()])
      .openapi({ description: "the data to sign to open a dispute; null if you cannot open one now" }),
    relay: lastRelayField,
    links: z
      .object({
        order: z.string(),
        statements: z.string(),
        decision: z.string(),
        settlement_options: z.string(),
      })
      .openapi("DisputeLinks"),
  })
  .openapi("Dispute");

/** Presents an order's dispute, at any stage, to those who may see it. The route adds `typed_data` and `relay`. */
export async function readDispute(
  context: Context,
  caller: Caller,
  { row, escrow, role }: SharedOrder,
): Promise<Omit<z.output<typeof disputeSchema>, "typed_data" | "relay">> {
  requireIndexed({ row, escrow });
  const { db, checker } = context;
  const [now, trail] = [await readNow(db, row.chainId), await readEffectiveTrail(context, row)];
  const effective = effectiveFacts(trail);
  const find = (type: TrailEntry["type"]) => effective.find((entry) => entry.type === type) ?? null;
  const all = (type: TrailEntry["type"]) => effective.filter((entry) => entry.type === type);

  const [opened, decided] = [find("order.disputed"), find("order.dispute_decided")];
  const intents = all("order.dispute_intent").map(({ actor, occurred_at, data }) => ({
    by: actor as "buyer" | "provider",
    at: occurred_at,
    reason: data.reason as string,
  }));
  const statements = all("dispute.statement").map(presentStatement);
  const texts = [...statements.map((statement) => statement.text), ...intents.map(({ reason }) => reason)];
  const outcome = defaultOutcome(escrow);
  const decidable = decidableAmounts({ escrow, terms: termsOf(row) });
  const path = `${apiPath}/orders/${row.id}`;

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
    decidable: {
      least: formatAmount(decidable.least, row.tokenDecimals),
      most: formatAmount(decidable.most, row.tokenDecimals),
    },
    decision: decided && {
      ...presentShares(row, BigInt(decided.data.provider_amount_base_units as string)),
      ...presentStep(decided),
      ...named("ruling", decided, texts),
    },
    default_outcome: outcome && presentShares(row, outcome.providerAmount),
    settleable_at: (decided?.data.settleable_at as string | undefined) ?? (outcome && timeOf(outcome.from)),
    settled: opened && presentSettlement(row, find("order.released"), find("order.refunded")),
    statements,
    folder: {
      files: statements.flatMap(({ id, by, at, files }) =>
        files.map((item) => ({ file: item, statement_id: id, by, at })),
      ),
      // An unconfirmed decision may be reverted, so it seals nothing.
      sealed_at: decided?.confirmed ? decided.occurred_at : null,
    },
    evidence: await readEvidence(db, checksOf(checker), caller, row, escrow?.orderHash ?? null, trail),
    links: {
      order: path,
      statements: `${path}/dispute/statements`,
      decision: `${path}/dispute/decision`,
      settlement_options: `${path}/settlement-options`,
    },
  };
}

/** Presents the shares of an amount, of which the provider gets `providerAmount` (base units). */
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

/** The hash in a step's data, and the text with this hash if it is among `texts`. */
function named<Name extends "reason" | "ruling">(name: Name, { data }: TrailEntry, texts: string[]) {
  const given = data[`${name}_hash`] as string;
  const result = given === zeroHash ? undefined : texts.find((item) => hashOfText(item) === given);
  return { [`${name}_hash`]: given === zeroHash ? null : given, [name]: result ?? null } as Record<
    Name | `${Name}_hash`,
    string | null
  >;
}
