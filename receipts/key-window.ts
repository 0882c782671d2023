import * as z from "zod";

/**
 * The part after `#` in the id of a key's verification method in the DID document, such as `key-1`. The id of its Multikey entry
 * ends in `-mb`.
 */
export const kidSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .refine((kid) => !kid.endsWith("-mb"), "must not end in -mb");

/** The validity of a key. Times are RFC 3339. */
export interface KeyWindow {
  kid: string;
  not_before: string;
  retired_at: string | null;
  compromised_since: string | null;
}

/** Whether a key may sign at a time. A compromised key never may. */
export function isValidAt(key: KeyWindow, at: Date): boolean {
  const retired = key.retired_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.retired_at);
  return (
    key.compromised_since === null && Date.parse(key.not_before) <= at.getTime() && at.getTime() <= retired
  );
}

/** Finds the key that signs at a time: of the valid keys, the one with the latest start, and then the one added last. */
export function findCurrentKey<T extends KeyWindow>(keys: readonly T[], at: Date): T | undefined {
  return keys
    .filter((key) => isValidAt(key, at))
    .sort((a, b) => Date.parse(a.not_before) - Date.parse(b.not_before))
    .at(-1);
}
