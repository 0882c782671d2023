import { randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { isId } from "../../protocol/facts/ids.ts";
import { latestTime } from "../../protocol/settlement/terms.ts";
import { isSameSeal, sealText } from "../text-seal.ts";

/** The only purpose of a sealed text. */
type Purpose = "terms" | "claim" | "sign-in";

/** The id and the funding deadline (unix seconds) of an order that does not exist yet. */
export type SealedTerms = { orderId: string; fundBy: number };

/** The prefix of a claim token. */
export const claimTokenPrefix = "ecl_";

/**
 * Seals terms that are offered to an anonymous caller. The seal comes back with the payment, so nothing is stored
 * before. It cannot be guessed, so it also shows that this service offered the terms.
 *
 * @param key the webhook key of this installation
 * @param escrowId commits to all terms, including the order's id and its deadline
 */
export function sealTerms(key: Uint8Array, { orderId, fundBy }: SealedTerms, escrowId: Hex): string {
  return `${orderId.slice("ord_".length)}.${fundBy}.${sign(key, "terms", escrowId)}`;
}

/** Parses a seal. `isSealOf` checks it. */
export function readSeal(seal: unknown): SealedTerms | null {
  const [, suffix, fundBy] =
    (typeof seal === "string" && /^([a-z0-9]{26})\.(\d{1,15})\.[\w-]{43}$/.exec(seal)) || [];
  const orderId = `ord_${suffix}`;
  if (fundBy === undefined || !isId("ord", orderId) || Number(fundBy) > latestTime) return null;
  return { orderId, fundBy: Number(fundBy) };
}

/** Whether this service sealed the terms of this escrow. */
export function isSealOf(key: Uint8Array, seal: unknown, escrowId: Hex): boolean {
  const terms = readSeal(seal);
  return terms !== null && isSameSeal(String(seal), sealTerms(key, terms, escrowId));
}

/** Derives the claim token, by which a buyer without an account reads an order. The token is not stored. */
export function createClaimToken(key: Uint8Array, orderId: string): string {
  return `${claimTokenPrefix}${orderId.slice("ord_".length)}_${sign(key, "claim", orderId)}`;
}

/** Reads the order of a valid claim token; null for any other text. */
export function readClaimToken(key: Uint8Array, token: string): string | null {
  const suffix = /^ecl_([a-z0-9]{26})_[\w-]{43}$/.exec(token)?.[1];
  const orderId = `ord_${suffix}`;
  if (suffix === undefined || !isId("ord", orderId)) return null;
  return isSameSeal(token, createClaimToken(key, orderId)) ? orderId : null;
}

/**
 * Creates the nonce of a message that a wallet signs to read its purchase: 32 hex digits, half of them random. The other half
 * shows that this service wrote the message, so nothing is stored before the message is used.
 *
 * @param challenge the time and the URL of the message
 */
export function createSignInNonce(key: Uint8Array, challenge: string, random = randomHex()): string {
  const seal = Buffer.from(sign(key, "sign-in", `${random} ${challenge}`), "base64url");
  return random + seal.toString("hex", 0, 8);
}

/** Whether this service created a nonce for this time and URL. */
export function isSignInNonce(key: Uint8Array, challenge: string, nonce: string): boolean {
  return isSameSeal(nonce, createSignInNonce(key, challenge, nonce.slice(0, 16)));
}

const randomHex = () => randomBytes(8).toString("hex");

function sign(key: Uint8Array, purpose: Purpose, text: string): string {
  return sealText(key, `buying ${purpose}`, text);
}
