/** Checks values in a Web Worker, which can be terminated: a user's pattern may run forever. */
import { type Schema, Validator } from "@cfworker/json-schema";
import { answerAll } from "./worker-thread.ts";

export type CheckRequest = { schema: Schema; value: unknown };
/** The violations; null if the schema cannot be checked here. */
export type CheckReply = { pointer: string; message: string }[] | null;

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
      return missing === undefined
        ? { pointer, message: error }
        : { pointer: `${pointer}/${missing}`, message: "This is required." };
    });
  } catch {
    return null;
  }
});
