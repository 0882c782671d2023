import { findFault, parseJson as parseAny } from "../protocol/json/parse.ts";
import { Rejection } from "./errors.ts";

const PLAIN_NUMBER = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses JSON and refuses what two readers of one signed text could take for different statements: an object that names
 * a member twice (`JSON.parse` keeps the last one, other parsers the first), and numbers that are not whole, safe and
 * written plainly (`4.2e1` and `42.00000000000000000001` are 42 to some parsers).
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseAny(text);
  } catch {
    throw new Rejection("malformed", "It is not JSON.");
  }
  const fault = findFault(
    text,
    (number) => !PLAIN_NUMBER.test(number) || !Number.isSafeInteger(Number(number)),
  );
  if (fault?.keyword === "number") {
    throw new Rejection("invalid_number", `It is ${fault.found.slice(0, 40)}.`);
  }
  if (fault) throw new Rejection("duplicate_member", `It is ${JSON.stringify(fault.found)}.`);
  return value;
}
