import { randomUUID } from "node:crypto";
import type { Database } from "../../db/client.ts";
import { and, eq, isNull, or, sql } from "../../db/drizzle.ts";
import { file } from "../../db/schema.ts";
import { Refusal } from "../refusal.ts";

/** Seconds of a lease, and between its renewals. A process that dies leaves the upload leased for so long. */
const leaseSeconds = 30;
const renewalSeconds = 10;

/** Seconds after which another request may try again. */
const retrySeconds = 5;

/**
 * Leases an upload, so that one request at a time writes its bytes, whatever process it reaches.
 *
 * @param onLoss called if the lease is lost, as when the database is away
 * @returns a function that ends the lease
 * @throws Refusal `upload_busy`
 */
export async function leaseUpload(
  db: Database,
  id: string,
  onLoss: () => void,
): Promise<() => Promise<void>> {
  const owner = randomUUID();
  const until = sql`now() + make_interval(secs => ${leaseSeconds})`;
  const isFree = or(isNull(file.leasedUntil), sql`${file.leasedUntil} < now()`);
  const { rowCount } = await db
    .update(file)
    .set({ leaseOwner: owner, leasedUntil: until })
    .where(and(eq(file.id, id), isFree));
  if (rowCount === 0) {
    const message = "Another request sends bytes of this upload. Wait, ask for the offset, and resume.";
    throw new Refusal("upload_busy", message, undefined, retrySeconds);
  }
  const own = and(eq(file.id, id), eq(file.leaseOwner, owner));
  const renewal = setInterval(() => {
    const renewed = db.update(file).set({ leasedUntil: until }).where(own);
    renewed.then(
      ({ rowCount }) => rowCount === 0 && onLoss(),
      () => onLoss(),
    );
  }, renewalSeconds * 1000);
  return async () => {
    clearInterval(renewal);
    await db.update(file).set({ leaseOwner: null, leasedUntil: null }).where(own);
  };
}
