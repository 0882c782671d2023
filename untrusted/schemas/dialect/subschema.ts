import type { JsonObject } from "./keywords.ts";

/** One thing that is wrong: where (a JSON pointer), which rule, and what to do. */
export type Violation = { path: string; keyword: string; message: string };

/** A schema within the schema: where it stands, and the URI that its references start from. */
export type Subschema = { schema: JsonObject; path: string; base: string };

/** A schema that stands where JSON Schema has none, and that a reference leads to. */
export type Hidden = { schema: unknown; path: string };

/** All schemas within a schema by their paths, and where their references lead. */
export type SubschemaIndex = {
  root: JsonObject;
  subschemas: Map<string, Subschema>;
  /** by the subschema of the reference, the subschema that it leads to */
  targets: Map<string, string>;
  hidden: Hidden[];
  violations: Violation[];
};
