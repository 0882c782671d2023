import { z } from "@hono/zod-openapi";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { idPattern } from "../../protocol/facts/ids.ts";
import { findDeceptiveCharacter } from "../../protocol/json/text.ts";
import { amountPattern } from "../../protocol/settlement/money.ts";
import {
  addressPattern,
  baseUnitsPattern,
  bytes32Pattern,
  bytesPattern,
  hashPattern,
  shownAmountPattern,
  slugPattern,
} from "../../protocol/settlement/shapes.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";

export const exampleAddress = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

/** An address of a request, in any case. The program has it with its EIP-55 checksum. */
export const addressField = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "must be a 20-byte 0x address")
  .transform((value): Address => getAddress(value))
  .openapi({ type: "string", pattern: addressPattern.source, example: exampleAddress });

/** 32 bytes of a request, in any case. The program has them in lower case. */
export const bytes32Field = z
  .string()
  .regex(bytes32Pattern, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: "string", pattern: bytes32Pattern.source, example: `0x${"9fc76417374aa880".repeat(4)}` });

/** Checks a text that others read: no hidden characters, and none that draw over the page around the text. */
export const isReadable = z.check<string>(({ value, issues }) => {
  const message = findDeceptiveCharacter(value);
  if (message !== null) issues.push({ code: "custom", input: value, message });
});

/** A name or a word of a person: not empty, without white space around it. */
export const textField = (most: number) => z.string().trim().min(1).max(most).check(isReadable);

/** A text of a query that PostgreSQL accepts as text. */
export const queryText = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    // The pattern is in the API's description, so it uses only what the regular expressions of all languages have.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
    .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "must not contain control characters");

/** A whole number from 1 to `most`, in a query parameter. */
export const wholeQuery = (most: number, shown: { description?: string; example?: number } = {}) =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/, "must be a whole number from 1")
    .transform(Number)
    .pipe(z.number().max(most))
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: most, ...shown });

/** A public text with line breaks, which are `\n`. */
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

/** A word that lists are sorted or filtered by, in lower case. */
export const wordField = z.string().trim().toLowerCase().min(1).max(longest.tag).check(isReadable);
/** The most tags of a service or a request. */
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

/** A token on a chain, as requests name it. */
export const tokenNameField = z
  .strictObject({ chain_id: chainIdField, token: addressField })
  .openapi("TokenName", { description: "a token of a chain, as `GET /chains` lists them" });

/** An amount of money in a request: a decimal. The token of the amount decides how many decimals it may have. */
export const amountInput = z.string().max(100).openapi({ pattern: amountPattern.source, example: "2.5" });

/** The id of one kind of resource. Only the document states its form: any other text is answered as an unknown id. */
export const idField = (prefix: string) =>
  z.string().openapi({ pattern: idPattern(prefix), example: `${prefix}_01jd3w8x2mfhz8w9q4t6n5k7ra` });

/** A slug in a path or an answer. Only the document states its form, as for ids. */
export const shownSlug = z.string().openapi({ pattern: slugPattern.source, example: "translator" });

/** The years that both PostgreSQL and RFC 3339 can write, in UTC. */
const firstTime = Date.parse("0001-01-01T00:00:00Z");
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

/** A time of a request, by RFC 3339 with its offset. The program has it as a Date. */
export const timeInput = z
  .string()
  .transform((text) => text.replaceAll(/[tz]/g, (letter) => letter.toUpperCase()))
  .pipe(z.iso.datetime({ offset: true, error: "must be a time by RFC 3339 with an offset" }))
  .transform((text) => new Date(text))
  .refine(
    (time) => time.getTime() >= firstTime && time.getTime() <= lastTime,
    "must lie in the years 0001 to 9999 in UTC",
  )
  .openapi({ type: "string", format: "date-time", example: "2026-11-21T09:30:00Z" });

/** Fields of answers follow. */
export const timeField = z.iso.datetime({ offset: true }).openapi({ example: "2026-11-21T09:30:00.000Z" });
export const shownAddress = z.string().openapi({ pattern: addressPattern.source, example: exampleAddress });
export const shownHash = z
  .string()
  .openapi({ pattern: hashPattern.source, example: `0x${"9fc76417374aa880".repeat(4)}` });
export const shownUrl = z.string().openapi({ format: "uri", example: "https://translator.example/" });
export const amountField = z.string().openapi({ pattern: shownAmountPattern.source, example: "2.500000" });
export const baseUnitsField = z.string().openapi({ pattern: baseUnitsPattern.source, example: "2500000" });
export const currencyField = z.string().openapi({ description: "the token's symbol", example: "TUSD" });

/** The place of an event on a chain. */
export const transactionSchema = z
  .object({
    chain_id: chainIdField,
    hash: shownHash,
    block_number: z.int(),
    log_index: z.int(),
  })
  .openapi("Transaction");

/** A named schema or null. `nullable()` would make the name stand for both. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

/** An object whose members the owner chooses. It is stored as it came: nothing is dropped or reordered. */
export const jsonObjectField = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  )
  .openapi({ type: "object", additionalProperties: true });
export const nullableJsonObjectField = jsonObjectField
  .nullable()
  .openapi({ type: ["object", "null"], additionalProperties: true });

/** The most characters of a signature for a contract wallet: its check costs gas for each byte. */
const longestSignature = 2 + 2 * 32_768;

/** A wallet's signature of a message. */
export const walletSignatureField = z
  .string()
  .regex(bytesPattern, "must be 0x and an even number of hex digits")
  .max(longestSignature)
  .transform((text) => text as Hex)
  .openapi({ type: "string", pattern: bytesPattern.source, maxLength: longestSignature });
