import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { inArray } from "../../db/drizzle.ts";
import { passkey } from "../../db/schema.ts";
import { type PasskeyKey, passkeyAccountOf } from "../../protocol/settlement/passkey.ts";
import { Refusal } from "../refusal.ts";

export type PasskeyRow = typeof passkey.$inferSelect;

/**
 * Records the public key of a passkey that has just proved its account, so that its other devices find the key. Nobody can
 * record the key of another's passkey.
 *
 * @param proved the account that the passkey proved
 * @throws Refusal `invalid_request` if the account is not that of the key
 */
export async function recordPasskey(
  db: Database,
  factory: Address | undefined,
  proved: Address,
  key: PasskeyKey,
): Promise<void> {
  if (!factory || passkeyAccountOf(factory, key).toLowerCase() !== proved.toLowerCase()) {
    const message = `The account of this public key is not ${proved}. Send the key of the passkey that signed.`;
    throw new Refusal("invalid_request", message, [{ path: "/passkey", keyword: "public_key", message }]);
  }
  await db
    .insert(passkey)
    .values({ address: proved, ...key })
    .onConflictDoNothing();
}

/** Finds the passkeys of accounts. A passkey that never signed in is not known. */
export function findPasskeys(db: Database, accounts: Address[]): Promise<PasskeyRow[]> {
  return db.select().from(passkey).where(inArray(passkey.address, accounts));
}
