/** Checks what somebody writes as a JSON Schema, by the rules that the service has for one. Runs in a thread of its own. */
import { type Schema as Checkable, dereference, Validator } from "@cfworker/json-schema";
import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { RE2JS } from "re2js";
import { parseJson } from "../../../json/parse.ts";
import metaschemas from "./json-schema-2020-12.json";
import { longestText, pointerTo, resolve, type Schema } from "./schema.ts";

/** One thing that is wrong in a schema: which member, as a JSON pointer, and what. */
export type Fault = { pointer: string; message: string };
/** A fault where it stands in the text; lines and columns count from 1. */
export type PlacedFault = { line: number; column: number; offset: number; message: string };
/** What a text is: a schema that may be used, or all that is wrong with it. */
export type Verdict = { schema: Schema | null; faults: PlacedFault[] };

/** The service's own limits. */
const largestSchema = 64 * 1024;
const deepestSchema = 64;
const mostFaults = 20;

type Metaschema = { $id: string; properties: Record<string, object> };
/** As json-schema.org publishes them: the dialect, then its vocabularies. */
const [dialectSchema, ...vocabularies] = metaschemas as unknown as [Metaschema, ...Metaschema[]];
const dialect = dialectSchema.$id;

/**
 * The dialect's own schema. Its references to whichever dialect uses it lead to this one; the service checks no formats by
 * it, and patterns by its own rule.
 */
const fixed = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === "format" && typeof value === "string" ? undefined : value,
    ),
    function (this: Record<string, unknown>, name: string, value: unknown) {
      if (name !== "$dynamicRef") return value;
      this.$ref = dialect;
    },
  ) as Checkable;
const metaschema = new Validator(fixed(dialectSchema), "2020-12", false);
for (const vocabulary of vocabularies) {
  const { enum: choices, ...properties } = vocabulary.properties;
  // The service takes no choice among nothing.
  const own = choices ? { ...properties, enum: { ...choices, minItems: 1 } } : properties;
  metaschema.addSchema(fixed({ ...vocabulary, properties: own }));
}

/**
 * Reads a text as a service's schema.
 *
 * @param refused what the service found wrong with this very text, shown with the rest
 */
export function checkSchemaText(text: string, refused: Fault[]): Verdict {
  if (text.length >= longestText) {
    return {
      schema: null,
      faults: [placeAt(text, 0, `A schema takes at most ${largestSchema} bytes of JSON.`)],
    };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first || !tree) {
    const name = first ? printParseErrorCode(first.error) : "ValueExpected";
    return {
      schema: null,
      faults: [placeAt(text, first?.offset ?? 0, unreadable[name] ?? "This is no JSON.")],
    };
  }
  const schema = parseJson(text) as Schema;
  const faults = [...findFaults(schema), ...refused].slice(0, mostFaults);
  const placed = faults.map(({ pointer, message }) => placeAt(text, offsetOf(tree, pointer), message));
  return { schema: faults.length === 0 ? schema : null, faults: placed };
}

/** What the service would refuse, all at once where that can be told at once. */
function findFaults(schema: Schema): Fault[] {
  const whole = (message: string): Fault[] => [{ pointer: "", message }];
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return whole("A schema is an object, in curly brackets.");
  }
  if (nestsDeeper(schema, deepestSchema)) return whole(`This nests deeper than ${deepestSchema} levels.`);
  const size = new TextEncoder().encode(JSON.stringify(schema)).length;
  if (size > largestSchema)
    return whole(`This is ${size} bytes of JSON. A schema takes at most ${largestSchema}.`);
  const { $schema } = schema as { $schema?: unknown };
  if ($schema !== undefined && $schema !== dialect) {
    return [{ pointer: "/$schema", message: `This is ${dialect}, or left out.` }];
  }
  const violations = findViolations(schema);
  if (violations.length > 0) return violations;
  const { type } = schema;
  if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
    return [{ pointer: "/type", message: 'This is "object": inputs and outputs are objects.' }];
  }
  const patterns = findPatterns(schema, "");
  if (patterns.length > 0) return patterns;
  try {
    const references = findReferences(schema);
    if (references.length > 0) return references;
    new Validator(schema as Checkable, "2020-12", false).validate({});
    return [];
  } catch (error) {
    // Whatever else it is, the service says it.
    return error instanceof RangeError ? whole("This refers to itself without end.") : [];
  }
}

/** Where the schema is no JSON Schema: one sentence for each place, of the keyword that is nearest to the fault. */
function findViolations(schema: Schema): Fault[] {
  const found = new Map<string, string>();
  for (const { keyword, instanceLocation, error } of metaschema.validate(schema).errors) {
    const pointer = decodeURIComponent(instanceLocation.slice(1));
    if (above.has(keyword) || found.has(pointer)) continue;
    found.set(pointer, keyword === "anyOf" ? typeSentence : error);
  }
  return [...found].map(([pointer, message]) => ({ pointer, message }));
}

/** Keywords that only say that something below is wrong. */
const above = new Set(["allOf", "$ref", "properties", "additionalProperties", "items"]);
const typeSentence =
  "A type is one of array, boolean, integer, null, number, object, string, or a list of these.";

/** Patterns that the service cannot run: it runs them with RE2, which takes no look-around and no back-references. */
function findPatterns(value: unknown, pointer: string): Fault[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (isData.has(name)) return [];
    const at = pointerTo(pointer, name);
    const patterns = name === "patternProperties" ? Object.keys(member as object) : [];
    if (name === "pattern" && typeof member === "string") patterns.push(member);
    const bad = patterns.filter((pattern) => !isRunnable(pattern));
    const message = "This is no pattern that RE2 can run. It takes no look-around and no back-references.";
    return [...bad.map(() => ({ pointer: at, message })), ...findPatterns(member, at)];
  });
}

/** Members that hold values, not schemas. */
const isData = new Set(["const", "default", "enum", "examples"]);

function isRunnable(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return true;
  } catch {
    return false;
  }
}

/** References to what is not in the schema. */
function findReferences(schema: Schema): Fault[] {
  const places = dereference(structuredClone(schema) as Checkable) as Record<
    string,
    { __absolute_uri__?: string; __absolute_ref__?: string }
  >;
  return Object.values(places).flatMap((place) => {
    const { __absolute_uri__: own = "", __absolute_ref__: to } = place;
    if (to === undefined || to in places || isMember(to, schema)) return [];
    const pointer = decodeURIComponent(own.split("#")[1] ?? "");
    return [{ pointer: `${pointer}/$ref`, message: "This refers to nothing in this schema." }];
  });
}

/** Whether an address is a JSON pointer to a member of the schema that is no place for schemas by itself. */
function isMember(address: string, schema: Schema): boolean {
  const fragment = address.split("#")[1] ?? "";
  return fragment.startsWith("/") && Object.keys(resolve({ $ref: `#${fragment}` }, schema)).length > 0;
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1));
}

/** Where a member stands, or the nearest one around it. */
function offsetOf(tree: Node, pointer: string): number {
  const names = pointer.split("/").slice(1);
  for (let length = names.length; length > 0; length--) {
    const path: JSONPath = names.slice(0, length).map((name) => {
      const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
      return /^\d+$/.test(key) ? Number(key) : key;
    });
    const found = findNodeAtLocation(tree, path);
    if (found) return found.offset;
  }
  return tree.offset;
}

function placeAt(text: string, offset: number, message: string): PlacedFault {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, offset, message };
}

/** What the parser's findings mean. */
const unreadable: Record<string, string> = {
  InvalidSymbol: "This word is no JSON. A text stands in double quotes.",
  InvalidNumberFormat: "This is no number.",
  PropertyNameExpected: "A name in double quotes belongs here.",
  ValueExpected: "A value belongs here.",
  ColonExpected: "A colon belongs here.",
  CommaExpected: "A comma belongs here.",
  CloseBraceExpected: "A closing } belongs here.",
  CloseBracketExpected: "A closing ] belongs here.",
  EndOfFileExpected: "The schema ended before this.",
  InvalidCommentToken: "JSON has no comments.",
  UnexpectedEndOfComment: "JSON has no comments.",
  UnexpectedEndOfString: "A closing double quote is missing.",
  UnexpectedEndOfNumber: "This number ends too soon.",
  InvalidUnicode: "This is no character: four hexadecimal digits follow \\u.",
  InvalidEscapeCharacter: "No such character follows a backslash.",
  InvalidCharacter: "This character must be written with a backslash.",
};
