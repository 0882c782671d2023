import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../../db/client.ts";
import { order, service } from "../../db/schema.ts";
import { parseJson } from "../../protocol/json/parse.ts";

/** What may be large in an answer: payloads of orders, and schemas of services. */
const largeMembers = ["input_payload", "output_payload", "input_schema", "output_schema"] as const;
type LargeMember = (typeof largeMembers)[number];

/** Characters of JSON from which a member is left out of a stored answer. */
const large = 256;

/** The longest answer that is kept at all, in characters, once its large members are left out. */
const longest = 16_384;

export const storedAnswer = z.object({
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  /** large members that the body stands without; answers kept by older versions have them all */
  without: z.array(z.enum(largeMembers)).default([]),
});
type SlimAnswer = Pick<z.output<typeof storedAnswer>, "body" | "without">;

/** An answer without its payloads, which are in the order's or the service's row; null for one that is too long even so. */
export function slim(body: string): SlimAnswer | null {
  if (body.length <= large) return { body, without: [] };
  const parsed = parseObject(body);
  const without = largeMembers.filter((name) => JSON.stringify(parsed?.[name] ?? null).length > large);
  if (!parsed || typeof parsed.id !== "string" || without.length === 0) {
    return body.length > longest ? null : { body, without: [] };
  }
  for (const name of without) parsed[name] = null;
  const rest = JSON.stringify(parsed);
  return rest.length > longest ? null : { body: rest, without };
}

/** The answer with its payloads again, as they stand in their row now. */
export async function restore(db: Database, { body, without }: SlimAnswer): Promise<string> {
  const parsed = without.length > 0 ? parseObject(body) : null;
  if (!parsed) return body;
  const standing = await readLarge(db, String(parsed.id));
  for (const name of without) parsed[name] = standing[name] ?? null;
  return JSON.stringify(parsed);
}

async function readLarge(db: Database, id: string): Promise<Partial<Record<LargeMember, unknown>>> {
  if (id.startsWith("ord_")) {
    const columns = { input_payload: order.inputPayload, output_payload: order.outputPayload };
    const [row] = await db.select(columns).from(order).where(eq(order.id, id));
    return row ?? {};
  }
  const columns = { input_schema: service.inputSchema, output_schema: service.outputSchema };
  const [row] = await db.select(columns).from(service).where(eq(service.id, id));
  return row ?? {};
}

function parseObject(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
