import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { TypeID } from "typeid-js";

/**
 * An id that follows from what it is of. A database that was restored from an old copy makes the same fact, event,
 * delivery or receipt again, and the outside, which knows the id, has it once.
 *
 * @param at the id's first 60 bits, so that ids sort by it: a moment with a place among all of that moment (of 4,096), or
 *   an id that it follows
 * @param of what makes it happen once
 */
export function deriveId(
  prefix: string,
  at: { time: Date; place: number } | string,
  ...of: readonly string[]
): string {
  const bytes = createHash("sha256")
    .update(JSON.stringify([prefix, ...of]))
    .digest()
    .subarray(0, 16);
  if (typeof at === "string") bytes.set(TypeID.fromString(at).toUUIDBytes().subarray(0, 8));
  else {
    bytes.writeUIntBE(at.time.getTime(), 0, 6);
    bytes.writeUInt16BE(at.place % 4096, 6);
  }
  // The version and the variant of a UUID of version 7.
  bytes.writeUInt8(((bytes[6] as number) & 0x0f) | 0x70, 6);
  bytes.writeUInt8(((bytes[8] as number) & 0x3f) | 0x80, 8);
  return TypeID.fromUUIDBytes(prefix, bytes).toString();
}

/** The id of the delivery of an event to an endpoint, within a statement: the event's time, and a hash of both ids. */
export function deliveryIdOf(eventId: SQL, endpointId: SQL): SQL {
  return sql`earnest.delivery_id(${eventId}, ${endpointId})`;
}
