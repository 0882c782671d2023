import { z } from "@hono/zod-openapi";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { idPattern } from "../../protocol/facts/ids.ts";
import { findDeceit } from "../../protocol/json/text.ts";
import { amountPattern } from "../../protocol/settlement/money.ts";
import {
  addressPattern,
  baseUnitsPattern,
  bytes32Pattern,
  hashPattern,
  shownAmountPattern,
  slugPattern,
} from "../../protocol/settlement/shapes.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";

export const exampleAddress = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

/** An address of a request, in whatever case; EIP-55 in the program. */
export const addressField = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "must be a 20-byte 0x address")
  .transform((value): Address => getAddress(value))
  .openapi({ type: "string", pattern: addressPattern.source, example: exampleAddress });

/** 32 bytes of a request, in whatever case; lower case in the program. */
export const bytes32Field = z
  .string()
  .regex(bytes32Pattern, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: "string", pattern: bytes32Pattern.source });

/** A check of texts that others read: a text holds no hidden characters, and none that draw over the page around it. */
export const isReadable = z.check<string>(({ value, issues }) => {
  const message = findDeceit(value);
  if (message !== null) issues.push({ code: "custom", input: value, message });
});

/** What a person names: not empty, no white space around it. */
export const textField = (most: number) => z.string().trim().min(1).max(most).check(isReadable);

/** A public text. Line breaks are `\n`. */
export const plainTextField = (most: number) =>
  z
    .string()
    .max(2 * most)
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      textField(most).refine(
        (text) => !/[\t\r]/.test(text),
        "must hold no control characters but line breaks",
      ),
    )
    .openapi({ type: "string", minLength: 1, maxLength: most });

/** What things are sorted by: a word in lower case. */
export const wordField = z.string().trim().toLowerCase().min(1).max(longest.tag).check(isReadable);
/** Tags of one service, or of one request. */
export const mostTags = 30;
export const tagsField = z
  .array(wordField)
  .max(mostTags)
  .transform((tags) => [...new Set(tags)])
  .openapi({ example: ["japanese", "documents"] });

export const slugField = z
  .string()
  .regex(slugPattern, "must be 1 to 63 of a-z, 0-9 and hyphens, and neither start nor end with a hyphen")
  .openapi({ example: "translator" });

export const webUrlField = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .max(2048)
  .check(isReadable);

/** The number of an EVM chain. */
export const chainIdField = z.int().min(1).max(Number.MAX_SAFE_INTEGER).openapi({ example: 8453 });

/** An amount of money as it is asked: a decimal that is read with its token, whose decimals bound its own. */
export const askedAmount = z.string().max(100).openapi({ pattern: amountPattern.source });

/** The id of one kind of thing. Only the document tells its form: any other text is the id of nothing, and answered so. */
export const idField = (prefix: string) =>
  z.string().openapi({ pattern: idPattern(prefix), example: `${prefix}_01jd3w8x2mfhz8w9q4t6n5k7ra` });

/** The slug in a path, or of an answer; of its form the same holds. */
export const shownSlug = z.string().openapi({ pattern: slugPattern.source, example: "translator" });

/** The years that PostgreSQL keeps and that RFC 3339 writes, both in UTC. */
const firstTime = Date.parse("0001-01-01T00:00:00Z");
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

/** A time of a request, by RFC 3339 with its offset; a Date in the program. */
export const askedTime = z
  .string()
  .transform((text) => text.replaceAll(/[tz]/g, (letter) => letter.toUpperCase()))
  .pipe(z.iso.datetime({ offset: true, error: "must be a time by RFC 3339 with an offset" }))
  .transform((text) => new Date(text))
  .refine(
    (time) => time.getTime() >= firstTime && time.getTime() <= lastTime,
    "must lie in the years 0001 to 9999 in UTC",
  )
  .openapi({ type: "string", format: "date-time", example: "2026-11-21T09:30:00Z" });

/** Fields of answers. */
export const timeField = z.iso.datetime({ offset: true }).openapi({ example: "2026-11-21T09:30:00.000Z" });
export const shownAddress = z.string().openapi({ pattern: addressPattern.source, example: exampleAddress });
export const shownHash = z
  .string()
  .openapi({ pattern: hashPattern.source, example: `0x${"9fc76417374aa880".repeat(4)}` });
export const shownUrl = z.string().openapi({ format: "uri", example: "https://translator.example/" });
export const amountField = z.string().openapi({ pattern: shownAmountPattern.source, example: "2.500000" });
export const baseUnitsField = z.string().openapi({ pattern: baseUnitsPattern.source, example: "2500000" });
export const currencyField = z.string().openapi({ description: "the token's symbol", example: "TUSD" });

/** Where on a chain something happened. */
export const transactionSchema = z
  .object({
    chain_id: chainIdField,
    hash: shownHash,
    block_number: z.int(),
    log_index: z.int(),
  })
  .openapi("Transaction");

/** This or null, where this has a name in the document: `nullable()` would have the name stand for both. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

/** An object whose members are its owner's business. Taken as it came: nothing is dropped or reordered. */
export const jsonObjectField = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  )
  .openapi({ type: "object", additionalProperties: true });
export const nullableJsonObjectField = jsonObjectField
  .nullable()
  .openapi({ type: ["object", "null"], additionalProperties: true });
