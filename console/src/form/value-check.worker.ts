/** Checks values in a Web Worker, which can be terminated: a user's pattern may run forever. */
import { type Schema, Validator } from "@cfworker/json-schema";
import { answerAll } from "./worker-thread.ts";

export type CheckRequest = { schema: Schema; value: unknown };
/** A violation of a rule of the schema: the rule's keyword, and its limit if the rule has a number. */
export type Violation = { pointer: string; keyword: string; limit: number | null; message: string };
/** The violations; null if the schema cannot be checked here. */
export type CheckReply = Violation[] | null;

answerAll<CheckRequest, CheckReply>(({ schema, value }) => {
  try {
    const { errors } = new Validator(schema, "2020-12", false).validate(value);
    // Errors that only say that a value below is wrong are dropped.
    const relevant = errors.filter(
      ({ keyword }) => !["properties", "items", "$ref", "allOf", "prefixItems"].includes(keyword),
    );
    return relevant.map(({ keyword, instanceLocation, error }) => {
      const pointer = decodeURIComponent(instanceLocation.slice(1));
      const missing = keyword === "required" ? /"([^"]*)"/.exec(error)?.[1] : undefined;
      // The checker's sentence ends with the limit, as in `String is too short (2 < 3).`
      const limit = /[ (](-?\d+(?:\.\d+)?)\)?\.$/.exec(error)?.[1];
      return {
        pointer: missing === undefined ? pointer : `${pointer}/${missing}`,
        keyword: missing === undefined && keyword === "required" ? "" : keyword,
        limit: limit === undefined ? null : Number(limit),
        message: error,
      };
    });
  } catch {
    return null;
  }
});
