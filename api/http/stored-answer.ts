import { z } from "zod";
import type { Database } from "../../db/client.ts";
import { eq } from "../../db/drizzle.ts";
import { order, service } from "../../db/schema.ts";
import { parseJson } from "../../protocol/json/parse.ts";

/** The members of an answer that may be large: payloads of orders, and schemas of services. */
const largeMembers = ["input_payload", "output_payload", "input_schema", "output_schema"] as const;
type LargeMember = (typeof largeMembers)[number];

/** Characters of JSON above which a member is removed from a stored answer. */
const large = 256;

/** The most characters of a stored answer without its large members. */
const longest = 16_384;

export const storedAnswer = z.object({
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  /** the large members that were removed from the body */
  without: z.array(z.enum(largeMembers)).default([]),
});
type StoredBody = Pick<z.output<typeof storedAnswer>, "body" | "without">;

/** Removes the large members, which the row of the order or service has. Null if the rest has over `longest` characters. */
export function withoutLargeMembers(body: string): StoredBody | null {
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

/** Puts the large members back, as their row has them now. */
export async function restoreBody(db: Database, { body, without }: StoredBody): Promise<string> {
  const parsed = without.length > 0 ? parseObject(body) : null;
  if (!parsed) return body;
  const current = await readLarge(db, String(parsed.id));
  for (const name of without) parsed[name] = current[name] ?? null;
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
