import { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import type { Database } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { receipt } from "../../db/schema.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import type { TrailEntry } from "../../protocol/facts/order-trail.ts";
import type { Checker } from "../../untrusted/schemas/checker.ts";
import type { Caller } from "../http/caller.ts";
import {
  idField,
  nullableJsonObjectField,
  orNull,
  shownHash,
  timeField,
  transactionSchema,
} from "../http/fields.ts";
import { agreementSchema, entrySchema } from "../orders/trail-entry.ts";
import { readReceipts, receiptSchema } from "../receipts/receipt.ts";

const deliverySchema = z
  .object({
    at: timeField,
    output_hash: shownHash,
    note: z.string().nullable(),
    recorded: orNull(
      z.object({ at: timeField, transaction: orNull(transactionSchema) }).openapi("EvidenceRecord"),
    ).openapi({ description: "the newest record on the chain; null without one" }),
  })
  .openapi("EvidenceDelivery");

const bundleSchema = z
  .object({
    version: z.literal(1),
    order_id: idField("ord"),
    agreement: agreementSchema,
    agreement_digest: shownHash,
    input_schema: nullableJsonObjectField,
    output_schema: nullableJsonObjectField,
    input_payload: nullableJsonObjectField,
    input_digest: shownHash.nullable(),
    deliveries: z.array(deliverySchema),
    output_payload: nullableJsonObjectField.openapi({ description: "of the latest delivery" }),
    trail: z.array(entrySchema).openapi({
      description: "the confirmed steps, complete; without returned deposits, which anybody can cause",
    }),
    receipts: z.array(receiptSchema),
  })
  .openapi("EvidenceBundle");

export const evidenceSchema = z
  .object({
    digest: shownHash.openapi({
      description: "SHA-256 of the bundle's canonical JSON (RFC 8785); the same for all readers",
    }),
    checks: z
      .object({
        agreement: z.boolean().nullable().openapi({
          description:
            "whether the agreement's digest is the escrow's `orderHash`; null before funding, and after an erasure of its words",
        }),
        input: z
          .boolean()
          .nullable()
          .openapi({ description: "whether the input has the agreed digest; null if it is erased" }),
        output: z.boolean().nullable().openapi({
          description:
            "whether the output has the delivered digest; null before a delivery, and if it is erased",
        }),
      })
      .openapi("EvidenceChecks"),
    bundle: bundleSchema,
  })
  .openapi("Evidence");

/** Reads the evidence of an order's dispute, with one digest of all of it. */
export async function readEvidence(
  db: Database,
  checks: Pick<Checker, "run">,
  caller: Caller,
  row: OrderRow,
  orderHash: string | null,
  trail: TrailEntry[],
) {
  const ledger = trail.filter(({ confirmed }) => confirmed);
  const recorded = new Set(ledger.map(({ transaction }) => transaction && nameOf(transaction)));
  const effective = effectiveFacts(ledger);
  const records = effective.filter(({ type }) => type === "delivery.recorded");
  const deliveries = effective
    .filter(({ type }) => type === "order.delivered")
    .map(({ occurred_at, data }) => {
      const record = records.findLast((item) => item.data.output_hash === data.output_hash);
      return {
        at: occurred_at,
        output_hash: data.output_hash as string,
        note: (data.note as string | undefined) ?? null,
        recorded: record ? { at: record.occurred_at, transaction: record.transaction } : null,
      };
    });
  const receipts = await readReceipts(db, eq(receipt.orderId, row.id));
  const parts = await checks.run({ account: caller.accountId }, "digests", [
    row.agreement,
    row.inputPayload,
    row.outputPayload,
  ]);
  const [agreementDigest, inputDigest, outputDigest] = parts;
  const bundle = {
    version: 1 as const,
    order_id: row.id,
    agreement: row.agreement,
    agreement_digest: agreementDigest as Hex,
    input_schema: row.inputSchema,
    output_schema: row.outputSchema,
    input_payload: row.inputPayload,
    input_digest: row.inputPayload && (inputDigest as Hex),
    deliveries,
    output_payload: row.outputPayload,
    trail: ledger,
    // A receipt that was issued after the trail was read is left out, like its fact.
    receipts: receipts.filter(({ transaction }) => recorded.has(nameOf(transaction))),
  };
  const latest = deliveries.at(-1);
  const [digest] = await checks.run({ account: caller.accountId }, "digests", [bundle]);
  return {
    digest: digest as Hex,
    checks: {
      agreement: orderHash === null || row.erasedAt !== null ? null : bundle.agreement_digest === orderHash,
      input:
        row.inputPayload === null && row.agreement.input_digest !== null
          ? null
          : row.agreement.input_digest === bundle.input_digest,
      output: latest && row.outputPayload ? outputDigest === latest.output_hash : null,
    },
    bundle,
  };
}

function nameOf({ hash: transaction, log_index }: { hash: string; log_index: number }): string {
  return `${transaction}:${log_index}`;
}
