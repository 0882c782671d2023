/** The length of texts of other authors, and characters that deceive their readers. */

/** Counts a text's characters as JSON Schema does: a surrogate pair is one. */
export function charactersOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Controls except line breaks and tabs, changes of direction, the separators U+2028 and U+2029, U+FEFF, and tags. */
export const hiddenCharacters =
  /[^\P{Cc}\n\r\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** More combining marks on one letter than any script uses. They cover the lines around them. */
const mostMarks = 8;
const piled = new RegExp(`\\p{M}{${mostMarks + 1},}`, "u");

/**
 * Describes a character that is invisible, changes the text's direction, or covers other lines; null if there is none.
 */
export function findDeceptiveCharacter(text: string): string | null {
  const [character] = text.match(hiddenCharacters) ?? [];
  if (character !== undefined) {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return `must not contain the invisible character U+${code}`;
  }
  return piled.test(text) ? `must not have more than ${mostMarks} combining marks on one letter` : null;
}

/** Writes hidden characters as JSON escapes, as in `\u202e`, and drops excess combining marks. */
export function showHidden(text: string): string {
  return escapeCharacters(text, hiddenCharacters).replaceAll(new RegExp(piled, "gu"), (marks) =>
    Array.from(marks).slice(0, mostMarks).join(""),
  );
}

/**
 * Escapes characters as JSON does, as in `\u001b`, so that a JSON text keeps its meaning.
 *
 * @param characters a pattern with the flag `g`
 */
export function escapeCharacters(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/**
 * Shortens a text of another author to one line. Hidden characters are shown as escapes.
 *
 * @param most the most characters of the line
 */
export function oneLine(text: string, most: number): string {
  const characters = Array.from(showHidden(text).replaceAll(/\s+/g, " ").trim());
  if (characters.length <= most) return characters.join("");
  return `${characters
    .slice(0, most - 1)
    .join("")
    .trimEnd()}…`;
}
