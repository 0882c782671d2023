import { z } from "@hono/zod-openapi";
import { type Hex, maxUint256 } from "viem";
import { bytesPattern, longestSignature } from "../../protocol/settlement/shapes.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { idField, shownHash } from "../http/fields.ts";
import { typedDataSchema } from "./order.ts";

export const signatureSchema = z
  .string()
  .regex(bytesPattern, "must be 0x and an even number of hex digits")
  .max(longestSignature)
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({
    type: "string",
    pattern: bytesPattern.source,
    maxLength: longestSignature,
    description: "the wallet's signature of the typed data, in 0x-hex",
    example: `0x${"5a".repeat(64)}1b`,
  });

/** The deadline of the signed typed data. */
export const deadlineSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, "must be unix seconds as a decimal string")
  // The pattern has passed already. A `refine` beside it would also run for texts that are no number.
  .transform(BigInt)
  .refine((deadline) => deadline <= maxUint256, "must fit in 256 bits")
  .openapi({
    type: "string",
    pattern: "^(0|[1-9][0-9]{0,77})$",
    description: "the `deadline` of the signed typed data, in unix seconds",
    example: "1795343400",
  });

export const relaySchema = z
  .object({
    id: idField("rly"),
    status: z.enum(["queued", "signed", "mined", "failed"]).openapi("RelayStatus", {
      description:
        "`queued`: not sent yet; `signed`: sent; `mined`: confirmed; `failed`: the contract refused it, and a repeated request starts it again",
    }),
    transaction_hash: shownHash.nullable(),
    error: z.string().nullable(),
  })
  .openapi("Relay");

/** The relay of the reader's last signature. */
export const lastRelayField = z.union([relaySchema, z.null()]).openapi({
  description:
    "the relay of your last signature; null without one. If it is `failed`, the act is neither on the chain nor on its way",
});

/** The typed data for a party to sign, and the relay of the party's last signature. */
export const toSignSchema = z
  .object({ typed_data: typedDataSchema, relay: lastRelayField })
  .openapi("DataToSign");

export const relayAnswer = z.object({ relay: relaySchema }).openapi("RelayAnswer");

/** Presents a relay: a call that the relayer sends for a party. */
export function presentRelay(row: RelayRow): z.output<typeof relaySchema> {
  return { id: row.id, status: row.status, transaction_hash: row.transactionHash, error: row.error };
}
