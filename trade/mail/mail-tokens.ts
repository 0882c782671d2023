import { isSameSeal, sealText } from "../text-seal.ts";

/** The only purpose of a token. */
type Purpose = "verify" | "unsubscribe";

/**
 * Derives the token of a link. The token is not stored, so a leak of the database contains none.
 *
 * @param key the webhook key of this installation
 * @param about further values that bind the token: the address, and the nonce of a token that works once
 */
export function createMailToken(
  key: Uint8Array,
  purpose: Purpose,
  accountId: string,
  about: string[],
): string {
  return `${accountId}.${sign(key, purpose, accountId, about)}`;
}

/** Reads the account that a token names. `isMailToken` checks the token. */
export function accountOfToken(token: string): string | null {
  return /^(acc_[a-z0-9]{26})\.[\w-]{43}$/.exec(token)?.[1] ?? null;
}

/** Whether a token is valid for this purpose, account and these values. */
export function isMailToken(
  token: string,
  key: Uint8Array,
  purpose: Purpose,
  accountId: string,
  about: string[],
): boolean {
  return isSameSeal(token, createMailToken(key, purpose, accountId, about));
}

function sign(key: Uint8Array, purpose: Purpose, accountId: string, about: string[]): string {
  return sealText(key, `mail ${purpose}`, JSON.stringify([accountId, ...about]));
}
