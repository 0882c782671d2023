/** Checks values in a thread of its own: a stranger's pattern may take for ever, and is ended then. */
import { type Schema, Validator } from "@cfworker/json-schema";
import { answerAll } from "./worker-thread.ts";

export type Asked = { schema: Schema; value: unknown };
/** Null where the schema cannot be checked here. */
export type Told = { pointer: string; message: string }[] | null;

answerAll<Asked, Told>(({ schema, value }) => {
  try {
    const { errors } = new Validator(schema, "2020-12", false).validate(value);
    // What only says that something below is wrong tells nobody anything.
    const own = errors.filter(
      ({ keyword }) => !["properties", "items", "$ref", "allOf", "prefixItems"].includes(keyword),
    );
    return own.map(({ keyword, instanceLocation, error }) => {
      const place = decodeURIComponent(instanceLocation.slice(1));
      const missing = keyword === "required" ? /"([^"]*)"/.exec(error)?.[1] : undefined;
      return missing === undefined
        ? { pointer: place, message: error }
        : { pointer: `${place}/${missing}`, message: "This is required." };
    });
  } catch {
    return null;
  }
});
