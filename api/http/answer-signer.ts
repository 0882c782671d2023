import { createReceiptSignerReader, type ReceiptSigner } from "../../config/keys/signing-key.ts";
import { findCurrentKey } from "../../receipts/key-window.ts";
import type { SigningKey } from "../../receipts/signing-keys.ts";
import type { Context } from "../context.ts";

/** The issuer of signed answers, with the key that signs now. */
export type Signer = { issuer: string; key: SigningKey };

const readers = new WeakMap<Context, () => ReceiptSigner | null>();

/**
 * Finds the key that signs offers and agent cards; null if this process has no usable key. Answers are then unsigned. A key
 * file that was not updated after a rotation has no current key.
 */
export function findSigner(context: Context): Signer | null {
  const read = readers.get(context) ?? createReceiptSignerReader(context.config);
  readers.set(context, read);
  try {
    const signer = read();
    const key = signer && findCurrentKey(signer.keys, new Date());
    return signer && key ? { issuer: signer.issuer, key } : null;
  } catch (error) {
    context.log.error(
      { err: error, alert: "signing_keys_unusable" },
      "signing keys unusable, offers and agent cards left unsigned",
    );
    return null;
  }
}
