import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/**
 * Seals a text for one purpose: the HMAC-SHA-256 of the text in base64url. Each purpose has a key of its own.
 *
 * @param key the webhook key of this installation
 */
export function sealText(key: Uint8Array, purpose: string, text: string): string {
  const own = Buffer.from(hkdfSync("sha256", key, "", `earnest ${purpose}`, 32));
  return createHmac("sha256", own).update(text).digest("base64url");
}

/** Whether two texts are equal. The time of the comparison depends on their lengths only. */
export function isSameSeal(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
