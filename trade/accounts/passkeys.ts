import { eq } from "drizzle-orm";
import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { passkey } from "../../db/schema.ts";
import { type PasskeyKey, passkeyAccountOf } from "../../protocol/settlement/passkey.ts";
import { Refusal } from "../refusal.ts";

export type PasskeyRow = typeof passkey.$inferSelect;

/** A passkey as its owner names it: the id that the authenticator gave, and the public key. */
export type NamedPasskey = { credentialId: string; key: PasskeyKey };

/**
 * Records the public key of a passkey that has just proved its account, so that its other devices find the key. The first
 * record of an id or an account stays: nobody replaces the key of another's passkey.
 *
 * @param proved the account that the passkey proved
 * @throws Refusal `invalid_request` if the account is not that of the key
 */
export async function recordPasskey(
  db: Database,
  factory: Address | undefined,
  proved: Address,
  { credentialId, key }: NamedPasskey,
): Promise<void> {
  if (!factory || passkeyAccountOf(factory, key).toLowerCase() !== proved.toLowerCase()) {
    const message = `The account of this public key is not ${proved}. Send the key of the passkey that signed.`;
    throw new Refusal("invalid_request", message, [{ path: "/passkey", keyword: "public_key", message }]);
  }
  await db
    .insert(passkey)
    .values({ credentialId, address: proved, ...key })
    .onConflictDoNothing();
}

/** Finds a passkey by its id; null if it never signed in. */
export async function findPasskey(db: Database, credentialId: string): Promise<PasskeyRow | null> {
  const [found] = await db.select().from(passkey).where(eq(passkey.credentialId, credentialId));
  return found ?? null;
}

/** Finds the passkey of an account; null for another wallet. */
export async function findPasskeyOf(db: Database, account: Address): Promise<PasskeyRow | null> {
  const [found] = await db.select().from(passkey).where(eq(passkey.address, account));
  return found ?? null;
}
