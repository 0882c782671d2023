import { z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, type SQL } from "../../db/drizzle.ts";
import { fact, receipt } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { receiptClaims } from "../../protocol/settlement/vocabulary.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, jsonObjectField, timeField, transactionSchema } from "../http/fields.ts";

export const documentSchema = jsonObjectField.openapi("SettlementDocument", {
  type: "object",
  additionalProperties: true,
  description: "the signed settlement document; docs/receipts.md describes it",
});

export const jwsField = z.string().openapi({
  pattern: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
  example: "eyJhbGciOiJFZERTQSJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl",
});

export const receiptSchema = z
  .object({
    id: idField("rcp"),
    claim: z.enum(receiptClaims).openapi("ReceiptClaim", {
      description:
        "`part_released` is a payment before the end; the claim `released` counts all parts again, so add up the others only",
    }),
    document: documentSchema,
    x402_receipt: jwsField
      .nullable()
      .openapi({ description: "a compact JWS, only for a release of delivered work" }),
    transaction: transactionSchema,
    revoked: z.boolean().openapi({ description: "true if a reorganisation removed its confirmed block" }),
    created_at: timeField,
  })
  .openapi("Receipt");

/**
 * Reads a receipt. Its id is the only protection.
 *
 * @throws ApiError `not_found`
 */
export async function readReceipt(db: Database, id: string): Promise<z.output<typeof receiptSchema>> {
  const [result] = isId("rcp", id) ? await readReceipts(db, eq(receipt.id, id)) : [];
  if (!result) throw new ApiError("not_found", "There is no receipt with this id.");
  return result;
}

/** Reads receipts and presents them, in the order of the ledger. */
export async function readReceipts(
  db: Database,
  ...conditions: SQL[]
): Promise<z.output<typeof receiptSchema>[]> {
  const rows = await db
    .select({ receipt, fact })
    .from(receipt)
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .where(and(...conditions))
    .orderBy(asc(fact.seq));
  return rows.map((row) => ({
    id: row.receipt.id,
    claim: row.receipt.claim,
    document: row.receipt.document,
    x402_receipt: row.receipt.x402Receipt,
    transaction: {
      chain_id: row.fact.chainId as number,
      hash: row.fact.transactionHash as string,
      block_number: Number(row.fact.blockNumber),
      log_index: row.fact.logIndex as number,
    },
    revoked: row.receipt.revokedAt !== null,
    created_at: row.receipt.createdAt.toISOString(),
  }));
}
