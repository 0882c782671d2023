import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What a token is for: each is good for nothing else. */
type Purpose = "verify" | "unsubscribe";

/**
 * The token of a link, derived and stored nowhere: whoever reads the database has none.
 *
 * @param key the webhook key of this installation
 * @param about what it is bound to besides its account: the address, and where it is good once, a nonce
 */
export function createMailToken(
  key: Uint8Array,
  purpose: Purpose,
  accountId: string,
  about: string[],
): string {
  return `${accountId}.${sign(key, purpose, accountId, about)}`;
}

/** The account that a token names. Whether it is good, `isMailToken` says. */
export function accountOfToken(token: string): string | null {
  return /^(acc_[a-z0-9]{26})\.[\w-]{43}$/.exec(token)?.[1] ?? null;
}

/** Whether a token is the one of this purpose, account and these things. */
export function isMailToken(
  token: string,
  key: Uint8Array,
  purpose: Purpose,
  accountId: string,
  about: string[],
): boolean {
  const expected = Buffer.from(createMailToken(key, purpose, accountId, about));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function sign(key: Uint8Array, purpose: Purpose, accountId: string, about: string[]): string {
  const own = Buffer.from(hkdfSync("sha256", key, "", `earnest mail ${purpose}`, 32));
  return createHmac("sha256", own)
    .update(JSON.stringify([accountId, ...about]))
    .digest("base64url");
}
