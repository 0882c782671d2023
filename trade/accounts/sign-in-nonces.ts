import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { signInNonce } from "../../db/schema.ts";

/** Stores the nonce of a message that a wallet is asked to sign. */
export const insertNonce = prepareOnce("insert_nonce", (db) =>
  withoutOldNonces(db)
    .insert(signInNonce)
    .values({
      ...ofMessage,
      purpose: sql.placeholder("purpose"),
      accountId: sql.placeholder("accountId"),
      deviceCodeHash: sql.placeholder("deviceCodeHash"),
    }),
);

/** Stores the nonce of a signed message as used. Returns no row if it was used before. */
export const insertUsedNonce = prepareOnce("insert_used_nonce", (db) =>
  withoutOldNonces(db)
    .insert(signInNonce)
    .values({ ...ofMessage, purpose: "read_purchase", usedAt: sql`now()` })
    .onConflictDoNothing()
    .returning({ nonce: signInNonce.nonce }),
);

const ofMessage = {
  nonce: sql.placeholder("nonce"),
  address: sql.placeholder("address"),
  chainId: sql.placeholder("chainId"),
  messageHash: sql.placeholder("messageHash"),
  expiresAt: sql.placeholder("expiresAt"),
};

// Anyone may create nonces, so each insert deletes old ones. A job could fall behind.
function withoutOldNonces(db: Database | Transaction) {
  const isOld = sql`${signInNonce.expiresAt} < now() - interval '1 day'`;
  return db.with(db.$with("old").as(db.delete(signInNonce).where(isOld)));
}
