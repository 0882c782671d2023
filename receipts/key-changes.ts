import { findCurrentKey, isValidAt } from "./key-window.ts";
import { compromiseKey, type Keyring, retireKey, rotateKeys } from "./keyring.ts";
import type { SigningKey } from "./keys.ts";

/**
 * How long others may go by the keys they know, in milliseconds: JWKS clients keep a set for up to ten minutes (jose's
 * default), caches our documents for one, and workers look for a changed file every five seconds.
 */
const leadMs = 15 * 60_000;

/** One change of a keyring, and what the operator is told of it. Throws KeyringError where it cannot be made. */
export type KeyChange = (ring: Keyring, now: Date) => { ring: Keyring; said: string[] };

/**
 * Makes a fresh key; those in use are retired.
 *
 * @param options.begin when the fresh key signs; in 15 minutes unless told
 * @param options.overlapMs how long after that those in use are retired
 * @param options.offersMs how long an offer may stand
 */
export function rotation(options: {
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
    const said = [
      `${fresh.kid} is made. It is published at once and signs from ${fresh.not_before} on; the keys in use are retired at ${end.toISOString()}.`,
    ];
    if (start.getTime() - now.getTime() < leadMs) {
      said.push(
        "That is less than 15 minutes: verifiers that keep the keys they know refuse the new one until then.",
      );
    }
    if (overlapMs < offersMs) {
      said.push(
        "Offers signed before stand for as long as an order may be funded, and lose their key before that.",
      );
    }
    return { ring: rotated, said };
  };
}

/** Ends a key's use, now unless told. */
export function retirement(kid: string, end: Date | undefined): KeyChange {
  return (ring, now) => {
    const retired = retireKey(ring, kid, { end, now });
    const key = retired.keys.find((one) => one.kid === kid);
    return {
      ring: retired,
      said: [`${kid} is retired at ${key?.retired_at}. What it signed until then stays good.`],
    };
  };
}

/** Marks a key that others may have had since then. */
export function compromise(kid: string, since: Date): KeyChange {
  return (ring, now) => {
    const changed = compromiseKey(ring, kid, { since, now });
    const fresh = changed.keys.length > ring.keys.length ? changed.keys.at(-1) : undefined;
    const said = [
      `${kid} is compromised since ${since.toISOString()} and signs nothing any more. What it signed is refused, unless it is older and the chain bears it out.`,
      "Who took this key from the file took the others in it too: mark each of them.",
    ];
    if (fresh) said.unshift(`${fresh.kid} is made and signs from now on: no other key was in use.`);
    return { ring: changed, said };
  };
}

/** Every key with its state and its times, as lines of a table. */
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
  if (isValidAt(key, now)) return "good, rests";
  return Date.parse(key.not_before) > now.getTime() ? "waits" : "retired";
}
