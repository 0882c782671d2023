/** Texts that strangers wrote and people read: their length, and characters that deceive readers. */

/** How many characters a text has, as JSON Schema counts them: a surrogate pair is one. */
export function charactersOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Controls other than line breaks and tabs, changes of direction, the separators U+2028 and U+2029, U+FEFF, and tags. */
const hidden = /[^\P{Cc}\n\r\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** More marks on one letter than any script has: they are drawn over the lines around it. */
const mostMarks = 8;
const piled = new RegExp(`\\p{M}{${mostMarks + 1},}`, "u");

/** Says which characters of a text hide from readers, turn the text around them, or draw over it; null for none. */
export function findDeceit(text: string): string | null {
  const [character] = text.match(hidden) ?? [];
  if (character !== undefined) {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return `must not hold the character U+${code}, which readers do not see`;
  }
  return piled.test(text) ? `must not hold more than ${mostMarks} combining marks on one letter` : null;
}

/** Writes hidden characters as JSON writes them, `\u202e`, and leaves out marks beyond those that a letter may have. */
export function showHidden(text: string): string {
  return escapeCharacters(text, hidden).replaceAll(new RegExp(piled, "gu"), (marks) =>
    Array.from(marks).slice(0, mostMarks).join(""),
  );
}

/**
 * Writes characters as JSON's escapes, `\u001b`. So a JSON text keeps its meaning.
 *
 * @param characters with the flag `g`
 */
export function escapeCharacters(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
