import { findCurrentKey, isValidAt } from "./key-window.ts";
import { compromiseKey, type Keyring, retireKey, rotateKeys } from "./keyring.ts";
import type { SigningKey } from "./signing-keys.ts";

/**
 * The milliseconds for which others may use cached keys. JWKS clients cache a set for up to ten minutes (jose's
 * default), HTTP caches our documents for one, and workers read a changed file within five seconds.
 */
const leadMs = 15 * 60_000;

/** A change of a keyring, with sentences for the operator. Throws KeyringError if the change is not possible. */
export type KeyChange = (ring: Keyring, now: Date) => { ring: Keyring; messages: string[] };

/**
 * Creates a key, and retires the keys in use.
 *
 * @param options.begin the time from which the new key signs; by default in 15 minutes
 * @param options.overlapMs the delay of the retirement after `begin`
 * @param options.offersMs the validity of an offer
 */
export function planRotation(options: {
  begin: Date | undefined;
  overlapMs: number;
  offersMs: number;
}): KeyChange {
  const { begin, overlapMs, offersMs } = options;
  return (ring, now) => {
    const start = begin ?? new Date(Math.ceil((now.getTime() + leadMs) / 1000) * 1000);
    const end = new Date(start.getTime() + overlapMs);
    const rotated = rotateKeys(ring, { begin: start, end, now });
    const fresh = rotated.keys.at(-1) as SigningKey;
    const messages = [
      `${fresh.kid} is created. It is published now and signs from ${fresh.not_before} on. The keys in use are retired at ${end.toISOString()}.`,
    ];
    if (start.getTime() - now.getTime() < leadMs) {
      messages.push(
        "That is less than 15 minutes: verifiers with cached keys refuse the new one until then.",
      );
    }
    if (overlapMs < offersMs) {
      messages.push("Earlier offers are valid for the funding window, but their key is retired before that.");
    }
    return { ring: rotated, messages };
  };
}

/** Retires a key, now by default. */
export function planRetirement(kid: string, end: Date | undefined): KeyChange {
  return (ring, now) => {
    const retired = retireKey(ring, kid, { end, now });
    const key = retired.keys.find((one) => one.kid === kid);
    return {
      ring: retired,
      messages: [`${kid} is retired at ${key?.retired_at}. Its earlier signatures stay valid.`],
    };
  };
}

/** Marks a key as compromised since a time. */
export function planCompromise(kid: string, since: Date): KeyChange {
  return (ring, now) => {
    const changed = compromiseKey(ring, kid, { since, now });
    const fresh = changed.keys.length > ring.keys.length ? changed.keys.at(-1) : undefined;
    const messages = [
      `${kid} is compromised since ${since.toISOString()} and signs nothing more. Its signatures are refused, unless they are older and the chain confirms the document.`,
      "If the key file was stolen, mark each of its keys.",
    ];
    if (fresh)
      messages.unshift(`${fresh.kid} is created and signs from now on, because no other key was in use.`);
    return { ring: changed, messages };
  };
}

/** Formats the keys with their states and times as lines of a table. */
export function tabulateKeys(keys: readonly SigningKey[], now: Date): string[] {
  const current = findCurrentKey(keys, now);
  const rows = keys.map((key) => [
    key.kid,
    stateOf(key, current, now),
    key.not_before,
    key.retired_at ?? "",
    key.compromised_since ?? "",
  ]);
  const table = [["key", "state", "signs from", "retired at", "compromised since"], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function stateOf(key: SigningKey, current: SigningKey | undefined, now: Date): string {
  if (key.compromised_since !== null) return "compromised";
  if (key === current) return "signs";
  if (isValidAt(key, now)) return "valid, unused";
  return Date.parse(key.not_before) > now.getTime() ? "waits" : "retired";
}
