import { findFault, parseJson as parseAny } from "../protocol/json/parse.ts";
import { Rejection } from "./errors.ts";

const PLAIN_NUMBER = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses JSON and refuses texts that two readers could take for different statements. An object must not name a member
 * twice, because `JSON.parse` keeps the last one and other parsers the first. Numbers must be whole, safe and written
 * plainly: some parsers read `4.2e1` and `42.00000000000000000001` as 42.
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
