import type { JsonObject } from "./keywords.ts";

/** A violation of a rule: its JSON pointer, its keyword, and a message that says what to do. */
export type Violation = { path: string; keyword: string; message: string };

/** A schema within a schema: its JSON pointer, and the base URI of its references. */
export type Subschema = { schema: JsonObject; path: string; base: string };

/** A schema at a location where JSON Schema has none, to which a reference leads. */
export type Hidden = { schema: unknown; path: string };

/** The subschemas of a schema by their paths, with the targets of their references. */
export type SubschemaIndex = {
  root: JsonObject;
  subschemas: Map<string, Subschema>;
  /** the target's path by the path of the reference */
  targets: Map<string, string>;
  hidden: Hidden[];
  violations: Violation[];
};
