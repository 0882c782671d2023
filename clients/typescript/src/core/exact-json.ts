import { losesDigits, parseJson } from "../../../../protocol/json/parse.ts";

/** Matches every string and number of a valid JSON text. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const whole = /^-?\d+$/;

/**
 * Parses JSON like `JSON.parse`, but returns integers that a double would round, such as 9007199254740993, as exact text.
 *
 * @throws SyntaxError with the engine's message
 */
export function parseExactly(text: string): unknown {
  const read = parseJson(text);
  // Integers with fewer digits are exact.
  if (!/\d{16}/.test(text)) return read;
  const exact = text.replace(token, (value) =>
    whole.test(value) && losesDigits(value) ? `"${value}"` : value,
  );
  return exact === text ? read : parseJson(exact);
}
