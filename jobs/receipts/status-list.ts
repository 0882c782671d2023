import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import type { Transaction } from "../../db/client.ts";
import { and, asc, eq, isNotNull, sql } from "../../db/drizzle.ts";
import { receipt, receiptStatusList } from "../../db/schema.ts";
import { hashJws } from "../../receipts/jws-hash.ts";
import { isValidAt } from "../../receipts/key-window.ts";
import { type StatusList, signedStatusListSchema } from "../../receipts/revocation.ts";
import { signStatusList } from "../../receipts/sign.ts";
import { currentKey, multikeyMethodId } from "../../receipts/signing-keys.ts";

/** How long a list is valid: the longest outage of all workers that verifiers tolerate. */
const validForMs = 12 * 3_600_000;
/** The age in milliseconds at which an unchanged list is signed again. */
const renewAfterMs = 3_600_000;
/** An advisory lock of its own: "stat" as bytes. */
const statusLock = 0x7374_6174;

/**
 * Signs the list of revoked receipts if the list differs from the database, is old, or has a key that is compromised
 * since. Call it in the transaction that revokes, and periodically.
 *
 * @returns whether the list was signed
 */
export async function publishReceiptStatus(
  tx: Transaction,
  signer: ReceiptSigner,
  now = new Date(),
): Promise<boolean> {
  const { issuer } = signer;
  // One at a time, so that each list includes all earlier revocations.
  await tx.execute(sql`select pg_advisory_xact_lock(${statusLock}::bigint)`);
  const revoked = await readRevoked(tx, issuer);
  const [stored] = await tx.select().from(receiptStatusList).where(eq(receiptStatusList.issuer, issuer));
  if (stored && !isStale(stored, revoked, signer, now)) return false;
  const document = signStatusList(
    {
      type: "ReceiptStatusList",
      version: 1,
      issuer,
      issued_at: now.toISOString(),
      valid_until: new Date(now.getTime() + validForMs).toISOString(),
      revoked,
    },
    currentKey(signer.keys, now),
    issuer,
  );
  await tx
    .insert(receiptStatusList)
    .values({ issuer, document, issuedAt: now })
    .onConflictDoUpdate({ target: receiptStatusList.issuer, set: { document, issuedAt: now } });
  return true;
}

async function readRevoked(tx: Transaction, issuer: string): Promise<StatusList["revoked"]> {
  const rows = await tx
    .select({
      id: sql<string>`${receipt.document} ->> 'id'`,
      revokedAt: receipt.revokedAt,
      x402Receipt: receipt.x402Receipt,
    })
    .from(receipt)
    .where(and(isNotNull(receipt.revokedAt), sql`${receipt.document} ->> 'issuer' = ${issuer}`))
    .orderBy(asc(receipt.revokedAt), asc(receipt.id));
  return rows.map(({ id, revokedAt, x402Receipt }) => ({
    id,
    revoked_at: (revokedAt as Date).toISOString(),
    x402_sha256: x402Receipt === null ? null : hashJws(x402Receipt),
  }));
}

function isStale(
  stored: { document: unknown; issuedAt: Date },
  revoked: StatusList["revoked"],
  { issuer, keys }: ReceiptSigner,
  now: Date,
): boolean {
  const list = signedStatusListSchema.safeParse(stored.document);
  if (!list.success || now.getTime() - stored.issuedAt.getTime() >= renewAfterMs) return true;
  const { revoked: listedReceipts, proof } = list.data;
  const signed = keys.find((key) => multikeyMethodId(issuer, key) === proof.verificationMethod);
  const isTrusted = signed !== undefined && isValidAt(signed, stored.issuedAt);
  return (
    !isTrusted ||
    listedReceipts.length !== revoked.length ||
    listedReceipts.some(({ id }, i) => id !== revoked[i]?.id)
  );
}
