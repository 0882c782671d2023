import { escapeCharacters } from "../protocol/json/text.ts";

/**
 * Characters that a terminal acts on, or that hide and reorder others: control and format characters, line separators and
 * halves of surrogate pairs. The two joiners are parts of words and pictures.
 */
const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The longest line that is printed whole, in UTF-16 code units. */
const longestLine = 4000;

/** Writes each character that a terminal acts on as JSON writes it: `\u001b`. So JSON stays what it is. */
export function escapeControls(text: string): string {
  return escapeCharacters(text, unprintable);
}

/** A text of somebody else as one line of bounded length, which a terminal shows and does not obey. */
export function printable(line: string): string {
  const shown = escapeControls(line.slice(0, longestLine));
  return line.length > longestLine ? `${shown} ... (${line.length - longestLine} more)` : shown;
}
