import { findFault, parseJson as parseAny } from "../protocol/json/parse.ts";
import { Rejection } from "./errors.ts";

const PLAIN_NUMBER = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses JSON and refuses texts that two parsers could read differently. An object must not repeat a member, because
 * parsers keep the first or the last one. Numbers must be plain, safe integers: some parsers read `4.2e1` and
 * `42.00000000000000000001` as 42.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseAny(text);
  } catch {
    throw new Rejection("malformed", "The text is not JSON.");
  }
  const fault = findFault(
    text,
    (number) => !PLAIN_NUMBER.test(number) || !Number.isSafeInteger(Number(number)),
  );
  if (fault?.keyword === "number") {
    throw new Rejection("invalid_number", `The number is ${fault.found.slice(0, 40)}.`);
  }
  if (fault) throw new Rejection("duplicate_member", `The member is ${JSON.stringify(fault.found)}.`);
  return value;
}
