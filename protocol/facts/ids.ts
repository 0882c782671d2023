/** The form of an id of one kind: a TypeID, a prefix and 26 characters of Crockford's base 32. */
export const idPattern = (prefix: string) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;

/** Whether a text is an id of this kind. PostgreSQL refuses to compare some other texts. */
export function isId(prefix: string, text: string): boolean {
  return new RegExp(idPattern(prefix)).test(text);
}

/**
 * Returns the lower bound of the ids of a kind that were made since a time. Ids are ordered by time, so a statement skips
 * older rows. The time is the first 48 bits of a TypeID: after two zero bits, its first ten characters.
 *
 * @param time milliseconds since 1970
 */
export function firstIdSince(prefix: string, time: number): string {
  const digits = Array.from(
    { length: 10 },
    (_, place) => Math.floor(Math.max(0, time) / 32 ** (9 - place)) % 32,
  );
  return `${prefix}_${digits.map((place) => "0123456789abcdefghjkmnpqrstvwxyz"[place]).join("")}`;
}
