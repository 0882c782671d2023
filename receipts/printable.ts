import { escapeCharacters } from "../protocol/json/text.ts";

/**
 * Characters that control a terminal, or hide and reorder others: control and format characters, line separators and
 * halves of surrogate pairs. The two joiners are allowed, because words and emoji contain them.
 */
const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The longest line that is printed in full, in UTF-16 code units. */
const longestLine = 4000;

/** Escapes characters that control a terminal as JSON does, as in `\u001b`, so that JSON keeps its meaning. */
export function escapeControls(text: string): string {
  return escapeCharacters(text, unprintable);
}

/** Makes a bounded line of an untrusted text that a terminal can show. */
export function printable(line: string): string {
  const shown = escapeControls(line.slice(0, longestLine));
  return line.length > longestLine ? `${shown} ... (${line.length - longestLine} more)` : shown;
}
