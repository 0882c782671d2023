import { createHash } from "node:crypto";
import { TypeID } from "typeid-js";
import { type SQL, sql } from "./drizzle.ts";

/**
 * Derives an id from its subject. A database that is restored from an old copy writes the same fact, event, delivery or
 * receipt again under the same id, so receivers see no duplicate.
 *
 * @param at gives the first 60 bits, by which ids sort: a time with an index within the millisecond (of 4,096), or an
 *   earlier id
 * @param of identifies the subject
 */
export function deriveId(
  prefix: string,
  at: { time: Date; index: number } | string,
  ...of: readonly string[]
): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([prefix, ...of]))
    .digest()
    .subarray(0, 16);
  if (typeof at === "string") bytes.set(TypeID.fromString(at).toUUIDBytes().subarray(0, 8));
  else {
    bytes.writeUIntBE(at.time.getTime(), 0, 6);
    bytes.writeUInt16BE(at.index % 4096, 6);
  }
  // The version and the variant of a UUID of version 7.
  bytes.writeUInt8(((bytes[6] as number) & 0x0f) | 0x70, 6);
  bytes.writeUInt8(((bytes[8] as number) & 0x3f) | 0x80, 8);
  return TypeID.fromUUIDBytes(prefix, bytes).toString();
}

/** Derives the id of an event's delivery to an endpoint within a statement: the event's time, and a hash of both ids. */
export function deliveryIdOf(eventId: SQL, endpointId: SQL): SQL {
  return sql`earnest.delivery_id(${eventId}, ${endpointId})`;
}
