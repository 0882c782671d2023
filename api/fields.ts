import { z } from "@hono/zod-openapi";
import { type Address, getAddress, isAddress } from "viem";

/** An address of a request, in whatever case; EIP-55 in the program. */
export const addressField = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "must be a 20-byte 0x address")
  .transform((value): Address => getAddress(value))
  .openapi({ type: "string", example: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" });

/** What a person names: not empty, no white space around it. */
export const textField = (longest: number) => z.string().trim().min(1).max(longest);

/** A slug: what names a thing within paths. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const slugField = z
  .string()
  .regex(slugPattern, "must be 1 to 63 of a-z, 0-9 and hyphens, and neither start nor end with a hyphen")
  .openapi({ example: "translator" });

export const webUrlField = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" }).max(2048);

/** Fields of answers. */
export const timeField = z.iso.datetime({ offset: true }).openapi({ example: "2026-11-21T09:30:00.000Z" });
export const shownAddress = z.string().openapi({ example: "0x90F79bf6EB2c4f870365E785982E1f101E93b906" });

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

/** Whether a text is an id of this kind. Other text is nothing's, and some of it PostgreSQL would refuse to compare. */
export function isId(prefix: string, text: string): boolean {
  return new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);
}
