import { z } from "@hono/zod-openapi";
import { type Hex, maxUint256 } from "viem";
import { bytesPattern, longestSignature } from "../../protocol/settlement/shapes.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { idField, shownHash } from "../http/fields.ts";
import { typedDataSchema } from "./order.ts";

export const signatureSchema = z
  .string()
  .regex(bytesPattern, "must be 0x-hex of whole bytes")
  .max(longestSignature)
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({
    type: "string",
    pattern: bytesPattern.source,
    maxLength: longestSignature,
    description: "the wallet's signature of the typed data, 0x-hex",
    example: `0x${"5a".repeat(64)}1b`,
  });

/** The deadline that was signed. */
export const deadlineSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, "must be unix seconds as a decimal string")
  // Only what is a number comes here: a check beside the pattern would be asked of any text.
  .transform(BigInt)
  .refine((deadline) => deadline <= maxUint256, "must fit in 256 bits")
  .openapi({
    type: "string",
    pattern: "^(0|[1-9][0-9]{0,77})$",
    description: "the `deadline` of the typed data that was signed, unix seconds",
    example: "1795343400",
  });

export const relaySchema = z
  .object({
    id: idField("rly"),
    status: z.enum(["queued", "signed", "mined", "failed"]).openapi("RelayStatus", {
      description:
        "`signed`: on its way; `mined`: deep enough to count; `failed`: the contract refused it, and the same request starts it again",
    }),
    transaction_hash: shownHash.nullable(),
    error: z.string().nullable(),
  })
  .openapi("Relay");

/** The relay of an act that its reader signed before. */
export const signedBeforeField = z.union([relaySchema, z.null()]).openapi({
  description:
    "of what was signed before; null where nothing was. While it is `failed`, the act is not on the chain and not on its way.",
});

/** The typed data that a party signs, and the relay of its earlier signature. */
export const toSignSchema = z
  .object({ typed_data: typedDataSchema, relay: signedBeforeField })
  .openapi("DataToSign");

export const relayAnswer = z.object({ relay: relaySchema }).openapi("RelayAnswer");

/** A call that our key sends for a party. */
export function presentRelay(row: RelayRow): z.output<typeof relaySchema> {
  return { id: row.id, status: row.status, transaction_hash: row.transactionHash, error: row.error };
}
