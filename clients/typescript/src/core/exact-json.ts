import { losesDigits, parseJson } from "../../../../protocol/json/parse.ts";

/** Every string and every number of a valid JSON text. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const whole = /^-?\d+$/;

/**
 * The same as `JSON.parse`, but for whole numbers that a double would change, as 9007199254740993: they come as text, with all
 * of their digits.
 *
 * @throws SyntaxError in the words of the engine
 */
export function parseExactly(text: string): unknown {
  const read = parseJson(text);
  // Fewer digits than these are exact.
  if (!/\d{16}/.test(text)) return read;
  const exact = text.replace(token, (one) => (whole.test(one) && losesDigits(one) ? `"${one}"` : one));
  return exact === text ? read : parseJson(exact);
}
