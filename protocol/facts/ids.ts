/** The form of an id of one kind: a TypeID, a prefix and 26 characters of Crockford's base 32. */
export const idPattern = (prefix: string) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;

/** Whether a text is an id of this kind. PostgreSQL refuses to compare some other texts. */
export function isId(prefix: string, text: string): boolean {
  return new RegExp(idPattern(prefix)).test(text);
}
